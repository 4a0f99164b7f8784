//! What Slurm is told of a fabric, its nodes by their names, and what hangs together; and what its own trees say.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
mod common;

use common::fabric::fabric;
use turnwise_network::topologies::{Topology, Torus, Xgft};
use turnwise_network::{Faults, Network, RouterId};

/// A fabric of one switch, `fabric`, and a smaller one, with so many adapters, called so.
fn named(first: &[&str], second: &[&str]) -> Network {
    let mut text = String::new();
    let mut hosts = String::new();
    for (switch, name, names) in [(1, "fabric", first), (2, "leaf/1", second)] {
        text += &format!(
            "switchguid=0x{switch}\nSwitch 9 \"S-{switch}\" # \"{name}\" base port 0 lid 0 lmc 0\n"
        );
        text += &format!("[9] \"S-{}\"[9]\n", 3 - switch);
        for (port, name) in (1..).zip(names) {
            let (guid, kind) = (
                16 * switch + port,
                if *name == "gate" { "Rt" } else { "Ca" },
            );
            text += &format!("[{port}] \"H-{guid}\"[1]\n");
            hosts += &format!(
                "caguid=0x{guid:x}\n{kind} 1 \"H-{guid}\" # \"{name}\"\n[1] \"S-{switch}\"[{port}]\n"
            );
        }
    }
    fabric(&(text + &hosts))
}

#[test]
fn slurm_is_told_of_nodes_alone_each_once() {
    let conf = |first: &[&str], second: &[&str]| {
        let write = turnwise_network::formats::writer("conf").unwrap().write;
        let text = write(&named(first, second)).unwrap();
        text.split_once('\n').unwrap().1.to_owned()
    };
    // Several adapters of a node, at one switch and at another one; a node with one; what is no node.
    let several = conf(
        &[
            "n1 HCA-1",
            "n1 HCA-2",
            "n2 mlx5_0",
            "Mellanox Technologies Aggregation Node",
        ],
        &["n1 HCA-3", "n3", "gate"],
    );
    let wanted = "SwitchName=fabric Nodes=n1,n2\nSwitchName=leaf_1 Nodes=n3\nSwitchName=fabric-2 Switches=fabric,leaf_1\n";
    assert_eq!(several, wanted);
    // Two of the same description are two nodes, and who has none is called by its GUID.
    let alike = conf(&["host", "host"], &["", " "]);
    let wanted = "SwitchName=fabric Nodes=host-0000000000000011,host-0000000000000012\n\
                  SwitchName=leaf_1 Nodes=node-0000000000000021,node-0000000000000022\n\
                  SwitchName=fabric-2 Switches=fabric,leaf_1\n";
    assert_eq!(alike, wanted);
    // Who differs in letters that Slurm cannot have is another one; a node with two adapters still is one.
    let foreign = conf(&["узелА HCA-1", "узелБ HCA-1", "узелА HCA-2"], &["n3"]);
    let wanted = "SwitchName=fabric Nodes=_____-0000000000000011,_____-0000000000000012\n\
                  SwitchName=leaf_1 Nodes=n3\nSwitchName=fabric-2 Switches=fabric,leaf_1\n";
    assert_eq!(foreign, wanted);
}

/// Slurm must not take nodes for connected that no cable joins any more.
#[test]
fn slurm_gets_a_tree_for_each_part_of_a_fabric() {
    let conf = |network: &Network| {
        let write = turnwise_network::formats::writer("conf").unwrap().write;
        let text = write(network).unwrap();
        text.split_once('\n').unwrap().1.to_owned()
    };
    let without = |network: &Network, routers: &[u32], links: &[[u32; 2]]| {
        let faults = Faults {
            routers: routers.to_vec(),
            links: links.to_vec(),
            ..Faults::default()
        };
        network.without(&faults).unwrap()
    };
    let line = Torus {
        sizes: vec![6],
        ..Torus::default()
    };
    let halves = without(&line.build(None).unwrap(), &[], &[[2, 3], [5, 0]]);
    let [first, second] = [0, 3].map(|first| {
        let names = (first..first + 3).map(|at| format!("router-{at}"));
        names.collect::<Vec<_>>().join(",")
    });
    let text = conf(&halves);
    let ends =
        format!("SwitchName=fabric Switches={first}\nSwitchName=fabric-2 Switches={second}\n");
    assert!(text.ends_with(&ends), "{text}");
    // Leaves below nothing have nothing in common.
    let tree = Xgft {
        m: vec![1, 2],
        w: vec![1, 1],
        ..Xgft::default()
    };
    let bare = without(&tree.build(None).unwrap(), &[2], &[]);
    let text = conf(&bare);
    assert!(
        text.lines()
            .filter(|line| line.contains("Switches="))
            .all(|line| !line.contains(',')),
        "{text}"
    );
}

