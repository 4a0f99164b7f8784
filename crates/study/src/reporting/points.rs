//! Rows as points of curves.

use super::summary::is_untold;
use crate::comparison::{REPETITIONS, half_width_of_mean};
use crate::row::Row;
use turnwise_report::LoadPoint;

/// Rows at the same place of the axis become one point: means of means, and their intervals.
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

/// Half the width of the 95 % interval of a column's mean: by how far repetitions are apart, or if these are too few, by their own intervals.
fn half_width(rows: &[&Row], column: &str) -> f64 {
    let figures =
        |column: &str| -> Vec<f64> { rows.iter().filter_map(|row| row.figure(column)).collect() };
    let of_each = figures(&format!("{column}_ci"));
    let squares: f64 = of_each.iter().map(|value| value * value).sum();
    let pooled = match of_each.is_empty() {
        true => f64::NAN,
        false => squares.sqrt() / of_each.len() as f64,
    };
    let means = figures(column);
    match means.as_slice() {
        // What differs from run to run, such as a pattern that is drawn, is in no run's own interval, and two do not tell how far it goes.
        [a, b] if (a - b).abs() > 2.0 * pooled => f64::NAN,
        means if means.len() >= REPETITIONS => match half_width_of_mean(means) {
            0.0 => pooled,
            width => width,
        },
        _ => pooled,
    }
}

fn merged(place: f64, rows: &[&Row]) -> LoadPoint {
    let count = rows.iter().filter(|row| row.flag("saturated")).count();
    let saturated = 2 * count >= rows.len() && count > 0;
    // What packets take in runs that do not keep up says how long these were.
    let alike: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| row.flag("saturated") == saturated)
        .collect();
    let latency = |column: &str| mean(&alike, column);
    let mean = |column: &str| mean(rows, column);
    LoadPoint {
        x: place,
        offered_load: mean("offered_load"),
        injected_load: mean("injected_load"),
        accepted_load: mean("accepted_load"),
        accepted_half_width: half_width(rows, "accepted_load"),
        mean_latency: latency("mean_packet_latency"),
        latency_half_width: half_width(&alike, "mean_packet_latency"),
        latency_p50: latency("latency_p50"),
        latency_p99: latency("latency_p99"),
        latency_p999: latency("latency_p999"),
        message_latency: latency("mean_message_latency"),
        message_latency_p99: latency("message_latency_p99"),
        mean_hops: mean("mean_hops"),
        saturation_load: mean("saturation_load"),
        makespan: mean("makespan"),
        transaction_time: mean("mean_transaction_time"),
        transaction_time_p99: mean("transaction_time_p99"),
        saturated,
        untold: !saturated && rows.iter().any(|row| is_untold(row)),
        deadlocked: rows.iter().any(|row| row.flag("deadlocked")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Cell;

    fn row(latency: f64, saturated: bool) -> Row {
        let mut row = Row::nothing();
        row.set("mean_packet_latency", latency);
        row.set("mean_packet_latency_ci", 0.1);
        row.set("saturated", saturated);
        row
    }

    fn point(rows: &[Row]) -> LoadPoint {
        let rows: Vec<(f64, &Row)> = rows.iter().map(|row| (0.5, row)).collect();
        points(&rows).remove(0)
    }

    /// Ten random permutations were once said to be known to 0.04 cycles, as far as each run by itself told, where they were 2.4 apart.
    #[test]
    fn an_interval_of_repetitions_is_that_of_what_they_have() {
        let one = point(&[row(30.0, false)]);
        assert_eq!(one.latency_half_width, 0.1);
        let two = |apart: f64| point(&[30.0, 30.0 + apart].map(|latency| row(latency, false)));
        assert!(two(2.0).latency_half_width.is_nan());
        assert!((two(0.1).latency_half_width - 0.1 / 2.0f64.sqrt()).abs() < 1e-12);
        let same = point(&[30.0; 3].map(|latency| row(latency, false)));
        assert!(same.latency_half_width > 0.0);
        let four = point(&[30.0, 31.0, 32.0, 33.0].map(|latency| row(latency, false)));
        // Student's t with three degrees of freedom, and the standard deviation of 1, 2, 3, 4.
        let expected = 3.182446 * (5.0f64 / 3.0).sqrt() / 2.0;
        assert!((four.latency_half_width - expected).abs() < 1e-4);
        assert_eq!(four.mean_latency, 31.5);
    }

    /// One run of ten that did not keep up made the whole point one that does not.
    #[test]
    fn half_of_the_repetitions_say_whether_a_point_is_saturated() {
        let of = |saturated: &[bool]| {
            let rows: Vec<Row> = saturated.iter().map(|&is| row(30.0, is)).collect();
            point(&rows).saturated
        };
        assert!(of(&[true]) && of(&[true, false]) && of(&[true, true, false]));
        assert!(!of(&[false]) && !of(&[true, false, false]));
        // Latencies of the others are told.
        let mixed = [row(900.0, true), row(30.0, false), row(32.0, false)];
        assert_eq!(point(&mixed).mean_latency, 31.0);
        let mut untold = row(30.0, false);
        untold.set("offered_load", 0.5);
        assert!(!point(std::slice::from_ref(&untold)).untold);
        untold.set("saturated", Cell::Nothing);
        assert!(point(std::slice::from_ref(&untold)).untold);
    }
}
