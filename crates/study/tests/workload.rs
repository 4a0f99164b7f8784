//! Workloads through the whole stack: from a study's text to its rows.
//!
//! Request-reply against Little's law (Little, "A proof for the queuing formula L = lambda W", Operations Research 9(3),
//! 1961) and against what the verifier says of message classes; barriers against closed forms made of the
//! zero-load latency of `docs/simulator.md`.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{figure, plan, rows, try_plan};
use turnwise_network::End;
use turnwise_sim::{Ending, Outcome, Setup, Simulation};
use turnwise_study::row::{Cell, Row};
use turnwise_study::workshop::Experiment;
use turnwise_verify::{Survey, destinations};

const MESH: &str =
    "[network]\nkind = 'mesh'\nsizes = [8, 8]\n[routing]\nkind = 'dimension-order'\n";

fn requests(fields: &str) -> String {
    format!("{MESH}[workload]\nkind = 'request-reply'\npattern = 'uniform'\n{fields}\n")
}

fn only_row(text: &str) -> Row {
    let rows = rows(text);
    let [row] = &rows[..] else {
        panic!("one point in\n{text}")
    };
    row.clone()
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

/// Requests open at a time are the window: none more, and none less while requests last.
#[test]
fn the_window_is_throughput_times_transaction_time() {
    let simulation = "[simulation]\nwarmup_cycles = 2000\nmeasure_cycles = 40_000\ndrain = false";
    for (window, think) in [(1, 0), (2, 0), (3, 0), (1, 150), (4, 500)] {
        let fields = format!("window = {window}\nreply_flits = 5\nthink_cycles = {think}");
        let row = only_row(&format!("{}{simulation}", requests(&fields)));
        assert_eq!(row.text("ending"), Some("completed"));
        let rate = figure(&row, "transactions") / (64.0 * figure(&row, "cycles").min(40_000.0));
        let open = rate * (figure(&row, "mean_transaction_time") + f64::from(think));
        let error = (open / f64::from(window) - 1.0).abs();
        assert!(error < 0.01, "window {window}, think {think}: {open}");
        assert_eq!(
            (row.cell("makespan"), row.cell("offered_load")),
            (&Cell::Nothing, &Cell::Nothing)
        );
    }
}

/// What little room makes possible: with one class terminals wait for each other through the network.
const TIGHT: &str =
    "window = 16\nreply_flits = 5\nreply_queue = 2\nrequests = 100\nmessage_classes = ";

#[test]
fn one_class_of_messages_deadlocks_as_the_verifier_says_and_two_do_not() {
    for (classes, buffers) in [(1, 4), (2, 4), (1, 8), (2, 8)] {
        let router = format!("[router]\nbuffer_flits = {buffers}\n");
        let experiment = experiment(&format!(
            "{}{router}",
            requests(&format!("{TIGHT}{classes}"))
        ));
        let routed = &experiment.routed;
        assert_eq!(routed.routing.virtual_channels(), classes);
        let (network, routing) = (&routed.network, &*routed.routing);
        let mut survey = Survey::with_protocol(network, routing, &routed.protocol);
        for destination in destinations(network, routing) {
            survey.visit(destination);
        }
        let dependencies = survey.dependencies().clone();
        let analysis = survey.conclude(experiment.model.flow_control);
        let outcome = simulate(&experiment, 1);
        if classes == 2 {
            assert!(analysis.is_sound());
            assert_eq!(outcome.ending, Ending::Completed);
            assert_eq!(outcome.measurement.transactions.completed, 64 * 100);
            continue;
        }
        assert!(!analysis.verdict.is_deadlock_free());
        let Ending::Deadlocked(cycle) = outcome.ending else {
            panic!("{:?}", outcome.ending)
        };
        let mut at_terminals = 0;
        for (held, wanted) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            let [from, to] = [held, wanted].map(|at| dependencies.vertex(at.channel, at.vc));
            let foreseen = match network.channel(wanted.channel).source {
                End::Router(..) => dependencies.contains(from, to),
                // Buffers at terminals are not named: this one's is between the two.
                End::Terminal(terminal) => {
                    at_terminals += 1;
                    let ejection = network.ejection_channel(terminal);
                    (0..classes).any(|vc| {
                        let through = dependencies.vertex(ejection, vc);
                        dependencies.contains(from, through) && dependencies.contains(through, to)
                    })
                }
            };
            assert!(foreseen, "{held:?} waits for {wanted:?} in {cycle:?}");
        }
        assert!(at_terminals > 0, "terminals have a part in it: {cycle:?}");
    }
}

