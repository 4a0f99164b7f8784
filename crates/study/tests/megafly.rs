//! Adaptive routing of megaflies: proofs with two virtual channels, cycles with one, and how much is accepted under a shift.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{figure, plan, rows};
use turnwise_network::FlowControl;
use turnwise_verify::{Verdict, analyse};

/// Every adaptive algorithm.
const ALGORITHMS: &[&str] = &[
    "ugal",
    "ugal-g",
    "par",
    "piggyback",
    "crt",
    "kapr",
    "par-sst",
    "fpar",
    "ku-gcn",
    "informed",
];

/// The first ones may be told to take shortcuts.
const WITH_SHORTCUTS: usize = 6;

/// All of them in all variants.
fn routings() -> impl Iterator<Item = String> {
    let plain = ALGORITHMS.iter().map(|kind| format!("kind = '{kind}'"));
    let shortcuts = ALGORITHMS[..WITH_SHORTCUTS].iter();
    let shortcuts = shortcuts.map(|kind| format!("kind = '{kind}'\ngg_shortcut = true"));
    let final_ones = ["", "\ngg_shortcut = true"];
    let final_ones = final_ones.map(|more| format!("kind = 'kapr'\nprogressive = false{more}"));
    plain.chain(shortcuts).chain(final_ones)
}

fn network(half_radix: u32, groups: u32, more: &str) -> String {
    format!("[network]\nkind = 'megafly'\nhalf_radix = {half_radix}\ngroups = {groups}\n{more}\n")
}

/// The verdict, and do all pairs get through?
fn verdict(network: &str, routing: &str, virtual_channels: u8) -> (Verdict, bool) {
    let text = format!(
        "{network}[routing]\n{routing}\nvirtual_channels = {virtual_channels}\n\
         [router]\nvirtual_channels = {virtual_channels}\n[traffic]\npattern = 'uniform'\nload = 0.1\n"
    );
    let plan = plan(&text);
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    let routed = &experiment.routed;
    let analysis = analyse(&routed.network, &*routed.routing, FlowControl::Wormhole);
    let is_sound = analysis.is_sound();
    (analysis.verdict, is_sound)
}

#[test]
fn two_virtual_channels_suffice_on_every_wiring() {
    for (half_radix, groups, wiring) in [
        (2, 5, "absolute"),
        (2, 5, "relative"),
        (2, 5, "circulant"),
        (2, 3, "alltoall"),
        (2, 5, "random"),
        (3, 4, "absolute"),
    ] {
        let wiring = format!("wiring = '{wiring}'");
        let last = 2 * half_radix * groups - 1;
        let faults = format!("{wiring}\nfaults = {{ random_links = '5 %', routers = [{last}] }}");
        for routing in routings() {
            let case = format!("{routing}, {wiring}");
            let whole = network(half_radix, groups, &wiring);
            assert!(verdict(&whole, &routing, 2).1, "{case}");
            let damaged = network(half_radix, groups, &faults);
            let (verdict, _) = verdict(&damaged, &routing, 2);
            assert!(verdict.is_deadlock_free(), "{case}, damaged: {verdict:?}");
        }
    }
}

#[test]
fn one_virtual_channel_is_too_few() {
    for routing in routings() {
        let (verdict, _) = verdict(&network(2, 5, ""), &routing, 1);
        assert!(matches!(verdict, Verdict::Cyclic(_)), "{routing}");
    }
}

/// Groups send to the next one: four links serve 16 terminals minimally, and the 16 links of a group at most this each, since a
/// detour costs two.
const MINIMAL: f64 = 4.0 / 16.0;
const MIX: f64 = 0.5 + 0.5 * MINIMAL;

/// What a routing accepts, and the latency that one packet in a hundred exceeds.
fn under_a_shift(routing: &str, load: f64) -> (f64, f64) {
    let study = format!(
        "{}[routing]\nkind = '{routing}'\n\
         [router]\nvirtual_channels = 8\nbuffer_flits = 32\ninternal_speedup = 2\n\
         [traffic]\npattern = 'shift'\ngroup_offset = 1\nload = {load}\npacket_flits = 4\n\
         [simulation]\nwarmup_cycles = 2000\nmeasure_cycles = 4000\n",
        network(4, 5, "")
    );
    let row = &rows(&study)[0];
    (figure(row, "accepted_load"), figure(row, "latency_p99"))
}

