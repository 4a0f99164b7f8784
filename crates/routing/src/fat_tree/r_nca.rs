//! r-NCA: d-mod-k or s-mod-k after the terminals have been given other numbers.
//!
//! In every subtree the children get other places at random, which keeps what is balanced balanced; then the new number of the
//! destination (r-NCA-d) or of the source (r-NCA-u) decides on the way up. Regular patterns that meet all at one root
//! under the plain rules no longer do, and permutations are spread about as well as by random ways, while all packets of a pair
//! keep one way.
//!
//! Up before down: free of deadlock with one virtual channel. Routes are minimal. **Faults.** A pair is routed if its
//! only route survives.
//!
//! Source: Rodriguez, Minkenberg, Beivide, Luijten, Labarta and Valero, "Oblivious routing schemes in extended generalized fat tree
//! networks", CLUSTER 2009.
//!
//! Complexity: O(1) a hop, memory O(levels x terminals).

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::fat_tree::by_number::{ByNumber, Key, Variant};
use crate::fat_tree::self_routed;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::shape::FatTree;
use turnwise_network::{Invalid, Network, Routing, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["random-nca-mod"],
        summary: "Fat trees: as d-mod-k or s-mod-k, after terminals have been renumbered at random in every subtree",
        source: "Rodriguez et al., Oblivious routing schemes in extended generalized fat tree networks, CLUSTER 2009",
        example: "key = \"source\"",
        schema: schema_of::<RNca>,
        parse: |table, errors| Some(Box::new(parse_as::<RNca, dyn Algorithm>(table, errors)?)),
    },
    fits: self_routed::fits,
};

const NAME: &str = "r-nca";

/// Parameters of r-NCA routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RNca {
    /// Whose number decides.
    pub key: Key,
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for RNca {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let ascent = |network: &Network, shape: &FatTree| {
            let numbers = renumbered(shape, network.terminal_count() as u32, context.seed);
            Ok(ByNumber::new(shape, self.key, Variant::M, &numbers))
        };
        self_routed::build(NAME, ascent, self.virtual_channels, network, context)
    }
}

/// By terminal, its new number: in every subtree the children change places.
fn renumbered(shape: &FatTree, terminals: u32, seed: u64) -> Vec<u32> {
    let mut numbers = vec![0; terminals as usize];
    let mut below = 1;
    for (level, &children) in shape.m.iter().enumerate() {
        let subtree = below * children;
        for number in 0..terminals / subtree {
            let mut places: Vec<u32> = (0..children).collect();
            Random::new(seed, Purpose::Permutation, level as u32, number).shuffle(&mut places);
            let first = (number * subtree) as usize;
            let of_subtree = &mut numbers[first..first + subtree as usize];
            for (child, own) in of_subtree.chunks_mut(below as usize).enumerate() {
                own.iter_mut().for_each(|own| *own += places[child] * below);
            }
        }
        below = subtree;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_stay_together_and_nobody_shares_a_number() {
        let shape = FatTree::new(&[4, 3, 2], &[1, 4, 3]);
        let numbers = renumbered(&shape, 24, 5);
        let mut all = numbers.clone();
        all.sort_unstable();
        assert_eq!(all, (0..24).collect::<Vec<_>>());
        assert_ne!(numbers, all);
        for leaf in numbers.chunks(4) {
            assert!(leaf.iter().all(|number| number / 4 == leaf[0] / 4));
        }
        for half in numbers.chunks(12) {
            assert!(half.iter().all(|number| number / 12 == half[0] / 12));
        }
    }
}
