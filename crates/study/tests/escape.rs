//! Adaptive routing with an escape: proved, checked, and run; without it shown to deadlock, and met.
//!
//! Source: Duato, "A new theory of deadlock-free adaptive routing in wormhole networks", IEEE TPDS 4(12), 1993.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{figure, plan, rows, simulate};
use std::path::Path;
use std::process::Command;
use turnwise_sim::{Ending, Outcome, Setup, Simulation};
use turnwise_study::Plan;
use turnwise_study::workshop::Experiment;
use turnwise_verify::{Analysis, Assumptions, analyse};

/// Full load on 64 routers; the longer way round a ring and the diagonal are what loads them worst.
fn study(network: &str, routing: &str, router: &str, pattern: &str, cycles: u64) -> Plan {
    plan(&format!(
        "[network]\n{network}\n[routing]\n{routing}\n[router]\n{router}\n\
         [traffic]\npattern = '{pattern}'\nload = 1.0\npacket_flits = 5\n\
         [simulation]\nwarmup_cycles = {}\nmeasure_cycles = 1000\ndrain = false\ncycles_limit = {cycles}",
        cycles - 1_000
    ))
}

fn experiment(plan: &Plan) -> Experiment {
    plan.experiment(&plan.point(0).unwrap(), None).unwrap()
}

fn analysis(experiment: &Experiment) -> Analysis {
    let routed = &experiment.routed;
    let assumptions = Assumptions {
        flow_control: experiment.model.flow_control,
        one_packet_buffers: experiment.model.wait_for_tail_credit,
    };
    analyse(&routed.network, &*routed.routing, assumptions)
}

const MESH: &str = "kind = 'mesh'\nsizes = [8, 8]";
const TORUS: &str = "kind = 'torus'\nsizes = [8, 8]";

fn is_accepted(name: &str, certificate: &str) -> bool {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, certificate).unwrap();
    let checker = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/check_certificate.py");
    let output = Command::new("python3").arg(checker).arg(&file).output();
    let output = output.expect("python3 runs: the project requires it");
    output.status.success() && output.stdout.starts_with(b"accepted: ")
}

/// Cycles of each run. Runs of 2,000,000, of packets of one flit under virtual cut-through, were made once by hand.
const CYCLES: u64 = 40_000;

#[test]
fn with_an_escape_it_is_proved_and_never_stops() {
    for (name, network) in [("mesh", MESH), ("torus", TORUS)] {
        for (kind, router) in [
            ("cut-through", ""),
            (
                "atomic",
                "flow_control = 'wormhole'\nwait_for_tail_credit = true",
            ),
        ] {
            let plan = study(
                network,
                "kind = 'minimal-adaptive'",
                router,
                "transpose",
                CYCLES,
            );
            let experiment = experiment(&plan);
            let analysis = analysis(&experiment);
            assert!(analysis.is_sound(), "{name}, {kind}");
            let proof = analysis.verdict.certificate().unwrap();
            assert!(proof.is_by_escape());
            let text = proof.to_json(&experiment.routed.network, "minimal-adaptive");
            assert!(
                is_accepted(&format!("{name}-{kind}.json"), &text),
                "{name}, {kind}"
            );
        }
        for pattern in ["transpose", "tornado"] {
            let plan = study(network, "kind = 'minimal-adaptive'", "", pattern, CYCLES);
            let outcome = simulate(&experiment(&plan), false);
            assert_eq!(outcome.ending, Ending::Completed, "{name}, {pattern}");
            let accepted = outcome.measurement.accepted_load.mean;
            // Above saturation little more than the escape may be moving, but that never stops.
            assert!(accepted > 0.01, "{name}, {pattern}: {accepted}");
        }
    }
}

#[test]
fn without_the_escape_the_cycle_is_shown_and_met() {
    for (network, vcs) in [(MESH, 1), (TORUS, 2)] {
        let routing =
            format!("kind = 'minimal-adaptive'\nescape = 'none'\nvirtual_channels = {vcs}");
        let plan = study(network, &routing, "", "uniform", 2_000_000);
        let experiment = experiment(&plan);
        let cycle = analysis(&experiment).verdict.cycle().cloned().unwrap();
        assert!(cycle.is_shortest && cycle.waiting.len() >= 4);
        let outcome = simulate(&experiment, false);
        assert!(
            matches!(outcome.ending, Ending::Deadlocked(_)),
            "{:?}",
            outcome.ending
        );
    }
}

