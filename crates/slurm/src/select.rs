//! Which nodes should a job have? Sub-tori with enough free nodes, the best of them by proof.
//!
//! Candidates are all boxes with enough free nodes inside, boxes with gaps among them: busy
//! and failed nodes, which the job's routes must avoid. They are sorted by how
//! many nodes they have too many, then by the throughput their worst cut promises, then by
//! diameter; the first few of each surplus get real tables, and the best of those that have a
//! route for every pair is the answer. If there are none, boxes with a surplus are tried without
//! the nodes that are hardest to reach.
//!
//! Related: Mukosey, Semenov, "An algorithm for choosing nodes of the Angara interconnect", 2017
//! (the problem; the search here is ours).

use super::boxes::{Counts, SubTorus, diameter, extents, origins, volume, worst_cut};
use super::site::Site;
use super::tables::{JobTables, Trouble, route, terminal_of};
use std::collections::BTreeSet;
use std::sync::Arc;
use turnwise_network::Shape;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// So many nodes at least.
    pub at_least: usize,
    /// So many more are as welcome, if they make the job faster.
    pub spare: usize,
    /// Positions of nodes that other jobs have, ascending.
    pub busy: Vec<u32>,
}

/// The answer: a box, and the tables its free nodes would have.
pub struct Choice {
    /// Where the nodes are.
    pub place: SubTorus,
    /// Nodes of the box that are not the job's: busy, failed, without a host, left out.
    pub gaps: usize,
    /// Their tables.
    pub tables: JobTables,
    /// How many boxes got tables.
    pub tried: usize,
}

impl Choice {
    /// Flits a node and cycle when all send to all: (nodes - 1) / index, at most 1.
    pub fn throughput(&self) -> f64 {
        let others = self.tables.members.len() as f64 - 1.0;
        let index = self.tables.finding.analysis.quality.edge_forwarding_index;
        (others / index.max(1.0)).min(1.0)
    }

    /// Smaller is better.
    fn rank(&self) -> (f64, u32) {
        let quality = &self.tables.finding.analysis.quality;
        let others = (self.tables.members.len() as f64 - 1.0).max(1.0);
        (quality.edge_forwarding_index / others, quality.diameter)
    }
}

/// So many boxes of one surplus are compared by their tables.
const FINALISTS: usize = 8;
/// So many boxes of one surplus are tried until there are finalists.
const TRIES: usize = 32;
/// So many boxes are remembered.
const MOST_CANDIDATES: usize = 512;

/// A box by how promising it is, the best first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    surplus: usize,
    /// Predicted index for each other node, in millionths.
    load: u64,
    diameter: u32,
    gaps: usize,
    place: SubTorus,
}

/// Proposes nodes.
///
/// # Errors
/// Too few free nodes, or no box whose pairs all have routes; what is wrong with the site.
pub fn select(site: &Site, question: &Question) -> Result<Choice, Trouble> {
    let choice = search(site, question)?;
    let tables = choice.tables.with_bound(site);
    Ok(Choice { tables, ..choice })
}

fn search(site: &Site, question: &Question) -> Result<Choice, Trouble> {
    let free = free(site, question)?;
    let candidates = candidates(site, question, &free);
    let (mut best, mut tried): (Option<Choice>, usize) = (None, 0);
    let mut first_trouble = None;
    let mut rest = candidates.iter().peekable();
    while let Some(leader) = rest.peek() {
        let surplus = leader.surplus;
        let (mut routable, mut tries) = (0, 0);
        while let Some(candidate) = rest.next_if(|next| next.surplus == surplus) {
            if routable == FINALISTS || tries == TRIES {
                continue;
            }
            tries += 1;
            let members = members(site, &candidate.place, &free);
            match JobTables::attempt(site, &members, false) {
                Ok(tables) => {
                    routable += 1;
                    let choice = Choice {
                        place: candidate.place.clone(),
                        gaps: candidate.gaps,
                        tables,
                        tried: 0,
                    };
                    if best.as_ref().is_none_or(|best| choice.rank() < best.rank()) {
                        best = Some(choice);
                    }
                }
                Err(Trouble::Refused(_)) => {
                    first_trouble.get_or_insert(members);
                }
                Err(wrong) => return Err(wrong),
            }
        }
        tried += tries;
        if let Some(best) = best {
            return Ok(Choice { tried, ..best });
        }
    }
    match pruned(site, question, &candidates, &free)? {
        Some(choice) => Ok(Choice {
            tried: tried + choice.tried,
            ..choice
        }),
        None => Err(hopeless(site, question, tried, first_trouble)),
    }
}

/// The best of the boxes that have a route for every pair once some nodes are left out.
fn pruned(
    site: &Site,
    question: &Question,
    candidates: &BTreeSet<Candidate>,
    free: &[bool],
) -> Result<Option<Choice>, Trouble> {
    let mut best: Option<Choice> = None;
    let with_surplus = candidates.iter().filter(|candidate| candidate.surplus > 0);
    for (index, candidate) in with_surplus.take(TRIES).enumerate() {
        let mut nodes = members(site, &candidate.place, free);
        let inside = nodes.len();
        if !prune(site, &mut nodes, question.at_least)? {
            continue;
        }
        let tables = match JobTables::attempt(site, &nodes, false) {
            Ok(tables) => tables,
            Err(Trouble::Refused(_)) => continue,
            Err(wrong) => return Err(wrong),
        };
        let choice = Choice {
            place: candidate.place.clone(),
            gaps: candidate.gaps + inside - nodes.len(),
            tables,
            tried: index + 1,
        };
        let order = |choice: &Choice| (choice.tables.members.len(), choice.rank());
        if best
            .as_ref()
            .is_none_or(|best| order(&choice) < order(best))
        {
            best = Some(choice);
        }
    }
    Ok(best)
}

