//! What promises are held to: an algorithm with some options on one network, healthy and damaged.

use crate::examples::{Example, damaged};
use crate::graph::Graph;
use crate::variants::{Variant, variants};
use std::sync::Arc;
use turnwise_network::{FlowControl, Invalid, Network, Routing, Shape, Vc};
use turnwise_routing::angara::{Directions, RouteTable, System};
use turnwise_routing::{Algorithm, AlgorithmEntry, Context, REGISTRY, UnderFaults};

/// Damages of each network.
const DAMAGES: u64 = 4;

/// A routing, and everything that packets may do under it.
pub(crate) struct Built {
    pub(crate) network: Arc<Network>,
    pub(crate) routing: Box<dyn Routing>,
    pub(crate) graph: Graph,
}

/// One algorithm with some options on one network.
pub(crate) struct Subject<'a> {
    pub(crate) algorithm: &'a dyn Algorithm,
    pub(crate) healthy: Built,
    /// The same network with faults, several times.
    pub(crate) damaged: Vec<Built>,
}

/// The routing of an algorithm on a network whose router has so many virtual channels, if it says.
fn build(
    algorithm: &dyn Algorithm,
    network: &Arc<Network>,
    router_virtual_channels: Option<Vc>,
) -> Result<Box<dyn Routing>, Invalid> {
    let file = algorithm.file().map(|_| source_routes(network));
    let context = Context {
        flow_control: algorithm.flow_control(),
        router_virtual_channels,
        file: file.as_deref(),
        seed: 1,
        ..Context::default()
    };
    algorithm.build(network, &context)
}

/// A file of source routes: those of direction order.
fn source_routes(network: &Arc<Network>) -> String {
    let entry = REGISTRY.iter().find(|entry| entry.name == "angara-dor");
    let nothing = crate::written::read("");
    let algorithm = (entry.unwrap().parse)(&nothing, &mut Vec::new()).unwrap();
    let context = Context {
        flow_control: FlowControl::Bubble,
        ..Context::default()
    };
    let routing = algorithm.build(network, &context).unwrap();
    let Shape::Grid(grid) = network.shape() else {
        panic!("only grids have source routes")
    };
    let directions = Directions::new(grid.sizes.len(), None).unwrap();
    let system = System::new(network, grid, directions);
    let table = RouteTable::of(network, &*routing, &system);
    table.ok().unwrap().write(grid.sizes.len())
}

impl<'a> Subject<'a> {
    /// Nothing if one of the algorithm's options has no meaning on this network.
    ///
    /// # Errors
    /// In words: a network that is refused although it fits, a damaged one that is refused although
    /// that was not announced.
    fn new(variant: &'a Variant, healthy: &Arc<Network>) -> Result<Option<Self>, String> {
        let algorithm = &*variant.algorithm;
        let made = |network: &Arc<Network>| {
            let routing = build(algorithm, network, None)?;
            let graph = Graph::new(network, &*routing);
            Ok::<Built, Invalid>(Built {
                network: network.clone(),
                routing,
                graph,
            })
        };
        let first = match made(healthy) {
            Ok(built) => built,
            Err(invalid) if Some(&invalid.field) == variant.varied.as_ref() => return Ok(None),
            Err(invalid) => return Err(format!("refused: {invalid}")),
        };
        let mut subject = Self {
            algorithm,
            healthy: first,
            damaged: Vec::new(),
        };
        let refuses = algorithm.under_faults(healthy.shape()) == UnderFaults::Refused;
        for survivor in (0..DAMAGES).filter_map(|seed| damaged(healthy, seed)) {
            match made(&Arc::new(survivor)) {
                Ok(built) => subject.damaged.push(built),
                Err(_) if refuses => {}
                Err(invalid) => return Err(format!("refused with faults: {invalid}")),
            }
        }
        Ok(Some(subject))
    }

    /// Healthy and damaged.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Built> {
        std::iter::once(&self.healthy).chain(&self.damaged)
    }

    /// Builds it once more.
    ///
    /// # Errors
    /// As [`Algorithm::build`].
    pub(crate) fn build(
        &self,
        network: &Arc<Network>,
        router_virtual_channels: Option<Vc>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        build(self.algorithm, network, router_virtual_channels)
    }
}

/// Shows `visit` each algorithm of a registry with each of its variants on each network it fits; the
/// first word is who it is. What cannot even be built is an error.
pub(crate) fn each(
    entries: &[AlgorithmEntry],
    examples: &[Example],
    mut visit: impl FnMut(&str, Result<&Subject<'_>, String>),
) {
    for entry in entries {
        for variant in variants(entry) {
            let written = format!("{} {}", entry.name, variant.fields.replace('\n', " "));
            let mut met = false;
            for example in examples {
                let network = &example.network;
                let name = format!("{}on {}", written, network.description());
                if !(entry.fits)(network.shape()) {
                    if variant.varied.is_none() && build_is_possible(&variant, network) {
                        visit(&name, Err("it fits, and the registry denies it".to_owned()));
                    }
                    continue;
                }
                match Subject::new(&variant, network) {
                    Ok(Some(subject)) => {
                        met = true;
                        visit(&name, Ok(&subject));
                    }
                    Ok(None) => {}
                    Err(message) => visit(&name, Err(message)),
                }
            }
            if !met {
                visit(
                    &written,
                    Err("no network of the examples allows it".to_owned()),
                );
            }
        }
    }
}

fn build_is_possible(variant: &Variant, network: &Arc<Network>) -> bool {
    variant.algorithm.file().is_none() && build(&*variant.algorithm, network, None).is_ok()
}
