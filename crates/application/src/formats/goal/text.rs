//! GOAL as text.

use super::scanner::Scanner;
use crate::graph::{Condition, Graph, RankGraph};
use crate::schedule::RankSchedule;
use crate::task::{ANY, Message, Task, Work};
use crate::window::Moment;
use rustc_hash::FxHashMap;
use turnwise_config::Flaw;

/// Picoseconds in the nanosecond by which GOAL counts.
pub(super) const NANOSECOND: u64 = 1000;
/// One more than the longest computation, a hundred days, and than the largest message, a pebibyte.
pub(super) const COMPUTING: u64 = 10_000_000_000_000_000;
pub(super) const BYTES: u64 = (1 << 50) + 1;

pub(super) fn read(text: &[u8]) -> Result<Graph, Flaw> {
    let mut scanner = Scanner::new(text);
    scanner.skip_lines()?;
    scanner.expect_word("num_ranks")?;
    let count = scanner.number("a number of ranks", 1..u64::from(ANY))?;
    scanner.end_of_line()?;
    let mut ranks = Vec::new();
    let mut labels = FxHashMap::default();
    // Each rank is read into the same memory, and takes no more than it needs.
    let mut graph = RankGraph::default();
    loop {
        scanner.skip_lines()?;
        if scanner.is_at_end() {
            break;
        }
        let start = scanner.at;
        scanner.expect_word("rank")?;
        let next = ranks.len() as u64;
        if next == count {
            let message = format!("there are only {count} ranks, as num_ranks says");
            return Err(Flaw::at(start, message));
        }
        scanner.skip_blanks()?;
        let place = scanner.at;
        if scanner.number("the number of a rank", 0..count)? != next {
            let message =
                format!("expected rank {next}: ranks stand in the order of their numbers");
            return Err(Flaw::at(place, message));
        }
        labels.clear();
        graph.clear();
        rank(&mut scanner, count, &mut labels, &mut graph)?;
        ranks.push(RankSchedule::of(&graph));
    }
    let missing = count - ranks.len() as u64;
    if missing > 0 {
        let message = format!("the file ends after {} of {count} ranks", ranks.len());
        return Err(Flaw::at(text.len(), message));
    }
    Ok(Graph::new(ranks))
}

fn rank<'a>(
    scanner: &mut Scanner<'a>,
    ranks: u64,
    labels: &mut FxHashMap<&'a [u8], u32>,
    graph: &mut RankGraph,
) -> Result<(), Flaw> {
    scanner.expect_byte(b'{')?;
    loop {
        scanner.skip_lines()?;
        if scanner.takes_byte(b'}')? {
            return scanner.end_of_line();
        }
        let start = scanner.at;
        let line = scanner.line;
        let Some(word) = scanner.word()? else {
            return Err(scanner.expected("a task, `requires`, or `}`"));
        };
        if scanner.takes_byte(b':')? {
            let number = graph.tasks.len() as u32;
            if labels.insert(word, number).is_some() {
                let message = format!("the label `{}` is given twice", shown(word));
                return Err(Flaw::at(start, message));
            }
            let kind = scanner.at;
            let Some(word) = scanner.word()? else {
                return Err(scanner.expected("`calc`, `send` or `recv`"));
            };
            graph.tasks.push(task(scanner, kind, word, ranks)?);
            graph.lines.push(line);
        } else if let Some(moment) = moment(scanner)? {
            scanner.skip_blanks()?;
            let after = scanner.at;
            let Some(other) = scanner.word()? else {
                return Err(scanner.expected("a label"));
            };
            graph.conditions.push(Condition {
                task: defined(labels, word, start)?,
                after: defined(labels, other, after)?,
                moment,
            });
        } else {
            graph.tasks.push(task(scanner, start, word, ranks)?);
            graph.lines.push(line);
        }
        scanner.end_of_line()?;
    }
}

fn moment(scanner: &mut Scanner<'_>) -> Result<Option<Moment>, Flaw> {
    if scanner.takes("requires")? {
        return Ok(Some(Moment::Done));
    }
    Ok(scanner.takes("irequires")?.then_some(Moment::Started))
}

fn defined(labels: &FxHashMap<&[u8], u32>, label: &[u8], at: usize) -> Result<u32, Flaw> {
    labels.get(label).copied().ok_or_else(|| {
        let message = format!(
            "no task of this rank before this line is labelled `{}`",
            shown(label)
        );
        Flaw::at(at, message)
    })
}

fn shown(label: &[u8]) -> String {
    String::from_utf8_lossy(&label[..label.len().min(40)]).into_owned()
}

fn task(scanner: &mut Scanner<'_>, at: usize, word: &[u8], ranks: u64) -> Result<Task, Flaw> {
    let work = match word {
        b"calc" => {
            let time = scanner.number("nanoseconds", 0..COMPUTING)?;
            Work::Compute(time * NANOSECOND)
        }
        b"send" => {
            let bytes = bytes(scanner)?;
            scanner.expect_word("to")?;
            let peer = scanner.number("a rank", 0..ranks)? as u32;
            let tag = match scanner.takes("tag")? {
                true => scanner.number("a tag", 0..u64::from(ANY))? as u32,
                false => 0,
            };
            Work::Send(Message::new(peer, bytes, tag))
        }
        b"recv" => {
            let bytes = bytes(scanner)?;
            scanner.expect_word("from")?;
            let peer = number_or_any(scanner, "a rank", ranks)?;
            let tag = match scanner.takes("tag")? {
                true => number_or_any(scanner, "a tag", u64::from(ANY))?,
                false => 0,
            };
            Work::Receive(Message::new(peer, bytes, tag))
        }
        _ => {
            scanner.at = at;
            scanner.skip_blanks()?;
            return Err(scanner.expected("`calc`, `send` or `recv`, perhaps after `label:`"));
        }
    };
    let mut task = Task::new(work);
    if scanner.takes("cpu")? {
        task.processor = scanner.number("the number of a processor", 0..255)? as u8;
    }
    if scanner.takes("nic")? {
        task.interface = scanner.number("the number of a network interface", 0..255)? as u8;
    }
    Ok(task)
}

fn bytes(scanner: &mut Scanner<'_>) -> Result<u64, Flaw> {
    let bytes = scanner.number("a number of bytes", 0..BYTES)?;
    scanner.expect_word("b")?;
    Ok(bytes)
}

fn number_or_any(scanner: &mut Scanner<'_>, what: &str, end: u64) -> Result<u32, Flaw> {
    if scanner.takes_byte(b'-')? {
        scanner.number("-1, which is any", 1..2)?;
        return Ok(ANY);
    }
    Ok(scanner.number(what, 0..end)? as u32)
}
