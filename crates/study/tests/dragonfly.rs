//! Adaptive routing of dragonflies: as many virtual channels as its classes need are proved, one fewer shows a cycle; and
//! how much it accepts under attack.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{figure, plan, rows, simulate};
use turnwise_sim::{Setup, Simulation};
use turnwise_verify::{Verdict, analyse};

/// 9 groups of 4 routers with 2 terminals: one link between any two groups.
fn network(arrangement: &str, faults: &str) -> String {
    format!(
        "[network]\nkind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2\n\
         arrangement = '{arrangement}'\n{faults}\n"
    )
}

/// What it takes to be free of deadlock, in the table of the room `grouped/adaptive`.
const FEWEST: &[(&str, u8)] = &[
    ("kind = 'ugal'", 4),
    ("kind = 'ugal-g'", 4),
    ("kind = 'ugal-g'\nvia = 'group'", 3),
    ("kind = 'piggyback'", 4),
    ("kind = 'piggyback'\nvia = 'group'", 3),
    ("kind = 'crt'", 4),
    ("kind = 'crt'\nvia = 'group'", 3),
    ("kind = 'par'", 5),
    ("kind = 'par'\nvia = 'group'", 4),
    ("kind = 'weighted-adaptive'", 5),
    ("kind = 'weighted-adaptive'\nvaliant_node = false", 4),
    ("kind = 'weighted-adaptive'\nprogressive = false", 4),
    (
        "kind = 'weighted-adaptive'\nprogressive = false\nvaliant_node = false",
        3,
    ),
    ("kind = 'informed'", 4),
    ("kind = 'informed'\nprogressive = true", 5),
    ("kind = 'in-transit'", 3),
    ("kind = 'in-transit'\nlocal_detours = false", 3),
    ("kind = 'in-transit'\nglobal_detours = 'current-router'", 3),
    (
        "kind = 'in-transit'\nglobal_detours = 'neighbour-router'",
        3,
    ),
    ("kind = 'in-transit'\nglobal_detours = 'random-router'", 3),
];

fn verdict(network: &str, routing: &str, virtual_channels: u8) -> Verdict {
    let text = format!(
        "{network}[routing]\n{routing}\nvirtual_channels = {virtual_channels}\n\
         [router]\nvirtual_channels = {virtual_channels}\n[traffic]\npattern = 'uniform'\nload = 0.1\n"
    );
    let plan = plan(&text);
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    let routed = &experiment.routed;
    analyse(
        &routed.network,
        &*routed.routing,
        experiment.model.flow_control,
    )
    .verdict
}

#[test]
fn as_many_virtual_channels_as_classes_are_the_fewest() {
    for arrangement in ["absolute", "relative", "palmtree", "circulant", "random"] {
        for faults in ["", "faults = { random_links = '5 %' }"] {
            let network = network(arrangement, faults);
            for &(routing, fewest) in FEWEST {
                let case = format!("{routing}, {arrangement}, {faults}");
                let enough = verdict(&network, routing, fewest);
                assert!(enough.is_deadlock_free(), "{case}: {enough:?}");
                let too_few = verdict(&network, routing, fewest - 1);
                assert!(matches!(too_few, Verdict::Cyclic(_)), "{case}");
            }
        }
    }
}

/// Groups send to the next one: a global channel serves 8 terminals minimally, and the 8 of a group at most
/// `1/2 + 1/(2 * 8)` each, since a detour costs two.
const MINIMAL: f64 = 1.0 / 8.0;
const MIX: f64 = 0.5 + 0.5 * MINIMAL;

fn study(routing: &str, load: f64) -> String {
    of_cycles(routing, load, [3000, 5000])
}

/// With so many cycles before it is measured, and so many then.
fn of_cycles(routing: &str, load: f64, [warmup, measured]: [u32; 2]) -> String {
    format!(
        "{}[routing]\n{routing}\n[router]\nvirtual_channels = 10\nbuffer_flits = 32\ninternal_speedup = 2\n\
         [traffic]\npattern = 'adversarial'\nload = {load}\npacket_flits = 4\n\
         [simulation]\nwarmup_cycles = {warmup}\nmeasure_cycles = {measured}\n",
        network("absolute", "")
    )
}

fn accepted(routing: &str, load: f64) -> f64 {
    figure(&rows(&study(routing, load))[0], "accepted_load")
}

#[test]
fn nobody_accepts_more_than_the_best_mix() {
    let accepted = |routing| {
        let text = of_cycles(routing, 0.7, [2000, 2500]);
        figure(&rows(&text)[0], "accepted_load")
    };
    let alone = accepted("kind = 'minimal'");
    assert!((alone / MINIMAL - 1.0).abs() < 0.03, "{alone}");
    for &(routing, _) in FEWEST {
        let most = accepted(routing);
        assert!(most > MINIMAL && most < 1.005 * MIX, "{routing}: {most}");
    }
}

