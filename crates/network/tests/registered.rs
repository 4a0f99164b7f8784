//! Every topology of the registry: how large it is and how far its routers are apart, by formula.
//!
//! The formulas are held by many more drawn parameters in `closed_forms`; here is the list that a
//! new topology cannot be left out of.

#![allow(clippy::unwrap_used)]

use turnwise_network::metrics::Distances;
use turnwise_network::shape::Arrangement;
use turnwise_network::topologies::REGISTRY;

#[allow(dead_code)]
mod common;
#[allow(dead_code)]
mod forms;

use common::examples::{EXAMPLES, examples};
use common::parameters::Parameters;
use forms::{
    Form, assert_form, complete, dragonfly_form, lines, megafly_form, path, product, ring,
    tree_form,
};

#[test]
fn every_topology_has_examples() {
    let registered: Vec<&str> = REGISTRY.iter().map(|entry| entry.name).collect();
    let exemplified: Vec<&str> = EXAMPLES.iter().map(|&(kind, _)| kind).collect();
    assert_eq!(exemplified, registered);
    assert!(EXAMPLES.iter().all(|(_, examples)| !examples.is_empty()));
}

/// The closed form of a network of this kind; `Err` holds routers, terminals and channels of those
/// that have no other.
fn form(kind: &str, parameters: &Parameters) -> Result<Form, [u64; 3]> {
    let terminals = parameters.wide("terminals_per_router");
    let grid =
        |line: fn(u64) -> [u64; 4]| product(&lines(&parameters.list("sizes"), line), terminals);
    Ok(match kind {
        "torus" => grid(ring),
        "mesh" => grid(path),
        "hyperx" => grid(complete),
        "hypercube" => {
            let sizes = vec![2; parameters.number("dimensions", 1) as usize];
            product(&lines(&sizes, path), terminals)
        }
        "full-mesh" => product(&[complete(parameters.wide("routers"))], terminals),
        "dragonfly" => {
            let arrangement = match parameters.word("arrangement") {
                "palmtree" => Arrangement::Palmtree,
                "relative" => Arrangement::Relative,
                "circulant" => Arrangement::Circulant,
                "random" => Arrangement::Random,
                _ => Arrangement::Absolute,
            };
            let [groups, routers, terminals, ports] = [
                "groups",
                "routers_per_group",
                "terminals_per_router",
                "global_ports_per_router",
            ]
            .map(|name| parameters.number(name, 1));
            let size = (groups, routers, terminals, ports);
            if arrangement == Arrangement::Random {
                let relative = dragonfly_form(size, Arrangement::Relative);
                return Err([relative.routers, relative.terminals, relative.channels]);
            }
            dragonfly_form(size, arrangement)
        }
        "megafly" => megafly_form(parameters.wide("half_radix"), parameters.wide("groups")),
        "k-ary-n-tree" => {
            let m = vec![parameters.number("arity", 2); parameters.number("levels", 2) as usize];
            let mut w = m.clone();
            w[0] = 1;
            tree_form(&m, &w)
        }
        "xgft" => tree_form(&parameters.list("m"), &parameters.list("w")),
        "slim-fly" => {
            let q = parameters.wide("q");
            let degree = (3 * q as i64 - [0, 1, 2, -1][q as usize % 4]) as u64 / 2;
            let routers = 2 * q * q;
            Form {
                routers,
                terminals: routers * terminals,
                channels: routers * degree,
                diameter: 2,
                total: routers * (degree + 2 * (routers - 1 - degree)) * terminals * terminals,
            }
        }
        "k-ary-n-fly" => {
            let (arity, stages) = (parameters.wide("arity"), parameters.wide("stages"));
            let width = arity.pow(stages as u32 - 1);
            let terminals = width * arity;
            Form {
                routers: (stages - 1) * width,
                terminals,
                channels: (stages - 1) * terminals,
                diameter: stages - 1,
                total: terminals * (terminals - arity) * (stages - 1),
            }
        }
        "random-regular" => {
            let (routers, degree) = (parameters.wide("routers"), parameters.wide("degree"));
            return Err([routers, routers * terminals, routers * degree]);
        }
        "random-irregular" => {
            let (routers, links) = (parameters.wide("routers"), parameters.wide("links"));
            return Err([routers, routers * terminals, 2 * links]);
        }
        "edge-list" if parameters.word("file") == "path.txt" => product(&[path(4)], 2),
        "edge-list" => return Err([6, 7, 12]),
        "topology-conf" => return Err([3, 6, 4]),
        "graphml" | "anynet" | "ibnetdiscover" | "ibsim" => product(&[ring(4)], 1),
        other => panic!("`{other}` is new: write its closed form down here"),
    })
}

#[test]
fn every_topology_has_its_closed_form() {
    for example in examples() {
        let (kind, network) = (example.kind, &*example.network);
        let parameters = Parameters(example.fields.parse().unwrap());
        match form(kind, &parameters) {
            Ok(form) => assert_form(network, &form),
            Err(counts) => {
                let found = [
                    network.router_count() as u64,
                    network.terminal_count() as u64,
                    network.channel_count() as u64,
                ];
                assert_eq!(found, counts, "{kind}: {}", example.fields);
                assert_eq!(Distances::of(network).disconnected, 0, "{kind}");
            }
        }
    }
}
