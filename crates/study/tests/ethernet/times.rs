//! How long things take where nothing is in the way, and where something is.

use super::{ethernet, experiment, run, tree};
use turnwise_sim::{Ending, Ethernet};
use turnwise_study::details::Details;

fn phases(routing: &str, roots: u32, phases: &str, more: &str) -> String {
    let network = tree(16, 8, roots);
    format!(
        "{network}[routing]\nkind = '{routing}'\n[ethernet]\n[workload]\nkind = 'phases'\n{phases}\n\
         host = {{ packet_flits = 1500, eager_bytes = 1_000_000_000 }}\n[simulation]\ncycles_limit = '1 s'\n{more}"
    )
}

/// A frame of `f` bytes that crosses `s` switches is sent `s + 1` times whole, over `s - 1` links of 125 cycles and two of 1, and spends 625
/// cycles in each switch.
#[test]
fn a_frame_takes_as_long_as_its_formula_says() {
    for (partner, switches) in [(1, 1), (16, 3)] {
        for flits in [64, 1500] {
            let text = phases(
                "d-mod-k",
                16,
                &format!("ranks = 128\nphases = [{{ shift = {partner}, bytes = {flits} }}]"),
                "",
            );
            let outcome = run(&experiment(&text));
            assert_eq!(outcome.ending, Ending::Completed);
            let time =
                |switches: u64| (switches + 1) * flits + (switches - 1) * 125 + 2 + switches * 625;
            let latencies = &outcome.measurement.latencies;
            assert_eq!(latencies.quantile(0.5), Some(time(switches)));
            // The last rank of a leaf sends to the next leaf.
            let found = latencies.max().unwrap();
            assert_eq!(found, time(3));
            assert_eq!(outcome.makespan.unwrap(), found);
        }
    }
}

/// What is not said is as the standards have it, of one program and of each of several.
#[test]
fn frames_have_1500_bytes_unless_said_otherwise() {
    let one = phases(
        "d-mod-k",
        16,
        "ranks = 128\nphases = [{ shift = 64, bytes = 6000 }]",
        "",
    );
    let (head, _) = one.split_once("[workload]").unwrap();
    let several = format!(
        "{head}[workload]\nkind = 'jobs'\n[[workload.jobs]]\nname = 'a'\nkind = 'phases'\nranks = 128\n\
         phases = [{{ shift = 64, bytes = 6000 }}]\n\
         host = {{ packet_flits = 1500, eager_bytes = 1_000_000_000 }}\n[simulation]\ncycles_limit = '1 s'\n"
    );
    for said in [one, several] {
        let fingerprint = |text: &str| run(&experiment(text)).fingerprint;
        let expected = fingerprint(&said);
        assert_eq!(
            fingerprint(&said.replace("packet_flits = 1500, ", "")),
            expected
        );
        let other = said.replace("packet_flits = 1500", "packet_flits = 750");
        assert_ne!(fingerprint(&other), expected);
    }
}

/// One rank sends a long message: frames follow each other without a gap.
#[test]
fn messages_go_at_the_rate_of_their_links() {
    let text = phases(
        "d-mod-k",
        16,
        "ranks = 128\nphases = [{ shift = 64, bytes = 1_500_000 }]",
        "",
    );
    let outcome = run(&experiment(&text));
    let last = 3 * 1500 + 2 * 125 + 2 + 3 * 625;
    assert_eq!(outcome.makespan, Some(1_500_000 + last));
    assert_eq!(ethernet(&outcome).pauses, 0);
}

/// Ours at random places: nearly as short as what knows the placement and the phases, and far fewer frames late than where each takes
/// the shorter of two queues.
#[test]
fn turns_are_as_short_as_what_knows_the_placement() {
    let measured = |routing| {
        let more = "[placement]\nkind = 'random'\n";
        let text = phases(routing, 16, "program = 'cg'\nshorter = 4", more);
        let outcome = run(&experiment(&text));
        let late = ethernet(&outcome).reordered_share;
        (outcome.makespan.unwrap() as f64, late)
    };
    let [turns, coloured, drawn] = ["in-turn", "coloured", "anca"].map(measured);
    assert!(turns.0 < 1.05 * coloured.0, "{turns:?} and {coloured:?}");
    assert!(turns.1 < 0.5 * drawn.1, "{turns:?} and {drawn:?}");
}

/// The same bytes, however often it is asked; every routing that fits a fat tree, whatever its switches notice.
#[test]
fn runs_repeat_themselves() {
    for routing in ["nca", "anca", "snooping", "in-turn"] {
        let more = "[placement]\nkind = 'random'\n";
        let text = phases(routing, 16, "program = 'cg'\nshorter = 10", more);
        let experiment = experiment(&text);
        let [first, second] = [(); 2].map(|()| run(&experiment));
        assert_eq!(first.fingerprint, second.fingerprint);
        assert_eq!(first.measurement, second.measurement);
        let setup = experiment.setup();
        let model = experiment.ethernet.as_ref().unwrap();
        let unchecked = Ethernet::new(setup, model).run_while(|_| true).unwrap();
        assert_eq!(unchecked.fingerprint, first.fingerprint);
    }
}

/// The last frame of a window may go on behind it; nobody is told of more than the window.
#[test]
fn no_channel_is_used_for_more_than_the_window() {
    let network = tree(4, 3, 1);
    let text = format!(
        "{network}[routing]\nkind = 'd-mod-k'\n[ethernet]\n[traffic]\npattern = 'uniform'\nload = 0.9\npacket_flits = 1500\n\
         [simulation]\nwarmup_cycles = 100_000\nmeasure_cycles = 50_000\ndrain = false\n"
    );
    let experiment = experiment(&text);
    let outcome = run(&experiment);
    let beyond = outcome
        .measurement
        .utilisation
        .iter()
        .filter(|&&share| share > 1.0);
    assert!(beyond.count() > 0);
    let told = Details::new(&experiment, &outcome);
    assert_eq!(told.channels.iter().max(), Some(&told.window));
}

/// A time, whatever cycles are and however many a flit takes between switches; what adapters take is of no account.
#[test]
fn what_was_heard_is_forgotten_after_a_time() {
    let text = |interval: u32, more: &str| {
        format!(
            "[network]\nkind = 'xgft'\nm = [8, 4]\nw = [1, 3]\nchannel_latency = '100 ns'\n\
             channel_interval = {{ terminal = 8, local = {interval} }}\n[routing]\nkind = 'in-turn'\n{more}\n[ethernet]\n\
             [workload]\nkind = 'collective'\ncollective = 'all-to-all'\nalgorithm = 'linear'\nbytes = 30000\n[placement]\nkind = 'random'\n"
        )
    };
    let fingerprint = |interval, more: &str| run(&experiment(&text(interval, more))).fingerprint;
    for interval in [1, 4] {
        let said = format!("timeout_cycles = {}", 125_000 * interval);
        assert_eq!(fingerprint(interval, ""), fingerprint(interval, &said));
    }
    let shorter = fingerprint(4, "timeout_cycles = 125000");
    assert_ne!(fingerprint(4, ""), shorter);
}
