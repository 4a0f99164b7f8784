//! What promises are held to: an algorithm with some options on one network, healthy and damaged.

use super::examples::{Example, damaged, wrecked};
use super::files::written;
use super::graph::{CLASSES, Graph};
use super::variants::{Variant, variants};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use turnwise_network::{FlowControl, Invalid, Network, Routing, Shape, Vc, VcSet};
use turnwise_routing::{Algorithm, AlgorithmEntry, Context, MessageClasses, UnderFaults};

/// Damages of each network; the last of them takes half of the links.
const DAMAGES: u64 = 5;

/// Virtual channels of a router that has more than it is asked for.
const SPARE: Vc = 3;

/// A routing, and everything that packets may do under it.
pub(crate) struct Built {
    pub(crate) network: Arc<Network>,
    pub(crate) routing: Box<dyn Routing>,
    pub(crate) graph: Graph,
    /// Bytes that its tables were to take, if that was asked.
    pub(crate) foreseen: Option<u64>,
}

/// One algorithm with some options on one network.
pub(crate) struct Subject<'a> {
    pub(crate) algorithm: &'a dyn Algorithm,
    pub(crate) flow_control: FlowControl,
    pub(crate) healthy: Built,
    /// The same with a router that has exactly as many virtual channels as the algorithm asked for, and with one
    /// that has more; with how many it has.
    pub(crate) routers: Vec<(Built, Vc)>,
    /// The same network with faults, several times.
    pub(crate) damaged: Vec<Built>,
    /// The healthy one with classes of messages kept apart, unless a channel has too few virtual channels for it.
    pub(crate) classes_apart: Option<Built>,
}

/// What the files of an algorithm may say.
fn files(algorithm: &dyn Algorithm, network: &Arc<Network>) -> Vec<String> {
    let files = algorithm.files().into_iter();
    files
        .map(|(field, file)| written(field, file, network))
        .collect()
}

/// What an algorithm is told of a router that has so many virtual channels, if it says.
fn told<T>(
    algorithm: &dyn Algorithm,
    flow_control: FlowControl,
    network: &Arc<Network>,
    router_virtual_channels: Option<Vc>,
    tell: impl FnOnce(&Context<'_>) -> T,
) -> T {
    let files = files(algorithm, network);
    tell(&Context {
        flow_control,
        router_virtual_channels,
        files: &files,
        seed: 1,
        ..Context::default()
    })
}

/// An algorithm on a network whose router has so many virtual channels, if it says.
pub(crate) fn routing(
    algorithm: &dyn Algorithm,
    flow_control: FlowControl,
    network: &Arc<Network>,
    router_virtual_channels: Option<Vc>,
) -> Result<Box<dyn Routing>, Invalid> {
    let build = |context: &Context<'_>| algorithm.build(network, context);
    told(
        algorithm,
        flow_control,
        network,
        router_virtual_channels,
        build,
    )
}

/// The same with everything that packets may do.
fn build(
    algorithm: &dyn Algorithm,
    flow_control: FlowControl,
    network: &Arc<Network>,
    router_virtual_channels: Option<Vc>,
) -> Result<Built, Invalid> {
    let foresee = |context: &Context<'_>| algorithm.table_bytes(network, context);
    let foreseen = told(
        algorithm,
        flow_control,
        network,
        router_virtual_channels,
        foresee,
    );
    let routing = routing(algorithm, flow_control, network, router_virtual_channels)?;
    Ok(Built {
        foreseen: Some(foreseen),
        ..Built::new(network, routing)
    })
}

impl Built {
    pub(crate) fn new(network: &Arc<Network>, routing: Box<dyn Routing>) -> Self {
        let graph = Graph::new(network, &*routing);
        let network = network.clone();
        Self {
            network,
            routing,
            graph,
            foreseen: None,
        }
    }
}

impl<'a> Subject<'a> {
    /// Nothing if one of the algorithm's options has no meaning on this network.
    ///
    /// `inspected` has what was said of routing relations that were given the full inspection: whoever says the same again differs in how
    /// it chooses, which a look shows.
    ///
    /// # Errors
    /// In words: a network that is refused although it fits, a damaged one that is refused although
    /// that was not announced.
    fn new(
        variant: &'a Variant,
        flow_control: FlowControl,
        network: &Arc<Network>,
        inspected: &mut BTreeSet<String>,
    ) -> Result<Option<Self>, String> {
        let algorithm = &*variant.algorithm;
        let build = |network: &Arc<Network>, vcs| build(algorithm, flow_control, network, vcs);
        let healthy = match build(network, None) {
            Ok(built) => built,
            Err(invalid) if variant.varied.contains(&invalid.place) => return Ok(None),
            Err(invalid) => return Err(format!("refused: {invalid}")),
        };
        let asked = healthy.routing.virtual_channels();
        let mut routers = Vec::new();
        let words = healthy.routing.relation();
        let is_known = words
            .as_ref()
            .is_some_and(|words| inspected.contains(words));
        // Two words at once are worth a look, not the full inspection.
        let full = variant.varied.len() < 2 && !is_known;
        if full {
            inspected.extend(words);
        }
        let more = (asked + SPARE).min(VcSet::CAPACITY);
        for has in [asked, more].into_iter().filter(|_| full) {
            let built = build(network, Some(has));
            let refused =
                |invalid| format!("a router of {has} virtual channels is refused: {invalid}");
            routers.push((built.map_err(refused)?, has));
        }
        let mut damages = Vec::new();
        let refuses = algorithm.under_faults(network.shape()) == UnderFaults::Refused;
        let survivors = (1..DAMAGES).filter_map(|seed| damaged(network, seed));
        let damaged_ways = match variant.varied.len() {
            _ if full => usize::MAX,
            2.. if is_known => 0,
            _ => 1,
        };
        // Who only chooses otherwise shows it where half of the links are gone.
        let wrecked = wrecked(network).filter(|_| variant.varied.len() < 2);
        for survivor in survivors.take(damaged_ways).chain(wrecked) {
            match build(&Arc::new(survivor), None) {
                Ok(built) => damages.push(built),
                Err(_) if refuses => {}
                Err(invalid) => return Err(format!("refused with faults: {invalid}")),
            }
        }
        let mut classes_apart = None;
        if asked * CLASSES <= VcSet::CAPACITY && !is_known {
            let twin = build(network, None).map_err(|invalid| format!("refused: {invalid}"))?;
            let apart = MessageClasses::new(twin.routing, CLASSES);
            let apart = apart.map_err(|invalid| format!("no classes: {invalid}"))?;
            classes_apart = Some(Built::new(network, Box::new(apart)));
        }
        Ok(Some(Self {
            algorithm,
            flow_control,
            healthy,
            routers,
            damaged: damages,
            classes_apart,
        }))
    }

    /// Healthy, on other routers, damaged, and with classes apart.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Built> {
        let routers = self.routers.iter().map(|(built, _)| built);
        std::iter::once(&self.healthy)
            .chain(routers)
            .chain(&self.damaged)
            .chain(&self.classes_apart)
    }
}

