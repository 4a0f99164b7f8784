//! Programs through the whole stack: benchmarks, rank by rank, on networks of every family.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{figure, plan, rows, try_plan};
use turnwise_sim::{Ending, Outcome, Setup, Simulation};
use turnwise_study::workshop::Experiment;

const UNITS: &str = "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n";

fn study(network: &str, routing: &str, workload: &str) -> String {
    format!(
        "{UNITS}[network]\n{network}\n[routing]\n{routing}\n[workload]\nkind = 'npb'\n{workload}\n\
         [simulation]\ncycles_limit = 100_000_000\n"
    )
}

fn experiment(text: &str) -> Experiment {
    let plan = plan(text);
    plan.experiment(&plan.point(0).unwrap(), None).unwrap()
}

fn simulate(experiment: &Experiment, threads: usize) -> Outcome {
    let setup = Setup {
        check: threads == 1,
        threads,
        ..experiment.setup()
    };
    Simulation::new(setup).run().unwrap()
}

/// Dimension order keeps the order of packets, UGAL does not; messages keep theirs.
#[test]
fn benchmarks_end_on_every_family_whatever_the_threads() {
    let networks = [
        ("kind = 'torus'\nsizes = [4, 4]", "kind = 'dimension-order'"),
        (
            "kind = 'k-ary-n-tree'\narity = 4\nlevels = 2",
            "kind = 'd-mod-k'",
        ),
        (
            "kind = 'dragonfly'\ngroups = 5\nrouters_per_group = 4\nterminals_per_router = 1\n\
             global_ports_per_router = 1",
            "kind = 'ugal'",
        ),
    ];
    let host = "host = { packet_flits = 4, eager_bytes = 256, overhead_cycles = 3 }";
    for (network, routing) in networks {
        for program in ["cg", "ft", "is", "mg", "lu", "bt"] {
            let workload = format!("program = '{program}'\nclass = 'S'\niterations = 1\n{host}");
            let experiment = experiment(&study(network, routing, &workload));
            let alone = simulate(&experiment, 1);
            assert_eq!(alone.ending, Ending::Completed, "{program}, {network}");
            let several = simulate(&experiment, 2);
            assert_eq!(
                several.fingerprint, alone.fingerprint,
                "{program}, {network}"
            );
            assert_eq!(several.makespan, alone.makespan, "{program}, {network}");
        }
    }
}

/// A program is as long in time whatever the clock, as far as it computes; and another point.
#[test]
fn programs_count_time_and_bytes() {
    let text = |clock: &str, flit: &str, computing: &str| {
        let workload =
            format!("program = 'is'\nclass = 'S'\niterations = 1\ncomputing = {computing}");
        let text = study(
            "kind = 'full-mesh'\nrouters = 4",
            "kind = 'dimension-order'",
            &workload,
        );
        text.replace("1 GHz", clock).replace("16 B", flit)
    };
    let makespan = |clock, flit, computing| {
        let rows = rows(&text(clock, flit, computing));
        figure(&rows[0], "makespan")
    };
    let communication = makespan("1 GHz", "16 B", "0");
    let computing = makespan("1 GHz", "16 B", "1") - communication;
    let faster = makespan("4 GHz", "16 B", "1") - makespan("4 GHz", "16 B", "0");
    assert!(
        (faster / computing - 4.0).abs() < 0.001,
        "{faster} {computing}"
    );
    assert!(makespan("1 GHz", "4 B", "0") > 3.0 * communication);
    let identity = |clock, flit| plan(&text(clock, flit, "1")).point(0).unwrap().id;
    assert_ne!(identity("1 GHz", "16 B"), identity("2 GHz", "16 B"));
    assert_ne!(identity("1 GHz", "16 B"), identity("1 GHz", "32 B"));
    assert_eq!(identity("1 GHz", "16 B"), identity("1 ns", "128 bit"));
}

/// Also where the whole table is swept; and what counts neither is told of neither.
#[test]
fn swept_programs_are_told_of_clock_and_flits() {
    let text = format!(
        "{UNITS}[network]\nkind = 'full-mesh'\nrouters = 4\n[routing]\nkind = 'dimension-order'\n[sweep]\n\
         workload = [{{ kind = 'npb', program = 'ft', class = 'S', iterations = 1, computing = 0 }}, \
         {{ kind = 'barrier' }}]"
    );
    assert_eq!(rows(&text).len(), 2);
    let without = text.replace(UNITS, "");
    let errors = try_plan(&without).err().unwrap();
    assert!(
        errors[0].message.contains("programs count time"),
        "{errors:?}"
    );
    let help = errors[0].help.as_deref().unwrap_or_default();
    for example in ["study.clock = ", "study.flit_size = "] {
        assert!(help.contains(example), "{help}");
    }
}
