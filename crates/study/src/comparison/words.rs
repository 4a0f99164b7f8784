//! A comparison in words, as tables for people, and as lines of JSON.

use super::{Change, Comparison, Difference, LEVEL};
use crate::columns::about;
use crate::naming::{Fields, point_words};
use crate::row::{figure, number};
use serde_json::{Value as Json, json};
use turnwise_config::diagnostic::count;
use turnwise_report::{ComparisonPage, ComparisonPart, Table, TableColumn};

impl Comparison {
    /// What was found, in sentences.
    pub fn summary(&self) -> Vec<String> {
        let [before, after] = &self.names;
        let points = count(self.points, "point");
        let mut sentences = vec![match (self.points, self.tested) {
            (0, _) => {
                format!(
                    "{before} and {after} have no point in common, so that nothing is compared."
                )
            }
            (_, 0) => {
                let what = match self.unjudged.is_empty() {
                    true => "No figure differs",
                    false => "No figure that differs can be tested",
                };
                format!("{what} from {before} to {after}.")
            }
            (_, tested) => format!(
                "{} of {} that can be tested changed from {before} to {after}, by more than chance does in {} % of comparisons.",
                self.changes.len(),
                count(tested, "figure"),
                100.0 * LEVEL
            ),
        }];
        if !self.verdicts.is_empty() {
            let points = count(self.verdicts.len(), "point");
            sentences.insert(0, format!("The proof has another outcome at {points}."));
        }
        sentences.extend(match (self.points, self.same) {
            (0, _) => None,
            (_, 0) => Some(format!("Both have {points}.")),
            (_, same) => Some(format!(
                "Both have {points}, {same} of them with the same simulation, packet by packet."
            )),
        });
        if !self.unjudged.is_empty() {
            let figures = count(self.unjudged.len(), "figure");
            sentences.push(format!(
                "{figures} without an interval {} another one; repetitions, or more of them, would tell whether by chance.",
                if self.unjudged.len() == 1 { "is" } else { "are" }
            ));
        }
        for (name, points) in self.names.iter().zip(&self.only) {
            if !points.is_empty() {
                sentences.push(format!("{} only in {name}.", count(points.len(), "point")));
            }
        }
        sentences
    }

    /// All that was found, a part for each kind.
    pub fn parts(&self) -> Vec<ComparisonPart> {
        let [before, after] = &self.names;
        let part =
            |heading: &str, note: &str, columns: &[&str], rows: Vec<Vec<String>>| ComparisonPart {
                heading: heading.to_owned(),
                note: note.to_owned(),
                table: Table {
                    left_out: rows.len().saturating_sub(Table::MOST_ROWS),
                    columns: columns.iter().copied().map(TableColumn::from).collect(),
                    rows: rows.into_iter().take(Table::MOST_ROWS).collect(),
                    swept: 1,
                },
            };
        let told = ["point", "metric", "before", "after"];
        let differences = |found: &[Difference]| found.iter().map(Difference::cells).collect();
        let only = |points: &[Fields]| points.iter().map(|point| vec![words(point)]).collect();
        let mut parts = vec![
            part(
                "Proved otherwise",
                "What the verifier says, which is no matter of chance.",
                &told,
                differences(&self.verdicts),
            ),
            part(
                "Changed",
                "The change with its 95 % interval; chance is that of any such change anywhere here, by Holm's method.",
                &[
                    "point", "metric", "before", "after", "change", "+/-", "%", "chance",
                ],
                self.changes.iter().map(Change::cells).collect(),
            ),
            part(
                "Different, without an interval",
                "Single runs, and too few repetitions, do not say how far chance goes.",
                &told,
                differences(&self.unjudged),
            ),
            part(
                &format!("Only in {before}"),
                "",
                &["point"],
                only(&self.only[0]),
            ),
            part(
                &format!("Only in {after}"),
                "",
                &["point"],
                only(&self.only[1]),
            ),
        ];
        parts.retain(|part| !part.table.rows.is_empty());
        parts
    }

    /// The same as a page.
    pub fn page(&self) -> ComparisonPage {
        let [before, after] = &self.names;
        ComparisonPage {
            title: format!("{before} against {after}"),
            summary: self.summary(),
            parts: self.parts().into_iter().map(with_units).collect(),
        }
    }

