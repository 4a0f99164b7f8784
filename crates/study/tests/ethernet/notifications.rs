//! Notifications: queues stay where they should, flows get fair shares, switches keep what they can route around.

use super::{EthernetMeasurement, ethernet, experiment, run, stack, tree};
use turnwise_sim::Ending;

/// Eight hosts of other leaves send to one as fast as they can.
fn incast(routing: &str, more: &str) -> String {
    let network = tree(4, 4, 4);
    format!(
        "{network}[routing]\nkind = '{routing}'\n[ethernet]\n{more}\n\
         [traffic]\npattern = 'hotspot'\nterminals = [0]\nfraction = 1\nload = 0.25\npacket_flits = 1500\n\
         [simulation]\nwarmup_cycles = '20 ms'\nmeasure_cycles = '40 ms'\ndrain = false\n"
    )
}

/// Without notifications queues are as long as pauses let them be; with them, near their set point, and the bottleneck stays busy.
#[test]
fn sources_are_slowed_down_to_what_fits() {
    let waits = |more: &str| {
        let outcome = run(&experiment(&incast("d-mod-k", more)));
        let received = outcome.measurement.terminals[0].received;
        let busy = received as f64 / outcome.measurement.window as f64;
        (
            outcome.measurement.network_latency,
            busy,
            ethernet(&outcome).clone(),
        )
    };
    let (paused, busy, without) = waits("");
    assert!(without.pauses > 100 && without.notifications == 0 && busy > 0.99);
    let (slowed, busy, with) =
        waits("notifications = true\ncongestion = { increase_cycles = '0.5 ms' }");
    assert!(with.notifications > 100 && with.absorbed == 0);
    assert_eq!(with.notifications, with.heeded);
    assert!(slowed < 0.5 * paused, "{slowed} against {paused}");
    assert!(busy > 0.8, "{busy}");
}

/// An eighth more than one host can take is on its way to it. Who slows down all that he sends because of that sends the others less, too.
#[test]
fn sources_slow_down_one_flow_or_all_of_them() {
    let received_by_others = |limits: &str| {
        let congestion =
            format!("notifications = true\ncongestion = {{ rate_limits = '{limits}' }}");
        let text = incast("d-mod-k", &congestion);
        let text = text.replace("fraction = 1\nload = 0.25", "fraction = 0.15\nload = 0.5");
        // Later the flow to the one holds up all others.
        let text = text.replace("20 ms", "0.4 ms").replace("40 ms", "0.8 ms");
        let measured = run(&experiment(&text)).measurement;
        let others = measured.terminals[1..].iter();
        let received: u64 = others.map(|terminal| terminal.received).sum();
        received as f64 / (15 * measured.window) as f64
    };
    let (one, all) = (received_by_others("flow"), received_by_others("source"));
    assert!(one > 0.4 && all < 0.8 * one, "{one} {all}");
}

/// What no other port helps against comes to its sources in the end: the second tier.
#[test]
fn where_no_way_around_helps_sources_hear_of_it() {
    let outcome = run(&experiment(&incast("snooping", "")));
    let measured = ethernet(&outcome);
    assert!(measured.absorbed > 0 && measured.heeded > 0, "{measured:?}");
}

/// Two pairs that share a way under d-mod-k part as soon as a switch hears of it: their destinations' numbers are the same modulo
/// the roots.
#[test]
fn switches_route_around_what_they_hear_of() {
    let makespan = |routing: &str| {
        let network = tree(4, 3, 4);
        let text = format!(
            "{network}[routing]\nkind = '{routing}'\n[ethernet]\n[workload]\nkind = 'phases'\nranks = 12\n\
             phases = [{{ partners = [4, 8, 2, 3, 0, 5, 6, 7, 1, 9, 10, 11], bytes = 3_000_000 }}]\n\
             host = {{ packet_flits = 1500 }}\n[simulation]\ncycles_limit = '1 s'\n"
        );
        run(&experiment(&text)).makespan.unwrap() as f64 / 3e6
    };
    let shared = makespan("d-mod-k");
    assert!((1.99..2.05).contains(&shared), "{shared}");
    for routing in ["snooping", "in-turn"] {
        let around = makespan(routing);
        assert!(around < 1.25, "{routing}: {around}");
    }
}

