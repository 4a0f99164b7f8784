//! What the ranks of a program did, as a report shows it.

use crate::details::jobs::Jobs;
use crate::row::Row;
use std::collections::BTreeMap;
use turnwise_application::journal::{Kind, Line, State, Stretch, Timeline as Kept};
use turnwise_report::{PathStretch, Timeline, TimelineRow, Units};

/// The time line of a replay, whose times are picoseconds.
pub fn replayed(kept: &Kept) -> Timeline {
    const PICOSECONDS: f64 = 1000.0;
    let mut timeline = drawn(kept, &Jobs::default(), Units::default());
    timeline.unit = "ns";
    timeline.end /= PICOSECONDS;
    timeline.column /= PICOSECONDS;
    for stretch in &mut timeline.path {
        stretch.from /= PICOSECONDS;
        stretch.to /= PICOSECONDS;
    }
    timeline
}

/// The time line of a point, whose row says which programs there are.
pub(super) fn timeline(kept: &Kept, row: &Row, units: Units) -> Timeline {
    drawn(kept, &Jobs::of(row), units)
}

fn drawn(kept: &Kept, jobs: &Jobs, units: Units) -> Timeline {
    let lines = || kept.lines.iter().chain(&kept.others);
    let mut row_of: BTreeMap<u32, usize> = BTreeMap::new();
    for (number, line) in kept.lines.iter().enumerate() {
        row_of.insert(line.rank, number);
    }
    let last = kept.lines.len();
    let at = |rank: u32| row_of.get(&rank).copied().unwrap_or(last);
    let kinds = Kind::ALL.into_iter().zip(kept.kinds());
    Timeline {
        unit: "cycle",
        end: kept.end as f64,
        column: kept.column as f64,
        units,
        rows: lines().map(|line| row_of_line(kept, line, jobs)).collect(),
        path: kept
            .path
            .iter()
            .map(|stretch| across(stretch, &at))
            .collect(),
        steps: kept.steps,
        kinds: kinds
            .filter(|(_, time)| *time > 0)
            .map(|(kind, time)| (words(kind).to_owned(), time as f64))
            .collect(),
        pairs: kept
            .pairs
            .iter()
            .map(|pair| {
                let ranks = format!("{} \u{2192} {}", name(jobs, pair.from), name(jobs, pair.to));
                (ranks, pair.steps, pair.time as f64)
            })
            .collect(),
        awaited: kept
            .awaited
            .iter()
            .map(|&(rank, time)| (name(jobs, rank), time as f64))
            .collect(),
    }
}

fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::Before => "the program has not begun",
        Kind::Compute => "ranks compute",
        Kind::Overhead => "processors are busy with messages",
        Kind::Send => "messages leave their sender",
        Kind::Network => "messages are on their way",
        Kind::Handshake => "messages are announced, or asked for",
    }
}

fn row_of_line(kept: &Kept, line: &Line, jobs: &Jobs) -> TimelineRow {
    let column = |(number, times): (u64, &[u64; State::ALL.len()])| {
        let length = kept.column.min(kept.end - number * kept.column);
        let whole = (length * u64::from(line.ranks)).max(1) as f64;
        let [compute, overhead, send, receive, _] = times.map(|time| time as f64 / whole);
        [compute, overhead, send, receive]
    };
    let is_alive = |times: &[u64; State::ALL.len()]| times.iter().any(|&time| time > 0);
    let first = line.columns.iter().position(is_alive);
    let last = line.columns.iter().rposition(is_alive);
    TimelineRow {
        label: match line.ranks {
            1 => name(jobs, line.rank),
            ranks => format!("{ranks} others"),
        },
        columns: (0..).zip(&line.columns).map(column).collect(),
        lives: first
            .zip(last)
            .map_or((0, 0), |(first, last)| (first, last + 1)),
    }
}

/// A message goes from row to row once it has left.
fn across(stretch: &Stretch, at: &dyn Fn(u32) -> usize) -> PathStretch {
    let goes = [Kind::Network, Kind::Handshake];
    let goes = goes.iter().any(|&kind| stretch.kinds[kind as usize] > 0);
    PathStretch {
        from: stretch.from as f64,
        to: stretch.to as f64,
        row: at(stretch.rank),
        to_row: at(stretch.peer.filter(|_| goes).unwrap_or(stretch.rank)),
    }
}

/// What a rank is called: by its number, and where there are several jobs, by its job too.
fn name(jobs: &Jobs, rank: u32) -> String {
    match jobs.whose(rank) {
        (Some(job), rank) => format!("{job} {rank}"),
        (None, rank) => rank.to_string(),
    }
}
