//! Small networks of every topology of the registry, for tests of this crate and its neighbours.
//!
//! A new topology needs a row here, or the test `registered::every_topology_has_examples` fails.

use super::written::read;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse};
use turnwise_network::topologies::{REGISTRY, Topology};
use turnwise_network::{Faults, Network};

/// By kind, in the registry's order: what a study would say, several times.
pub(crate) const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "torus",
        &[
            "sizes = [4, 4]\nterminals_per_router = 2",
            "sizes = [5, 3]\nchannel_latency = 3",
            "sizes = [4, 2, 2, 2]",
            "sizes = [6]",
            "sizes = [1, 3]",
        ],
    ),
    (
        "mesh",
        &[
            "sizes = [3, 4]\nterminals_per_router = 2",
            "sizes = [3, 2, 3]",
            "sizes = [5]",
        ],
    ),
    (
        "hypercube",
        &["dimensions = 3\nterminals_per_router = 2", "dimensions = 4"],
    ),
    (
        "full-mesh",
        &["routers = 5", "routers = 3\nterminals_per_router = 2"],
    ),
    (
        "hyperx",
        &[
            "sizes = [3, 4]\nterminals_per_router = 2",
            "sizes = [2, 3, 2]",
        ],
    ),
    (
        "dragonfly",
        &[
            "groups = 5\nrouters_per_group = 4\nterminals_per_router = 1\nglobal_ports_per_router = 1\n\
             channel_latency = { local = 2, global = 9 }",
            "groups = 5\nrouters_per_group = 2\nterminals_per_router = 2\nglobal_ports_per_router = 2\n\
             arrangement = \"palmtree\"",
            "groups = 4\nrouters_per_group = 3\nterminals_per_router = 1\nglobal_ports_per_router = 2\n\
             arrangement = \"relative\"",
            "groups = 3\nrouters_per_group = 3\nterminals_per_router = 1\nglobal_ports_per_router = 2\n\
             arrangement = \"circulant\"",
            "groups = 4\nrouters_per_group = 3\nterminals_per_router = 1\nglobal_ports_per_router = 2\n\
             arrangement = \"random\"\nseed = 4",
            "groups = 3\nrouters_per_group = 4\nterminals_per_router = 1\nglobal_ports_per_router = 1\n\
             arrangement = \"relative\"",
            "groups = 2\nrouters_per_group = 2\nterminals_per_router = 1\nglobal_ports_per_router = 1",
            "groups = 1\nrouters_per_group = 3\nterminals_per_router = 1\nglobal_ports_per_router = 1",
        ],
    ),
    (
        "megafly",
        &[
            "half_radix = 2\ngroups = 5",
            "half_radix = 2\ngroups = 3\nwiring = \"relative\"",
            "half_radix = 2\ngroups = 5\nwiring = \"circulant\"",
            "half_radix = 2\ngroups = 3\nwiring = \"alltoall\"",
            "half_radix = 3\ngroups = 4\nwiring = \"random\"",
            "half_radix = 2\ngroups = 1",
        ],
    ),
    (
        "k-ary-n-tree",
        &["arity = 2\nlevels = 3", "arity = 3\nlevels = 2"],
    ),
    (
        "xgft",
        &[
            "m = [2, 3, 2]\nw = [1, 2, 3]",
            "m = [4, 4]\nw = [1, 4]",
            "m = [3]\nw = [1]",
        ],
    ),
    (
        "slim-fly",
        &[
            "q = 3\nterminals_per_router = 1",
            "q = 4\nterminals_per_router = 1",
        ],
    ),
    (
        "k-ary-n-fly",
        &[
            "arity = 2\nstages = 3",
            "arity = 3\nstages = 3",
            "arity = 2\nstages = 4",
        ],
    ),
    (
        "random-regular",
        &[
            "routers = 10\ndegree = 3",
            "routers = 9\ndegree = 4\nseed = 7",
        ],
    ),
    (
        "random-irregular",
        &[
            "routers = 9\nlinks = 13\nmost_links = 4",
            "routers = 8\nlinks = 11\nmost_links = 3\nterminals_per_router = 2\nseed = 5",
        ],
    ),
    (
        "edge-list",
        &["file = \"links.txt\"", "file = \"path.txt\""],
    ),
    ("graphml", &["file = \"ring.graphml\""]),
    ("anynet", &["file = \"square.anynet\""]),
    ("ibnetdiscover", &["file = \"square.out\""]),
    ("ibsim", &["file = \"square.net\"\nchannel_latency = 3"]),
    ("topology-conf", &["file = \"topology.conf\""]),
];

