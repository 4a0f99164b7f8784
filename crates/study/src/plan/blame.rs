//! Which swept values an error comes with: the text that it points at may be right with others.

use crate::mistakes::said;
use crate::naming::point_words;
use crate::row::to_json;
use crate::sweep::Sweep;
use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::Value;

/// As many points are compared with one that is wrong.
const MOST: usize = 1_000;

/// What was found when points were looked at.
#[derive(Default)]
pub(super) struct Looked {
    fine: Vec<usize>,
    wrong: Vec<(usize, Vec<Diagnostic>)>,
    pub(super) errors: usize,
}

impl Looked {
    /// Nothing is wrong with a point.
    pub(super) fn add_fine(&mut self, point: usize) {
        if self.fine.len() < MOST {
            self.fine.push(point);
        }
    }

    /// This is wrong with a point.
    pub(super) fn add_wrong(&mut self, point: usize, errors: Vec<Diagnostic>) {
        self.errors += errors.len();
        self.wrong.push((point, errors));
    }

    /// All errors. One that comes with swept values tells by which of them its point differs from one that nothing is wrong with, unless it
    /// points there. Points with other errors may not have come as far as to have this one.
    pub(super) fn blamed(self, sweep: &Sweep) -> Vec<Diagnostic> {
        if self.wrong.is_empty() {
            return Vec::new();
        }
        let fields = |point: usize| Some(sweep.point(point)?.fields);
        let fine: Vec<Fields> = self.fine.into_iter().filter_map(fields).collect();
        let mut blamed: Vec<(Diagnostic, String)> = Vec::new();
        for (point, errors) in self.wrong {
            let of = fields(point).unwrap_or_default();
            for error in errors {
                let is_known = |(known, _): &(Diagnostic, String)| said(known) == said(&error);
                if !blamed.iter().any(is_known) {
                    let words = differences(&of, &fine, &error);
                    blamed.push((error, words));
                }
            }
        }
        let told = blamed.into_iter().map(|(mut error, words)| {
            if !words.is_empty() {
                error.message = format!("{}, where {words}", error.message);
            }
            error
        });
        told.collect()
    }
}

type Fields = Vec<(String, Value)>;

/// What is different at a point from the one of the others that is most like it, as far as the error does not point at it.
fn differences(point: &Fields, others: &[Fields], error: &Diagnostic) -> String {
    let different = |other: &Fields| -> Vec<usize> {
        let pairs = point.iter().zip(other).enumerate();
        let pairs = pairs.filter(|(_, ((_, one), (_, two)))| one.canonical() != two.canonical());
        pairs.map(|(number, _)| number).collect()
    };
    let nearest = others.iter().map(different).min_by_key(Vec::len);
    let is_shown = |value: &Value| error.place.is_some_and(|at| value.span.contains(at));
    let values = nearest.unwrap_or_default().into_iter();
    let values = values.map(|number| &point[number]);
    let values = values.filter(|(_, value)| !is_shown(value));
    let values: Vec<_> = values
        .map(|(key, value)| (key.as_str(), to_json(value)))
        .collect();
    point_words(values.iter().map(|(key, value)| (*key, value)))
}
