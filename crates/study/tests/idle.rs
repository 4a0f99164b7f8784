//! Work grows with packets, not with routers times cycles: routers with nothing to do cost nothing.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack;

use turnwise_sim::Outcome;

const ROUTERS: f64 = 33.0 * 8.0;

/// Uniform traffic on a dragonfly of 264 routers and 1,056 terminals.
fn run(load: f64, cycles: u64) -> Outcome {
    let plan = stack::plan(&format!(
        "[network]\nkind = 'dragonfly'\ngroups = 33\nrouters_per_group = 8\nterminals_per_router = 4\n\
         global_ports_per_router = 4\nchannel_latency = {{ local = 10, global = 100 }}\n\
         [routing]\nkind = 'minimal'\n[traffic]\npattern = 'uniform'\nload = {load}\n\
         [simulation]\nwarmup_cycles = 0\nmeasure_cycles = {cycles}"
    ));
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    stack::simulate(&experiment, false)
}

/// Route, channel, switch: a packet of one flit keeps a router busy for three steps, fewer if
/// it shares them with other packets.
#[test]
fn a_flit_hop_takes_three_steps_at_most_however_idle_the_network_is() {
    for (load, cycles) in [(0.01, 4_000), (0.001, 40_000), (0.000_1, 400_000)] {
        let outcome = run(load, cycles);
        assert!(outcome.packets > 40_000, "{}", outcome.packets);
        let steps = outcome.router_steps as f64;
        let per_flit_hop = steps / outcome.flit_hops as f64;
        assert!(
            (2.0..=3.0).contains(&per_flit_hop),
            "{per_flit_hop} steps a flit-hop at load {load}"
        );
        // The same packets over ten times as many cycles: the share of busy routers shrinks with the load.
        let everybody = ROUTERS * outcome.cycles as f64;
        assert!(
            steps < 50.0 * load * everybody,
            "{steps} of {everybody} steps at load {load}"
        );
    }
}

/// To walk through them would take minutes.
#[test]
fn cycles_in_which_nothing_is_due_are_skipped_to_the_end() {
    for traffic in [
        "load = 0",
        "load = 0.2\nthen = [{ at = 500, load = 0 }]",
        "load = 1e-14",
    ] {
        let plan = stack::plan(&format!(
            "[network]\nkind = 'torus'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n\
             [traffic]\npattern = 'uniform'\n{traffic}\n\
             [simulation]\nwarmup_cycles = 100\nmeasure_cycles = 400_000_000_000"
        ));
        let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
        for check in [false, true] {
            let outcome = stack::simulate(&experiment, check);
            assert_eq!(outcome.cycles, 400_000_000_100, "{traffic}");
        }
    }
}
