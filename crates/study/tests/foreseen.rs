//! What is foreseen of a run, against what it then takes: flits crossing routers, where more is sent than gets through as well.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack;

use crate::stack::{figure, rows};
use turnwise_study::estimate::Estimate;
use turnwise_study::{Plan, Workshop};

const DRAGONFLY: &str =
    "kind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2";

/// Flits crossing routers that are foreseen, and those that do.
fn flit_hops(network: &str, routing: &str, pattern: &str, load: f64) -> (f64, f64) {
    let text = format!(
        "[network]\n{network}\n[routing]\nkind = '{routing}'\n[traffic]\npattern = '{pattern}'\nload = {load}\n\
         [simulation]\nwarmup_cycles = 1000\nmeasure_cycles = 2000"
    );
    let plan = stack::plan(&text);
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    let foreseen = Estimate::of(&experiment, 1).flit_hops;
    (foreseen as f64, figure(&rows(&text)[0], "flit_hops"))
}

#[test]
fn overloads_are_foreseen_whatever_routing_makes_of_them() {
    let torus = "kind = 'torus'\nsizes = [8, 8]";
    let mut cases = vec![(torus, "dimension-order", "uniform")];
    for routing in [
        "minimal",
        "valiant",
        "ugal",
        "par",
        "piggyback",
        "weighted-adaptive",
        "informed",
    ] {
        cases.push((DRAGONFLY, routing, "adversarial"));
        cases.push((DRAGONFLY, routing, "uniform"));
    }
    let mut wrong = Vec::new();
    for (network, routing, pattern) in cases {
        for load in [0.02, 0.2, 0.5, 0.9] {
            let (foreseen, found) = flit_hops(network, routing, pattern, load);
            // Too much is better than too little: who only sees the queues of its own router stays in the way of the rest.
            if !(0.4..5.0).contains(&(foreseen / found)) {
                wrong.push(format!(
                    "{routing}, {pattern} at {load}: {foreseen} instead of {found}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether long messages are announced or not, on Ethernet or flit by flit.
#[test]
fn what_programs_send_is_foreseen() {
    let host = |eager| format!("host = {{ packet_flits = 1500, eager_bytes = {eager} }}");
    let mut programs = Vec::new();
    for eager in [1, 1_000_000_000] {
        let host = host(eager);
        programs.push(format!(
            "kind = 'phases'\nranks = 16\nphases = [{{ xor = 4, bytes = 60_000 }}, {{ shift = 5, around = true, bytes = 40_000 }}]\n{host}"
        ));
        programs.push(format!(
            "kind = 'collective'\ncollective = 'all-reduce'\nbytes = 200_000\nalgorithm = 'ring'\n{host}"
        ));
        programs.push(format!(
            "kind = 'npb'\nprogram = 'is'\nclass = 'S'\nranks = 16\n{host}"
        ));
    }
    for ethernet in ["", "[ethernet]\n"] {
        for program in &programs {
            let text = format!(
                "[study]\nclock = '1.25 GHz'\nflit_size = '1 B'\n[network]\nkind = 'xgft'\nm = [4, 4]\nw = [1, 4]\n\
                 [routing]\nkind = 'd-mod-k'\n{ethernet}[workload]\n{program}\n[simulation]\ncycles_limit = '1 s'\n"
            );
            let plan = stack::plan(&text);
            let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
            let foreseen = Estimate::of(&experiment, 1).flit_hops as f64;
            let found = figure(&rows(&text)[0], "flit_hops");
            assert!(
                (0.7..1.5).contains(&(foreseen / found)),
                "{foreseen} instead of {found}: {text}"
            );
        }
    }
}

/// Points share what is known of a program wherever they can, and nowhere else.
#[test]
fn what_is_foreseen_of_a_point_is_the_same_beside_others() {
    let sizes = ["[4, 4]", "[4, 8]"];
    let placements = [
        "{ kind = 'linear' }",
        "{ kind = 'random', seed = 1 }",
        "{ kind = 'random', seed = 2 }",
        "{ kind = 'linear', ranks_per_terminal = 2 }",
    ];
    let programs = ["cg", "is"];
    let routings = ["dimension-order", "valiant"];
    let text = |sizes: &str, placement: &str, program: &str, routing: &str, sweep: &str| {
        format!(
            "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n[network]\nkind = 'torus'\nsizes = {sizes}\n[routing]\nkind = '{routing}'\n[placement]\n{placement}\n\
             [workload]\nkind = 'npb'\nclass = 'S'\nprogram = '{program}'\n{sweep}"
        )
    };
    let sweep = format!(
        "[sweep]\n'network.sizes' = {sizes:?}\nplacement = {placements:?}\n'workload.program' = {programs:?}\n'routing.kind' = {routings:?}\n"
    )
    .replace("\"[", "[")
    .replace("]\"", "]")
    .replace("\"{", "{")
    .replace("}\"", "}");
    let of = |plan: &Plan, index| {
        let experiment = plan.experiment(&plan.point(index).unwrap(), None).unwrap();
        let estimate = Estimate::of(&experiment, 1);
        (estimate.flit_hops, estimate.bytes)
    };
    let all = stack::plan(&text(sizes[0], "kind = 'linear'", "cg", "valiant", &sweep));
    let mut index = 0;
    for sizes in sizes {
        for placement in placements {
            let fields = placement.trim_matches(['{', '}', ' ']).replace(", ", "\n");
            for program in programs {
                for routing in routings {
                    let alone = stack::plan(&text(sizes, &fields, program, routing, ""));
                    let who = format!("{sizes} {placement} {program} {routing}");
                    assert_eq!(of(&all, index), of(&alone, 0), "{who}");
                    index += 1;
                }
            }
        }
    }
    assert_eq!(index, all.len());
}

/// A file is in memory while it is read, beside what is made of it.
#[test]
fn files_of_programs_take_memory() {
    let program = "num_ranks 2\nrank 0 {\nl1: send 64b to 1\n}\nrank 1 {\nl1: recv 64b from 0\n}\n";
    let text = "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n[network]\nkind = 'mesh'\nsizes = [2]\n[routing]\nkind = 'dimension-order'\n\
                [workload]\nkind = 'goal'\nfile = 'program.goal'\n";
    let bytes = |words: &str| {
        let files = [(
            "program.goal".into(),
            format!("{program}{words}").into_bytes().into(),
        )];
        let workshop = Workshop::with_files(".", files.into());
        let plan = stack::try_plan_in(workshop, text).unwrap();
        let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
        Estimate::of(&experiment, 1).bytes
    };
    let words = "/* nothing */ ".repeat(1000);
    assert_eq!(bytes(&words) - bytes(""), words.len() as u64);
}

/// Threads that would wait for each other longer than they simulate are left to others.
#[test]
fn threads_are_for_networks_that_are_large_and_busy() {
    let threads = |side: u32, load: f64, more: &str| {
        let plan = stack::plan(&format!(
            "[network]\nkind = 'torus'\nsizes = [{side}, {side}]\n[routing]\nkind = 'dimension-order'\n[router]\nvirtual_channels = 2\n\
             [traffic]\npattern = 'uniform'\nload = {load}\n{more}"
        ));
        let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
        Estimate::of(&experiment, 8).threads
    };
    assert_eq!(threads(4, 0.9, ""), 1, "a small one");
    assert_eq!(threads(16, 0.001, ""), 1, "an idle one");
    assert_eq!(threads(32, 0.3, ""), 8, "a large and busy one");
    let searched = threads(32, 0.001, "[simulation]\nfind_saturation = true");
    assert_eq!(searched, 8, "what it can carry is searched for");
}