/// Everything that is simulated, whatever the number of threads.
#[test]
fn one_to_four_threads_agree() {
    let exchange = "[workload]\nkind = 'exchange'\npattern = 'uniform'\nrounds = 3\nmessages = 2\nmessage_flits = 20\n\
                    packet_flits = 8\ncompute_cycles = 50\n";
    let barrier = "[workload]\nkind = 'barrier'\nalgorithm = 'gather-broadcast'\nrepeat = 5\n";
    let mesh = MESH.replace("[8, 8]", "[12, 12]");
    let router = "[router]\nbuffer_flits = 4\n";
    let limited = "[simulation]\nwarmup_cycles = 500\nmeasure_cycles = 2000";
    for text in [
        format!("{mesh}{exchange}"),
        format!("{mesh}{barrier}"),
        requests(&format!("{TIGHT}2")).replace(MESH, &mesh),
        format!(
            "{}{router}",
            requests(&format!("{TIGHT}1")).replace(MESH, &mesh)
        ),
        format!(
            "{}{limited}",
            requests("window = 3\nservers = 1\nservice_cycles = 9").replace(MESH, &mesh)
        ),
    ] {
        let experiment = experiment(&text);
        let one = simulate(&experiment, 1);
        for threads in 2..=4 {
            let several = simulate(&experiment, threads);
            assert_eq!(
                one.fingerprint, several.fingerprint,
                "{threads} threads, {text}"
            );
            assert_eq!(one.ending, several.ending, "{threads} threads, {text}");
            assert_eq!(one.makespan, several.makespan, "{threads} threads, {text}");
            assert_eq!(
                one.measurement, several.measurement,
                "{threads} threads, {text}"
            );
        }
    }
}

fn makespan(network: &str, algorithm: &str) -> u64 {
    let text = format!(
        "[network]\n{network}\n[routing]\nkind = 'dimension-order'\nvirtual_channels = 2\n\
         [workload]\nkind = 'barrier'\nalgorithm = '{algorithm}'\n"
    );
    figure(&only_row(&text), "makespan") as u64
}

/// Cycles from a terminal to one at a router so many channels of one cycle away: 3 + 4 (d + 1) + d.
fn message(distance: u64) -> u64 {
    7 + 5 * distance
}

fn steps(terminals: u64) -> u64 {
    u64::from(u64::BITS - (terminals - 1).leading_zeros())
}

/// One router has all terminals, and in every step each of them sends one message and gets one.
#[test]
fn dissemination_at_one_router_takes_a_message_a_step() {
    for terminals in (2..=20).chain([
        31, 32, 33, 63, 64, 65, 255, 256, 257, 511, 1_000, 1_023, 1_024,
    ]) {
        let network = format!("kind = 'torus'\nsizes = [1]\nterminals_per_router = {terminals}");
        let expected = steps(terminals) * message(0);
        assert_eq!(makespan(&network, "dissemination"), expected, "{terminals}");
    }
}

/// On a ring all messages of a step go as far, and none meets another.
#[test]
fn dissemination_on_a_ring_takes_as_long_as_its_distances() {
    for terminals in (3..=40).chain([64, 100, 128, 255, 1_024]) {
        let network = format!("kind = 'torus'\nsizes = [{terminals}]");
        let distances = (0..steps(terminals)).map(|step| (1 << step).min(terminals - (1 << step)));
        let expected: u64 = distances.map(message).sum();
        assert_eq!(makespan(&network, "dissemination"), expected, "{terminals}");
    }
}

/// A binomial tree lies in a hypercube: every edge is a channel. The deepest rank is one edge deeper for each dimension, and
/// nobody on the way to it waits for a sibling, whose subtree is smaller.
#[test]
fn gather_broadcast_on_a_hypercube_goes_up_and_down_its_dimensions() {
    for dimensions in 1..=10 {
        let network = format!("kind = 'hypercube'\ndimensions = {dimensions}");
        let expected = 2 * dimensions * message(1);
        assert_eq!(
            makespan(&network, "gather-broadcast"),
            expected,
            "{dimensions}"
        );
    }
}

/// A round of neighbours: messages there, acknowledgements back, a barrier.
#[test]
fn a_round_of_an_exchange_is_the_sum_of_its_parts() {
    for (flits, packet) in [(1, 1), (12, 12), (12, 5)] {
        let text = format!(
            "[network]\nkind = 'torus'\nsizes = [1]\nterminals_per_router = 8\n[routing]\nkind = 'dimension-order'\n\
             [router]\nvirtual_channels = 4\nbuffer_flits = 64\n[workload]\nkind = 'exchange'\npattern = 'shift'\noffset = 3\nrounds = 4\n\
             message_flits = {flits}\npacket_flits = {packet}\ncompute_cycles = 70\n"
        );
        let row = only_row(&text);
        let round = 70 + (message(0) + flits - 1) + message(0) + 3 * message(0);
        assert_eq!(figure(&row, "makespan") as u64, 4 * round, "{text}");
        assert_eq!(
            figure(&row, "mean_transaction_time") as u64,
            round,
            "{text}"
        );
        assert_eq!(figure(&row, "transactions"), 32.0);
    }
}

