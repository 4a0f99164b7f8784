//! Channels of generated networks are as long as `channel_latency` says.

#![allow(clippy::unwrap_used)]

use turnwise_network::topologies::{
    ChannelLatency, Dragonfly, HyperX, KAryNTree, Megafly, Topology, Torus,
};
use turnwise_network::{ChannelClass, Network, RouterId, Shape, TerminalId};

fn latency(json: &str) -> ChannelLatency {
    serde_json::from_str(json).unwrap()
}

fn assert_latencies(network: &Network, expected: impl Fn(ChannelClass, RouterId, RouterId) -> u32) {
    for (id, channel) in network.channels() {
        let (from, to) = network.ends(id).unwrap();
        assert_eq!(
            channel.latency,
            expected(channel.class, from, to),
            "{}",
            network.channel_label(id)
        );
    }
}

#[test]
fn a_dragonfly_grows_along_its_lines() {
    let channel_latency = latency(
        r#"{"local": {"per_router": 2}, "global": {"per_group": "10 cycles"}, "terminal": 3}"#,
    );
    let network = Dragonfly {
        channel_latency,
        ..Dragonfly::default()
    }
    .build(None)
    .unwrap();
    let Shape::Dragonfly(shape) = network.shape() else {
        panic!("not a dragonfly")
    };
    assert_latencies(&network, |class, from, to| {
        let ((g, i), (h, j)) = (shape.group_and_index(from.0), shape.group_and_index(to.0));
        assert_eq!(class == ChannelClass::Global, g != h);
        if g == h {
            2 * i.abs_diff(j)
        } else {
            10 * g.abs_diff(h)
        }
    });
    assert_eq!(
        network
            .channel(network.injection_channel(TerminalId(5)))
            .latency,
        3
    );
    assert_eq!(
        network
            .channel(network.ejection_channel(TerminalId(5)))
            .latency,
        3
    );
}

#[test]
fn a_megafly_grows_between_its_groups() {
    let channel_latency = latency(r#"{"local": 2, "global": {"per_group": 7}}"#);
    let network = Megafly {
        channel_latency,
        ..Megafly::default()
    }
    .build(None)
    .unwrap();
    let group = |router| network.shape().group(router).unwrap();
    assert_latencies(&network, |class, from, to| match class {
        ChannelClass::Global => 7 * group(from).abs_diff(group(to)),
        _ => 2,
    });
}

#[test]
fn a_hyperx_grows_along_its_rows_and_a_torus_by_dimension() {
    let channel_latency = latency(r#"{"local": {"per_router": 3}}"#);
    let hyperx = HyperX {
        sizes: vec![5, 4],
        channel_latency,
        ..HyperX::default()
    };
    let network = hyperx.build(None).unwrap();
    let Shape::HyperX(shape) = network.shape() else {
        panic!("not a HyperX")
    };
    assert_latencies(&network, |_, from, to| {
        let (from, to) = (shape.coordinates(from.0), shape.coordinates(to.0));
        3 * from
            .iter()
            .zip(&to)
            .map(|(a, b)| a.abs_diff(*b))
            .sum::<u32>()
    });
    let channel_latency = latency(r#"{"local": 9, "dimensions": [4, 5]}"#);
    let torus = Torus {
        sizes: vec![3, 3, 3],
        channel_latency,
        ..Torus::default()
    };
    assert_latencies(&torus.build(None).unwrap(), |class, _, _| match class {
        ChannelClass::Dimension { dimension, .. } => [4, 5, 9][usize::from(dimension)],
        other => panic!("{other:?}"),
    });
}

#[test]
fn a_tree_knows_up_from_down() {
    let tree = KAryNTree {
        channel_latency: latency("4"),
        ..KAryNTree::default()
    };
    let network = tree.build(None).unwrap();
    let Shape::FatTree(shape) = network.shape() else {
        panic!("not a tree")
    };
    assert_latencies(&network, |class, from, to| {
        let level = |router: RouterId| shape.level_and_index(router.0).0;
        let expected = if level(from) < level(to) {
            ChannelClass::Up
        } else {
            ChannelClass::Down
        };
        assert_eq!(class, expected);
        4
    });
}
