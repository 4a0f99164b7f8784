//! One row of results: what `run --format json` prints, the store keeps and the report reads.

use crate::saturation::is_saturated;
use crate::steadiness::is_steady;
use crate::sweep::Point;
use crate::workshop::Experiment;
use serde_json::{Map, Number, Value as Json, json};
use turnwise_network::document::{Kind, Value};
use turnwise_sim::{ClassMeasurement, Ending, Outcome};

/// Columns of a row after the swept fields, in order.
pub const COLUMNS: &[&str] = &[
    "offered_load",
    "injected_load",
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
    "fairness",
    "min_terminal_load",
    "max_terminal_load",
    "steady",
    "drift",
    "saturated",
    "deadlocked",
    "ending",
    "saturation_load",
    "saturation_load_ci",
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

/// What a column holds, if it was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Number,
    Flag,
    Text,
}

fn type_of(column: &str) -> Type {
    match column {
        "steady" | "saturated" | "deadlocked" => Type::Flag,
        "ending" | "fingerprint" => Type::Text,
        _ => Type::Number,
    }
}

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
        let saturated = is_saturated(experiment, outcome);
        let optional = |value: Option<f64>| value.map_or(Json::Null, number);
        let terminal_load =
            |pick: fn(f64, f64) -> f64| optional(measured.terminal_loads().reduce(pick));
        // The latency of a saturated run grows for as long as the run lasts, whatever the warm-up.
        let trend = measured.latency_trend.filter(|_| !saturated);
        let values = [
            number(experiment.load),
            number(measured.injected_load),
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
            optional(measured.fairness()),
            terminal_load(f64::min),
            terminal_load(f64::max),
            trend.map_or(Json::Null, |trend| is_steady(trend).into()),
            optional(trend.map(|trend| trend.change)),
            saturated.into(),
            deadlocked.into(),
            ending_name(&outcome.ending).into(),
            Json::Null,
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
        if !measured.classes.is_empty() {
            row.insert("classes".into(), classes(experiment, &measured.classes));
        }
        Self(row)
    }

    /// What keeps a stored row from being one, such as "has no `cycles`".
    pub fn fault(&self) -> Option<String> {
        if !self.0.get("point").is_some_and(Json::is_object) {
            return Some("has no `point`".into());
        }
        COLUMNS.iter().find_map(|column| {
            let (right, what) = match (self.0.get(*column), type_of(column)) {
                (None, _) => return Some(format!("has no `{column}`")),
                (Some(Json::Null), _) => return None,
                (Some(value), Type::Number) => (value.is_number(), "number"),
                (Some(value), Type::Flag) => (value.is_boolean(), "truth value"),
                (Some(value), Type::Text) => (value.is_string(), "text"),
            };
            (!right).then(|| format!("has something else than a {what} for `{column}`"))
        })
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

/// What was measured of each class of traffic; rows of studies without classes have no such column.
fn classes(experiment: &Experiment, measured: &[ClassMeasurement]) -> Json {
    let classes = experiment
        .class_names
        .iter()
        .zip(measured)
        .map(|(name, class)| {
            let latency = match class.packets {
                0 => Json::Null,
                _ => number(class.packet_latency),
            };
            let quantile = class.latencies.quantile(0.99);
            json!({
                "name": name,
                "injected_load": number(class.injected_load),
                "accepted_load": number(class.accepted_load),
                "mean_packet_latency": latency,
                "latency_p99": quantile.map_or(Json::Null, Json::from),
                "packets": class.packets,
                "undelivered_packets": class.undelivered,
            })
        });
    classes.collect()
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
