//! What is promised by every topology of the registry, as checks of one entry or one network.

use super::examples::{damaged, text_like};
use super::written;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse};
use turnwise_network::formats::{write_dot, write_graphml, write_json};
use turnwise_network::topologies::Topology;
use turnwise_network::{Channel, ChannelId, Network, Shape};

/// A topology as a study writes it, from a registry.
pub(crate) fn parsed(
    registry: &[Entry<dyn Topology>],
    kind: &str,
    fields: &str,
) -> Result<Box<dyn Topology>, String> {
    let table = written::read(&format!("kind = \"{kind}\"\n{fields}"));
    let mut errors = Vec::new();
    let topology = parse(registry, &table, "kind", &mut errors);
    topology.ok_or_else(|| {
        errors
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; ")
    })
}

/// Its example parses, and builds what it announces.
pub(crate) fn assert_announced(entry: &Entry<dyn Topology>) {
    let registry = std::slice::from_ref(entry);
    let topology = parsed(registry, entry.name, entry.example).unwrap();
    let text = text_like(&*topology);
    let network = topology.build(text).unwrap();
    if text.is_none() {
        let size = topology.size();
        assert_eq!(
            size.routers,
            network.router_count() as u64,
            "{}",
            entry.name
        );
        assert_eq!(
            size.terminals,
            network.terminal_count() as u64,
            "{}",
            entry.name
        );
        assert!(
            size.channels >= network.channel_count() as u64,
            "{}",
            entry.name
        );
    }
    let faulty = parsed(
        registry,
        entry.name,
        &format!("{}\nfaults = {{}}", entry.example),
    );
    assert!(faulty.is_ok(), "{}", entry.name);
}

/// Every field says what it is.
pub(crate) fn assert_documented(entry: &Entry<dyn Topology>) {
    let schema = (entry.schema)();
    let fields = schema
        .pointer("/properties")
        .and_then(|fields| fields.as_object())
        .unwrap();
    for (name, field) in fields {
        assert!(
            field.get("description").is_some(),
            "{}.{name} has no description",
            entry.name
        );
    }
}

/// The network, and what some damages leave of it.
pub(crate) fn survivors(healthy: &Arc<Network>) -> Vec<Arc<Network>> {
    let survivors = (0..3).filter_map(|seed| damaged(healthy, seed).map(Arc::new));
    std::iter::once(healthy.clone()).chain(survivors).collect()
}

/// Its channels are one-way, each on its own; those of all others are the two directions of links.
fn is_butterfly(network: &Network) -> bool {
    matches!(network.shape(), Shape::Butterfly(_))
}

/// JSON gives back the network.
pub(crate) fn assert_json(network: &Network) {
    let again = super::edge_list()
        .build(Some(&write_json(network)))
        .unwrap();
    assert_eq!(again.description(), network.description());
    assert!(
        network.channels().eq(again.channels()),
        "{}",
        network.description()
    );
    for router in network.routers() {
        assert_eq!(network.terminals_of(router), again.terminals_of(router));
        assert_eq!(network.radix(router), again.radix(router));
        assert_eq!(network.is_alive(router), again.is_alive(router));
    }
    for terminal in network.terminals() {
        assert_eq!(
            network.is_terminal_alive(terminal),
            again.is_terminal_alive(terminal)
        );
        let latency =
            |network: &Network| network.channel(network.injection_channel(terminal)).latency;
        assert_eq!(latency(network), latency(&again));
    }
}

/// GraphML gives back all but the ports.
pub(crate) fn assert_graphml(network: &Network) {
    let again = super::graphml()
        .build(Some(&write_graphml(network)))
        .unwrap();
    let links = |of: &Network| {
        let ends = |(id, channel): (_, &turnwise_network::Channel)| {
            let pace = (channel.latency, channel.interval);
            (of.ends(id), pace, channel.class.name())
        };
        let mut links: Vec<_> = of.channels().map(ends).collect();
        // Two opposite edges are one link to a reader of GraphML, whose channels are neighbours.
        if is_butterfly(network) {
            links.sort();
        }
        links
    };
    assert_eq!(links(network), links(&again));
    let of_terminals = |of: &Network| {
        let first = of.terminals().next()?;
        let channel = of.channel(of.injection_channel(first));
        Some((channel.latency, channel.interval))
    };
    assert_eq!(of_terminals(network), of_terminals(&again));
    for router in network.routers() {
        assert_eq!(network.terminals_of(router), again.terminals_of(router));
        assert_eq!(network.is_alive(router), again.is_alive(router));
    }
    assert!(network.living_terminals().eq(again.living_terminals()));
}

/// DOT draws every group, router and link once.
pub(crate) fn assert_dot(network: &Network) {
    let groups = network
        .routers()
        .filter_map(|router| network.shape().group(router))
        .max();
    let clusters = groups.map_or(0, |last| last as usize + 1);
    let dot = write_dot(network);
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    assert_eq!(dot.matches("subgraph cluster_").count(), clusters);
    assert_eq!(dot.matches(" [label=").count(), network.router_count());
    // Both directions are one line, if they take as long.
    let is_alone = |(id, channel): &(ChannelId, &Channel)| {
        let back = network.reverse(*id).map(|back| network.channel(back));
        is_butterfly(network) || back.is_none_or(|back| back.latency != channel.latency)
    };
    let alone = network.channels().filter(is_alone).count();
    let lines = alone + (network.channel_count() - alone) / 2;
    assert_eq!(dot.matches(" -- ").count(), lines);
    assert_eq!(dot.matches("style=dashed").count(), {
        network
            .routers()
            .filter(|&router| !network.is_alive(router))
            .count()
    });
    for line in dot.lines().map(str::trim) {
        assert!(line.ends_with(['{', '}', ';']), "{line}");
        assert_eq!(line.matches('"').count() % 2, 0, "{line}");
    }
}
