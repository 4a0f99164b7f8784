//! Time lines of programs among details: as numbers, and as files.

use super::coding::{Decoder, Encoder};
use super::jobs::Jobs;
use crate::export::quoted;
use crate::journals::Clock;
use std::fmt::Write;
use turnwise_application::journal::{Kind, Line, Pair, State, Stretch, Timeline};

pub(super) fn encode(timeline: &Timeline, out: &mut Encoder) {
    out.all([timeline.end, timeline.column, timeline.steps]);
    let columns = timeline.lines.first().map_or(0, |line| line.columns.len());
    out.all([
        columns as u64,
        timeline.lines.len() as u64,
        u64::from(timeline.others.is_some()),
    ]);
    for line in timeline.lines.iter().chain(&timeline.others) {
        out.all([line.rank.into(), line.ranks.into(), line.critical]);
        line.columns.iter().for_each(|times| out.all(*times));
    }
    out.all([timeline.path.len() as u64]);
    for stretch in &timeline.path {
        let peer = stretch.peer.map_or(0, |peer| u64::from(peer) + 1);
        out.all([stretch.from, stretch.to, stretch.rank.into(), peer]);
        out.all([stretch.bytes, stretch.steps]);
        out.all(stretch.kinds);
    }
    out.all([timeline.pairs.len() as u64]);
    for pair in &timeline.pairs {
        out.all([pair.from.into(), pair.to.into(), pair.steps, pair.time]);
    }
    out.all([timeline.awaited.len() as u64]);
    for &(rank, time) in &timeline.awaited {
        out.all([rank.into(), time]);
    }
}

pub(super) fn decode(input: &mut Decoder<'_>) -> Option<Timeline> {
    let (end, column, steps) = (input.number()?, input.number()?, input.number()?);
    let (columns, lines, others) = (input.number()?, input.number()?, input.number()?);
    // Every figure takes a byte at least, so that a wrong number cannot fill the memory.
    if columns.saturating_mul(lines) > input.0.len() as u64 {
        return None;
    }
    let line = |input: &mut Decoder<'_>| {
        let (rank, ranks, critical) = (input.word()?, input.word()?, input.number()?);
        let columns = (0..columns).map(|_| input.numbers());
        Some(Line {
            rank,
            ranks,
            columns: columns.collect::<Option<_>>()?,
            critical,
        })
    };
    let lines = (0..lines).map(|_| line(input)).collect::<Option<_>>()?;
    let others = match others {
        0 => None,
        _ => Some(line(input)?),
    };
    let path = input.list(|input| {
        let (from, to, rank, peer) = (
            input.number()?,
            input.number()?,
            input.word()?,
            input.number()?,
        );
        Some(Stretch {
            from,
            to,
            rank,
            peer: match peer {
                0 => None,
                peer => Some(u32::try_from(peer - 1).ok()?),
            },
            bytes: input.number()?,
            steps: input.number()?,
            kinds: input.numbers()?,
        })
    })?;
    let pairs = input.list(|input| {
        Some(Pair {
            from: input.word()?,
            to: input.word()?,
            steps: input.number()?,
            time: input.number()?,
        })
    })?;
    let awaited = input.list(|input| Some((input.word()?, input.number()?)))?;
    Some(Timeline {
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

/// What ranks did, a line for each rank and column.
pub fn ranks_csv(timeline: &Timeline, jobs: &Jobs, clock: Clock) -> String {
    let states = State::ALL.map(State::name).join(",");
    let mut text = format!("{}rank,ranks,{},{states}\n", head(jobs), clock.range());
    for line in timeline.lines.iter().chain(&timeline.others) {
        let (job, rank) = match line.ranks {
            1 => whose(jobs, line.rank),
            _ if jobs.is_empty() => (String::new(), "others".to_owned()),
            _ => (",".to_owned(), "others".to_owned()),
        };
        for (from, times) in (0..).step_by(timeline.column as usize).zip(&line.columns) {
            let to = timeline.end.min(from + timeline.column);
            let times = times.map(clock.words).join(",");
            let [from, to] = [from, to].map(clock.words);
            let _ = writeln!(text, "{job}{rank},{},{from},{to},{times}", line.ranks);
        }
    }
    text
}

/// The critical path, a line for each step, or for several if there are very many.
pub fn path_csv(timeline: &Timeline, jobs: &Jobs, clock: Clock) -> String {
    let kinds = Kind::ALL.map(Kind::name).join(",");
    let (range, job) = (clock.range(), head(jobs));
    let mut text = format!("{range},steps,{job}rank,peer,bytes,{kinds}\n");
    for stretch in &timeline.path {
        let Stretch { steps, bytes, .. } = stretch;
        let [from, to] = [stretch.from, stretch.to].map(clock.words);
        let (job, rank) = whose(jobs, stretch.rank);
        let (peer, bytes) = match stretch.peer {
            // Messages stay within their job.
            Some(peer) => (whose(jobs, peer).1, bytes.to_string()),
            None => (String::new(), String::new()),
        };
        let kinds = stretch.kinds.map(clock.words).join(",");
        let _ = writeln!(
            text,
            "{from},{to},{steps},{job}{rank},{peer},{bytes},{kinds}"
        );
    }
    text
}

/// The column before that of ranks, where there are several jobs.
fn head(jobs: &Jobs) -> &'static str {
    if jobs.is_empty() { "" } else { "job," }
}

/// What is in that column, and in that of ranks.
fn whose(jobs: &Jobs, rank: u32) -> (String, String) {
    let (job, rank) = jobs.whose(rank);
    let job = job.map_or(String::new(), |name| format!("{},", quoted(name)));
    (job, rank.to_string())
}
