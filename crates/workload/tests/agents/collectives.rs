//! Collectives and training where every message takes the same time, or another one each.

use crate::mock::{JITTER, LATENCY, run};
use crate::{LIMIT, line_up, parameters, simulate};
use turnwise_application::collectives::Kind;

const COUNTS: &str = "cycle_ns = 1\nflit_bytes = 16";

/// Every algorithm of every collective, whatever overtakes what, sends the flits that were foretold.
#[test]
fn every_algorithm_ends_and_sends_what_was_foretold() {
    for kind in Kind::ALL {
        for algorithm in kind.algorithms() {
            for terminals in [1, 2, 5, 8, 12] {
                for host in ["", "eager_bytes = 0, packet_flits = 3, overhead_cycles = 2"] {
                    let text = format!(
                        "kind = \"collective\"\ncollective = \"{}\"\nalgorithm = \"{}\"\nbytes = 5000\nrepeat = 5\n\
                         segment_bytes = 700\nradix = 3\nhost = {{ {host} }}\n{COUNTS}",
                        kind.name(),
                        algorithm.name
                    );
                    let (network, parameters) = (line_up(terminals), parameters(&text));
                    let workload = parameters.build(&network, 1, &[]).unwrap();
                    let outcome = run(&network, &*workload, LIMIT, JITTER);
                    assert_eq!(outcome.busy, 0, "{text} on {terminals}");
                    let each = parameters.total_flits(terminals, &[]).unwrap();
                    let foretold = (each * f64::from(terminals)).round() as u64;
                    assert_eq!(outcome.flits, foretold, "{text} on {terminals}");
                }
            }
        }
    }
}

#[test]
fn steps_take_a_trip_each_and_ranks_compute_in_between() {
    let time = |fields: &str| {
        let text = format!("kind = \"collective\"\nrepeat = 3\n{fields}\n{COUNTS}");
        simulate(&line_up(12), &text).makespan
    };
    let barrier = |fields: &str| time(&format!("collective = \"barrier\"\n{fields}"));
    assert_eq!(barrier("algorithm = \"dissemination\""), 3 * 4 * LATENCY);
    assert_eq!(
        // Three messages in the first round and two in the second, each a cycle after the one before.
        barrier("algorithm = \"dissemination\"\nradix = 4"),
        3 * (LATENCY + 2 + LATENCY + 1)
    );
    assert_eq!(
        barrier("algorithm = \"dissemination\"\ncomputing_ns = 100"),
        3 * (4 * LATENCY + 100)
    );
    assert_eq!(
        barrier("algorithm = \"dissemination\"\ngroups = 3\nmembers = \"strided\""),
        3 * 2 * LATENCY
    );
    // Three links up and three down, and on the way to the tenth two that are told second.
    let slow = "algorithm = \"offloaded\"\nhost = { overhead_cycles = 1000 }";
    assert_eq!(barrier(slow), 3 * (6 * LATENCY + 2));
    let ring = "collective = \"all-reduce\"\nalgorithm = \"ring\"\nbytes = 1200";
    assert_eq!(time(ring), 3 * 22 * LATENCY);
    // What a library would take for it.
    let sum = "collective = \"all-reduce\"\nlibrary = \"mpich\"\nbytes = 8\nranks = 8";
    assert_eq!(time(sum), 3 * 3 * LATENCY);
}

#[test]
fn training_ends_and_sends_what_was_foretold() {
    for fields in [
        "tensor = 2\npipeline = 2\ndata = 2",
        "pipeline = 4\nsharded = true",
        "tensor = 4\nsequence_parallel = true",
        "experts = { count = 8, parallel = 4, skew = 1 }",
    ] {
        let text = format!(
            "kind = \"training\"\nlayers = 4\nhidden = 32\nsequence = 16\nmicro_batches = 3\nsteps = 5\n\
             teraflops = 1\n{fields}\n{COUNTS}"
        );
        let (network, parameters) = (line_up(9), parameters(&text));
        let workload = parameters.build(&network, 1, &[]).unwrap();
        let outcome = run(&network, &*workload, 10 * LIMIT, JITTER);
        assert_eq!(outcome.busy, 0, "{text}");
        let foretold = (9.0 * parameters.total_flits(9, &[]).unwrap()).round() as u64;
        assert_eq!(outcome.flits, foretold, "{text}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let is = |fields: &str, place: &str, message: &str| {
        let parameters = parameters(&format!("{fields}\n{COUNTS}"));
        let error = parameters.build(&line_up(8), 1, &[]).err().expect(fields);
        let found = (error.place.to_string(), error.message);
        assert!(
            found.0 == place && found.1.contains(message),
            "{fields}: {found:?}"
        );
    };
    let collective = |fields: &str, place: &str, message: &str| {
        let fields = format!("kind = \"collective\"\ncollective = \"barrier\"\n{fields}");
        is(&fields, place, message);
    };
    collective("algorithm = \"ring\"", "algorithm", "no barrier `ring`");
    collective("groups = 3", "groups", "8 ranks do not make 3 groups");
    collective("ranks = 9", "ranks", "9 ranks do not fit on 8 terminals");
    collective("repeat = 0", "repeat", "expected 1 to");
    collective("segment_bytes = 0", "segment_bytes", "expected 1 to");
    collective("radix = 0", "radix", "expected 2 to");
    collective("computing_ns = -1", "computing_ns", "expected 0 to");
    let training = |fields: &str, place: &str, message: &str| {
        let fields = format!("kind = \"training\"\nlayers = 4\nhidden = 8\nsequence = 8\n{fields}");
        is(&fields, place, message);
    };
    training("pipeline = 3", "pipeline", "4 layers do not make 3 stages");
    training(
        "tensor = 16",
        "tensor",
        "16 ranks do not fit on 8 terminals",
    );
    training("data = 9", "data", "9 ranks do not fit on 8 terminals");
    training(
        "experts = { count = 4, parallel = 3 }",
        "experts.parallel",
        "4 experts",
    );
    training(
        "experts = { count = 4, parallel = 2, chosen = 5 }",
        "experts.chosen",
        "expected 1 to 4",
    );
    training(
        "data = 3\nexperts = { count = 4, parallel = 2 }",
        "experts.parallel",
        "3 replicas",
    );
    training(
        "collectives = { barier = \"x\" }",
        "collectives.barier",
        "no collective",
    );
}
