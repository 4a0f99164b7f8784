//! One row of results: what `run --format json` prints, the store keeps and the report reads.

use crate::sweep::Point;
use crate::workshop::Experiment;
use serde_json::{Map, Number, Value as Json};
use turnwise_network::document::{Kind, Value};
use turnwise_sim::{Ending, Outcome};

/// Columns of a row after the swept fields, in order.
pub const COLUMNS: &[&str] = &[
    "offered_load",
    "accepted_load",
    "accepted_load_ci",
    "mean_packet_latency",
    "mean_packet_latency_ci",
    "mean_network_latency",
    "latency_p50",
    "latency_p99",
    "latency_p999",
    "latency_max",
    "mean_hops",
    "mean_routers",
    "nonminimal_share",
    "max_channel_utilisation",
    "saturated",
    "deadlocked",
    "ending",
    "saturation_load",
    "undelivered_packets",
    "cycles",
    "flit_hops",
    "packets",
    "fingerprint",
    "seconds",
];

/// A row: a JSON object with `point` and [`COLUMNS`].
#[derive(Clone, Debug, PartialEq)]
pub struct Row(pub Map<String, Json>);

/// Below this share of what was offered, the network is called saturated.
pub const ACCEPTED_SHARE: f64 = 0.95;

impl Row {
    /// The row of a finished simulation; `seconds` is its wall-clock time.
    pub fn new(
        point: &Point,
        repeated: bool,
        experiment: &Experiment,
        outcome: &Outcome,
        seconds: f64,
    ) -> Self {
        let measured = &outcome.measurement;
        let quantile = |share| {
            measured
                .latencies
                .quantile(share)
                .map_or(Json::Null, Json::from)
        };
        let deadlocked = matches!(outcome.ending, Ending::Deadlocked(_));
        let busiest = measured.utilisation.iter().copied().fold(0.0, f64::max);
        let no_packets = measured.packets == 0;
        let latency = |value: f64| {
            if no_packets {
                Json::Null
            } else {
                number(value)
            }
        };
        let values = [
            number(experiment.load),
            number(measured.accepted_load.mean),
            number(measured.accepted_load.half_width),
            latency(measured.packet_latency.mean),
            latency(measured.packet_latency.half_width),
            latency(measured.network_latency),
            quantile(0.5),
            quantile(0.99),
            quantile(0.999),
            measured.latencies.max().map_or(Json::Null, Json::from),
            latency(measured.mean_hops),
            latency(measured.mean_routers),
            measured.nonminimal_share.map_or(Json::Null, latency),
            number(busiest),
            is_saturated(experiment, outcome).into(),
            deadlocked.into(),
            ending_name(&outcome.ending).into(),
            Json::Null,
            measured.undelivered.into(),
            outcome.cycles.into(),
            outcome.flit_hops.into(),
            outcome.packets.into(),
            format!("{:016x}", outcome.fingerprint).into(),
            number(seconds),
        ];
        let mut row = Map::new();
        row.insert("point".into(), point_fields(point, repeated).into());
        for (column, value) in COLUMNS.iter().zip(values) {
            row.insert((*column).into(), value);
        }
        Self(row)
    }

    /// What a stored row lacks to be one, if it lacks anything.
    pub fn missing_column(&self) -> Option<&'static str> {
        let has_point = self.0.get("point").is_some_and(Json::is_object);
        let missing = COLUMNS
            .iter()
            .find(|column| !self.0.contains_key(**column))
            .copied();
        if has_point { missing } else { Some("point") }
    }

    /// A figure of the row, `None` if it was not measured.
    pub fn figure(&self, column: &str) -> Option<f64> {
        self.0.get(column)?.as_f64()
    }

    /// A yes-or-no column.
    pub fn flag(&self, column: &str) -> bool {
        self.0.get(column).and_then(Json::as_bool).unwrap_or(false)
    }

    /// The swept fields of the row's point.
    pub fn point(&self) -> impl Iterator<Item = (&str, &Json)> {
        let fields = self.0.get("point").and_then(Json::as_object);
        fields
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.as_str(), value))
    }
}