/// Leaves out the node with the most pairs that have no route, until all have one.
fn prune(site: &Site, nodes: &mut Vec<u32>, at_least: usize) -> Result<bool, Trouble> {
    loop {
        let network = match site.network_of(nodes) {
            Ok(network) => Arc::new(network),
            Err(_) => return Ok(false),
        };
        let routing = route(site, &site.routing, &network)?;
        let lost = |from: u32, to: u32| {
            let ends = (terminal_of(&network, from), terminal_of(&network, to));
            from != to && routing.start(ends.0, ends.1).is_none()
        };
        let missing = |&node: &u32| {
            let either =
                |&other: &u32| usize::from(lost(node, other)) + usize::from(lost(other, node));
            nodes.iter().map(either).sum::<usize>()
        };
        let worst = nodes
            .iter()
            .map(missing)
            .enumerate()
            .max_by_key(|&(_, missing)| missing);
        match worst {
            Some((index, 1..)) if nodes.len() > at_least => nodes.remove(index),
            Some((_, 1..)) => return Ok(false),
            _ => return Ok(true),
        };
    }
}

fn hopeless(site: &Site, question: &Question, tried: usize, members: Option<Vec<u32>>) -> Trouble {
    let why = members.and_then(|members| {
        let list = site.hosts.list(&members);
        match JobTables::new(site, &members).err()? {
            Trouble::Refused(why) => Some(format!("; {list}: {why}")),
            Trouble::Wrong(_) => None,
        }
    });
    Trouble::Refused(format!(
        "none of {tried} boxes with {} free nodes routes all its pairs{}",
        question.at_least,
        why.unwrap_or_default()
    ))
}

/// By position: may the job have it?
fn free(site: &Site, question: &Question) -> Result<Vec<bool>, Trouble> {
    let mut free = vec![false; site.torus.router_count()];
    let (mut count, mut busy, mut failed) = (0, 0, 0);
    for position in site.hosts.occupied() {
        if site.failed_nodes.binary_search(&position).is_ok() {
            failed += 1;
        } else if question.busy.binary_search(&position).is_ok() {
            busy += 1;
        } else {
            free[position as usize] = true;
            count += 1;
        }
    }
    match count >= question.at_least {
        true => Ok(free),
        false => Err(Trouble::Refused(format!(
            "only {count} nodes are free, {} are wanted ({busy} busy, {failed} failed)",
            question.at_least
        ))),
    }
}

fn candidates(site: &Site, question: &Question, free: &[bool]) -> BTreeSet<Candidate> {
    let mut found = BTreeSet::new();
    let Shape::Grid(grid) = site.torus.shape() else {
        return found;
    };
    let counts = Counts::new(grid, free);
    for extent in extents(&grid.sizes, question.at_least as u64) {
        let (cut, diameter) = (worst_cut(grid, &extent), diameter(grid, &extent));
        let all = volume(&extent) as usize;
        let mut flawless = false;
        for origin in origins(grid, &extent) {
            let inside = counts.of(&origin, &extent) as usize;
            if inside < question.at_least {
                continue;
            }
            let excess = inside - question.at_least;
            let place = SubTorus {
                origin,
                extent: extent.clone(),
            };
            // Boxes without a flaw differ in nothing but their place.
            if inside == all && !breaks(site, &place) && std::mem::replace(&mut flawless, true) {
                continue;
            }
            let others = (inside as f64 - 1.0).max(1.0);
            found.insert(Candidate {
                surplus: if excess <= question.spare { 0 } else { excess },
                load: (1e6 * cut * inside as f64 / others) as u64,
                diameter,
                gaps: all - inside,
                place,
            });
            if found.len() > MOST_CANDIDATES {
                found.pop_last();
            }
        }
    }
    found
}

/// Has a link inside the box failed?
fn breaks(site: &Site, place: &SubTorus) -> bool {
    let Shape::Grid(grid) = site.torus.shape() else {
        return false;
    };
    let inside = |position: u32| {
        let coordinates = grid.coordinates(position);
        (0..coordinates.len()).all(|d| {
            let size = grid.sizes[d];
            (coordinates[d] + size - place.origin[d]) % size < place.extent[d]
        })
    };
    let links = &site.failed_links;
    links.iter().any(|&[a, b]| inside(a) && inside(b))
}

/// The free nodes of a box, ascending.
fn members(site: &Site, place: &SubTorus, free: &[bool]) -> Vec<u32> {
    let Shape::Grid(grid) = site.torus.shape() else {
        return Vec::new();
    };
    let mut members = place.positions(grid);
    members.retain(|&position| free[position as usize]);
    members.sort_unstable();
    members
}

#[cfg(test)]
mod tests;
