//! Request and reply over the algorithms of the registry, with their classes kept apart and without: what the
//! verifier proves, and what the stand-alone checker says of it.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use turnwise_network::topologies::{Dragonfly, Mesh, Topology, Torus};
use turnwise_network::{Network, Routing};
use turnwise_routing::algorithms::{DimensionOrder, Minimal, MinimalAdaptive};
use turnwise_routing::{Algorithm, Context, MessageClasses};
use turnwise_verify::{Analysis, Protocol, analyse, analyse_with};

/// Requests are left in the network until their replies have gone; replies are always taken up.
fn request_reply() -> Protocol {
    Protocol::new(2, [(0, 1)])
}

struct System {
    network: Arc<Network>,
    algorithm: Box<dyn Algorithm>,
}

impl System {
    fn routing(&self) -> Box<dyn Routing> {
        let flow_control = self.algorithm.flow_control();
        let context = Context {
            flow_control,
            ..Context::default()
        };
        self.algorithm.build(&self.network, &context).unwrap()
    }

    fn apart(&self, classes: u8) -> MessageClasses {
        MessageClasses::new(self.routing(), classes).unwrap()
    }

    fn judged(&self, routing: &dyn Routing, protocol: &Protocol) -> Analysis {
        let flow_control = self.algorithm.flow_control();
        analyse_with(&self.network, routing, protocol, flow_control)
    }

    fn is_free(&self, routing: &dyn Routing, protocol: &Protocol) -> bool {
        let analysis = self.judged(routing, protocol);
        assert!(analysis.reachability.is_sound());
        if let Some(cycle) = analysis.verdict.cycle() {
            assert!(cycle.passes_terminals());
        }
        analysis.verdict.is_deadlock_free()
    }
}

fn grid(network: Result<Network, turnwise_network::Invalid>) -> System {
    System {
        network: Arc::new(network.unwrap()),
        algorithm: Box::new(DimensionOrder::default()),
    }
}

fn systems() -> Vec<(&'static str, System)> {
    let mesh = || {
        let sizes = vec![8, 8];
        Mesh {
            sizes,
            ..Mesh::default()
        }
        .build(None)
    };
    let torus = Torus {
        sizes: vec![8, 8],
        ..Torus::default()
    };
    let dragonfly = Dragonfly {
        groups: 5,
        routers_per_group: 4,
        terminals_per_router: 2,
        global_ports_per_router: Some(1),
        ..Dragonfly::default()
    };
    let adaptive = System {
        algorithm: Box::new(MinimalAdaptive::default()),
        ..grid(mesh())
    };
    let grouped = System {
        algorithm: Box::new(Minimal::default()),
        ..grid(dragonfly.build(None))
    };
    vec![
        ("mesh", grid(mesh())),
        ("torus", grid(torus.build(None))),
        ("adaptive mesh", adaptive),
        ("dragonfly", grouped),
    ]
}

#[test]
fn request_and_reply_are_free_of_deadlock_exactly_with_two_classes_apart() {
    for (name, system) in systems() {
        let plain = system.routing();
        let flow_control = system.algorithm.flow_control();
        assert!(analyse(&system.network, &*plain, flow_control).is_sound());
        // One class for both, two classes on the same virtual channels, two that are kept apart.
        assert!(
            !system.is_free(&*plain, &Protocol::new(1, [(0, 0)])),
            "{name}"
        );
        assert!(!system.is_free(&*plain, &request_reply()), "{name}");
        assert!(system.is_free(&system.apart(2), &request_reply()), "{name}");
        // Replies that are answered in turn need another class.
        let chain = Protocol::new(3, [(0, 1), (1, 2)]);
        assert!(!system.is_free(&system.apart(2), &chain), "{name}");
        assert!(system.is_free(&system.apart(3), &chain), "{name}");
        let circle = Protocol::new(2, [(0, 1), (1, 0)]);
        assert!(!system.is_free(&system.apart(2), &circle), "{name}");
    }
}

#[test]
fn the_checker_accepts_the_proofs() {
    for (name, system) in systems() {
        let analysis = system.judged(&system.apart(2), &request_reply());
        let proof = analysis.verdict.certificate().unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let file = folder.join(format!("request-reply-{}.json", name.replace(' ', "-")));
        std::fs::write(&file, proof.to_json(&system.network, name)).unwrap();
        let checker =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/check_certificate.py");
        let output = Command::new("python3")
            .arg(checker)
            .arg(&file)
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{name}: {printed}");
        assert!(
            printed.contains("terminals that answer"),
            "{name}: {printed}"
        );
    }
}

#[test]
fn a_protocol_deadlock_of_the_mesh_goes_through_two_terminals() {
    let (_, system) = systems().swap_remove(0);
    let analysis = system.judged(&*system.routing(), &Protocol::new(1, [(0, 0)]));
    let cycle = analysis.verdict.cycle().unwrap();
    assert!(cycle.is_shortest);
    let lines = [
        "(0,0) -> (1,0) [+x] VC 0, held by packets 0 -> 8",
        "terminal 8's ejection channel VC 0, held by packets 0 -> 8 until terminal 8 has sent messages of class 0",
        "terminal 8's injection channel VC 0, held by packets 8 -> 0",
        "(1,0) -> (0,0) [-x] VC 0, held by packets 8 -> 0",
        "terminal 0's ejection channel VC 0, held by packets 8 -> 0 until terminal 0 has sent messages of class 0",
        "terminal 0's injection channel VC 0, held by packets 0 -> 8",
    ];
    assert_eq!(cycle.render(&system.network), lines);
}