    /// All that was found, an object each.
    pub fn json(&self) -> impl Iterator<Item = Json> + '_ {
        let difference = |finding: &'static str| {
            move |found: &Difference| {
                json!({
                    "finding": finding, "point": found.point, "metric": found.metric,
                    "before": found.before, "after": found.after,
                })
            }
        };
        let change = |found: &Change| {
            json!({
                "finding": "changed", "point": found.point, "metric": found.metric,
                "before": number(found.before), "after": number(found.after),
                "change": number(found.after - found.before),
                "half_width": number(found.half_width), "chance": number(found.chance),
            })
        };
        let only = |finding: &'static str| move |point: &Fields| json!({ "finding": finding, "point": point });
        let verdicts = self.verdicts.iter().map(difference("proved-otherwise"));
        let unjudged = self.unjudged.iter().map(difference("without-interval"));
        let [before, after] = &self.only;
        verdicts
            .chain(self.changes.iter().map(change))
            .chain(unjudged)
            .chain(before.iter().map(only("only-before")))
            .chain(after.iter().map(only("only-after")))
    }
}

impl Difference {
    fn cells(&self) -> Vec<String> {
        let metric = self.metric.to_owned();
        vec![
            words(&self.point),
            metric,
            self.before.clone(),
            self.after.clone(),
        ]
    }
}

impl Change {
    fn cells(&self) -> Vec<String> {
        let change = self.after - self.before;
        let share = match self.before == 0.0 {
            true => "-".to_owned(),
            false => format!("{:+.1}", 100.0 * change / self.before.abs()),
        };
        let sign = if change > 0.0 { "+" } else { "" };
        vec![
            words(&self.point),
            self.metric.to_owned(),
            figure(self.before),
            figure(self.after),
            format!("{sign}{}", figure(change)),
            figure(two_digits(self.half_width)),
            share,
            match self.chance {
                0.0 => "0".to_owned(),
                chance => format!("{chance:.1e}"),
            },
        ]
    }
}

/// The same findings with the units of their figures, for which a page has room.
fn with_units(mut part: ComparisonPart) -> ComparisonPart {
    let table = &mut part.table;
    let metric = table.columns.iter().position(|of| of.name == "metric");
    if let Some(metric) = metric {
        table.columns.insert(metric + 1, TableColumn::from("unit"));
        for row in &mut table.rows {
            let unit = about(&row[metric]).map_or("", |about| about.unit);
            // Shares and mere numbers have no unit that readers would want to see.
            let unit = if unit == "1" { "" } else { unit };
            row.insert(metric + 1, unit.to_owned());
        }
    }
    part
}

/// More are of no use in an interval.
fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

/// Such as `traffic.load = 0.3, routing.kind = valiant`; a study without a sweep has one point.
fn words(point: &Fields) -> String {
    let words = point_words(point.iter().map(|(name, value)| (name.as_str(), value)));
    match words.is_empty() {
        true => "the point".to_owned(),
        false => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures of the page had no units, which the lines of CSV have.
    #[test]
    fn figures_of_a_page_have_units() {
        let row = |metric: &str| ["x = 1", metric, "1", "2"].map(str::to_owned).to_vec();
        let columns = ["point", "metric", "before", "after"];
        let part = |columns: &[&str], rows| ComparisonPart {
            table: Table {
                columns: columns.iter().copied().map(TableColumn::from).collect(),
                rows,
                ..Table::default()
            },
            ..ComparisonPart::default()
        };
        let metrics = ["mean_packet_latency", "accepted_load", "fairness", "other"];
        let told = with_units(part(&columns, metrics.map(row).to_vec())).table;
        assert_eq!(told.columns[2].name, "unit");
        let units = told.rows.iter().map(|row| row[2].as_str());
        let expected = ["cycles", "flits per terminal and cycle", "", ""];
        assert_eq!(units.collect::<Vec<_>>(), expected);
        assert!(told.rows.iter().all(|row| row[3..] == ["1", "2"]));
        let only = part(&["point"], vec![vec!["x = 1".to_owned()]]);
        assert_eq!(with_units(only.clone()), only);
    }
}
