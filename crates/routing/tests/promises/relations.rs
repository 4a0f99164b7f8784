//! Whoever says the same words for their routing relation have the same one, whatever they are called and choose by.

use super::examples::{Example, damaged};
use super::graph::Graph;
use super::subjects::{Built, Subject, routing};
use super::written::read;
use rustc_hash::FxHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use turnwise_network::{Hop, Network, Routing, Start};
use turnwise_routing::AlgorithmEntry;

/// What was said, by the wiring of the network and the words.
#[derive(Clone, Default)]
pub(crate) struct Relations(pub(crate) BTreeMap<(u64, String), Said>);

#[derive(Clone)]
pub(crate) struct Said {
    /// The first who said it, and the algorithms of all.
    who: String,
    pub(crate) algorithms: BTreeSet<String>,
    /// A digest of everything that packets may do.
    relation: u64,
}

impl Relations {
    /// Takes note of what a subject says, each of its routings.
    ///
    /// # Errors
    /// Who said the same of another relation.
    pub(crate) fn note(&mut self, who: &str, subject: &Subject<'_>) -> Result<(), String> {
        for built in subject.all() {
            if let Some(words) = built.routing.relation() {
                self.add(who, words, built)?;
            }
        }
        Ok(())
    }

    /// The same of the example of each algorithm, whose numbers are not the usual ones, on each network that it fits.
    ///
    /// # Errors
    /// As [`note`](Self::note).
    pub(crate) fn note_examples(
        &mut self,
        entries: &[&AlgorithmEntry],
        examples: &[Example],
    ) -> Result<(), String> {
        for entry in entries {
            let algorithm = (entry.parse)(&read(entry.example), &mut Vec::new());
            // What is read from files is another thing on each network.
            let Some(algorithm) = algorithm.filter(|algorithm| algorithm.files().is_empty()) else {
                continue;
            };
            let networks = examples.iter().map(|example| example.network.clone());
            let networks = networks.flat_map(|network| {
                let worse = damaged(&network, 1).map(Arc::new);
                worse.into_iter().chain([network])
            });
            for network in networks.filter(|network| (entry.fits)(network.shape())) {
                let built = routing(&*algorithm, algorithm.flow_control(), &network, None);
                if let Ok(routing) = built
                    && let Some(words) = routing.relation()
                {
                    let built = Built::new(&network, routing);
                    self.add(&format!("{}, its example", entry.name), words, &built)?;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, who: &str, words: String, built: &Built) -> Result<(), String> {
        let algorithm = who.split(',').next().unwrap_or_default();
        let said = Said {
            who: who.to_owned(),
            algorithms: BTreeSet::from([algorithm.to_owned()]),
            relation: digest(&*built.routing, &built.graph),
        };
        let key = (wiring(&built.network), words);
        self.merge(Self(BTreeMap::from([(key, said)])))
    }

    /// Takes in what others have said.
    ///
    /// # Errors
    /// As [`note`](Self::note).
    pub(crate) fn merge(&mut self, others: Self) -> Result<(), String> {
        for (key, said) in others.0 {
            let words = key.1.clone();
            let known = self.0.entry(key).or_insert_with(|| said.clone());
            if known.relation != said.relation {
                let (one, other) = (&known.who, &said.who);
                return Err(format!(
                    "{one} and {other} say the same, {words}, and do not do it"
                ));
            }
            known.algorithms.extend(said.algorithms);
        }
        Ok(())
    }
}

/// A digest of what a network consists of, faults included.
fn wiring(network: &Network) -> u64 {
    let mut hasher = FxHasher::default();
    format!("{:?}", network.shape()).hash(&mut hasher);
    for (_, channel) in network.channels() {
        format!("{:?}", (channel.source, channel.target)).hash(&mut hasher);
    }
    for terminal in network.living_terminals() {
        (terminal.0, network.router_of(terminal).0).hash(&mut hasher);
    }
    hasher.finish()
}

/// A digest of everything that a routing admits, in the order in which it does.
fn digest(routing: &dyn Routing, graph: &Graph) -> u64 {
    let mut hasher = FxHasher::default();
    let of_routing = (
        routing.virtual_channels(),
        routing.asks_again(),
        routing.distinguishes_terminals(),
    );
    of_routing.hash(&mut hasher);
    for (asked, ways) in &graph.ways {
        asked.hash(&mut hasher);
        for (Start { header, vcs }, state) in ways {
            (header, vcs.0, state).hash(&mut hasher);
        }
    }
    for state in &graph.states {
        (state.at, state.header).hash(&mut hasher);
        let mut escapes = Vec::new();
        routing.escape(state.at, state.header, &mut escapes);
        for hops in [&state.options, &escapes] {
            hops.len().hash(&mut hasher);
            for Hop { port, vcs, header } in hops {
                (port, vcs.0, header).hash(&mut hasher);
            }
        }
    }
    hasher.finish()
}