#[test]
fn who_is_informed_accepts_what_the_best_mix_does() {
    for load in [0.5, 0.55, 0.7] {
        let accepted = accepted("kind = 'informed'", load);
        let most = f64::min(load, MIX);
        assert!(accepted > 0.97 * most, "{accepted} at {load}");
    }
}

/// Routers that show little of the queue of a global channel, and how much slower than others these channels are: the backlog waits at
/// the inputs, or in short output queues, and only what is under way has left for them.
const SHOWING_LITTLE: &[(&str, &str, f64)] = &[
    ("", "", 1.0),
    ("channel_latency = { global = 20 }", "", 1.0),
    ("channel_interval = { global = 4 }", "", 4.0),
    (
        "channel_interval = { global = 4 }",
        "kind = 'input-output-queued'\nbuffer_flits = 64",
        4.0,
    ),
    (
        "",
        "kind = 'input-output-queued'\nbuffer_flits = 256\noutput_speedup = 2",
        1.0,
    ),
];

#[test]
fn no_threshold_is_beyond_what_is_seen() {
    for (channels, router, interval) in SHOWING_LITTLE {
        for &(routing, _) in FEWEST {
            let load = 1.5 * MINIMAL / interval;
            let text = format!(
                "{}{channels}\n[routing]\n{routing}\n[router]\nvirtual_channels = 10\n{router}\n\
                 [traffic]\npattern = 'adversarial'\nload = {load}\npacket_flits = 4\n\
                 [simulation]\nwarmup_cycles = 6000\nmeasure_cycles = 8000\n",
                network("palmtree", "")
            );
            let accepted = figure(&rows(&text)[0], "accepted_load");
            let case = format!("{routing}, {channels}, {router}");
            assert!(accepted > 0.97 * load, "{case}: {accepted} of {load}");
        }
    }
}

/// Packets of one flit in the one virtual channel of a class do not fill the output queue of a router that is fast enough for several.
#[test]
fn queues_that_short_packets_do_not_fill_are_not_waited_for() {
    let load = 1.5 * MINIMAL;
    let text = format!(
        "{}\n[routing]\nkind = 'par'\n[router]\npreset = 'supersim-ioq'\nvirtual_channels = 5\n\
         [traffic]\npattern = 'adversarial'\nload = {load}\n\
         [simulation]\nwarmup_cycles = 3000\nmeasure_cycles = 3000\n",
        network("absolute", "")
    );
    let accepted = figure(&rows(&text)[0], "accepted_load");
    assert!(accepted > 0.97 * load, "{accepted} of {load}");
}

/// One random detour is often no better than the minimal way, four are not.
#[test]
fn who_knows_all_queues_comes_close_with_several_candidates() {
    let of = |paths: u32| {
        let routing = format!("kind = 'ugal-g'\nvia = 'group'\npaths = {paths}");
        accepted(&routing, 0.7)
    };
    let (one, four) = (of(1), of(4));
    assert!(four > 0.92 * MIX && four > one, "{one} and {four}");
}

/// The source's router sees a congested global channel of another one only in the credits that this withholds.
#[test]
fn withheld_credits_show_congestion_behind_a_local_channel() {
    // All is accepted at this load, but who does not see the congestion waits for it: 61 cycles against 94.
    let latency = |most: u32| {
        let text = study(&format!("kind = 'crt'\nmost_withheld_cycles = {most}"), 0.2);
        figure(&rows(&text)[0], "mean_packet_latency")
    };
    let (with, without) = (latency(256), latency(0));
    assert!(with < 0.75 * without, "{with} and {without} cycles");
}

/// What is timed and withheld is so on all threads alike, and no credit gets lost. Seven packets a cycle: what threads do apart shows
/// soon, and they wait for each other in every cycle.
#[test]
fn threads_leave_no_trace_in_credits() {
    let phantom = "phantom = { value_coefficient = 1.0, length_coefficient = 2.0 }";
    for routing in [
        "kind = 'crt'",
        "kind = 'crt'\nvia = 'group'",
        "kind = 'informed'",
        "kind = 'piggyback'",
    ] {
        for more in ["", phantom] {
            let plan = plan(&of_cycles(&format!("{routing}\n{more}"), 0.4, [500, 1000]));
            let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
            let alone = simulate(&experiment, true);
            for threads in [2, 4] {
                let setup = Setup {
                    threads,
                    ..experiment.setup()
                };
                let together = Simulation::new(setup).run().unwrap();
                assert_eq!(
                    alone.fingerprint, together.fingerprint,
                    "{routing} {more}, {threads} threads"
                );
                assert_eq!(alone.measurement, together.measurement, "{routing} {more}");
            }
        }
    }
}
