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
    points: Vec<usize>,
    wrong: Vec<(usize, Vec<Diagnostic>)>,
    pub(super) errors: usize,
}

impl Looked {
    /// This is wrong with a point, if anything is.
    pub(super) fn add(&mut self, point: usize, errors: Vec<Diagnostic>) {
        self.points.push(point);
        self.errors += errors.len();
        if !errors.is_empty() {
            self.wrong.push((point, errors));
        }
    }

    /// All errors. One that comes with swept values tells by which of them its point differs from one that nothing is wrong with, unless it
    /// points there. Points with other errors may not have come as far as to have this one.
    pub(super) fn blamed(self, sweep: &Sweep) -> Vec<Diagnostic> {
        if self.wrong.is_empty() {
            return Vec::new();
        }
        let fields = |&point: &usize| Some((point, sweep.point(point)?.fields));
        let points = self.points.iter().take(MOST).filter_map(fields);
        let points: Vec<(usize, Fields)> = points.collect();
        let mut blamed: Vec<(Diagnostic, String)> = Vec::new();
        for (point, errors) in &self.wrong {
            for error in errors {
                let is_known = |(known, _): &(Diagnostic, String)| said(known) == said(error);
                if blamed.iter().any(is_known) {
                    continue;
                }
                let of = sweep.point(*point).map(|point| point.fields);
                let others = points.iter().filter(|(other, _)| self.is_fine(*other));
                let words = of.map(|of| differences(&of, others, error));
                blamed.push((error.clone(), words.unwrap_or_default()));
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

    fn is_fine(&self, point: usize) -> bool {
        self.wrong.iter().all(|(wrong, _)| *wrong != point)
    }
}

type Fields = Vec<(String, Value)>;

/// What is different at a point from the one of the others that is most like it, as far as the error does not point at it.
fn differences<'a>(
    point: &Fields,
    others: impl Iterator<Item = &'a (usize, Fields)>,
    error: &Diagnostic,
) -> String {
    let different = |other: &Fields| -> Vec<usize> {
        let pairs = point.iter().zip(other).enumerate();
        let pairs = pairs.filter(|(_, ((_, one), (_, two)))| one.canonical() != two.canonical());
        pairs.map(|(number, _)| number).collect()
    };
    let nearest = others
        .map(|(_, other)| different(other))
        .min_by_key(Vec::len);
    let is_shown = |value: &Value| error.place.is_some_and(|at| value.span.contains(at));
    let values = nearest.unwrap_or_default().into_iter();
    let values = values.map(|number| &point[number]);
    let values = values.filter(|(_, value)| !is_shown(value));
    let values: Vec<_> = values
        .map(|(key, value)| (key.as_str(), to_json(value)))
        .collect();
    point_words(values.iter().map(|(key, value)| (*key, value)))
}
