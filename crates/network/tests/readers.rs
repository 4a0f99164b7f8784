//! What people and other programs write is read, and what cannot be read is blamed on its line
//! and column.

#![allow(clippy::unwrap_used)]

use turnwise_network::formats::read_fabric;
use turnwise_network::topologies::Topology;
use turnwise_network::{ChannelClass, Neighbour, RouterId, TerminalId};

#[allow(dead_code)]
mod common;

#[test]
fn edge_lists_say_what_they_mean() {
    let text = "# ring with a tail\r\nterminals_per_router 2\r\n\n0 1\n1 2 5 # slow\n2 0\n\t3   2\nterminals 3 0";
    let network = common::edge_list().build(Some(text)).unwrap();
    assert_eq!(
        (
            network.router_count(),
            network.terminal_count(),
            network.channel_count()
        ),
        (4, 6, 8)
    );
    let latencies: Vec<u32> = network
        .channels()
        .map(|(_, channel)| channel.latency)
        .collect();
    assert_eq!(latencies, [1, 1, 5, 5, 1, 1, 1, 1]);
    let ports: Vec<u16> = network.neighbours(RouterId(2)).map(|n| n.port).collect();
    assert_eq!(ports, [2, 3, 4]);
}

#[test]
fn edge_lists_of_other_programs_are_read() {
    let text = "% of a matrix\n0,1\n1, 2\n2 3 {}\n3 4 {'weight': 7}\n4 5 {'color': 'red', 'latency': 3, 'weight': 9}\n5 0 2\n";
    let network = common::edge_list().build(Some(text)).unwrap();
    let latencies: Vec<u32> = network
        .channels()
        .filter(|(_, channel)| channel.class == turnwise_network::ChannelClass::Local)
        .map(|(_, channel)| channel.latency)
        .step_by(2)
        .collect();
    assert_eq!(latencies, [1, 1, 1, 7, 3, 2]);
}

/// Other programs list every link from both ends, and mean one: that is two here, and told.
#[test]
fn links_that_are_listed_twice_are_told() {
    let remark = |text: &str| {
        let network = common::edge_list().build(Some(text)).unwrap();
        network.remark().map(str::to_owned)
    };
    for twice in ["0 1\n1 0\n", "a b\nb c\nb a\nc b\n", "0 1\n0 1\n1 0\n1 0\n"] {
        let said = remark(twice).unwrap();
        assert!(said.contains("lists every link from both ends"), "{said}");
    }
    for once in [
        "0 1\n",
        "0 1\n1 2\n2 0\n",
        "0 1\n1 0\n1 2\n",
        "0 1\n0 1\n1 0\n",
    ] {
        assert_eq!(remark(once), None, "{once}");
    }
    // Who says at which ports they are means both.
    let end = |router: u32, port: u32| format!("{{\"router\": {router}, \"port\": {port}}}");
    let link = |from: u32, to: u32, port: u32| {
        let [a, b] = [end(from, port), end(to, port)];
        format!("{{\"a\": {a}, \"b\": {b}}}")
    };
    let both = [link(0, 1, 1), link(1, 0, 2)].join(", ");
    let router = "{\"ports\": 3, \"terminals\": 1}";
    let json = format!("{{\"routers\": [{router}, {router}], \"links\": [{both}]}}");
    assert_eq!(remark(&json), None);
    let graph = "<graphml><graph edgedefault='KIND'><node id='a'/><node id='b'/>\
                 <edge source='a' target='b'/><edge source='b' target='a'/></graph></graphml>";
    let of = |kind: &str| {
        common::graphml()
            .build(Some(&graph.replace("KIND", kind)))
            .unwrap()
    };
    assert!(of("undirected").remark().is_some());
    assert_eq!(of("directed").remark(), None);
}