#[test]
fn quotes_in_names_end_none() {
    let network = named(&["node \"two\" mlx5_0"], &["n3"]);
    let known = network.identities().unwrap();
    assert_eq!(known.adapters[0].name, "node \"two\" mlx5_0");
}

fn of_slurm(text: &str) -> Result<turnwise_network::Network, String> {
    let built = common::topology_conf().build(Some(text));
    built.map_err(|invalid| invalid.message)
}

#[test]
fn trees_of_slurm_say_what_they_mean() {
    let text = "# leaves\nSWITCHNAME=s0 nodes=tux[0-1,10]\r\nSwitchName = s1 Nodes=\"a\\\nb, c\" LinkSpeed=7 # and so on\n\n\
                SwitchName=s2 Switches=s[0-\\\n1]\n";
    let network = of_slurm(text).unwrap();
    assert_eq!((network.router_count(), network.channel_count()), (3, 4));
    let nodes: Vec<String> = network
        .terminals()
        .map(|node| network.terminal_label(node))
        .collect();
    assert_eq!(nodes, ["tux0", "tux1", "tux10", "ab", "c"]);
    assert_eq!(network.router_label(RouterId(2)), "s2");
    let below: Vec<RouterId> = network
        .neighbours(RouterId(2))
        .map(|next| next.router)
        .collect();
    assert_eq!(below, [RouterId(0), RouterId(1)]);
    // What is written can be read.
    let written = turnwise_network::formats::writer("conf").unwrap();
    let again = of_slurm(&(written.write)(&network).unwrap()).unwrap();
    assert_eq!((again.router_count(), again.terminal_count()), (3, 5));
    // More nodes than a switch of a subnet has ports have numbers.
    let large = of_slurm("SwitchName=s Nodes=n[1-300]").unwrap();
    assert_eq!(large.terminal_count(), 300);
}

#[test]
fn mistakes_in_trees_of_slurm_have_their_place() {
    let cases = [
        ("", "1:1: there are no nodes in this file"),
        (
            "SwitchName=s0 Switches=s1\nSwitchName=s1 Switches=s0",
            "1:1: there are no nodes in this file",
        ),
        (
            "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=m,n2",
            "2:22: node n2 is at switch a already",
        ),
        ("SwitchName=a Nodes=n,n", "1:22: node n is listed twice"),
        (
            "SwitchName=a Nodes=n\nSwitchName=b Switches=a,c",
            "2:25: there is no switch c",
        ),
        (
            "SwitchName=a Nodes=n\nSwitchName=b Switches=c\nSwitchName=c Switches=\\\nb",
            "2:12: switch b is below itself",
        ),
        (
            "SwitchName=a Nodes=n\nSwitchName=b Switches=a\nSwitchName=c Switches=a",
            "3:23: switch a is below b already",
        ),
        (
            "SwitchName=a Nodes=n\nSwitchName=a Nodes=m",
            "2:12: switch a is listed twice",
        ),
        ("Nodes=n", "1:1: this line is about no switch"),
        (
            "SwitchName=a",
            "1:12: switch a has neither Nodes nor Switches",
        ),
        (
            "SwitchName=a Nodes=n Switches=b",
            "1:31: switch a has both Nodes and Switches",
        ),
        (
            "SwitchName=a Nodes=n[1-\\\n",
            "1:21: `[` is never closed by a `]`",
        ),
        (
            "SwitchName=a Nodes=n,\\\nm/2",
            "2:2: `/` is not part of a host's name",
        ),
        (
            "SwitchName=a Nodes=ALL",
            "1:20: which nodes ALL are is not in this file",
        ),
        ("SwitchName=a Node=n", "1:14: unknown key `Node`"),
        (
            "BlockName=b Nodes=n",
            "1:1: `BlockName` is of topology/block, which tells no switches",
        ),
        (
            "SwitchName=a Nodes",
            "1:14: expected `Key=value`, found `Nodes`",
        ),
        ("SwitchName=a Nodes= ", "1:14: `Nodes` is set to nothing"),
        ("SwitchName=a Nodes=\"n", "1:20: this `\"` is never closed"),
        (
            "SwitchName=a Nodes=n nodes=m",
            "1:22: `Nodes` is given twice",
        ),
        ("SwitchName=a =n", "1:14: expected `Key=value`, found `=`"),
    ];
    for (text, expected) in cases {
        let found = of_slurm(text).unwrap_err();
        assert_eq!(found, format!("topology.conf:{expected}"), "{text}");
    }
}