/// Shows `visit` each algorithm of a registry with each of its variants on each network it fits; the
/// first word is who it is. What cannot even be built is an error.
pub(crate) fn each(
    entries: &[&AlgorithmEntry],
    examples: &[Example],
    mut visit: impl FnMut(&str, Result<&Subject<'_>, String>),
) {
    for entry in entries {
        let mut inspected = Inspected::new();
        for variant in variants(entry) {
            let own = variant.algorithm.flow_control();
            let mut under = |flow| {
                each_network(entry, &variant, flow, examples, &mut inspected, &mut visit);
            };
            under(own);
            if variant.varied.is_empty() && own != FlowControl::Bubble {
                under(FlowControl::Bubble);
            }
        }
    }
}

/// By flow control and number of the network: what was said of relations that were inspected.
type Inspected = BTreeMap<(&'static str, usize), BTreeSet<String>>;

fn each_network(
    entry: &AlgorithmEntry,
    variant: &Variant,
    flow_control: FlowControl,
    examples: &[Example],
    inspected: &mut Inspected,
    visit: &mut impl FnMut(&str, Result<&Subject<'_>, String>),
) {
    let (fields, flow) = (variant.fields.replace('\n', ", "), flow_control.name());
    let who = format!("{}, {fields}{flow}", entry.name);
    let mut met = false;
    for (number, Example { network, .. }) in examples.iter().enumerate() {
        let name = format!("{who}, on {}", network.description());
        if !(entry.fits)(network.shape()) {
            // What a wiring is recognised to be, no shape tells.
            let is_told = variant.algorithm.files().is_empty() && *network.shape() != Shape::Graph;
            if is_told && build(&*variant.algorithm, flow_control, network, None).is_ok() {
                visit(&name, Err("it fits, and the registry denies it".to_owned()));
            }
            continue;
        }
        let inspected = inspected.entry((flow, number)).or_default();
        match Subject::new(variant, flow_control, network, inspected) {
            Ok(Some(subject)) => {
                met = true;
                visit(&name, Ok(&subject));
            }
            Ok(None) => {}
            Err(message) => visit(&name, Err(message)),
        }
    }
    // Two words may exclude each other, but a word that no network allows is of no use.
    if !met && variant.varied.len() < 2 {
        visit(&who, Err("no network of the examples allows it".to_owned()));
    }
}
