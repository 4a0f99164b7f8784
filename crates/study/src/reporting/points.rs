//! Rows as points of curves.

use crate::row::Row;
use turnwise_report::LoadPoint;

/// Rows at the same place of the axis become one point: means of means, intervals of
/// independent runs.
pub(super) fn points(rows: &[(f64, &Row)]) -> Vec<LoadPoint> {
    let mut by_place: Vec<(f64, Vec<&Row>)> = Vec::new();
    for (place, row) in rows {
        match by_place.iter_mut().find(|(known, _)| known == place) {
            Some((_, rows)) => rows.push(row),
            None => by_place.push((*place, vec![row])),
        }
    }
    by_place
        .into_iter()
        .map(|(place, rows)| merged(place, &rows))
        .collect()
}

/// The mean of a column where it was measured; NaN where it nowhere was.
pub(super) fn mean(rows: &[&Row], column: &str) -> f64 {
    let values: Vec<f64> = rows.iter().filter_map(|row| row.figure(column)).collect();
    match values.is_empty() {
        true => f64::NAN,
        false => values.iter().sum::<f64>() / values.len() as f64,
    }
}

fn merged(place: f64, rows: &[&Row]) -> LoadPoint {
    let half_width = |column: &str| {
        let values: Vec<f64> = rows.iter().filter_map(|row| row.figure(column)).collect();
        let squares: f64 = values.iter().map(|value| value * value).sum();
        match values.is_empty() {
            true => f64::NAN,
            false => squares.sqrt() / values.len() as f64,
        }
    };
    let mean = |column: &str| mean(rows, column);
    LoadPoint {
        x: place,
        offered_load: mean("offered_load"),
        injected_load: mean("injected_load"),
        accepted_load: mean("accepted_load"),
        accepted_half_width: half_width("accepted_load_ci"),
        mean_latency: mean("mean_packet_latency"),
        latency_half_width: half_width("mean_packet_latency_ci"),
        latency_p50: mean("latency_p50"),
        latency_p99: mean("latency_p99"),
        latency_p999: mean("latency_p999"),
        message_latency: mean("mean_message_latency"),
        message_latency_p99: mean("message_latency_p99"),
        mean_hops: mean("mean_hops"),
        saturation_load: mean("saturation_load"),
        makespan: mean("makespan"),
        transaction_time: mean("mean_transaction_time"),
        transaction_time_p99: mean("transaction_time_p99"),
        saturated: rows.iter().any(|row| row.flag("saturated")),
        deadlocked: rows.iter().any(|row| row.flag("deadlocked")),
    }
}
