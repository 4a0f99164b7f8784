//! Coloured: ways up that are chosen for the messages of a program, phase by phase.
//!
//! All pairs of a phase that meet above a level are edges between the switches of that level that they leave and come back to. They
//! are coloured with the ports upwards so that no switch has a colour more often than it must (König); level by level, on each part of the
//! tree on its own. So no link upwards or downwards carries more than `ceil(d / w)` of the `d` messages of its switch: on trees of two levels the
//! least there can be. On higher ones a colour is also to take its share of what goes on to the next level ([`evening`]), and the most loaded
//! link carries the least there can be or, rarely, one message more. A pair that is in several phases keeps the way of the first,
//! and the others do not know of it. A pair that no phase has goes as by d-mod-k.
//!
//! [`evening`]: crate::fat_tree::evening
//!
//! Up before down: free of deadlock with one virtual channel. Routes are minimal. **Faults.** A pair is routed if its
//! only route survives.
//!
//! Source: as *colored* in Rodriguez et al., CLUSTER 2009, and Minkenberg et al., HPSR 2009; that it goes by edge colouring is our
//! reading.
//!
//! Complexity: O(1) a hop, O(log pairs) a packet, memory O(pairs x levels); made in O(pairs x switches) a phase at worst.

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, ProgramPhases};
use crate::fat_tree::by_number::{ByNumber, Key, Variant};
use crate::fat_tree::colouring::{self, Edge};
use crate::fat_tree::self_routed::{self, Ascent};
use crate::fat_tree::tree::Tree;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::shape::FatTree;
use turnwise_network::{Header, Invalid, Network, Port, RouterId, Routing, TerminalId, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["colored"],
        summary: "Fat trees: ways for the phases of a program by edge colouring, with the least contention; all others as by d-mod-k",
        source: "Rodriguez et al., Oblivious routing schemes in extended generalized fat tree networks, CLUSTER 2009",
        example: "virtual_channels = 2",
        schema: schema_of::<Coloured>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Coloured, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: self_routed::fits,
};

const NAME: &str = "coloured";

/// Parameters of coloured routing. A pair of terminals has one way: that of the first phase that it is in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Coloured {
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Coloured {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let ascent = |network: &Network, shape: &FatTree| {
            let others = ByNumber::plain(network, shape, Key::Destination, Variant::M);
            Ok(Ways::new(shape, context.phases, others))
        };
        self_routed::build(NAME, ascent, self.virtual_channels, network, context)
    }

    fn minds_phases(&self) -> bool {
        true
    }
}

/// The ways of the pairs that some phase has.
struct Ways {
    /// In ascending order.
    pairs: Vec<(TerminalId, TerminalId)>,
    /// By pair and level, the port upwards.
    ports: Vec<Port>,
    levels: usize,
    others: ByNumber,
}

impl Ways {
    fn new(shape: &FatTree, phases: ProgramPhases<'_>, others: ByNumber) -> Self {
        let levels = shape.height();
        let mut ways: BTreeMap<(TerminalId, TerminalId), Vec<Port>> = BTreeMap::new();
        for phase in phases.0 {
            let fresh = phase
                .iter()
                .copied()
                .filter(|pair| !ways.contains_key(pair));
            let fresh: Vec<_> = fresh.collect();
            let colours = coloured(shape, &fresh);
            let with_ports = fresh.iter().zip(&colours).map(|(&pair, colours)| {
                let ports = (1..)
                    .zip(colours)
                    .map(|(level, &colour)| (shape.down_ports(level) + colour) as Port);
                (pair, ports.collect())
            });
            ways.extend(with_ports);
        }
        let (mut pairs, mut ports) = (Vec::new(), Vec::new());
        for (pair, of_pair) in ways {
            pairs.push(pair);
            ports.extend(of_pair.into_iter().chain(std::iter::repeat(0)).take(levels));
        }
        Self {
            pairs,
            ports,
            levels,
            others,
        }
    }
}

/// For each pair, its parents on the way up, from the leaf on.
fn coloured(shape: &FatTree, pairs: &[(TerminalId, TerminalId)]) -> Vec<Vec<u32>> {
    let mut colours: Vec<Vec<u32>> = vec![Vec::new(); pairs.len()];
    let mut below = 1;
    for level in 1..shape.height() {
        below *= shape.m[level - 1];
        // Pairs that take the same parents so far meet in the same part of the tree, and no others.
        let mut parts: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for (number, (from, to)) in pairs.iter().enumerate() {
            if from.0 / below != to.0 / below {
                parts
                    .entry(colours[number].clone())
                    .or_default()
                    .push(number);
            }
        }
        for numbers in parts.into_values() {
            let edges: Vec<Edge> = (numbers.iter())
                .map(|&number| edge(shape, level, below, pairs[number]))
                .collect();
            let found = colouring::colours(&edges, shape.up_ports(level));
            for (&number, colour) in numbers.iter().zip(found) {
                colours[number].push(colour);
            }
        }
    }
    colours
}

