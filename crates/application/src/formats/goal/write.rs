//! Writing GOAL, as text and as its converter would.
//!
//! GOAL knows neither contexts nor fractions of nanoseconds: the former become tags, the latter are added up until they are one.

use super::binary::{HEAD, MAGIC, NODE, OF_RANK};
use super::tags::Tags;
use super::text::NANOSECOND;
use crate::graph::Graph;
use crate::schedule::RankSchedule;
use crate::script::Program;
use crate::task::{ANY, Task, Work};
use crate::window::Moment;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// As text.
///
/// # Errors
/// In words, what GOAL cannot say: which receive of any tag could take a message of another communicator, or which rank leaves
/// something to its network interface.
pub fn write_text(graph: &Graph) -> Result<String, String> {
    refuse_offloaded(graph)?;
    let tags = Tags::of(graph)?;
    let mut text = format!("num_ranks {}\n", graph.ranks());
    for (rank, schedule) in graph.schedules().enumerate() {
        // Writing into a string cannot fail.
        let _ = rank_text(&mut text, rank, schedule, &tags);
    }
    Ok(text)
}

/// Read again, such a task would cost a processor what it never did.
fn refuse_offloaded(graph: &Graph) -> Result<(), String> {
    let mut ranks = (0..).zip(graph.schedules());
    match ranks.find(|(_, rank)| rank.tasks().any(|task| task.is_offloaded)) {
        None => Ok(()),
        Some((rank, _)) => Err(format!(
            "rank {rank} leaves a collective to its network interface: in GOAL every message costs a processor something"
        )),
    }
}

fn rank_text(
    text: &mut String,
    rank: usize,
    schedule: &RankSchedule,
    tags: &Tags,
) -> std::fmt::Result {
    writeln!(text, "\nrank {rank} {{")?;
    let mut clock = Clock::default();
    for (number, task) in (1..).zip(schedule.tasks()) {
        write!(text, "l{number}: ")?;
        match task.work {
            Work::Send(message) => {
                write!(text, "send {}b to {}", message.bytes, message.peer)?;
            }
            Work::Receive(message) => {
                write!(
                    text,
                    "recv {}b from {}",
                    message.bytes,
                    or_any(message.peer)
                )?;
            }
            Work::Compute(time) => {
                write!(text, "calc {}", clock.nanoseconds(task.processor, time))?;
            }
            Work::Proceed(_) => write!(text, "calc 0")?,
        }
        if let Some(tag) = task
            .work
            .message()
            .map(|it| tags.tag(it))
            .filter(|&tag| tag != 0)
        {
            write!(text, " tag {}", or_any(tag))?;
        }
        if task.processor > 0 {
            write!(text, " cpu {}", task.processor)?;
        }
        if task.interface > 0 {
            write!(text, " nic {}", task.interface)?;
        }
        text.push('\n');
    }
    for condition in schedule.conditions() {
        let word = match condition.moment {
            Moment::Done => "requires",
            Moment::Started => "irequires",
        };
        let (task, after) = (condition.task + 1, condition.after + 1);
        writeln!(text, "l{task} {word} l{after}")?;
    }
    text.push_str("}\n");
    Ok(())
}

fn or_any(number: u32) -> i64 {
    match number {
        ANY => -1,
        number => number.into(),
    }
}

/// Picoseconds of a rank that no task has been given yet, by processor: computing on one adds up, on several it does not.
#[derive(Default)]
struct Clock {
    left: FxHashMap<u8, u64>,
}

impl Clock {
    /// How long a task computes that takes so many picoseconds.
    fn nanoseconds(&mut self, processor: u8, time: u64) -> u64 {
        let left = self.left.entry(processor).or_default();
        let whole = time.saturating_add(*left);
        *left = whole % NANOSECOND;
        whole / NANOSECOND
    }
}

/// As LogGOPSim reads it.
///
/// # Errors
/// As [`write_text`].
pub fn write_binary(graph: &Graph) -> Result<Vec<u8>, String> {
    refuse_offloaded(graph)?;
    let tags = Tags::of(graph)?;
    let ranks = graph.schedules().map(|rank| rank_bytes(rank, &tags));
    let ranks: Vec<Vec<u8>> = ranks.collect();
    let resources = graph.resources();
    let mut bytes = MAGIC.to_le_bytes().to_vec();
    bytes.extend((ranks.len() as u32).to_le_bytes());
    bytes.extend([resources.processors - 1, resources.interfaces - 1]);
    let mut at = (HEAD + ranks.len() * OF_RANK) as u64;
    for rank in &ranks {
        let end = at + rank.len() as u64;
        bytes.extend(at.to_le_bytes());
        bytes.extend(end.to_le_bytes());
        at = end;
    }
    bytes.extend(ranks.into_iter().flatten());
    Ok(bytes)
}

fn rank_bytes(schedule: &RankSchedule, tags: &Tags) -> Vec<u8> {
    let count = schedule.len();
    let mut waits = vec![0_u32; count];
    let mut dependants = [vec![Vec::new(); count], vec![Vec::new(); count]];
    for condition in schedule.conditions() {
        waits[condition.task as usize] += 1;
        let of_moment = &mut dependants[usize::from(condition.moment == Moment::Started)];
        of_moment[condition.after as usize].push(condition.task);
    }
    let roots: Vec<u32> = (0..count as u32)
        .filter(|&task| waits[task as usize] == 0)
        .collect();
    let mut bytes = Vec::with_capacity(8 + 4 * roots.len() + (NODE + 8) * count);
    bytes.extend((count as u32).to_le_bytes());
    bytes.extend((roots.len() as u32).to_le_bytes());
    bytes.extend(roots.iter().flat_map(|root| root.to_le_bytes()));
    let mut appendix: Vec<u32> = Vec::new();
    let mut clock = Clock::default();
    for (number, task) in schedule.tasks().enumerate() {
        bytes.extend(waits[number].to_le_bytes());
        task_bytes(&task, tags, &mut clock, &mut bytes);
        for dependants in &dependants {
            let dependants = &dependants[number];
            bytes.extend((dependants.len() as u32).to_le_bytes());
            bytes.extend((appendix.len() as u32).to_le_bytes());
            appendix.extend(dependants);
        }
    }
    bytes.extend(appendix.iter().flat_map(|task| task.to_le_bytes()));
    bytes
}

fn task_bytes(task: &Task, tags: &Tags, clock: &mut Clock, bytes: &mut Vec<u8>) {
    let (kind, peer, size, tag) = match &task.work {
        Work::Send(message) => (1, message.peer, message.bytes, tags.tag(message)),
        Work::Receive(message) => (2, message.peer, message.bytes, tags.tag(message)),
        Work::Compute(time) => (3, 0, clock.nanoseconds(task.processor, *time), 0),
        Work::Proceed(_) => (3, 0, 0, 0),
    };
    bytes.push(kind);
    bytes.extend(peer.to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes.extend(tag.to_le_bytes());
    bytes.extend([task.processor, task.interface]);
}
