//! Two sets of results against each other: what changed by more than chance explains.
//!
//! | what of a point | how it is compared |
//! |---|---|
//! | figures of at least three repetitions on both sides | Welch's test on the repetitions |
//! | the same, if these are the same simulation on each side, and means over many packets that are equal in all repetitions of a side | exactly: there is no chance in them |
//! | figures with an interval of their own, of fewer | Welch's test on one and a half times their intervals |
//! | what was proved | exactly: it is no matter of chance |
//! | anything else | told where it differs, and not judged |
//!
//! Many tests find something by chance, so their levels are corrected by Holm's method: that anything
//! at all is called a change where nothing has changed happens in one comparison of a hundred at most,
//! however the figures depend on each other. Benjamini and Hochberg's method would find more, but
//! bounds the share of false ones among the findings only, and every finding here may stop somebody's
//! release.
//!
//! Sources: B. L. Welch, "The generalization of Student's problem when several different population
//! variances are involved", Biometrika 34 (1947); S. Holm, "A simple sequentially rejective multiple
//! test procedure", Scandinavian Journal of Statistics 6 (1979).

mod csv;
mod metrics;
mod side;
mod welch;
mod words;

pub(crate) use metrics::REPETITIONS;
pub use side::Side;
pub(crate) use welch::half_width_of_mean;

use crate::naming::Fields;
use crate::row::Row;
use metrics::{EXACT, figures};
use side::Group;
use welch::{Sample, Tested, holm, resolution, test};

/// How often a comparison of things that are the same may find a change.
pub const LEVEL: f64 = 0.01;

/// What became of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The point.
    pub point: Fields,
    /// The column.
    pub metric: &'static str,
    /// Means on both sides.
    pub before: f64,
    /// The same afterwards.
    pub after: f64,
    /// Half the width of the 95 % interval of their difference.
    pub half_width: f64,
    /// How likely chance is to do as much anywhere in the comparison, at most.
    pub chance: f64,
}

/// Something that is another one, and nobody can say whether by chance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The point.
    pub point: Fields,
    /// The column.
    pub metric: &'static str,
    /// What it was, in words.
    pub before: String,
    /// What it is.
    pub after: String,
}

/// What two sets of results differ in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// What the two are called.
    pub names: [String; 2],
    /// Points that both have.
    pub points: usize,
    /// Those of them whose simulations are the same, packet by packet.
    pub same: usize,
    /// Figures that were tested.
    pub tested: usize,
    /// Figures that changed by more than chance explains, in the order of the points.
    pub changes: Vec<Change>,
    /// Proofs that have another outcome.
    pub verdicts: Vec<Difference>,
    /// What differs without an interval.
    pub unjudged: Vec<Difference>,
    /// Points that only the first or only the second has.
    pub only: [Vec<Fields>; 2],
}

impl Comparison {
    /// Compares what two sides have in common.
    pub fn new(before: &Side, after: &Side) -> Self {
        let mut comparison = Self {
            names: [before, after].map(|side| side.name.clone()),
            only: [before.without(after), after.without(before)],
            ..Self::default()
        };
        let mut tests = Vec::new();
        for (first, second) in before.shared(after) {
            comparison.points += 1;
            comparison.compare_exactly(first, second);
            let is_same = first.is_same(second);
            comparison.same += usize::from(is_same);
            for metric in figures(first.rows.iter().chain(&second.rows)) {
                match Pair::new(metric, first, second, is_same) {
                    Pair::Tested(change, fixed) => tests.push((change, fixed)),
                    Pair::Differs(difference) => comparison.unjudged.push(difference),
                    Pair::Same => {}
                }
            }
        }
        comparison.tested = tests.len();
        let chances: Vec<f64> = tests.iter().map(|(change, _)| change.chance).collect();
        for ((mut change, fixed), chance) in tests.into_iter().zip(holm(&chances)) {
            change.chance = chance;
            match chance <= LEVEL {
                true => comparison.changes.push(change),
                false => comparison.unjudged.extend(fixed),
            }
        }
        comparison
    }

    /// Did anything change for certain, or by more than chance explains?
    pub fn has_changes(&self) -> bool {
        !self.changes.is_empty() || !self.verdicts.is_empty()
    }

    /// Is anything another one, for whatever reason?
    pub fn has_differences(&self) -> bool {
        let points_differ = self.only.iter().any(|points| !points.is_empty());
        self.has_changes() || !self.unjudged.is_empty() || points_differ
    }

    fn compare_exactly(&mut self, first: &Group, second: &Group) {
        let difference = |metric, [before, after]: [String; 2]| Difference {
            point: first.point.clone(),
            metric,
            before,
            after,
        };
        if let (Some(before), Some(after)) = (&first.verdict, &second.verdict)
            && before != after
        {
            let words = [before, after].map(String::clone);
            self.verdicts.push(difference("verdict", words));
        }
        for &metric in EXACT {
            let words = [first, second].map(|group| metrics::words(metric, &group.rows));
            if words[0] != words[1] {
                self.unjudged.push(difference(metric, words));
            }
        }
    }
}

/// A figure of a point on both sides.
enum Pair {
    /// It was tested; the chance is not corrected yet. What is the same in all repetitions, and another
    /// one on the other side, is told even if they are too few to judge it.
    Tested(Change, Option<Difference>),
    /// It differs and cannot be tested.
    Differs(Difference),
    /// There is nothing to say.
    Same,
}

impl Pair {
    /// `is_same` says that chance was the same, packet by packet, so that there is nothing to test.
    fn new(metric: &'static str, first: &Group, second: &Group, is_same: bool) -> Self {
        let groups = [first, second];
        let [a, b] = groups.map(|group| metrics::values(metric, &group.rows));
        let difference = || Difference {
            point: first.point.clone(),
            metric,
            before: metrics::mean_words(&a),
            after: metrics::mean_words(&b),
        };
        if is_same {
            return match a == b {
                true => Self::Same,
                false => Self::Differs(difference()),
            };
        }
        let is_whole = |rows: &[Row], values: &[f64]| rows.len() == values.len();
        let are_repeated = metrics::REPETITIONS <= a.len().min(b.len())
            && is_whole(&first.rows, &a)
            && is_whole(&second.rows, &b);
        let samples = match are_repeated {
            true => {
                let resolution = resolution(&a, &b);
                [&a, &b].map(|values| Sample::of_repetitions(values, resolution))
            }
            false => {
                groups.map(|group| Sample::of_intervals(&metrics::intervals(metric, &group.rows)))
            }
        };
        let [Some(before), Some(after)] = samples else {
            return match difference() {
                same if same.before == same.after => Self::Same,
                other => Self::Differs(other),
            };
        };
        let is_fixed =
            |values: &[f64]| values.len() > 1 && values.windows(2).all(|pair| pair[0] == pair[1]);
        let are_fixed = is_fixed(&a) && is_fixed(&b);
        if are_fixed && a.first() == b.first() {
            return Self::Same;
        }
        let is_certain = are_fixed
            && are_repeated
            && metrics::is_fine(metric, first.rows.iter().chain(&second.rows))
            || groups.iter().all(|group| group.is_without_chance());
        let tested = match is_certain {
            true => Tested::CERTAIN,
            false => test(&before, &after),
        };
        let change = Change {
            point: first.point.clone(),
            metric,
            before: before.mean,
            after: after.mean,
            half_width: tested.half_width,
            chance: tested.chance,
        };
        Self::Tested(change, are_fixed.then(difference))
    }
}