/// Plain wormhole routers let a head stand behind another packet, where it cannot turn to the escape: no proof,
/// and rightly so.
#[test]
fn where_packets_share_buffers_the_escape_proves_nothing_and_runs_do_stop() {
    let router = "flow_control = 'wormhole'\nbuffer_flits = 3";
    let plan = study(
        MESH,
        "kind = 'minimal-adaptive'",
        router,
        "uniform",
        2_000_000,
    );
    let experiment = experiment(&plan);
    assert!(analysis(&experiment).verdict.cycle().is_some());
    let outcome = simulate(&experiment, false);
    assert!(
        matches!(outcome.ending, Ending::Deadlocked(_)),
        "{:?}",
        outcome.ending
    );
}

#[test]
fn one_to_four_threads_agree() {
    let on = |experiment: &Experiment, threads: usize| -> Outcome {
        let setup = Setup {
            threads,
            ..experiment.setup()
        };
        Simulation::new(setup).run().unwrap()
    };
    for (network, routing) in [
        (MESH, "minimal-adaptive"),
        (TORUS, "minimal-adaptive"),
        ("kind = 'hypercube'\ndimensions = 6", "minimal-adaptive"),
        ("kind = 'hyperx'\nsizes = [8, 8]", "minimal-adaptive"),
        (MESH, "west-first"),
        (MESH, "negative-first"),
        (MESH, "odd-even"),
    ] {
        let plan = study(
            network,
            &format!("kind = '{routing}'"),
            "",
            "transpose",
            3_000,
        );
        let experiment = experiment(&plan);
        let alone = on(&experiment, 1);
        assert_ne!(alone.fingerprint, 0);
        for threads in 2..=4 {
            let together = on(&experiment, threads);
            assert_eq!(
                alone.fingerprint, together.fingerprint,
                "{network} {routing}"
            );
            assert_eq!(
                alone.measurement, together.measurement,
                "{network} {routing}"
            );
        }
    }
}

/// Every network it fits.
#[test]
fn proofs_hold_on_networks_of_every_kind() {
    let networks = [
        "kind = 'hypercube'\ndimensions = 4",
        "kind = 'hyperx'\nsizes = [3, 4]",
        "kind = 'mesh'\nsizes = [3, 3, 3]",
        "kind = 'torus'\nsizes = [5, 3, 2]",
        "kind = 'torus'\nsizes = [4, 4]",
    ];
    for network in networks {
        for (escape, is_free) in [("dimension-order", true), ("none", false)] {
            let routing = format!("kind = 'minimal-adaptive'\nescape = '{escape}'");
            let plan = study(network, &routing, "", "uniform", 2_000);
            let analysis = analysis(&experiment(&plan));
            assert_eq!(analysis.verdict.is_deadlock_free(), is_free, "{network}");
            assert!(analysis.reachability.is_sound());
        }
    }
    for model in ["west-first", "negative-first", "odd-even"] {
        let plan = study(MESH, &format!("kind = '{model}'"), "", "uniform", 2_000);
        let analysis = analysis(&experiment(&plan));
        assert!(analysis.is_sound());
        assert!(!analysis.verdict.certificate().unwrap().is_by_escape());
    }
}

/// Transpose is the worst case of dimension order, and has ways enough for who looks for them.
#[test]
fn it_saturates_well_above_dimension_order_under_transpose() {
    let saturation = |routing: &str| {
        let text = format!(
            "[network]\n{MESH}\n[routing]\nkind = '{routing}'\n[router]\nvirtual_channels = 4\n\
             [traffic]\npattern = 'transpose'\nload = 0.01\npacket_flits = 1\n\
             [simulation]\nwarmup_cycles = 2000\nmeasure_cycles = 3000\nfind_saturation = true"
        );
        let rows = rows(&text);
        figure(&rows[0], "saturation_load")
    };
    let (adaptive, order) = (
        saturation("minimal-adaptive"),
        saturation("dimension-order"),
    );
    assert!(adaptive >= 1.5 * order, "{adaptive} and {order}");
}
