//! GOAL as its converter writes it: little-endian, unaligned.
//!
//! ```text
//! u64 4223
//! base: u32 ranks; u8 highest cpu; u8 highest nic; ranks x { u64 start; u64 end }, counted from base
//! rank: u32 nodes; u32 roots; roots x u32; nodes x node; u32 appendix[]
//! node: u32 waits_for; u8 kind (1 send, 2 recv, 3 calc); u32 peer; u64 size; u32 tag; u8 cpu; u8 nic;
//!       u32 requires; u32 from; u32 irequires; u32 from
//! ```
//! Those who wait for a node stand in the appendix, `requires` of them from index `from` on.

use super::text::{BYTES, COMPUTING, NANOSECOND};
use crate::formats::bytes::Bytes;
use crate::graph::Graph;
use crate::schedule::RankSchedule;
use crate::task::{Message, Task, Work};
use crate::window::Moment;
use turnwise_config::Flaw;

pub(super) const MAGIC: u64 = 4223;
/// The same of a file that LogGOPSim has consumed.
const CONSUMED: u64 = 2342;
pub(super) const NODE: usize = 39;
pub(super) const HEAD: usize = 6;
pub(super) const OF_RANK: usize = 16;

pub(super) fn is_binary(bytes: &[u8]) -> bool {
    let magic = bytes.first_chunk().map(|&magic| u64::from_le_bytes(magic));
    matches!(magic, Some(MAGIC | CONSUMED))
}

pub(super) fn read(bytes: &[u8]) -> Result<Graph, Flaw> {
    if bytes.first_chunk() == Some(&CONSUMED.to_le_bytes()) {
        let message = "LogGOPSim has consumed this file (--save-mem), and left nothing to read";
        return Err(Flaw::at(0, message));
    }
    let mut file = Bytes { file: bytes, at: 8 };
    let ranks = file.u32_le()?;
    file.take(2)?;
    if ranks == 0 {
        return Err(Flaw::at(8, "expected at least one rank, found none"));
    }
    if u64::from(ranks) * OF_RANK as u64 > bytes.len() as u64 {
        let message = format!("{ranks} ranks do not fit into {} bytes", bytes.len());
        return Err(Flaw::at(8, message));
    }
    // Each rank is read into the same memory, and takes no more than it needs: ranks of a bad file may all lie in the same place.
    let mut schedule = RankSchedule::default();
    let schedules = (0..ranks).map(|rank| {
        let place = file.at;
        let (start, end) = (file.u64_le()?, file.u64_le()?);
        let whole = |offset: u64| usize::try_from(offset.checked_add(8)?).ok();
        let range = whole(start).zip(whole(end));
        let part = range.and_then(|(start, end)| Some((start, bytes.get(start..end)?)));
        let Some((start, part)) = part else {
            let message = format!("rank {rank} does not lie inside the file");
            return Err(Flaw::at(place, message));
        };
        schedule.clear();
        read_rank(part, ranks, &mut schedule).map_err(|flaw| Flaw {
            place: flaw.place.map(|place| place + start),
            message: format!("rank {rank}: {}", flaw.message),
            ..flaw
        })?;
        Ok(schedule.clone())
    });
    Ok(Graph::new(schedules.collect::<Result<Vec<_>, _>>()?))
}

fn read_rank(bytes: &[u8], ranks: u32, schedule: &mut RankSchedule) -> Result<(), Flaw> {
    let mut file = Bytes { file: bytes, at: 0 };
    let (nodes, roots) = (file.u32_le()?, file.u32_le()?);
    file.take(roots as usize * 4)?;
    let first = file.at;
    let own = file.take(nodes as usize * NODE)?;
    let appendix = &bytes[first + own.len()..];
    let mut waits = vec![0; nodes as usize];
    let mut told = Vec::with_capacity(nodes as usize);
    // A node's length is known while this is compiled, so that reading it asks for no ends.
    for (number, node) in (0..nodes).zip(own.as_chunks::<NODE>().0) {
        let place = first + number as usize * NODE;
        let mut node = Bytes { file: node, at: 0 };
        told.push(node.u32_le()?);
        schedule.add(&read_task(&mut node, ranks, place)?);
        for moment in [Moment::Done, Moment::Started] {
            let (count, from) = (node.u32_le()? as usize, node.u32_le()? as usize);
            let words = appendix
                .get(from * 4..)
                .and_then(|rest| rest.get(..count * 4));
            let Some(words) = words else {
                let message =
                    format!("those who wait for task {number} do not lie inside the file");
                return Err(Flaw::at(place + node.at - 8, message));
            };
            for word in words.as_chunks().0 {
                let task = u32::from_le_bytes(*word);
                let Some(waits) = waits.get_mut(task as usize) else {
                    let message =
                        format!("task {task} waits for task {number}, and there are {nodes}");
                    return Err(Flaw::at(place + node.at - 8, message));
                };
                *waits += 1;
                schedule.follow(task, moment);
            }
        }
    }
    if let Some(number) = (0..told.len()).find(|&number| told[number] != waits[number]) {
        let message = format!(
            "task {number} waits for {} others, as its node says, and {} say so of it",
            told[number], waits[number]
        );
        return Err(Flaw::at(first + number * NODE, message));
    }
    Ok(())
}

/// The task of a node, which stands at a place of the rank.
#[inline]
fn read_task(node: &mut Bytes<'_>, ranks: u32, place: usize) -> Result<Task, Flaw> {
    let place = place + node.at;
    let kind = node.u8()?;
    let peer = node.u32_le()?;
    let (size, tag) = (node.u64_le()?, node.u32_le()?);
    let (processor, interface) = (node.u8()?, node.u8()?);
    let end = if kind == 3 { COMPUTING } else { BYTES };
    if size >= end {
        let message = format!("expected a size below {end}, found {size}");
        return Err(Flaw::at(place + 5, message));
    }
    let message = Message::new(peer, size, tag);
    let work = match kind {
        1 => Work::Send(message),
        2 => Work::Receive(message),
        3 => Work::Compute(size * NANOSECOND),
        _ => {
            let message = format!("expected a kind of task, 1 to 3, found {kind}");
            return Err(Flaw::at(place, message));
        }
    };
    let is_any = kind == 2 && peer == u32::MAX;
    if kind != 3 && peer >= ranks && !is_any {
        let message = format!("expected a rank below {ranks}, found {peer}");
        return Err(Flaw::at(place + 1, message));
    }
    if processor == u8::MAX || interface == u8::MAX {
        return Err(Flaw::at(
            place + 17,
            "no processor or interface has number 255",
        ));
    }
    Ok(Task {
        work,
        processor,
        interface,
        is_offloaded: false,
    })
}
