//! What was carried, by system, wiring, traffic and routing.

use crate::pages::{Csv, Record, mean};
use turnwise_sim::batch_means;

/// A megafly: its half radix and its groups.
pub(crate) type System = (u32, u32);

/// From many links between two groups to few.
pub(crate) const SYSTEMS: [System; 3] = [(12, 9), (10, 11), (8, 17)];

pub(crate) const PERMUTATION: &str = "random-permutation";
pub(crate) const SHIFT: &str = "shift";

/// Flits per terminal and cycle, and the half-width of the interval.
#[derive(Clone, Copy)]
pub(crate) struct Figure {
    pub(crate) mean: f64,
    pub(crate) half: f64,
}

/// Rows of one study, or of one of its scales where that has more permutations.
pub(crate) struct Results {
    study: Csv,
    permutations: Option<Csv>,
}

impl Results {
    pub(crate) fn read(text: &str) -> Self {
        Self {
            study: Csv::read(text),
            permutations: None,
        }
    }

    /// With more permutations, those of the study among them.
    pub(crate) fn with_permutations(self, text: &str) -> Self {
        Self {
            permutations: Some(Csv::read(text)),
            ..self
        }
    }

    /// The rows of a system and a traffic whose routing is called so; see [`name`].
    pub(crate) fn rows<'a>(
        &'a self,
        system: System,
        traffic: &'a str,
        routing: &'a str,
    ) -> impl Iterator<Item = Record<'a>> + Clone {
        let groups = f64::from(system.1);
        let more = self.permutations.as_ref();
        let all = more
            .filter(|_| traffic == PERMUTATION)
            .unwrap_or(&self.study);
        let rows = all.records();
        let rows = rows.filter(move |row| row.number("network.groups") == groups);
        let rows = rows.filter(move |row| {
            let is_swept = all.header().iter().any(|column| column == "traffic");
            !is_swept || row.text("traffic").contains(traffic)
        });
        rows.filter(move |row| name(row.text("routing")) == routing)
    }

    /// What is carried in one wiring.
    pub(crate) fn carried(
        &self,
        (system, wiring): (System, &str),
        traffic: &str,
        routing: &str,
    ) -> Option<Figure> {
        let rows = self.rows(system, traffic, routing);
        carried(rows.filter(|row| row.text("network.wiring") == wiring))
    }

    /// By how much more one routing carries than another, repetition by repetition: both have the same permutation then.
    pub(crate) fn gain(
        &self,
        (system, wiring): (System, &str),
        traffic: &str,
        routings: [&str; 2],
    ) -> Option<Figure> {
        let [own, others] = routings.map(|routing| {
            let rows = self.rows(system, traffic, routing);
            by_repetition(rows.filter(|row| row.text("network.wiring") == wiring))
        });
        assert_eq!(own.len(), others.len());
        let gains: Vec<Figure> = own
            .iter()
            .zip(others)
            .map(|(own, other)| own.above(other))
            .collect();
        over_repetitions(&gains)
    }

    /// What is carried where there is one wiring, and how much global channels swing.
    pub(crate) fn swinging(
        &self,
        system: System,
        traffic: &str,
        routing: &str,
    ) -> Option<(Figure, f64)> {
        let rows = self.rows(system, traffic, routing);
        let herding = mean(rows.clone().map(|row| row.number("herding")));
        carried(rows).map(|figure| (figure, herding))
    }
}

/// In the mean over repetitions.
pub(crate) fn carried<'a>(rows: impl Iterator<Item = Record<'a>>) -> Option<Figure> {
    over_repetitions(&by_repetition(rows))
}

fn by_repetition<'a>(rows: impl Iterator<Item = Record<'a>>) -> Vec<Figure> {
    let figure = |row: Record<'a>| Figure {
        mean: row.number("accepted_load"),
        half: row.number("accepted_load_ci"),
    };
    rows.map(figure).collect()
}

/// The mean of repetitions, and its interval by how much they differ: each has a permutation of its own. The interval of a single one
/// is that of its run.
fn over_repetitions(figures: &[Figure]) -> Option<Figure> {
    match figures {
        [] => None,
        &[only] => Some(only),
        several => {
            let one_each: Vec<(f64, f64)> = several.iter().map(|one| (one.mean, 1.0)).collect();
            let all = batch_means(&one_each);
            Some(Figure {
                mean: all.mean,
                half: all.half_width,
            })
        }
    }
}

/// What a routing is called here: its kind, and the options that it has in these studies, in their order.
pub(crate) fn name(routing: &str) -> String {
    let fields: serde_json::Value = serde_json::from_str(routing).unwrap();
    let fields = fields.as_object().unwrap();
    let mut words = vec![fields["kind"].as_str().unwrap().to_owned()];
    let text = |value: &serde_json::Value| match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    if fields.contains_key("hop_flits") {
        words.push("sum".to_owned());
    }
    let others = fields
        .iter()
        .filter(|(key, _)| !matches!(key.as_str(), "kind" | "hop_flits"));
    words.extend(others.map(|(key, value)| format!("{key}={}", text(value))));
    words.join(" ")
}

impl Figure {
    pub(crate) fn text(self) -> String {
        format!("{:.3} ± {:.3}", self.mean, self.half)
    }

    /// By how much it is above another, as a share, with the half-width of that.
    fn above(self, other: Self) -> Self {
        let ratio = self.mean / other.mean;
        let off = (self.half / self.mean).hypot(other.half / other.mean);
        Self {
            mean: ratio - 1.0,
            half: ratio * off,
        }
    }

    pub(crate) fn percent(self) -> String {
        format!("{:+.1} ± {:.1} %", 100.0 * self.mean, 100.0 * self.half)
    }
}