/// Eight hosts send to one for a moment, and then an eighth of that: the queue tells when it is short again, and those that had been told to go
/// around need not wait until they have forgotten it.
#[test]
fn queues_tell_when_they_are_short_again() {
    let notifications = |positive: bool| {
        let congestion = format!(
            "notifications = true\ncongestion = {{ rate_limiting = false, positive_feedback = {positive} }}"
        );
        let text = incast("snooping", &congestion);
        let text = text.replace("20 ms", "0 ms").replace("40 ms", "8 ms");
        let later = "packet_flits = 1500\n[[traffic.then]]\nat = '2 ms'\nload = 0.03\n";
        let outcome = run(&experiment(&text.replace("packet_flits = 1500\n", later)));
        let measured = ethernet(&outcome).clone();
        (measured.notifications, measured.heeded, outcome.fingerprint)
    };
    let (some, heeded, without) = notifications(false);
    let (more, as_many, with) = notifications(true);
    assert!(more > some && with != without);
    // Sources do nothing about it.
    assert!(more - as_many > some - heeded);
}

/// How finely time and bytes are counted changes little: what is not said is in bytes and nanoseconds.
#[test]
fn routing_is_the_same_whatever_a_flit_is() {
    let milliseconds = |routing: &str, cycle_ns: f64, flit_bytes: u32| {
        let text = format!(
            "[study]\nclock = '{cycle_ns} ns'\nflit_size = '{flit_bytes} B'\n\
             [network]\nkind = 'xgft'\nm = [16, 8]\nw = [1, 16]\nchannel_latency = '100 ns'\n\
             [routing]\nkind = '{routing}'\n[ethernet]\n[placement]\nkind = 'random'\n\
             [workload]\nkind = 'phases'\nprogram = 'cg'\nshorter = 2\nhost = {{ packet_flits = '1500 B' }}\n\
             [simulation]\ncycles_limit = '1 s'\n"
        );
        let plan = stack::plan(&text);
        let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
        run(&experiment).makespan.unwrap() as f64 * cycle_ns / 1e6
    };
    for routing in ["snooping", "in-turn"] {
        let [bytes, words] =
            [(0.8, 1), (16.0, 20)].map(|(ns, flit)| milliseconds(routing, ns, flit));
        assert!(
            (words / bytes - 1.0).abs() < 0.1,
            "{routing}: {bytes} and {words} ms"
        );
    }
}

/// Little's law: where all frames are of one length, what receivers hold in the mean is what comes in a cycle, times how long each frame
/// is held.
#[test]
fn what_receivers_hold_is_what_comes_times_how_long_it_is_held() {
    let network = tree(16, 8, 16);
    let outcome = run(&experiment(&format!(
        "{network}[routing]\nkind = 'snooping'\n[ethernet]\n[workload]\nkind = 'phases'\nprogram = 'cg'\n\
         host = {{ packet_flits = 1500, eager_bytes = 1_000_000_000 }}\n[placement]\nkind = 'random'\n\
         [simulation]\ncycles_limit = '1 s'\n"
    )));
    let measured = ethernet(&outcome);
    let held = measured.resequencing_delay * outcome.packets as f64 * 1500.0;
    let cycles = outcome.makespan.unwrap() + 1;
    let mean = held / (cycles * 128) as f64;
    assert!(mean > 1.0 && mean < measured.resequencing_flits as f64);
    let found = measured.mean_resequencing_flits;
    assert!((found / mean - 1.0).abs() < 1e-9, "{found}, not {mean}");
}

