//! Nothing is lost and no buffer overflows, whatever the network, the routing and the traffic; and where routes go round in circles,
//! pauses do too, as the verifier says.

use super::{UNITS, ethernet, experiment, run, stack, tree};
use turnwise_network::random::{Purpose, Random};
use turnwise_sim::Ending;
use turnwise_verify::{Verdict, analyse};

/// One of these.
fn one<'a>(of: &[&'a str], random: &mut Random) -> &'a str {
    of[random.below(of.len() as u32) as usize]
}

/// A study drawn at random: all that belongs to Ethernet, on networks whose routings are free of deadlock.
pub(super) fn draw(number: u32) -> String {
    let mut random = Random::new(1, Purpose::Other, 7, number);
    let network = one(
        &[
            "kind = 'xgft'\nm = [4, 4]\nw = [1, 2]",
            "kind = 'k-ary-n-tree'\narity = 3\nlevels = 3",
            "kind = 'xgft'\nm = [3, 2, 2]\nw = [1, 3, 2]",
            "kind = 'random-regular'\nrouters = 12\ndegree = 3\nterminals_per_router = 2",
            "kind = 'torus'\nsizes = [3, 4]",
            "kind = 'dragonfly'\ngroups = 5\nrouters_per_group = 4\nterminals_per_router = 1\nglobal_ports_per_router = 1",
        ],
        &mut random,
    );
    let routing = match network {
        network if network.contains("tree") || network.contains("xgft") => one(
            &[
                "d-mod-k", "s-mod-k", "nca", "anca", "r-nca", "snooping", "in-turn",
            ],
            &mut random,
        ),
        network if network.contains("torus") => "dimension-order",
        network if network.contains("dragonfly") => {
            one(&["minimal", "valiant", "shortest-path"], &mut random)
        }
        _ => one(&["up-down", "shortest-path", "turnwise"], &mut random),
    };
    let latency = one(&["1", "20", "125", "1000"], &mut random);
    let switch_delay = one(&["0", "3", "625"], &mut random);
    let frame = one(&["64", "700", "1500", "9000"], &mut random);
    let notifications = one(
        &[
            "",
            "notifications = true\n",
            "notifications = true\ncongestion = { set_point_flits = 4000, sample_flits = 6000, increase_cycles = 50000 }\n",
        ],
        &mut random,
    );
    let early = one(&["hold", "place"], &mut random);
    // Room for what may still come, and a frame or many.
    let least = 4 * frame.parse::<u32>().unwrap()
        + 32 * 64
        + 2 * latency.parse::<u32>().unwrap()
        + switch_delay.parse::<u32>().unwrap();
    let buffer = least + random.below(60_000);
    let pattern = one(
        &[
            "uniform",
            "random-permutation",
            "hotspot\"\nterminals = [0]\nfraction = 0.5#",
            "hotspot\"\nterminals = [1]\nfraction = 1#",
        ],
        &mut random,
    );
    let load = one(&["0.1", "0.5", "0.9", "1"], &mut random);
    format!(
        "{UNITS}seed = {number}\n[network]\n{network}\nchannel_latency = {latency}\n[routing]\nkind = '{routing}'\n\
         [ethernet]\nbuffer_flits = {buffer}\nswitch_delay = {switch_delay}\nearly_frames = '{early}'\n{notifications}\
         [traffic]\npattern = \"{pattern}\"\nload = {load}\npacket_flits = {frame}\n\
         [simulation]\nwarmup_cycles = 0\nmeasure_cycles = 1_100_000\ndrain = false\ncheck = true\n"
    )
    .replace("#\"", "")
}

/// 200 configurations, a thousand million bytes; switches end the run themselves if a frame finds no room.
#[test]
fn nothing_is_lost_whatever_is_asked() {
    let mut bytes = 0.0;
    for number in 0..200 {
        let text = draw(number);
        let plan = stack::plan(&text);
        let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
        let outcome = run(&experiment);
        assert_eq!(outcome.ending, Ending::Completed, "{text}");
        let buffer = experiment.ethernet.as_ref().unwrap().buffer_flits;
        assert!(ethernet(&outcome).most_held <= buffer, "{text}");
        let living = experiment.routed.network.living_terminals().count() as f64;
        bytes +=
            outcome.measurement.accepted_load.mean * outcome.measurement.window as f64 * living;
    }
    assert!(bytes > 1e9, "{bytes}");
}

/// Everything that is sent arrives, once its sources are silent: programs end, however narrow the network.
#[test]
fn programs_end_with_the_smallest_buffers() {
    let network = tree(8, 4, 1);
    for routing in ["d-mod-k", "snooping", "in-turn"] {
        for notifications in ["", "notifications = true\n"] {
            let text = format!(
                "{network}[routing]\nkind = '{routing}'\n[ethernet]\nbuffer_flits = 7500\n{notifications}\
                 [workload]\nkind = 'exchange'\npattern = 'uniform'\nmessage_flits = 20000\nrounds = 3\npacket_flits = 1500\n\
                 [simulation]\ncycles_limit = '10 s'\n"
            );
            let outcome = run(&experiment(&text));
            assert_eq!(outcome.ending, Ending::Completed, "{text}");
            assert!(ethernet(&outcome).pauses > 0);
        }
    }
}

/// Shortest paths on a ring wait for each other in a circle: the verifier says so, and the run ends in it.
#[test]
fn pauses_that_go_round_are_foreseen_and_found() {
    let text = |classes: &str| {
        format!(
            "[network]\nkind = 'torus'\nsizes = [5]\nterminals_per_router = 2\nchannel_latency = 100\n\
             [routing]\nkind = 'shortest-path'\nclasses = '{classes}'\n[ethernet]\nbuffer_flits = 20000\n\
             [traffic]\npattern = 'shift'\noffset = 4\nload = 1\npacket_flits = 1500\n\
             [simulation]\nwarmup_cycles = 0\nmeasure_cycles = 4_000_000\n"
        )
    };
    for (classes, is_free) in [("none", false), ("by-hop", true)] {
        let experiment = experiment(&text(classes));
        let routed = &experiment.routed;
        let verdict = analyse(
            &routed.network,
            &*routed.routing,
            turnwise_network::FlowControl::Pause,
        );
        assert_eq!(matches!(verdict.verdict, Verdict::DeadlockFree(_)), is_free);
        let outcome = run(&experiment);
        match outcome.ending {
            Ending::Deadlocked(cycle) => {
                assert!(!is_free);
                for (held, wanted) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                    let [held, wanted] =
                        [held, wanted].map(|waits| *routed.network.channel(waits.channel));
                    assert_eq!(held.to_router(), wanted.from_router());
                }
            }
            ending => assert!(is_free, "{ending:?}"),
        }
    }
}
