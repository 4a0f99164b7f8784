//! What a connection matrix says.

use crate::formats::words::{BYTES, TIME, Words, lines};
use rustc_hash::{FxHashMap, FxHashSet};
use turnwise_config::Flaw;

/// A matrix as written.
pub(super) struct Matrix {
    pub(super) nodes: u32,
    pub(super) connections: Vec<Connection>,
    /// By number.
    pub(super) triggers: FxHashMap<u32, Trigger>,
}

/// A flow.
pub(super) struct Connection {
    pub(super) line: u32,
    pub(super) source: u32,
    pub(super) destination: u32,
    pub(super) bytes: u64,
    pub(super) start: Start,
    /// The triggers that it fires when its source knows that all has arrived, and when it has been received.
    pub(super) fires: [Option<u32>; 2],
}

/// When a flow starts.
pub(super) enum Start {
    /// After so many picoseconds.
    At(u64),
    /// When a trigger, named at a place, has been fired.
    When(u32, usize),
}

/// What happens when a trigger is fired.
pub(super) struct Trigger {
    pub(super) kind: TriggerKind,
    /// How often it must be fired; barriers only.
    pub(super) count: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TriggerKind {
    /// All its flows start.
    Oneshot,
    /// The next of its flows starts.
    Multishot,
    /// All its flows start, when it has been fired as often as it counts.
    Barrier,
}

/// One more than the most nodes.
const NODES: u64 = (1 << 17) + 1;
const ID: std::ops::Range<u64> = 1..1 << 32;

pub(super) fn read(text: &[u8]) -> Result<Matrix, Flaw> {
    let mut matrix = Matrix {
        nodes: 0,
        connections: Vec::new(),
        triggers: FxHashMap::default(),
    };
    let mut flows = FxHashSet::default();
    let mut promised: [Option<(u64, usize)>; 2] = [None, None];
    for (number, line) in (1..).zip(lines(text, 0..text.len())) {
        let mut words = Words::new(text, line);
        let place = words.place();
        let Some(word) = words.peek() else { continue };
        match word {
            b"Nodes" => {
                if matrix.nodes > 0 {
                    return Err(Flaw::at(place, "the number of nodes is there already"));
                }
                words.word();
                matrix.nodes = words.number("a number of nodes", 1..NODES)? as u32;
            }
            b"Connections" | b"Triggers" => {
                let index = usize::from(word == b"Triggers");
                if promised[index].is_some() {
                    return Err(Flaw::at(place, "how many there are is told already"));
                }
                words.word();
                let count = words.number("how many there are", 0..1 << 32)?;
                promised[index] = Some((count, place));
            }
            b"Failures" if text_is_zero(&mut words) => {}
            b"Failures" | b"failure" => {
                let message = "failures of the network are not part of a program";
                let help = "write them into [network.faults], and leave these lines away";
                return Err(Flaw::at(place, message).with_help(help));
            }
            b"trigger" => trigger(&mut words, &mut matrix)?,
            _ => {
                let (connection, id) = connection(&mut words, matrix.nodes, number)?;
                if let Some((id, place)) = id.filter(|&(id, _)| !flows.insert(id)) {
                    return Err(Flaw::at(place, format!("flow {id} is there already")));
                }
                matrix.connections.push(connection);
            }
        }
        words.expect_end()?;
    }
    if matrix.nodes == 0 {
        return Err(Flaw::at(
            text.len(),
            "expected `Nodes` and their number, found the end of the file",
        ));
    }
    let found = [
        matrix.connections.len() as u64,
        matrix.triggers.len() as u64,
    ];
    for ((promised, found), what) in promised.iter().zip(found).zip(["connections", "triggers"]) {
        // Some writers count triggers and do not list them.
        let fits = |&(count, _): &(u64, usize)| count == found || what == "triggers" && found == 0;
        if let Some((count, place)) = promised.filter(|promised| !fits(promised)) {
            let message = format!("this says {count} {what}, and there are {found}");
            return Err(
                Flaw::at(place, message).with_help(format!("write {found} if nothing is missing"))
            );
        }
    }
    Ok(matrix)
}

/// `Failures 0`
fn text_is_zero(words: &mut Words<'_>) -> bool {
    words.word();
    words.takes("0")
}

/// `SOURCE->DESTINATION` and what follows, in any order; and the number of the flow, if it has one, with its place.
fn connection(
    words: &mut Words<'_>,
    nodes: u32,
    line: u32,
) -> Result<(Connection, Option<(u64, usize)>), Flaw> {
    let place = words.place();
    let ends = words.peek().and_then(|word| {
        let text = std::str::from_utf8(word).ok()?;
        let (source, destination) = text.split_once("->")?;
        Some((
            source.parse::<u32>().ok()?,
            destination.parse::<u32>().ok()?,
        ))
    });
    let Some((source, destination)) = ends else {
        return Err(words.expected("a connection, `0->1`, or a trigger"));
    };
    words.word();
    if let Some(wrong) = [source, destination]
        .into_iter()
        .find(|&node| node >= nodes)
    {
        let message = match nodes {
            0 => "expected `Nodes` and their number before the first connection".to_owned(),
            _ => format!("there is no node {wrong}, Nodes says {nodes}"),
        };
        return Err(Flaw::at(place, message));
    }
    let (mut id, mut start, mut bytes, mut fires) = (None, None, None, [None; 2]);
    let mut told: Vec<&[u8]> = Vec::new();
    while words.has_more() {
        let place = words.place();
        let word = words.word().unwrap_or_default();
        if told.contains(&word) && !matches!(word, b"start" | b"trigger") {
            let word = crate::formats::words::shown(word);
            return Err(Flaw::at(place, format!("the flow has two of `{word}`")));
        }
        told.push(word);
        let twice = |is: bool| match is {
            true => Err(Flaw::at(place, "the flow has two starts")),
            false => Ok(()),
        };
        match word {
            b"id" => {
                let place = words.place();
                id = Some((words.number("the number of a flow", ID)?, place));
            }
            b"prio" => drop(words.number("a priority", 0..1 << 32)?),
            b"size" => {
                // One of 0 goes on for ever there: background traffic.
                let endless = words.peek() == Some(b"0");
                let size = words.number("a number of bytes", 1..BYTES);
                bytes = Some(size.map_err(|flaw| match endless {
                    true => {
                        flaw.with_help("a flow of size 0 has no end in htsim, and programs end")
                    }
                    false => flaw,
                })?);
            }
            b"start" => {
                twice(start.is_some())?;
                start = Some(Start::At(words.amount("picoseconds", 0..TIME)?));
            }
            b"trigger" => {
                twice(start.is_some())?;
                let place = words.place();
                start = Some(Start::When(trigger_id(words)?, place));
            }
            b"send_done_trigger" => fires[0] = Some(trigger_id(words)?),
            b"recv_done_trigger" => fires[1] = Some(trigger_id(words)?),
            word => {
                let word = crate::formats::words::shown(word);
                let message = format!("`{word}` is not understood here");
                let help = "a flow has: `id`, `start` or `trigger`, `size`, `prio`, `send_done_trigger` and `recv_done_trigger`";
                return Err(Flaw::at(place, message).with_help(help));
            }
        }
    }
    let Some(start) = start else {
        return Err(words.expected("`start` or `trigger`"));
    };
    let Some(bytes) = bytes else {
        return Err(words.expected("`size`"));
    };
    let connection = Connection {
        line,
        source,
        destination,
        bytes,
        start,
        fires,
    };
    Ok((connection, id))
}

fn trigger_id(words: &mut Words<'_>) -> Result<u32, Flaw> {
    Ok(words.number("the number of a trigger", ID)? as u32)
}

/// `trigger id NUMBER oneshot|multishot|barrier [count COUNT]`
fn trigger(words: &mut Words<'_>, matrix: &mut Matrix) -> Result<(), Flaw> {
    words.word();
    let (mut id, mut kind, mut count) = (None, None, 0);
    while words.has_more() {
        let place = words.place();
        if words.takes("id") {
            id = Some((trigger_id(words)?, place));
        } else if words.takes("count") {
            count = words.number("how often it is fired", 0..1 << 32)?;
        } else if words.takes("oneshot") {
            kind = Some(TriggerKind::Oneshot);
        } else if words.takes("multishot") {
            kind = Some(TriggerKind::Multishot);
        } else if words.takes("barrier") {
            kind = Some(TriggerKind::Barrier);
        } else {
            return Err(words.expected("`id`, `count`, `oneshot`, `multishot` or `barrier`"));
        }
    }
    let Some((id, place)) = id else {
        return Err(words.expected("`id`"));
    };
    let Some(kind) = kind else {
        return Err(words.expected("`oneshot`, `multishot` or `barrier`"));
    };
    if matrix
        .triggers
        .insert(id, Trigger { kind, count })
        .is_some()
    {
        return Err(Flaw::at(place, format!("trigger {id} is there already")));
    }
    Ok(())
}