/// What a pair is to the switches of a level, which have `below` terminals each, and to those above.
fn edge(shape: &FatTree, level: usize, below: u32, (from, to): (TerminalId, TerminalId)) -> Edge {
    let ends = [from.0 / below, to.0 / below];
    let higher = (level + 1..shape.height()).scan(ends, |ends, above| {
        *ends = ends.map(|end| end / shape.m[above - 1]);
        (ends[0] != ends[1]).then_some(*ends)
    });
    Edge {
        ends,
        above: higher.collect(),
    }
}

impl Ascent for Ways {
    fn via(&self, source: TerminalId, destination: TerminalId) -> u32 {
        let place = self.pairs.binary_search(&(source, destination));
        place.map_or(0, |place| place as u32 + 1)
    }

    fn up(&self, tree: &Tree, at: RouterId, header: Header) -> Option<Port> {
        match header.via.checked_sub(1) {
            None => Some(self.others.port(tree, at, header.destination)),
            Some(way) => self
                .ports
                .get(way as usize * self.levels + tree.level(at))
                .copied(),
        }
    }

    fn memory_bytes(&self) -> u64 {
        (size_of_val(&*self.pairs) + size_of_val(&*self.ports)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The messages of the most loaded link, and the most that the links of a switch must carry.
    fn contention(shape: &FatTree, pairs: &[(TerminalId, TerminalId)]) -> (u32, u32) {
        let (mut loads, mut leaving) = (BTreeMap::new(), BTreeMap::new());
        let (mut below, mut links, mut bound) = (1, 1, 0);
        let ways = coloured(shape, pairs);
        for level in 1..shape.height() {
            below *= shape.m[level - 1];
            links *= shape.up_ports(level);
            for (&(from, to), way) in pairs.iter().zip(&ways) {
                let ends = [from.0 / below, to.0 / below];
                let through = if ends[0] == ends[1] { 0 } else { 2 };
                for (side, end) in ends.into_iter().enumerate().take(through) {
                    *loads.entry((level, side, end, &way[..level])).or_insert(0) += 1;
                    let leaving: &mut u32 = leaving.entry((level, side, end)).or_default();
                    *leaving += 1;
                    bound = bound.max(leaving.div_ceil(links));
                }
            }
        }
        (loads.into_values().max().unwrap_or(0), bound)
    }

    fn trees() -> impl Strategy<Value = FatTree> {
        (2usize..5).prop_flat_map(|height| {
            let children = proptest::collection::vec(1u32..5, height);
            let parents = proptest::collection::vec(1u32..5, height - 1);
            (children, parents).prop_map(|(m, w)| FatTree::new(&m, &[&[1], w.as_slice()].concat()))
        })
    }

    proptest! {
        #[test]
        fn no_link_carries_much_more_than_one_must(
            tree in trees(),
            ends in proptest::collection::vec((any::<u32>(), any::<u32>()), 0..600),
        ) {
            let terminals: u32 = tree.m.iter().product();
            let pairs: BTreeSet<_> = (ends.into_iter())
                .map(|(from, to)| (TerminalId(from % terminals), TerminalId(to % terminals)))
                .collect();
            let pairs: Vec<_> = pairs.into_iter().collect();
            let (found, bound) = contention(&tree, &pairs);
            prop_assert!((bound..=bound + 1).contains(&found), "{found} where {bound} must be");
            if tree.height() == 2 {
                prop_assert_eq!(found, bound);
            }
        }
    }

    /// Where each level is coloured without a thought of the next, seven of these carry one message or two more.
    #[test]
    fn levels_above_get_their_share() {
        for (m, w) in [
            (&[8, 8, 4][..], &[1, 4, 2][..]),
            (&[6, 5, 4], &[1, 5, 3]),
            (&[8, 8, 8], &[1, 8, 4]),
            (&[4, 4, 4, 4], &[1, 3, 2, 2]),
            (&[4, 4, 4], &[1, 4, 4]),
        ] {
            let tree = FatTree::new(m, w);
            let terminals: u32 = m.iter().product();
            for stride in [7, 11, 37] {
                let permuted = |from| TerminalId((from * stride + 5) % terminals);
                let pairs: Vec<_> = (0..terminals)
                    .map(|from| (TerminalId(from), permuted(from)))
                    .collect();
                let (found, bound) = contention(&tree, &pairs);
                assert_eq!(found, bound, "{m:?} {w:?} {stride}");
            }
        }
    }
}
