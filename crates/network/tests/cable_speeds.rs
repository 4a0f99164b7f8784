//! How fast the cables of a fabric are, as `ibnetdiscover` says, and what parts are called that share a name.

#![allow(clippy::unwrap_used)]

use turnwise_network::formats::{read_fabric, read_graphml, read_json, writer};
use turnwise_network::topologies::{EdgeList, GraphMl, InfiniBand, Topology};
use turnwise_network::{Network, RouterId, TerminalId};

/// Two switches, joined by as many cables as there are speeds, with an adapter of these speeds each.
fn fabric(cables: &[[&str; 2]], adapters: [&str; 2], lids: bool) -> String {
    let mut text = String::new();
    let lid = |lid: u32| {
        if lids {
            format!("lid {lid} ")
        } else {
            String::new()
        }
    };
    for (this, other) in [(0, 1), (1, 0)] {
        text += &format!(
            "switchguid=0x50000{this}\nSwitch 36 \"S-{this}\" # \"Plain switch\" base port 0 {}lmc 0\n",
            lid(7 + this)
        );
        let of_adapter = adapters[this as usize];
        text += &format!(
            "[1] \"H-{this}\"[1] # \"host HCA-1\" {}{of_adapter}\n",
            lid(20 + this)
        );
        for (port, speeds) in (2..).zip(cables) {
            let speed = speeds[this as usize];
            text += &format!(
                "[{port}] \"S-{other}\"[{port}] # \"Plain switch\" {}{speed}\n",
                lid(7 + other)
            );
        }
        text += "\n";
    }
    for this in 0..2 {
        let of_adapter = adapters[this as usize];
        text += &format!(
            "caguid=0x10000{this}\nCa 1 \"H-{this}\" # \"host HCA-1\"\n[1](0x20000{this}) \"S-{this}\"[1] # {}lmc 0 \"Plain switch\" {}{of_adapter}\n",
            lid(20 + this),
            lid(7 + this)
        );
    }
    text
}

fn network(text: &str) -> Network {
    let file = InfiniBand {
        file: "fabric.net".into(),
        channel_latency: Default::default(),
    };
    file.build(Some(text)).unwrap()
}

/// Of channels between switches in the order of the file, there and back, and of terminals, in and out.
fn intervals(network: &Network) -> (Vec<u32>, Vec<u32>) {
    let between = network.channels().map(|(_, channel)| channel.interval);
    let of_terminals = network.terminals().flat_map(|terminal| {
        let both = [
            network.injection_channel(terminal),
            network.ejection_channel(terminal),
        ];
        both.map(|id| network.channel(id).interval)
    });
    (between.collect(), of_terminals.collect())
}

#[test]
fn slower_cables_are_occupied_for_longer() {
    let same = ["4xEDR", "4xEDR"];
    let alike = network(&fabric(&[same, same], ["4xEDR", "4xEDR"], true));
    assert_eq!(intervals(&alike), (vec![1; 4], vec![1; 4]));
    assert_eq!(alike.remark(), None);
    // The slower of what both ends say; nothing said is as fast as the others.
    let cables = [
        ["4xHDR", "4xHDR"],
        ["4xEDR", "4xHDR"],
        ["", "2xEDR"],
        ["", ""],
    ];
    let mixed = network(&fabric(&cables, ["4xEDR", "4xHDR"], true));
    assert_eq!(
        intervals(&mixed),
        (vec![1, 1, 2, 2, 4, 4, 1, 1], vec![2, 2, 1, 1])
    );
    // Half of them are meant to be as they are.
    assert_eq!(mixed.remark(), None);
}

#[test]
fn one_slow_cable_among_many_is_told() {
    let mut cables = vec![["4xEDR", "4xEDR"]; 20];
    cables[11] = ["4xSDR", "4xSDR"];
    let network = network(&fabric(&cables, ["4xEDR", "4xEDR"], true));
    let told = network.remark().unwrap();
    let words = "1 of 20 cables between switches is slower than the others, Plain switch (lid 7)[13] -> Plain switch (lid 8)[13]: \
                 a flit takes 13 cycles there where it takes 1";
    assert_eq!(told, words);
}

/// What JSON and GraphML keep of it: everything.
#[test]
fn speeds_come_back_from_files() {
    let cables = [["4xHDR", "4xHDR"], ["4xEDR", "4xEDR"]];
    let network = network(&fabric(&cables, ["4xEDR", "4xHDR"], true));
    let written = |format: &str| (writer(format).unwrap().write)(&network).unwrap();
    let json = EdgeList {
        file: "network.json".into(),
        terminals_per_router: 1,
        channel_latency: Default::default(),
    };
    let json = json.build(Some(&written("json"))).unwrap();
    let graphml = GraphMl {
        file: "network.graphml".into(),
        terminals_per_router: 1,
        channel_latency: Default::default(),
    };
    let graphml = graphml.build(Some(&written("graphml"))).unwrap();
    for read in [json, graphml] {
        assert_eq!(intervals(&read), intervals(&network));
    }
    for (format, right, wrong) in [
        ("json", "[2,1]", "[2,1,1]"),
        ("json", "[2,1]", "[2,0]"),
        ("graphml", ">2 1<", ">2 1 1<"),
    ] {
        let text = written(format);
        let changed = text.replace(right, wrong);
        assert_ne!(text, changed);
        let listing = match format {
            "json" => read_json(&changed),
            _ => read_graphml(&changed),
        };
        let refused = listing
            .unwrap()
            .build(String::new(), 1, &Default::default());
        let place = refused.unwrap_err().place.unwrap();
        assert!(
            text[..place].ends_with(' ') || text[..place].ends_with('>'),
            "{place}"
        );
    }
}

/// Switches that nobody has named are all called the same: their LIDs tell them apart, or their GUIDs where LIDs are made up.
#[test]
fn parts_that_share_a_name_are_told_apart() {
    let same = ["4xEDR", "4xEDR"];
    let labels = |lids| {
        let network = network(&fabric(&[same], same, lids));
        let routers = network.routers().map(|at| network.router_label(at));
        let terminals = network.terminals().map(|of| network.terminal_label(of));
        let labels: Vec<String> = routers.chain(terminals).collect();
        labels
    };
    assert_eq!(
        labels(true),
        [
            "Plain switch (lid 7)",
            "Plain switch (lid 8)",
            "host HCA-1 (lid 20)",
            "host HCA-1 (lid 21)"
        ]
    );
    assert_eq!(
        labels(false),
        [
            "Plain switch (0x0000000000500000)",
            "Plain switch (0x0000000000500001)",
            "host HCA-1 (0x0000000000200000)",
            "host HCA-1 (0x0000000000200001)"
        ]
    );
    let known = read_fabric(&fabric(&[same], same, true))
        .unwrap()
        .identities()
        .unwrap();
    assert_eq!(known.switches[RouterId(0).index()].name, "Plain switch");
    assert_eq!(known.adapters[TerminalId(1).index()].name, "host HCA-1");
}