/// Rows of studies without a workload know nothing of its columns.
#[test]
fn rows_without_a_workload_have_no_columns_of_one() {
    let text = format!(
        "{MESH}[traffic]\npattern = 'uniform'\nload = 0.1\n[simulation]\nmeasure_cycles = 200"
    );
    let object = only_row(&text).into_object();
    assert!(!object.contains_key("makespan") && !object.contains_key("transactions"));
    assert!(plan(&text).columns().is_empty());
    let row = only_row(&requests("requests = 2\nwindow = 2"));
    assert!(!row.flag("saturated"));
    let object = row.into_object();
    let back = Row::from_object(object.clone()).unwrap();
    assert_eq!(
        (
            figure(&back, "transactions"),
            object["transactions"].as_u64()
        ),
        (128.0, Some(128))
    );
    let classes = object["classes"].as_array().unwrap();
    let names: Vec<_> = classes
        .iter()
        .map(|class| class["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["request", "reply"]);
    assert!(classes.iter().all(|class| class["packets"] == 128));
}

#[test]
fn what_does_not_fit_a_workload_is_said() {
    let complaints = |text: &str| {
        let errors = try_plan(text).err().unwrap_or_default();
        errors
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; ")
    };
    for (text, words) in [
        (
            requests("[traffic]\npattern = 'uniform'\nload = 0.1"),
            "or [workload], whose messages answer others",
        ),
        (
            MESH.to_owned(),
            "the table [traffic] or [workload] is missing",
        ),
        (
            requests("[simulation]\nfind_saturation = true"),
            "find_saturation: there is no load",
        ),
        (
            requests("[router]\nvirtual_channels = 1"),
            "2 classes of messages need at least 2 virtual channels",
        ),
        (
            requests("reply_flits = 5\n[router]\nflow_control = 'bubble'"),
            "have 1 to 5 flits",
        ),
        (requests("windo = 3"), "did you mean `window`?"),
        (requests("window = 0"), "window: expected 1 to"),
        (requests("radius = 2"), "unknown key `radius`"),
    ] {
        let found = complaints(&text);
        assert!(found.contains(words), "{found}, in\n{text}");
    }
}

/// All that had been sent has arrived when the run is cut off, while everybody computes: a row is what its classes are together, over
/// all the cycles that there were.
#[test]
fn a_row_that_is_cut_off_is_the_sum_of_its_classes() {
    let text = |bytes: u32, limit: u32| {
        format!(
            "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n[network]\nkind = 'mesh'\nsizes = [3, 3]\n\
             [routing]\nkind = 'dimension-order'\n[workload]\nkind = 'collective'\ncollective = 'all-to-all'\n\
             bytes = {bytes}\nrepeat = 2\ncomputing_ns = 100_000\n[simulation]\ncycles_limit = {limit}\n"
        )
    };
    // Announced messages and others; limits far behind the messages, in the middle of them and before any.
    for (bytes, limit) in [
        (20_000, 190_000),
        (1_000, 190_000),
        (20_000, 103_000),
        (20_000, 5_000),
    ] {
        for ethernet in ["", "[ethernet]\n"] {
            let row = only_row(&(text(bytes, limit) + ethernet));
            let what = format!("{bytes} B until {limit} {ethernet}: {row:?}");
            assert_eq!(row.text("ending"), Some("limit-reached"), "{what}");
            let sum = |column: &str| -> f64 {
                let classes = row.classes.as_ref().unwrap().as_array().unwrap();
                classes
                    .iter()
                    .map(|class| class[column].as_f64().unwrap())
                    .sum()
            };
            let [injected, accepted] =
                ["injected_load", "accepted_load"].map(|it| figure(&row, it));
            // Classes count whole packets, and so less than what has come by a packet for each terminal at most.
            let rest = accepted - sum("accepted_load");
            let packet = 32.0 / f64::from(limit);
            assert!((-1e-12..=packet).contains(&rest), "{rest} in {what}");
            assert!((injected - sum("injected_load")).abs() < 1e-12, "{what}");
            match limit {
                190_000 => assert!(
                    (injected - accepted).abs() < 1e-12 && rest < 1e-12,
                    "{what}"
                ),
                _ => assert!(accepted <= injected, "{what}"),
            }
        }
    }
}