/// Does a run show that the network cannot keep up?
pub fn is_saturated(experiment: &Experiment, outcome: &Outcome) -> bool {
    let measured = &outcome.measurement;
    if matches!(outcome.ending, Ending::LimitReached | Ending::Deadlocked(_)) {
        return true;
    }
    let accepted = measured.accepted_load.mean;
    if experiment.phases.drain {
        // With very few packets, arrivals just after the window would look like a shortfall.
        return measured.packets > 100 && accepted < ACCEPTED_SHARE * measured.offered_load;
    }
    let (packets, offered) = created(experiment, measured.window);
    let chance = if packets > 100 {
        0.0
    } else {
        2.0 / (packets.max(1) as f64).sqrt()
    };
    accepted < (ACCEPTED_SHARE - chance) * offered
}

/// Packets created in the window, and how many flits that is per living terminal and cycle.
///
/// The engine asks an overloaded source for a packet only when the one before has left, so
/// a run that does not drain ends without knowing what it was asked to carry.
fn created(experiment: &Experiment, window: u64) -> (u64, f64) {
    let network = &experiment.routed.network;
    let (start, end) = (experiment.phases.warmup, experiment.phases.warmup + window);
    let (mut terminals, mut packets, mut flits) = (0u64, 0u64, 0u64);
    for terminal in network.living_terminals() {
        terminals += 1;
        let (mut sequence, mut last) = (0, None);
        while let Some(packet) = experiment
            .injector
            .next(terminal, sequence, last)
            .filter(|next| next.created < end)
        {
            if packet.created >= start {
                packets += 1;
                flits += u64::from(packet.flits);
            }
            (sequence, last) = (sequence.wrapping_add(1), Some(packet.created));
        }
    }
    (packets, flits as f64 / (terminals * window).max(1) as f64)
}

fn ending_name(ending: &Ending) -> &'static str {
    match ending {
        Ending::Completed => "completed",
        Ending::Deadlocked(_) => "deadlocked",
        Ending::LimitReached => "limit-reached",
        Ending::Interrupted => "interrupted",
        Ending::Lost { .. } => "lost",
    }
}

/// The swept fields as a JSON object, with the repetition where there are several.
pub fn point_fields(point: &Point, repeated: bool) -> Map<String, Json> {
    let mut fields: Map<String, Json> = point
        .fields
        .iter()
        .map(|(name, value)| (name.clone(), to_json(value)))
        .collect();
    if repeated {
        fields.insert("repeat".into(), point.repeat.into());
    }
    fields
}

/// A value of the study as JSON.
pub fn to_json(value: &Value) -> Json {
    match &value.kind {
        Kind::Boolean(flag) => (*flag).into(),
        Kind::Integer(integer) => (*integer).into(),
        Kind::Float(float) => number(*float),
        Kind::String(text) => text.as_str().into(),
        Kind::Array(items) => items.iter().map(to_json).collect(),
        Kind::Table(table) => table
            .iter()
            .map(|(key, value)| (key.name.clone(), to_json(value)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

/// A number rounded to nine significant digits: enough for any figure, and stable to read.
pub fn number(value: f64) -> Json {
    let rounded: Option<f64> = format!("{value:.8e}").parse().ok();
    // Adding 0 turns -0, which looks like a mistake, into 0.
    let rounded = rounded.and_then(|value| Number::from_f64(value + 0.0));
    rounded.map_or(Json::Null, Json::Number)
}

/// A number for people: five significant digits, whole numbers in full.
pub fn figure(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    let digits = (4 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_five_digits_and_no_idle_ones() {
        let texts = [0.0, 1040.0, 1_030.479_34, 0.031_25, 123_456.7, 1e-9].map(figure);
        assert_eq!(
            texts,
            ["0", "1040", "1030.5", "0.03125", "123457", "0.000000001"]
        );
    }
}