#[test]
fn nobody_accepts_more_than_the_best_mix() {
    let (alone, _) = under_a_shift("minimal", 0.7);
    assert!((alone / MINIMAL - 1.0).abs() < 0.03, "{alone}");
    for routing in ALGORITHMS {
        let (most, _) = under_a_shift(routing, 0.7);
        assert!(most > MINIMAL && most < 1.01 * MIX, "{routing}: {most}");
    }
}

#[test]
fn who_is_informed_accepts_what_the_best_mix_does() {
    for load in [0.5, 0.6, 0.7] {
        let (accepted, _) = under_a_shift("informed", load);
        let most = f64::min(load, MIX);
        assert!(accepted > 0.97 * most, "{accepted} at {load}");
    }
}

/// Credits show a backlog only when buffers are full; what waits at the inputs shows it at once.
#[test]
fn who_is_informed_is_sooner_there() {
    let (_, informed) = under_a_shift("informed", 0.31);
    for routing in ALGORITHMS.iter().filter(|&&routing| routing != "informed") {
        let (_, late) = under_a_shift(routing, 0.31);
        assert!(informed < late, "{routing}: {informed} and {late}");
    }
}

/// What a routing accepts of traffic with a virtual channel for each class.
fn with_two_virtual_channels(network: &str, routing: &str, traffic: &str) -> f64 {
    let study = format!(
        "{network}[routing]\nkind = '{routing}'\n\
         [router]\nvirtual_channels = 2\nbuffer_flits = 128\ninternal_speedup = 2\n\
         [traffic]\n{traffic}\n\
         [simulation]\nwarmup_cycles = 2000\nmeasure_cycles = 2000\ndrain = false\n"
    );
    figure(&rows(&study)[0], "accepted_load")
}

/// Overloads: packets that turn nowhere do not wait for one class while the other is idle, nor all for the same channel.
#[test]
fn who_is_informed_carries_the_most_of_an_overload() {
    let network = network(4, 9, "channel_latency = { local = 5, global = 20 }");
    for traffic in [
        "pattern = 'uniform'\nload = 1.0\npacket_flits = 4",
        "pattern = 'shift'\ngroup_offset = 1\nload = 0.7\npacket_flits = 1",
        "pattern = 'shift'\ngroup_offset = 1\nload = 0.7\npacket_flits = 4",
    ] {
        let accepted = |routing| with_two_virtual_channels(&network, routing, traffic);
        let informed = accepted("informed");
        for routing in ALGORITHMS.iter().filter(|&&routing| routing != "informed") {
            let theirs = accepted(routing);
            assert!(
                informed > theirs,
                "{traffic}: {informed}, {routing} {theirs}"
            );
        }
    }
}

/// Nine links between two groups: of the six spines of a group three have two of them, three have one.
#[test]
fn spines_with_more_links_get_more_packets() {
    let network = network(6, 5, "channel_latency = { local = 5, global = 20 }");
    let traffic = "pattern = 'uniform'\nload = 0.85\npacket_flits = 4";
    let accepted = with_two_virtual_channels(&network, "informed", traffic);
    assert!(accepted > 0.84, "{accepted}");
}

/// Detours have half of a global channel, minimal packets all of it: who counts only his own takes detours for half as long, and minimal ways stay
/// idle.
#[test]
fn every_shift_is_carried_as_the_best_mix_does() {
    let network = network(6, 5, "");
    let mix = 0.5 + 0.5 * (1.0 / 4.0);
    for offset in 1..5 {
        let study = format!(
            "{network}[routing]\nkind = 'informed'\n\
             [router]\nflow_control = 'virtual-cut-through'\nrouting_delay = 0\n\
             virtual_channels = 4\nbuffer_flits = 16\ninternal_speedup = 2\n\
             [traffic]\npattern = 'shift'\ngroup_offset = {offset}\nload = 1.0\npacket_flits = 4\n\
             [simulation]\nwarmup_cycles = 1000\nmeasure_cycles = 1000\ndrain = false\n"
        );
        let accepted = figure(&rows(&study)[0], "accepted_load");
        assert!(accepted > 0.97 * mix, "{accepted} by {offset}");
    }
}