/// What happens in a window and in the next one is what happens in both: nothing of the warm-up is counted, nothing twice.
#[test]
fn two_windows_count_what_one_does_that_is_as_long() {
    let network = tree(4, 4, 4);
    let counted = |from: u64, cycles: u64| {
        let outcome = run(&experiment(&format!(
            "{network}[routing]\nkind = 'snooping'\n[ethernet]\n[ethernet.congestion]\nset_point_flits = 6000\n\
             [traffic]\npattern = 'hotspot'\nterminals = [0, 5]\nfraction = 0.3\nload = 0.7\npacket_flits = 1500\n\
             [simulation]\nwarmup_cycles = {from}\nmeasure_cycles = {cycles}\ndrain = false\n"
        )));
        ethernet(&outcome).clone()
    };
    let half = 400_000;
    let [first, second, both] =
        [(0, half), (half, half), (0, 2 * half)].map(|(from, cycles)| counted(from, cycles));
    let counts = |of: &EthernetMeasurement| [of.pauses, of.notifications, of.absorbed, of.heeded];
    for (both, (first, second)) in counts(&both)
        .iter()
        .zip(counts(&first).iter().zip(counts(&second)))
    {
        assert_eq!(*both, first + second);
        assert!(*first > 0 && second > 0, "{both}");
    }
    let shares = |of: &EthernetMeasurement| [of.paused_share, of.mean_resequencing_flits];
    for (both, (first, second)) in shares(&both)
        .iter()
        .zip(shares(&first).iter().zip(shares(&second)))
    {
        assert!(
            (both - (first + second) / 2.0).abs() < 1e-9 * both,
            "{both}"
        );
        assert!(*both > 0.0);
    }
    // Of the whole run, whatever the window is.
    assert_eq!(second.longest_queue, both.longest_queue);
    assert_eq!(second.resequencing_flits, both.resequencing_flits);
    let late = [first.reordered_share, second.reordered_share];
    assert!(
        late[0].min(late[1]) <= both.reordered_share
            && both.reordered_share <= late[0].max(late[1])
    );
    assert!(both.reordered_share > 0.0);
}

/// A program's window is as long as the program, whether or not anything is left to happen behind it, and that of a deadlock ends with it.
#[test]
fn windows_are_no_longer_than_their_runs() {
    // Three hosts send to the fourth, whose link is the only one that does not stand still for most of the time.
    let gather = |more: &str| {
        let network = tree(4, 1, 1);
        let outcome = run(&experiment(&format!(
            "{network}[routing]\nkind = 'd-mod-k'\n[ethernet]\n{more}\n[workload]\nkind = 'collective'\ncollective = 'gather'\n\
             algorithm = 'linear'\nbytes = 1_000_000\nhost = {{ packet_flits = 1500, eager_bytes = 1_000_000_000 }}\n\
             [simulation]\ncycles_limit = '1 s'\n"
        )));
        assert_eq!(outcome.ending, Ending::Completed);
        ethernet(&outcome).paused_share
    };
    // Timers of notifications go on behind the end, so that these windows are closed in another way.
    let (plain, timed) = (
        gather(""),
        gather("notifications = true\n[ethernet.congestion]\nset_point_flits = 1_000_000_000"),
    );
    assert!(plain > 0.05, "{plain}");
    assert!((plain / timed - 1.0).abs() < 1e-6, "{plain} and {timed}");
    let stuck = run(&experiment(
        "[network]\nkind = 'torus'\nsizes = [7]\n[routing]\nkind = 'min-hop'\n[ethernet]\nbuffer_flits = 20_000\n\
         [traffic]\npattern = 'tornado'\nload = 1.0\npacket_flits = 1500\n\
         [simulation]\nwarmup_cycles = 1_000\nmeasure_cycles = 50_000_000\n",
    ));
    assert!(
        matches!(stuck.ending, Ending::Deadlocked(_)),
        "{:?}",
        stuck.ending
    );
    let share = ethernet(&stuck).paused_share;
    let end = stuck.cycles as f64;
    // Of fourteen channels and seven links of hosts, most had been moving until shortly before.
    assert!(
        share > 0.0 && share < 0.9 && end < 10_000_000.0,
        "{share} until {end}"
    );
}
