//! Coloured: ways up that are chosen for the messages of a program, phase by phase.
//!
//! All pairs of a phase that meet above a level are edges between the switches of that level that they leave and come back to. They
//! are coloured with the ports upwards so that no switch has a colour more often than it must (König); level by level, on each part of the
//! tree on its own. So no link upwards or downwards carries more than `ceil(d / w)` of the `d` messages of its switch: on trees of two levels the
//! least there can be. On higher ones a colour is also to take its share of what goes on to the next level ([`evening`]), and the most loaded
//! link carries the least there can be or, rarely, one message more. A pair that is in several phases keeps the way of the first;
//! what is new in the others goes around it as well as may be. A pair that no phase has goes as by d-mod-k.
//!
//! The workload `phases` has phases. Those of any other program are its rounds of messages, as if its ranks went in step: the first of
//! every rank, the second of every rank, and so on; the round that moves most bytes is coloured first.
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

/// Parameters of coloured routing. A pair of terminals has one way: that of the first phase that it is in. `kind = "phases"` tells its
/// phases; of every other program the n-th messages of all ranks are one, those of the most bytes first: up to 256 that differ, of the
/// first 4,096 messages of each rank.
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

    /// Pairs of all phases with their ways, and the graph that is coloured.
    fn table_bytes(&self, _: &Network, context: &Context<'_>) -> u64 {
        const OF_PAIR: u64 = 160;
        let pairs = context.phases.0.iter().map(|phase| phase.len() as u64);
        OF_PAIR * pairs.sum::<u64>()
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
        let mut ways: BTreeMap<(TerminalId, TerminalId), Vec<u32>> = BTreeMap::new();
        for phase in phases.0 {
            let known = phase.iter().map(|pair| ways.get(pair).cloned()).collect();
            let colours = coloured(shape, phase, known);
            ways.extend(phase.iter().copied().zip(colours));
        }
        let (mut pairs, mut ports) = (Vec::new(), Vec::new());
        for (pair, of_pair) in ways {
            pairs.push(pair);
            let of_pair = (1..).zip(of_pair);
            let of_pair = of_pair.map(|(level, colour)| (shape.down_ports(level) + colour) as Port);
            ports.extend(of_pair.chain(std::iter::repeat(0)).take(levels));
        }
        Self {
            pairs,
            ports,
            levels,
            others,
        }
    }
}

/// For each pair, its parents on the way up, from the leaf on: those it is known to have, or others.
fn coloured(
    shape: &FatTree,
    pairs: &[(TerminalId, TerminalId)],
    known: Vec<Option<Vec<u32>>>,
) -> Vec<Vec<u32>> {
    let is_known: Vec<bool> = known.iter().map(Option::is_some).collect();
    let mut colours: Vec<Vec<u32>> = known.into_iter().map(Option::unwrap_or_default).collect();
    let mut below = 1;
    for level in 1..shape.height() {
        below *= shape.m[level - 1];
        // Pairs that take the same parents so far meet in the same part of the tree, and no others.
        let mut parts: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for (number, (from, to)) in pairs.iter().enumerate() {
            if from.0 / below != to.0 / below {
                let parents = colours[number][..level - 1].to_vec();
                parts.entry(parents).or_default().push(number);
            }
        }
        for numbers in parts.into_values() {
            let edge = |number: usize| edge(shape, level, below, pairs[number]);
            let (old, new): (Vec<usize>, Vec<usize>) =
                numbers.into_iter().partition(|&number| is_known[number]);
            let kept = old.iter();
            let kept = kept.map(|&number| (edge(number), colours[number][level - 1]));
            let kept: Vec<(Edge, u32)> = kept.collect();
            let edges: Vec<Edge> = new.iter().map(|&number| edge(number)).collect();
            let found = colouring::colours(&edges, shape.up_ports(level), &kept);
            for (number, colour) in new.into_iter().zip(found) {
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
        let ways = coloured(shape, pairs, vec![None; pairs.len()]);
        on_ways(shape, pairs, &ways)
    }

    fn on_ways(
        shape: &FatTree,
        pairs: &[(TerminalId, TerminalId)],
        ways: &[Vec<u32>],
    ) -> (u32, u32) {
        let (mut loads, mut leaving) = (BTreeMap::new(), BTreeMap::new());
        let (mut below, mut links, mut bound) = (1, 1, 0);
        for level in 1..shape.height() {
            below *= shape.m[level - 1];
            links *= shape.up_ports(level);
            for (&(from, to), way) in pairs.iter().zip(ways) {
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

    /// A third of the messages of a phase are those of the one before. If the others were coloured without them, a link would carry four.
    #[test]
    fn what_is_new_goes_around_what_has_its_way() {
        let tree = FatTree::new(&[16, 16], &[1, 8]);
        let terminals: u32 = 256;
        let pair = |from: u32, to: u32| (TerminalId(from), TerminalId(to % terminals));
        let first: Vec<_> = (0..terminals)
            .map(|from| pair(from, from * 37 + 5))
            .collect();
        let second = (0..terminals).map(|from| match from % 3 {
            0 => pair(from, from * 37 + 5),
            _ => pair(from, (from + 3) * 37 + 5),
        });
        let second: Vec<_> = second.collect();
        let ways = coloured(&tree, &first, vec![None; first.len()]);
        let ways: BTreeMap<_, _> = first.iter().zip(ways).collect();
        let known = second.iter().map(|pair| ways.get(pair).cloned());
        let known: Vec<_> = known.collect();
        let found = coloured(&tree, &second, known.clone());
        for (known, found) in known.iter().zip(&found) {
            assert!(known.as_ref().is_none_or(|known| known == found));
        }
        let (found, bound) = on_ways(&tree, &second, &found);
        assert_eq!((found, bound), (3, 2));
    }
}
