//! Follows every route of a table: none may end too early or run in circles.

use super::read::{Table, named, place};
use turnwise_config::Flaw;
use turnwise_network::{Network, RouterId};

/// A router where no walk has been yet.
const UNSEEN: u32 = u32::MAX;
/// One on the walk that is under way.
const UNDER_WAY: u32 = u32::MAX - 1;

/// Hops of the longest route that a packet can take. Every entry is looked at once.
///
/// # Errors
/// The first entry, column by column, that leads into a loop or to where there is no next hop.
pub(super) fn longest(table: &Table, network: &Network, text: &str) -> Result<u32, Flaw> {
    let has_ends = |at: RouterId| network.living_terminals_of(at).next().is_some();
    let mut longest = 0;
    let mut walk = Vec::new();
    for column in 0..table.columns() {
        let ports = table.column(column);
        let destination = table.destination(network, column);
        let mut hops = vec![UNSEEN; ports.len()];
        hops[destination.index()] = 0;
        for source in network.routers().filter(|at| ports[at.index()].is_some()) {
            let mut at = source;
            while hops[at.index()] == UNSEEN {
                hops[at.index()] = UNDER_WAY;
                walk.push(at);
                let next = ports[at.index()].and_then(|port| network.next_router(at, port));
                let Some(next) = next else {
                    let before = walk.len().saturating_sub(2);
                    let what = format!(
                        "leads to a dead end: router {at} has no next hop towards {}",
                        towards(table, column)
                    );
                    return Err(flaw(text, walk[before].index(), column, &what));
                };
                at = next;
            }
            if hops[at.index()] == UNDER_WAY {
                let begin = walk.iter().position(|&router| router == at).unwrap_or(0);
                let circle = walk[begin..].iter().chain([&at]);
                let circle: Vec<String> = circle.map(ToString::to_string).collect();
                let what = format!(
                    "leads into a loop: routers {} on the way to {}",
                    shortened(&circle),
                    towards(table, column)
                );
                return Err(flaw(text, at.index(), column, &what));
            }
            let mut distance = hops[at.index()];
            for router in walk.drain(..).rev() {
                distance += 1;
                hops[router.index()] = distance;
            }
            // Between switches without terminals nobody goes.
            if has_ends(source) && has_ends(destination) {
                longest = longest.max(distance);
            }
        }
    }
    Ok(longest)
}

fn flaw(text: &str, row: usize, column: usize, what: &str) -> Flaw {
    Flaw::at(place(text, row, column), named(row, column, what))
}

fn towards(table: &Table, column: usize) -> String {
    let kind = if table.has_terminals {
        "terminal"
    } else {
        "router"
    };
    format!("{kind} {column}")
}

/// A long circle by its ends.
fn shortened(circle: &[String]) -> String {
    const MOST: usize = 8;
    match circle {
        [first @ .., last] if first.len() > MOST => {
            format!("{}, ..., {last}", first[..MOST].join(", "))
        }
        _ => circle.join(", "),
    }
}
