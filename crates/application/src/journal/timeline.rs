//! Time lines: what every rank did, condensed to what fits into a picture, and the critical path through it.

use super::keeping::Journals;
use super::path::{Kind, Step, critical_path};
use super::states::{State, Tell, states};
use super::stretches::{Stretch, Stretches};
use std::collections::BTreeMap;
use std::io;

/// What the ranks of a run did, and its critical path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// When the last thing happened; the critical path is as long.
    pub end: u64,
    /// How much time a column of a line stands for.
    pub column: u64,
    /// Some ranks, in ascending order; all if there are not many.
    pub lines: Vec<Line>,
    /// All others together.
    pub others: Option<Line>,
    /// The critical path from its beginning to its end.
    pub path: Vec<Stretch>,
    /// Steps of the critical path.
    pub steps: u64,
    /// Between which ranks messages of the critical path took longest, these first.
    pub pairs: Vec<Pair>,
    /// For which ranks others waited longest, these first: rank, and time of all that waited.
    pub awaited: Vec<(u32, u64)>,
}

/// What a rank did, or several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The rank, or the first of several.
    pub rank: u32,
    /// How many ranks it is of.
    pub ranks: u32,
    /// By column, time in each state, in the order of [`State::ALL`].
    pub columns: Vec<[u64; State::ALL.len()]>,
    /// Time of the critical path that is theirs.
    pub critical: u64,
}

/// A sender and a receiver on the critical path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// Steps of its messages.
    pub steps: u64,
    /// Time of these.
    pub time: u64,
}

/// Columns of a line, and lines, at most.
const COLUMNS: u64 = 240;
const LINES: usize = 100;
/// Pairs and ranks that are told, at most.
const TOLD: usize = 20;

/// Condenses journals. Ranks that have a line of their own, if there are many, are those that have most of the critical path.
///
/// Complexity: O(turns); memory of a few bytes a rank and a pair on the critical path, beside what is told.
///
/// # Errors
/// Journals that cannot be read.
pub fn timeline(journals: &Journals) -> io::Result<Timeline> {
    let ranks = journals.written();
    let mut critical = vec![0; ranks as usize];
    let mut pairs: BTreeMap<(u32, u32), Pair> = BTreeMap::new();
    let mut stretches = Stretches::default();
    let end = critical_path(journals, &mut |step: Step| {
        let time = step.to - step.from;
        critical[step.rank as usize] += time;
        if let Some(peer) = step.peer {
            let pair = pairs.entry((step.rank, peer)).or_default();
            (pair.from, pair.to) = (step.rank, peer);
            pair.steps += 1;
            pair.time += time;
        }
        stretches.add(&step);
    })?;
    let own = own_lines(&critical);
    let column = end.div_ceil(COLUMNS).max(1);
    let blank = Line {
        columns: vec![Default::default(); end.div_ceil(column) as usize],
        ..Line::default()
    };
    let (mut lines, mut others) = (Vec::new(), None);
    let mut awaited = vec![0; ranks as usize];
    for rank in 0..ranks {
        let line = match own[rank as usize] {
            true => {
                lines.push(blank.clone());
                lines.last_mut()
            }
            false => Some(others.get_or_insert_with(|| blank.clone())),
        };
        let Some(line) = line else { continue };
        if line.ranks == 0 {
            line.rank = rank;
        }
        line.ranks += 1;
        line.critical += critical[rank as usize];
        let first = journals.first(rank);
        states(
            journals,
            rank,
            &mut Drawn {
                line,
                column,
                awaited: &mut awaited[first as usize..],
            },
        )?;
    }
    let mut pairs: Vec<Pair> = pairs.into_values().collect();
    pairs.sort_by_key(|pair| (std::cmp::Reverse(pair.time), pair.from, pair.to));
    pairs.truncate(TOLD);
    let mut awaited: Vec<(u32, u64)> = (0..).zip(awaited).filter(|(_, time)| *time > 0).collect();
    awaited.sort_by_key(|(rank, time)| (std::cmp::Reverse(*time), *rank));
    awaited.truncate(TOLD);
    let (steps, path) = stretches.finish();
    Ok(Timeline {
        end,
        column,
        lines,
        others,
        path,
        steps,
        pairs,
        awaited,
    })
}

impl Timeline {
    /// How much of the critical path each [`Kind`] has, in the order of [`Kind::ALL`].
    pub fn kinds(&self) -> [u64; Kind::ALL.len()] {
        let mut sums = [0; Kind::ALL.len()];
        for stretch in &self.path {
            let kinds = stretch.kinds.iter();
            sums.iter_mut()
                .zip(kinds)
                .for_each(|(sum, time)| *sum += time);
        }
        sums
    }
}

/// Which ranks have lines of their own: the most critical, and then some of all numbers.
fn own_lines(critical: &[u64]) -> Vec<bool> {
    let count = critical.len();
    if count <= LINES {
        return vec![true; count];
    }
    let mut ranks: Vec<usize> = (0..count).collect();
    ranks.sort_by_key(|&rank| std::cmp::Reverse(critical[rank]));
    let mut is_own = vec![false; count];
    let is_critical = |rank: &&usize| critical[**rank] > 0;
    let mut left = LINES;
    for &rank in ranks.iter().take(LINES).filter(is_critical) {
        is_own[rank] = true;
        left -= 1;
    }
    for number in 0..left {
        is_own[number * count / left] = true;
    }
    is_own
}

/// A line that is being drawn.
struct Drawn<'a> {
    line: &'a mut Line,
    column: u64,
    /// By rank of the program.
    awaited: &'a mut [u64],
}

impl Tell for Drawn<'_> {
    fn does(&mut self, state: State, mut from: u64, to: u64) {
        while from < to {
            let number = from / self.column;
            let until = ((number + 1) * self.column).min(to);
            if let Some(column) = self.line.columns.get_mut(number as usize) {
                column[state as usize] += until - from;
            }
            from = until;
        }
    }

    fn awaited(&mut self, from: u32, time: u64) {
        if let Some(sum) = self.awaited.get_mut(from as usize) {
            *sum += time;
        }
    }
}