#[test]
fn routers_of_edge_lists_may_have_names() {
    let text = "terminals_per_router 2\nroot,left,3\nleft right\nterminals right 1\nright root {'weight': 7}\n";
    let network = common::edge_list().build(Some(text)).unwrap();
    let names: Vec<String> = network
        .routers()
        .map(|at| network.router_label(at))
        .collect();
    assert_eq!(names, ["root", "left", "right"]);
    assert_eq!(network.terminals_of(RouterId(2)).len(), 1);
    assert_eq!(
        network.channel_label(turnwise_network::ChannelId(0)),
        "root -> left [local]"
    );
    // Lines may be in any order.
    let (lines, last) = ("root,left,3\nleft right\n", "terminals left 3\n");
    let of = |text: String| common::edge_list().build(Some(&text)).unwrap();
    let [before, behind] = [of(format!("{last}{lines}")), of(format!("{lines}{last}"))];
    let terminals = |network: &turnwise_network::Network, name: &str| {
        let mut all = network.routers();
        let router = all.find(|&router| network.router_label(router) == name);
        network.terminals_of(router.unwrap()).len()
    };
    for name in ["root", "left", "right"] {
        assert_eq!(terminals(&before, name), terminals(&behind, name));
    }
    assert_eq!(terminals(&before, "left"), 3);
    let unlinked = common::edge_list().build(Some("routers 3\na b\n"));
    assert_eq!(unlinked.unwrap().router_label(RouterId(2)), "2");
}

/// Labels of files, and ids of nodes where they have none, are what routers are called, also once something has failed.
#[test]
fn names_are_kept_by_json_and_graphml() {
    let named = common::edge_list().build(Some("root left\nleft right\nright root"));
    let named = named.unwrap();
    let labels = |network: &turnwise_network::Network| -> Vec<String> {
        network
            .routers()
            .map(|at| network.router_label(at))
            .collect()
    };
    let json = turnwise_network::formats::write_json(&named);
    let read = common::edge_list().build(Some(&json)).unwrap();
    assert_eq!(labels(&read), labels(&named));
    let text = turnwise_network::formats::write_graphml(&named);
    let read = common::graphml().build(Some(&text)).unwrap();
    assert_eq!(labels(&read), labels(&named));
    let faults = turnwise_network::Faults {
        routers: vec![1],
        ..Default::default()
    };
    assert_eq!(labels(&read.without(&faults).unwrap()), labels(&named));
    let foreign = "<graphml><graph edgedefault=\"undirected\"><node id=\"Geneva\"/><node id=\"Bern\"/>\
         <edge source=\"Bern\" target=\"Geneva\"/></graph></graphml>";
    let read = common::graphml().build(Some(foreign)).unwrap();
    assert_eq!(labels(&read), ["Geneva", "Bern"]);
}

/// Terminals are numbered router by router, which is told where nodes are not.
#[test]
fn nodes_of_anynet_that_are_other_terminals_are_told() {
    let told = |text: &str| {
        let network = common::anynet().build(Some(text)).unwrap();
        network.remark().map(str::to_owned)
    };
    let crossed = "router 0 router 1 5 node 1\nrouter 1 node 0 router 0 3";
    let remark = told(crossed).unwrap();
    assert!(remark.contains("node 0 is terminal 1,"), "{remark}");
    assert_eq!(told(&format!("\u{feff}{crossed}")), Some(remark));
    assert_eq!(
        told("router 0 router 1 5 node 0\nrouter 1 node 1 router 0 3"),
        None
    );
    assert_eq!(told("router 0 router 1\nrouter 1 node 0 node 1"), None);
}

fn complaint(text: &str) -> String {
    common::edge_list().build(Some(text)).unwrap_err().message
}

#[test]
fn mistakes_in_edge_lists_have_their_place() {
    let cases = [
        (
            "0 1\n1 2\n2   x",
            "3:5: expected a router number, found `x`",
        ),
        (
            "0 1\n1",
            "2:2: expected a router number, found the end of the line",
        ),
        ("0 1 2 3", "1:7: expected the end of the line, found `3`"),
        (
            "0 1 fast",
            "1:5: expected a latency of 1 to 1000000 whole cycles, found `fast`",
        ),
        (
            "0 1 {'weight': 2.5}",
            "1:16: expected a latency of 1 to 1000000 whole cycles, found `2.5`",
        ),
        ("0 1\n 1 1", "2:4: router 1 is linked to itself"),
        (
            "routers 2\n0 2",
            "2:3: there is no router 2, since `routers 2` is given",
        ),
        (
            "routers\n0 1",
            "1:8: expected a number of routers, found the end of the line",
        ),
        ("routers 2\nrouters 3", "2:1: `routers` is given twice"),
        (
            "0 1\nterminals 0 2\nterminals 0 3",
            "3:11: the terminals of router 0 are given twice",
        ),
        ("router 3", "1:1: expected a router number, found `router`"),
        ("a b\nb 3", "2:3: expected a router's name, found `3`"),
        (
            "a b\nb",
            "2:2: expected a router's name, found the end of the line",
        ),
        (
            "a b\nterminal a",
            "2:1: expected a router's name, found `terminal`",
        ),
        (
            "routers 2\na b\nb c",
            "3:3: this is router 3, but `routers 2` is given",
        ),
        ("0 b", "1:3: expected a router number, found `b`"),
        ("\u{feff}0 y", "1:3: expected a router number, found `y`"),
        ("", "1:1: there are no routers in this file"),
    ];
    for (text, expected) in cases {
        assert_eq!(complaint(text), format!("links.txt:{expected}"));
    }
}

