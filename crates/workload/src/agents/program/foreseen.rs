//! What hosts will send and what memory they will take, told before a run from a look at a few ranks by themselves.

use super::Common;
use super::host::Host;
use turnwise_application::{Alone, Program};
use turnwise_network::Foreseen;

/// Ranks that are looked at beside the first.
const LOOKED_AT: u32 = 16;
/// An odd number of ranks from one that is looked at to the next, so that they are not all in the same column of a grid.
const STEP: u64 = 40_503;
/// So many tasks of a rank are looked at, and more where it may have several for each other rank.
const TASKS: u64 = 1 << 12;

/// What a host takes beside tables and queues that grow.
const ROOM: u64 = size_of::<Host>() as u64 + (2 << 10);
/// What stays of each rank that messages go to or come from: an entry of a hash table.
const OF_PARTNER: u64 = 8;
/// A message that is on its way out: as long as its packets have not left, in the queues of its processor, of its rank and of its terminal.
const OF_LEAVING: u64 = 160;
/// A receive that is posted, and the message that comes for it.
const OF_POSTED: u64 = 200;

/// Bytes that all hosts of a program take, at most. The first rank, which others may all send to, is looked at for itself.
pub(super) fn bytes_of_hosts(program: &dyn Program) -> u64 {
    let ranks = program.ranks();
    let of_rank = |rank| bytes_of_host(&alone(program, rank));
    let others = ranks.saturating_sub(1);
    let looked_at = others.min(LOOKED_AT);
    let which = |number: u32| 1 + (u64::from(number) * STEP % u64::from(others)) as u32;
    let of_others: u64 = (0..looked_at).map(which).map(of_rank).sum();
    let all = u128::from(of_others) * u128::from(others) / u128::from(looked_at.max(1));
    of_rank(0).saturating_add(all as u64)
}

fn alone(program: &dyn Program, rank: u32) -> Alone {
    Alone::of(program, rank, TASKS + 4 * u64::from(program.ranks()))
}

fn bytes_of_host(alone: &Alone) -> u64 {
    let partners = table(alone.receivers, OF_PARTNER) + table(alone.senders, OF_PARTNER);
    let messages = alone.leaving * OF_LEAVING + alone.posted * OF_POSTED;
    ROOM + alone.bytes + partners + messages
}

/// Bytes of a hash table: twice as many places whenever seven of eight are taken, of which each has a byte beside what is in it.
fn table(entries: u64, of_entry: u64) -> u64 {
    match entries {
        0 => 0,
        _ => (entries * 8).div_ceil(7).next_power_of_two() * (of_entry + 1),
    }
}

/// What a rank sends into the network, each packet standing for as many as others do.
pub(super) fn of_rank(common: &Common, rank: u32, most: usize) -> Foreseen {
    let mut sends = alone(&*common.program, rank).sends;
    sends.retain(|message| message.peer != rank && !common.residents.share(rank, message.peer));
    let all: u64 = sends
        .iter()
        .map(|message| common.packets(message.bytes))
        .sum();
    let count = (most as u64).min(all);
    let mut packets = Vec::with_capacity(count as usize);
    let mut before = 0;
    for message in &sends {
        let of_message = common.packets(message.bytes);
        let flits = common.counting.flits(message.bytes) as f64 / of_message as f64;
        before += of_message;
        // The middle ones of so many equal parts.
        while u128::from(2 * packets.len() as u64 + 1) * u128::from(all)
            < 2 * u128::from(count) * u128::from(before)
            && (packets.len() as u64) < count
        {
            packets.push((common.residents.terminal(message.peer), flits));
        }
    }
    let flits = sends
        .iter()
        .map(|message| common.counting.flits(message.bytes));
    Foreseen {
        packets,
        messages: sends.len() as u64,
        flits: flits.sum(),
    }
}
