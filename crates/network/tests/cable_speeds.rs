//! How fast the cables of a fabric are, as `ibnetdiscover` says, and what parts are called that share a name.

#![allow(clippy::unwrap_used)]

use turnwise_network::formats::{read_fabric, read_graphml, read_json, writer};
use turnwise_network::metrics::slow_cables;
use turnwise_network::topologies::{EdgeList, GraphMl, InfiniBand, Topology};
use turnwise_network::{Faults, NamedFaults, Network, Part, RouterId, TerminalId};

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
    assert_eq!(slow_cables(&alike), None);
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
    assert_eq!(slow_cables(&mixed), None);
}

/// A fabric that is written and read again is as fast, unless there are no words for it.
#[test]
fn speeds_are_written_as_well() {
    let net = writer("net").unwrap();
    let speeds = ["1xSDR", "4xFDR", "4xEDR", "2xHDR", "4xDDR", "12xQDR"];
    for (first, one) in speeds.iter().enumerate() {
        for other in &speeds[first..] {
            let cables = [[*one; 2], [*other; 2], ["4xEDR"; 2]];
            let fabric = network(&fabric(&cables, [other, "4xEDR"], true));
            let again = network(&(net.write)(&fabric).unwrap());
            let is_told = net.leaves_out(&fabric);
            assert_eq!(intervals(&again) == intervals(&fabric), is_told.is_none());
            assert_eq!(is_told, None, "{one} {other}");
        }
    }
    // Nothing is as fast as a flit a cycle, and nothing else is told of that.
    let slow = network(&fabric(&[["4xEDR"; 2]], ["4xEDR", "4xEDR"], true));
    let slow =
        slow.with_intervals(&serde_json::from_str("{\"terminal\": 2, \"local\": 4}").unwrap());
    let slow = slow.unwrap();
    assert_eq!(net.leaves_out(&slow), Some("speeds of channels"));
    let again = network(&(net.write)(&slow).unwrap());
    assert_eq!(intervals(&again), (vec![2; 2], vec![1; 4]));
}

#[test]
fn few_slow_cables_are_told() {
    let of = |speeds: &[&str]| {
        let cables: Vec<[&str; 2]> = speeds.iter().map(|&speed| [speed; 2]).collect();
        let network = network(&fabric(&cables, ["4xEDR", "4xEDR"], true));
        (slow_cables(&network), network)
    };
    let mut speeds = vec!["4xEDR"; 20];
    speeds[11] = "4xSDR";
    let (told, network) = of(&speeds);
    let words = "1 of 20 cables between switches is slower than the others, Plain switch (lid 7)[13] -> Plain switch (lid 8)[13]: \
                 a flit takes 13 cycles there, and at most 1 on others";
    assert_eq!(told.unwrap(), words);
    // Not of one that has been taken out, nor where the study says that all are alike.
    let cable = Faults {
        links: vec![[0, 1]; 20],
        ..Faults::default()
    };
    assert_eq!(slow_cables(&network.without(&cable).unwrap()), None);
    let alike = network.with_intervals(&serde_json::from_str("1").unwrap());
    assert_eq!(slow_cables(&alike.unwrap()), None);
    // Half of them are meant to be as they are.
    speeds[..10].fill("4xHDR");
    let told = of(&speeds).0.unwrap();
    assert!(
        told.starts_with("1 of 20 cables")
            && told.ends_with("25 cycles there, and at most 2 on others"),
        "{told}"
    );
    speeds[12] = "4xDDR";
    let told = of(&speeds).0.unwrap();
    assert!(
        told.starts_with("2 of 20 cables between switches are slower than the others, for example"),
        "{told}"
    );
}

/// Neither a plug from a switch to itself nor what adds up on the way says how fast hosts are.
#[test]
fn the_fastest_are_those_of_hosts_and_between_switches() {
    let same = ["4xEDR", "4xEDR"];
    let text = fabric(&[same], same, true);
    let plugged = text.replacen(
        "[1] \"H-0\"",
        "[30] \"S-0\"[31] # \"Plain switch\" lid 7 4xNDR\n[1] \"H-0\"",
        1,
    );
    assert_ne!(text, plugged);
    let adding = text.replace("host HCA-1", "Mellanox Technologies Aggregation Node");
    let adding = adding.replacen("lid 20 4xEDR", "lid 20 4xHDR", 1);
    for text in [plugged, adding] {
        let (between, _) = intervals(&network(&text));
        assert_eq!(between, [1, 1], "{text}");
    }
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
        ("json", "[2,1]", "[]"),
        ("json", "[2,1]", "[2,1], \"terminal_interval\": 2"),
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

/// Whoever is not the only one of a name is called by its number, its label or its GUID.
#[test]
fn faults_name_parts_that_share_a_name() {
    let same = ["4xEDR", "4xEDR"];
    let text = fabric(&[same], same, true);
    let sly = format!(
        "{text}\nSwitch 4 \"S-2\" # \"Plain switch (lid 8)\" base port 0 lid 9 lmc 0\n[1] \"S-0\"[9]\n"
    );
    let dead = |text: &str, name: &str| {
        let faults = NamedFaults {
            routers: vec![Part::Name(name.into())],
            ..NamedFaults::default()
        };
        let found = faults.of(&network(text));
        found.map(|found| found.routers).map_err(|why| why.message)
    };
    assert_eq!(dead(&text, "Plain switch (lid 8)"), Ok(vec![1]));
    assert_eq!(dead(&text, "0x0000000000500000"), Ok(vec![0]));
    let shared = Err("2 routers are called `Plain switch`".to_owned());
    assert_eq!(dead(&text, "Plain switch"), shared);
    let both = Err("2 routers are called `Plain switch (lid 8)`".to_owned());
    assert_eq!(dead(&sly, "Plain switch (lid 8)"), both);
}