#[test]
fn mistakes_in_json_have_their_place() {
    let cases = [
        (
            "{\n  \"routers\": [],\n  \"lnks\": []\n}",
            "3:8: unknown field `lnks`",
        ),
        ("{\"routers\": [\n{}], \"links\": 3}", "2:15: invalid type"),
    ];
    for (text, expected) in cases {
        let message = complaint(text);
        assert!(
            message.starts_with(&format!("links.txt:{expected}")),
            "{message}"
        );
    }
    let link = |link: &str| {
        complaint(&format!(
            "{{\"routers\": [{{}}, {{}}], \"links\": [{link}]}}"
        ))
    };
    let no_router = link(r#"{"a": {"router": 0, "port": 1}, "b": {"router": 7, "port": 1}}"#);
    assert_eq!(no_router, "links.txt:1:33: there is no router 7");
    let class =
        link(r#"{"a": {"router": 0, "port": 1}, "b": {"router": 1, "port": 1}, "class": "lokal"}"#);
    assert_eq!(class, "links.txt:1:33: there is no class `lokal`");
    let taken = link(r#"{"a": {"router": 0, "port": 0}, "b": {"router": 1, "port": 1}}"#);
    assert_eq!(taken, "links.txt:1:33: port 0 of router 0 is used twice");
    let dead = complaint(r#"{"routers": [{}], "links": [], "dead_terminals": [0, 1]}"#);
    assert_eq!(
        dead,
        "links.txt:1:50: dead_terminals[1]: there is no terminal 1"
    );
}

#[test]
fn graphml_of_other_programs_is_read() {
    let text = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d1" for="edge" attr.name="latency" attr.type="long"><default>4</default></key>
  <key id="d0" for="node" attr.name="terminals" attr.type="long"/>
  <graph edgedefault="directed">
    <node id="a&amp;b"><data key="d0">3</data></node>
    <node id="c"/>
    <edge source="a&amp;b" target="c"><data key="d1">9</data></edge>
    <edge source="c" target="a&amp;b"><data key="d1"> 9 </data></edge>
    <edge source="c" target="a&amp;b"/>
  </graph>
</graphml>"#;
    let network = common::graphml().build(Some(text)).unwrap();
    assert_eq!(
        (
            network.router_count(),
            network.terminal_count(),
            network.channel_count()
        ),
        (2, 4, 3)
    );
    let latencies: Vec<u32> = network
        .channels()
        .map(|(_, channel)| channel.latency)
        .collect();
    assert_eq!(latencies, [9, 9, 4]);
    assert_eq!(network.radix(RouterId(0)), 5);
}

/// What a key says of all that have no data of it counts.
#[test]
fn defaults_of_graphml_hold() {
    let keys = "<key id='i' for='edge' attr.name='interval'><default>3</default></key>\
                <key id='c' for='edge' attr.name='class'><default>global</default></key>\
                <key id='d' for='node' attr.name='dead'><default>true</default></key>\
                <key id='t' for='graph' attr.name='terminal_latency'/>";
    let graph = "<graph><data key='t'>7</data><node id='a'><data key='d'>false</data></node>\
                 <node id='b'><data key='d'>false</data></node><node id='c'/>\
                 <edge source='a' target='b'/>\
                 <edge source='b' target='a'><data key='i'>2</data><data key='c'>local</data></edge></graph>";
    let text = format!("<graphml>{keys}{graph}</graphml>");
    let network = common::graphml().build(Some(&text)).unwrap();
    let paces = network
        .channels()
        .map(|(_, channel)| (channel.interval, channel.class));
    let [global, local] = [(3, ChannelClass::Global), (2, ChannelClass::Local)];
    assert_eq!(paces.collect::<Vec<_>>(), [global, global, local, local]);
    let alive = network.routers().map(|at| network.is_alive(at));
    assert_eq!(alive.collect::<Vec<_>>(), [true, true, false]);
    let injection = network.injection_channel(TerminalId(0));
    assert_eq!(network.channel(injection).latency, 7);
}

/// Programs that know real numbers alone write `2.0`, and `NaN` for what is not there.
#[test]
fn terminals_in_graphml_may_be_real_numbers() {
    let text = "<graphml><key id='t' attr.name='terminals' for='node'/><graph>\
                <node id='a'><data key='t'>2.0</data></node><node id='b'><data key='t'>NaN</data></node>\
                <edge source='a' target='b'/></graph></graphml>";
    let build = |text: &str| common::graphml().build(Some(text));
    assert_eq!(build(text).unwrap().terminal_count(), 3);
    let broken = build(&text.replace("2.0", "2.5")).unwrap_err().message;
    assert!(
        broken.ends_with("expected a number of terminals, found `2.5`"),
        "{broken}"
    );
}

/// NetworkX writes Python's truth values, and the dead came to life.
#[test]
fn the_dead_of_graphml_stay_dead_however_that_is_written() {
    for (word, living) in [("true", 1), ("True", 1), ("1", 1), ("False", 2), ("0", 2)] {
        let text = format!(
            "<graphml><key id='d' attr.name='dead' for='node'/><graph><node id='a'/>\
             <node id='b'><data key='d'>{word}</data></node><edge source='a' target='b'/></graph></graphml>"
        );
        let network = common::graphml().build(Some(&text)).unwrap();
        let alive = network.routers().filter(|&router| network.is_alive(router));
        assert_eq!(alive.count(), living, "{word}");
    }
}

#[test]
fn mistakes_in_graphml_have_their_place() {
    let wrap = |inner: &str| {
        let text = format!("<graphml>\n<graph>\n<node id=\"0\"/>{inner}</graph></graphml>");
        common::graphml().build(Some(&text)).unwrap_err().message
    };
    let cases = [
        (
            "\n  <edge source='0' target='1'/>",
            "4:3: there is no node `1`",
        ),
        ("\n<edge source='0'/>", "4:1: <edge> has no `target`"),
        (
            "<node id='1'><data key='terminals'>x</data></node>",
            "3:28: expected a number of terminals, found `x`",
        ),
        (
            "<node id='1'><graph edgedefault='directed'/></node>",
            "3:28: a graph inside of a node is not understood: is the node a router, or what is in it?",
        ),
        (
            "<node id='1'><data key='dead_terminals'>0 y</data></node>",
            "3:28: expected the number of a terminal, found `y`",
        ),
        (
            "<node id='1'/>\n<node id='2'><data key='dead_terminals'>7</data></node>",
            "4:14: dead_terminals[0]: there is no terminal 7",
        ),
        (
            "<node id='1'><data key='dead'>perhaps</data></node>",
            "3:28: expected true or false, found `perhaps`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(wrap(text), format!("net.graphml:{expected}"));
    }
    assert!(wrap("</nod>").starts_with("net.graphml:3:"));
}

/// What BookSim2 makes of it: a latency holds one way, and the other way takes a cycle if nothing is said of it.
#[test]
fn anynet_files_say_what_booksim_reads() {
    let text = "router 0 router 2 15 router 1\nrouter 1 node 1 5 node 2 5\nnode 0 router 0 5\n\
                router 2 router 1 7\nrouter 1 router 2 7 node 3 5";
    let network = common::anynet().build(Some(text)).unwrap();
    assert_eq!((network.router_count(), network.terminal_count()), (3, 4));
    let terminals: Vec<usize> = network
        .routers()
        .map(|router| network.terminals_of(router).len())
        .collect();
    assert_eq!(terminals, [1, 3, 0]);
    // By router: where its ports lead, in the order of the others' numbers, and how long that takes.
    let ways: Vec<Vec<(u16, u32, u32)>> = network
        .routers()
        .map(|router| {
            let neighbours = network.neighbours(router);
            let way = |next: Neighbour| {
                let latency = network.channel(next.channel).latency;
                (next.port, next.router.0, latency)
            };
            neighbours.map(way).collect()
        })
        .collect();
    assert_eq!(
        ways,
        [
            vec![(1, 1, 1), (2, 2, 15)],
            vec![(3, 0, 1), (4, 2, 7)],
            vec![(0, 0, 1), (1, 1, 7)],
        ]
    );
    for terminal in network.terminals() {
        let channels = [
            network.injection_channel(terminal),
            network.ejection_channel(terminal),
        ];
        assert_eq!(channels.map(|id| network.channel(id).latency), [5, 5]);
    }
}

#[test]
fn mistakes_in_anynet_files_have_their_place() {
    for (text, expected) in [
        (
            "switch 0 router 1",
            "1:1: expected `router` or `node`, found `switch`",
        ),
        ("router 0 1", "1:10: expected `router` or `node`, found `1`"),
        (
            "router 0\nrouter",
            "2:7: expected the number of a router, found the end of the line",
        ),
        (
            "router 0 node x",
            "1:15: expected the number of a node, found `x`",
        ),
        (
            "router 0 router 1 fast",
            "1:19: expected a latency of 1 to 1000000 whole cycles, found `fast`",
        ),
        (
            "router 0 router 1 0",
            "1:19: expected a latency of 1 to 1000000 whole cycles, found `0`",
        ),
        ("router 0 router 0", "1:10: router 0 is linked to itself"),
        (
            "node 0 node 1",
            "1:1: a node is connected to a router, not to a node",
        ),
        (
            "router 0 node 0\nrouter 1 node 0",
            "2:10: node 0 is connected to router 0 already, and here to router 1",
        ),
        (
            "router 0 router 2",
            "1:10: there is no router 1, and here is router 2",
        ),
        (
            "node 1 router 0",
            "1:1: there is no node 0, and here is node 1",
        ),
        (
            "router 0 node 1",
            "1:10: there is no node 0, and here is node 1",
        ),
        (
            "router 0 node 0 3 node 1",
            "1:19: the channels of this node take 1 cycles, those of another 3",
        ),
    ] {
        let found = common::anynet().build(Some(text)).unwrap_err().message;
        assert_eq!(found, format!("net.anynet:{expected}"));
    }
}

/// Two switches and an adapter at both of them; ports are put in order, and what is not plugged in leads nowhere.
#[test]
fn fabrics_say_what_they_mean() {
    let text = "# two rails\nswitchguid=0x5(5)\nSwitch\t4 \"S-5\"\t# \"spine #5\" base port 0 lid 3 lmc 0\r\n\
                [1]\t\"S-6\"[2]\t# \"leaf\" lid 4 4xSDR w=1\r\n[3]\t\"H-1\"[2](12)\r\n\r\n\
                switchguid=0x6\nSwitch 36 \"S-6\"\n[2] \"S-5\"[1] s=2\n\n\
                caguid=0x10\nCa 2 \"H-1\" # \"host 1\"\n[1](11) \"S-6\"[7]\n[2](12) \"S-5\"[3]\n";
    let fabric = read_fabric(text).unwrap();
    let names: Vec<(&str, Option<u64>)> = fabric
        .nodes
        .iter()
        .map(|node| (&*node.name, node.guid))
        .collect();
    assert_eq!(
        names,
        [
            ("spine #5", Some(5)),
            ("S-6", Some(6)),
            ("host 1", Some(16))
        ]
    );
    let ends: Vec<_> = fabric.cables.iter().map(|cable| cable.ends).collect();
    assert_eq!(ends, [[(0, 1), (1, 2)], [(0, 3), (2, 2)], [(2, 1), (1, 7)]]);
    let network = common::infiniband().build(Some(text)).unwrap();
    assert_eq!((network.router_count(), network.terminal_count()), (2, 2));
    let radices: Vec<usize> = network.routers().map(|at| network.radix(at)).collect();
    assert_eq!(radices, [4, 36]);
    // The terminal's port first; then 1, 2 and 4 of the first switch, of which only 1 has a cable.
    let ports: Vec<u16> = network.neighbours(RouterId(0)).map(|n| n.port).collect();
    assert_eq!(ports, [1]);
    let ports: Vec<u16> = network.neighbours(RouterId(1)).map(|n| n.port).collect();
    assert_eq!(ports, [2]);
}

#[test]
fn mistakes_in_fabrics_have_their_place() {
    let switch = "Switch 2 \"S-1\"\n";
    for (text, expected) in [
        (
            "Switch x \"S\"",
            "1:8: expected a number of ports up to 254, found `x`",
        ),
        (
            "Switch 255 \"S\"",
            "1:8: expected a number of ports up to 254, found `255`",
        ),
        (
            "Switch 3",
            "1:9: expected the name of a switch or adapter in quotes, found the end of the line",
        ),
        (
            "Switch 3 S-1",
            "1:10: expected the name of a switch or adapter in quotes, found `S-1`",
        ),
        (
            "[1] \"S-1\"[2]",
            "1:1: this port belongs to nothing: there is no switch or adapter above",
        ),
        (
            "switch 3",
            "1:1: expected `Switch`, `Ca`, `[port]` or `key=value`, found `switch`",
        ),
        (
            "switchguid=0xno",
            "1:12: expected a GUID in hexadecimal digits, found `0xno`",
        ),
        (
            "include \"more.net\"",
            "1:1: `include` is something for ibsim to do, and not read here",
        ),
        (
            &format!("{switch}{switch}"),
            "2:11: \"S-1\" is listed twice",
        ),
        (
            &format!("{switch}[3] \"S-1\"[1]"),
            "2:2: \"S-1\" has 2 ports, not one of number 3",
        ),
        (
            &format!("{switch}[0] \"S-1\"[1]"),
            "2:2: expected the number of a port, 1 to 254, found `0`",
        ),
        (
            &format!("{switch}[1] \"S-2\"[1]"),
            "2:6: there is no switch or adapter \"S-2\"",
        ),
        (
            &format!("{switch}[1] \"S-3\"[1]\n[1] \"S-3\"[1]"),
            "3:2: port 1 is listed twice",
        ),
        (
            &format!("{switch}[1] \"S-2\"[1]\nSwitch 2 \"S-2\"\n[1] \"S-1\"[2]"),
            "2:6: \"S-2\"[1] is said to lead to \"S-1\"[2]",
        ),
        (
            &format!("{switch}[1] \"S-2\"[1]\n[2] \"S-2\"[1]\nSwitch 2 \"S-2\"\n"),
            "3:6: another cable leads to \"S-2\"[1] already",
        ),
        (
            &format!("{switch}[1] \"S-2\"[9]\nSwitch 2 \"S-2\"\n"),
            "2:6: \"S-2\" has 2 ports, not one of number 9",
        ),
        (
            "Ca 1 \"H\"\n[1] \"G\"[1]\nCa 1 \"G\"\n",
            "2:6: this cable joins two adapters, without a switch",
        ),
        ("# nothing", "1:1: there are no routers in this file"),
    ] {
        let found = common::infiniband().build(Some(text)).unwrap_err().message;
        let rest = found.strip_prefix("fabric.net:").unwrap().trim_start();
        assert_eq!(rest, expected, "{text}");
    }
}

/// GUIDs that a net file does not have, as `ibsim` gives them to whoever loads tables into it.
#[test]
fn guids_are_made_up_as_ibsim_does() {
    let text = "Ca 2 \"H-a\"\n[1] \"S-a\"[1]\n\nSwitch 4 \"S-a\"\n[2] \"S-b\"[1]\n\nswitchguid=0x77\n\
                Switch 4 \"S-b\"\n[2] \"H-b\"[1]\n[3] \"S-c\"[1]\n\nSwitch 4 \"S-c\"\n[2] \"H-c\"[1]\n\n\
                Ca 1 \"H-b\"\n\ncaguid=0x500\nCa 3 \"H-c\"\n";
    let known = read_fabric(text).unwrap().identities().unwrap();
    let switches: Vec<u64> = known.switches.iter().map(|switch| switch.guid).collect();
    assert_eq!(switches, [0x20_0000, 0x77, 0x78]);
    let adapters: Vec<[u64; 2]> = known
        .adapters
        .iter()
        .map(|adapter| [adapter.node_guid, adapter.guid])
        .collect();
    let expected = [
        [0x10_0000, 0x10_0001],
        [0x10_0003, 0x10_0004],
        [0x500, 0x501],
    ];
    assert_eq!(adapters, expected);
}
