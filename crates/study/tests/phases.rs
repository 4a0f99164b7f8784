//! Every routing of the registry that has two phases, on networks of every kind that it fits: what is found by phases is what exploring
//! everything finds.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::try_plan;
use std::collections::BTreeSet;
use turnwise_network::Shape;
use turnwise_routing::REGISTRY;
use turnwise_verify::{PhaseSurvey, Protocol, analyse};

const NETWORKS: [&str; 15] = [
    "kind = 'torus'\nsizes = [4, 3]\nterminals_per_router = 2",
    "kind = 'mesh'\nsizes = [3, 2, 2]",
    "kind = 'hypercube'\ndimensions = 4",
    "kind = 'hyperx'\nsizes = [3, 4]\nterminals_per_router = 3",
    "kind = 'slim-fly'\nq = 5",
    "kind = 'full-mesh'\nrouters = 6",
    "kind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\nglobal_ports_per_router = 2\nterminals_per_router = 2",
    "kind = 'dragonfly'\ngroups = 3\nrouters_per_group = 2\nglobal_ports_per_router = 1\nterminals_per_router = 1",
    "kind = 'dragonfly'\ngroups = 4\nrouters_per_group = 3\nglobal_ports_per_router = 1\nterminals_per_router = 3",
    // Where nobody can be gone by, or one alone.
    "kind = 'dragonfly'\ngroups = 2\nrouters_per_group = 1\nglobal_ports_per_router = 1\nterminals_per_router = 2",
    "kind = 'dragonfly'\ngroups = 2\nrouters_per_group = 2\nglobal_ports_per_router = 1\nterminals_per_router = 2\nfaults = { random_links = 1, seed = 1 }",
    "kind = 'dragonfly'\ngroups = 3\nrouters_per_group = 1\nglobal_ports_per_router = 2\nterminals_per_router = 1",
    "kind = 'dragonfly'\ngroups = 4\nrouters_per_group = 3\nglobal_ports_per_router = 1\nterminals_per_router = 3\nfaults = { terminals = [1, 5] }",
    "kind = 'random-regular'\nrouters = 14\ndegree = 4\nseed = 2\nfaults = { random_links = 2 }",
    "kind = 'random-regular'\nrouters = 12\ndegree = 3\nseed = 4",
];

#[test]
fn phases_tell_what_everything_tells() {
    let (mut met, mut on_groups) = (BTreeSet::new(), BTreeSet::new());
    let mut in_vain = Vec::new();
    for network in NETWORKS {
        for entry in REGISTRY {
            let text = format!(
                "[network]\n{network}\n[routing]\nkind = '{}'\n[traffic]\npattern = 'uniform'\nload = 0.1\n\
                 [simulation]\nwarmup_cycles = 10\nmeasure_cycles = 10\n",
                entry.name
            );
            let Ok(plan) = try_plan(&text) else {
                continue;
            };
            let Ok(experiment) = plan.experiment(&plan.point(0).unwrap(), None) else {
                continue;
            };
            let assumptions = experiment.model.flow_control;
            let (network, routing) = (&*experiment.routed.network, &*experiment.routed.routing);
            let protocol = Protocol::default();
            let Some(mut survey) = PhaseSurvey::new(network, routing, &protocol, 1 << 20) else {
                continue;
            };
            (0..survey.visits()).for_each(|number| survey.visit(number));
            let Some(found) = survey.conclude(assumptions) else {
                in_vain.push(text);
                continue;
            };
            let expected = analyse(network, routing, assumptions);
            assert_eq!(found.verdict, expected.verdict, "{text}");
            assert_eq!(found.reachability, expected.reachability, "{text}");
            let (quality, other) = (&found.quality, &expected.quality);
            let loads = quality.loads.iter().zip(&other.loads);
            let shares = quality.length_shares.iter().zip(&other.length_shares);
            for (one, other) in loads.chain(shares) {
                assert!(
                    (one - other).abs() < 1e-9 * (1.0 + other),
                    "{text}: {one} {other}"
                );
            }
            assert_eq!(
                quality.length_shares.len(),
                other.length_shares.len(),
                "{text}"
            );
            assert_eq!(quality.diameter, other.diameter, "{text}");
            assert_eq!(quality.single_path, other.single_path, "{text}");
            assert_eq!(
                quality.virtual_channels_used, other.virtual_channels_used,
                "{text}"
            );
            assert!((quality.mean_hops - other.mean_hops).abs() < 1e-9, "{text}");
            if matches!(entry.name, "valiant") && text.contains("'hypercube'") {
                // What single routes carry is counted, and divided once: by symmetry all the same.
                assert_eq!(quality.deviation, 0.0);
            }
            met.insert(entry.name);
            if matches!(network.shape(), Shape::Dragonfly(_)) {
                on_groups.insert(entry.name);
            }
        }
    }
    // Two groups have no third one to go by.
    assert!(
        in_vain.iter().all(|text| text.contains("groups = 2\n")),
        "{in_vain:?}"
    );
    for who in ["valiant", "ugal"] {
        assert!(met.contains(who), "{who} is not met: {met:?}");
    }
    for who in ["valiant", "ugal", "ugal-g", "piggyback", "crt"] {
        assert!(
            on_groups.contains(who),
            "{who} is not met on groups: {on_groups:?}"
        );
    }
}
