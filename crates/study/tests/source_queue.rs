//! How long packets wait at their sources, against the closed form of the Geo/D/1 queue.
//!
//! A source creates a packet with probability `p` in every cycle and sends it in `S` cycles. Let `V`
//! be the flits it still has to send as a cycle begins: `V' = max(V + S A - 1, 0)`, where `A` says
//! whether a packet is created. In the long run, with the load `r = p S`, the mean of `V` is
//! `r (S - 1) / (2 (1 - r))`, which is also how long packets wait, because the random numbers that create
//! them do not look at `V`; and the balance of how often `V` is left and reached gives its whole
//! distribution, from `P(V = 0) = (1 - r) / (1 - p)` upwards. (Takagi, "Queueing Analysis", volume
//! 3: Discrete-Time Systems, North-Holland 1993.)
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack;

use turnwise_sim::{Ending, Measurement};

/// Eight sources, each with a channel of its own all the way, which passes a flit a cycle.
fn measure(load: f64, flits: u32) -> Measurement {
    let cycles = 100_000 + 50_000 * flits;
    let plan = stack::plan(&format!(
        "[network]\nkind = 'full-mesh'\nrouters = 8\n[routing]\nkind = 'shortest-path'\n\
         [router]\nrouting_delay = 0\ninternal_speedup = 2\n\
         [traffic]\npattern = 'shift'\noffset = 3\nload = {load}\npacket_flits = {flits}\n\
         [simulation]\nwarmup_cycles = 2_000\nmeasure_cycles = {cycles}"
    ));
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    let outcome = stack::simulate(&experiment, false);
    assert_eq!(outcome.ending, Ending::Completed);
    outcome.measurement
}

/// The probabilities that a packet waits 0, 1, 2, ... cycles, as far as they matter.
fn distribution(p: f64, flits: usize) -> Vec<f64> {
    let load = p * flits as f64;
    let mut waits = vec![(1.0 - load) / (1.0 - p)];
    // Left upwards: by a packet. Left downwards: without one, flit by flit; V = 0 needs none.
    waits.push(waits[0] * p / (1.0 - p));
    while waits.len() < 5_000 {
        let last = waits.len() - 1;
        let reached = last
            .checked_sub(flits - 1)
            .map_or(0.0, |from| p * waits[from]);
        waits.push(((waits[last] - reached) / (1.0 - p)).max(0.0));
    }
    waits
}

/// The least wait that this share of all packets does not exceed.
fn quantile(distribution: &[f64], share: f64) -> u64 {
    let mut sum = 0.0;
    let within = distribution.iter().take_while(|&&probability| {
        sum += probability;
        sum < share
    });
    within.count() as u64
}

#[test]
fn sources_are_geo_d_1_queues() {
    for (load, flits) in [(0.3, 1), (0.5, 2), (0.5, 4), (0.8, 4), (0.6, 8)] {
        let measured = measure(load, flits);
        let (p, s) = (load / f64::from(flits), f64::from(flits));
        let waiting = measured.packet_latency.mean - measured.network_latency;
        let expected = load * (s - 1.0) / (2.0 * (1.0 - load));
        let what = format!("load {load}, {flits} flits");
        assert!(
            (waiting - expected).abs() <= 0.02 * expected,
            "{what}: {waiting} cycles, not {expected}"
        );
        // Nobody waits anywhere else.
        let alone = measured.latencies.quantile(0.0).unwrap();
        assert_eq!(measured.network_latency, alone as f64, "{what}");
        if flits == 1 {
            continue;
        }
        let distribution = distribution(p, flits as usize);
        let sum: f64 = distribution.iter().sum();
        let mean: f64 = (0u32..)
            .zip(&distribution)
            .map(|(wait, p)| f64::from(wait) * p)
            .sum();
        assert!(
            (sum - 1.0).abs() < 1e-6 && (mean / expected - 1.0).abs() < 1e-6,
            "{sum} {mean}"
        );
        for share in [0.25, 0.5, 0.75, 0.9, 0.99] {
            let waited = measured.latencies.quantile(share).unwrap() - alone;
            let least = quantile(&distribution, share - 0.002);
            let most = quantile(&distribution, share + 0.002);
            assert!(
                (least..=most).contains(&waited),
                "{what}: {share} of all packets wait up to {waited} cycles, not {least} to {most}"
            );
        }
    }
}