/// The files that examples are read from.
const FILES: &[(&str, &str)] = &[
    (
        "links.txt",
        "routers 6\nterminals 2 3\nterminals 5 0\n0 1\n1 2 7\n0 2\n2 3\n2 3\n3 4",
    ),
    (
        "square.anynet",
        "router 0 router 1 4 router 3\nrouter 2 router 1 router 3 2\nrouter 3 router 2 2 node 3\n\
         router 0 node 0\nnode 1 router 1\nrouter 2 node 2\n",
    ),
    (
        "square.net",
        "Switch 4 \"S-a\" # \"a\"\n[1] \"S-b\"[4]\n[2] \"H-0\"[1]\n[3] \"S-d\"[1]\n\n\
         Switch 4 \"S-b\"\n[1] \"H-1\"[1]\n[2] \"S-c\"[1]\n\n\
         Switch 3 \"S-c\"\n[3] \"S-d\"[2]\n[2] \"H-2\"[1]\n\nSwitch 4 \"S-d\"\n[4] \"H-2\"[2]\n\n\
         Ca 1 \"H-0\"\n\nCa 1 \"H-1\"\n\nCa 2 \"H-2\"\n",
    ),
    (
        "square.out",
        "#\n# Topology file\n\nvendid=0x2c9\nswitchguid=0xa(a)\nSwitch\t3 \"S-a\"\t# \"a # 1\" base port 0 lid 1 lmc 0\n\
         [1]\t\"S-b\"[2]\t# \"b\" lid 2 4xSDR\n[2]\t\"S-d\"[1]\n[3]\t\"H-0\"[1](01) \t# \"host\" lid 5 4xSDR\n\n\
         switchguid=0xb(b)\nSwitch\t3 \"S-b\"\n[1]\t\"H-1\"[1](11)\n[2]\t\"S-a\"[1]\n[3]\t\"S-c\"[1]\n\n\
         Switch\t3 \"S-c\"\n[1]\t\"S-b\"[3]\n[2]\t\"S-d\"[2]\n[3]\t\"H-2\"[1](21)\n\n\
         Switch\t3 \"S-d\"\n[1]\t\"S-a\"[2]\n[2]\t\"S-c\"[2]\n[3]\t\"H-3\"[1](31)\n\n\
         caguid=0x10\nCa\t1 \"H-0\"\t# \"host\"\n[1](01)\t\"S-a\"[3]\t# lid 5 lmc 0 \"a\" lid 1 4xSDR\n\n\
         Ca\t1 \"H-1\"\n[1](11)\t\"S-b\"[1]\n\nCa\t1 \"H-2\"\n[1](21)\t\"S-c\"[3]\n\nCa\t1 \"H-3\"\n[1](31)\t\"S-d\"[3]\n",
    ),
    (
        "topology.conf",
        "# a tree\nSwitchName=s0 Nodes=tux[0-2]\nswitchname=s1 nodes=tux[3-4],login \\\n  LinkSpeed=100\nSwitchName=top Switches=s[0-1]\n",
    ),
    ("path.txt", "terminals_per_router 2\n0 1\n1 2\n2 3"),
    (
        "ring.graphml",
        "<graphml><graph edgedefault='undirected'>\
         <node id='a'/><node id='b'/><node id='c'/><node id='d'/>\
         <edge source='a' target='b'/><edge source='b' target='c'/><edge source='c' target='d'/>\
         <edge source='a' target='d'/></graph></graphml>",
    ),
];

/// One small network.
#[allow(dead_code)] // not every test wants to know where it comes from
pub(crate) struct Example {
    pub(crate) kind: &'static str,
    /// The rest of its table `[network]`.
    pub(crate) fields: &'static str,
    pub(crate) network: Arc<Network>,
}

impl Example {
    /// One that is in this registry.
    pub(crate) fn of(
        registry: &[Entry<dyn Topology>],
        kind: &'static str,
        fields: &'static str,
    ) -> Self {
        let table = read(&format!("kind = \"{kind}\"\n{fields}"));
        let mut errors = Vec::new();
        let topology = parse(registry, &table, "kind", &mut errors)
            .unwrap_or_else(|| panic!("{kind}, {fields}: {errors:?}"));
        let network = topology
            .build(text(&*topology))
            .unwrap_or_else(|invalid| panic!("{kind}, {fields}: {invalid}"));
        Self {
            kind,
            fields,
            network: Arc::new(network),
        }
    }
}

/// Some file with the extension of the one that a topology is read from.
#[allow(dead_code)] // not every test asks
pub(crate) fn text_like(topology: &dyn Topology) -> Option<&'static str> {
    let extension = |file: &str| file.rsplit('.').next().map(str::to_owned);
    let wanted = extension(topology.file()?);
    let like = FILES.iter().find(|(name, _)| extension(name) == wanted);
    Some(like.unwrap_or_else(|| panic!("no file like {wanted:?}")).1)
}

fn text(topology: &dyn Topology) -> Option<&'static str> {
    let file = topology.file()?;
    let found = FILES.iter().find(|(name, _)| *name == file);
    Some(
        found
            .unwrap_or_else(|| panic!("{file} is not among the files"))
            .1,
    )
}

/// All of them.
pub(crate) fn examples() -> Vec<Example> {
    let rows = EXAMPLES.iter();
    let all = rows.flat_map(|&(kind, all)| {
        all.iter()
            .map(move |&fields| Example::of(REGISTRY, kind, fields))
    });
    all.collect()
}

/// The network with half of its links dead; `None` if it has too few to lose.
#[allow(dead_code)]
pub(crate) fn wrecked(network: &Network) -> Option<Network> {
    let faults = Faults {
        random_links: (network.channel_count() as u32 / 4).into(),
        seed: 5,
        ..Faults::default()
    };
    (network.channel_count() >= 8).then(|| network.without(&faults).ok())?
}

/// The network with a few links, a terminal and perhaps a router dead; `None` if it has too little to lose.
pub(crate) fn damaged(network: &Network, seed: u64) -> Option<Network> {
    let channels = network.channel_count() as u32;
    let faults = Faults {
        random_links: (channels / 20).max(1).into(),
        random_routers: ((seed % 2) as u32).into(),
        terminals: vec![seed as u32 % network.terminal_count() as u32],
        seed,
        ..Faults::default()
    };
    network.without(&faults).ok()
}
