//! Connection matrices of htsim.

use super::{nanoseconds, of_text};
use turnwise_application::replay::{LogGops, replay};

fn flows(flows: &[&str]) -> String {
    let count = flows.iter().filter(|flow| flow.contains("->")).count();
    format!("Nodes 4\nConnections {count}\n{}\n", flows.join("\n"))
}

#[test]
fn flows_start_when_they_say() {
    let is = |lines: &[&str], time: u64| {
        let program = of_text("htsim", &flows(lines)).unwrap();
        assert_eq!(nanoseconds(&*program), time, "{lines:?}");
    };
    is(&["0->1 start 0 size 100"], 1099);
    is(&["0->1 id 7 start 5e6 size 100 prio 3"], 5000 + 1099);
    // Starts do not wait for each other, in whatever order they are written, nor for messages.
    is(
        &[
            "0->1 start 7000000 size 1",
            "0->1 start 5000000 size 1",
            "0->2 start 5000000 size 1",
        ],
        8000,
    );
    is(
        &["0->1 start 0 size 100000", "0->2 start 3000000 size 1"],
        1000 + 99_999,
    );
    // One after the other, at the sender, which hears of the end, or at the receiver; all of several; all at once.
    is(
        &[
            "0->1 id 1 start 0 size 100 send_done_trigger 1",
            "0->1 id 2 trigger 1 size 100",
        ],
        1099 + 1000 + 1099,
    );
    // Whoever fires nothing hears of nothing.
    is(
        &[
            "0->1 id 1 start 0 size 100 recv_done_trigger 1",
            "1->0 id 2 trigger 1 size 100",
        ],
        1099 + 1099,
    );
    is(
        &[
            "0->1 id 1 start 0 size 100 recv_done_trigger 1",
            "1->2 id 2 trigger 1 size 100",
            "trigger id 1 oneshot",
        ],
        2198,
    );
    is(
        &[
            "0->3 id 1 start 0 size 100 recv_done_trigger 1",
            "1->3 id 2 start 9000000 size 1 recv_done_trigger 1",
            "3->0 id 3 trigger 1 size 50",
            "3->1 id 4 trigger 1 size 51",
            "trigger id 1 barrier count 2",
        ],
        // The second leaves when the first has left.
        10_000 + 49 + 1050,
    );
    is(
        &[
            "0->1 id 1 start 0 size 1 recv_done_trigger 1",
            "1->0 id 2 trigger 1 size 1",
            "trigger id 1 multishot",
        ],
        2000,
    );
    is(&["0->0 start 0 size 1"], 1000);
    is(&["0->1 start 0 size 1099511627776"], 1000 + (1 << 40) - 1);
}

#[test]
fn nodes_are_ranks_even_if_they_do_nothing() {
    let program = of_text("htsim", "Nodes 9\nConnections 0\nTriggers 0\nFailures 0\n").unwrap();
    assert_eq!((program.ranks(), nanoseconds(&*program)), (9, 0));
}

#[test]
fn what_is_wrong_or_no_rank_can_do_has_a_place() {
    let text = |text: &str, message: &str| {
        let found = of_text("htsim", text).err().unwrap_or_default();
        assert!(found.starts_with(message), "{text}: {found}");
    };
    text(
        "",
        "a:1:1: expected `Nodes` and their number, found the end of the file",
    );
    text(
        "Nodes 2\nConnections 2\n0->1 start 0 size 1",
        "a:2:1: this says 2 connections, and there are 1",
    );
    text(
        "Nodes 2\nTriggers 2\ntrigger id 1 oneshot",
        "a:2:1: this says 2 triggers, and there are 1",
    );
    text(
        "Connections 1\n0->1 start 0 size 1",
        "a:2:1: expected `Nodes` and their number before the first connection",
    );
    text(
        "Nodes 999999",
        "a:1:7: expected a number of nodes, 1 to 131072, found 999999",
    );
    text(
        "Nodes 2\n0->1 id 7 start 0 size 1\n1->0 id 7 start 0 size 1",
        "a:3:9: flow 7 is there already",
    );
    text(
        "Nodes 2\nFailures 1",
        "a:2:1: failures of the network are not part of a program",
    );
    text(
        "Nodes 2\nfailure switch_type TOR",
        "a:2:1: failures of the network",
    );
    text(
        "Nodes 2\ntrigger id 1 oneshot\ntrigger id 1 barrier",
        "a:3:9: trigger 1 is there already",
    );
    text(
        "Nodes 2\ntrigger id 1 shotgun",
        "a:2:14: expected `id`, `count`, `oneshot`, `multishot` or `barrier`, found `shotgun`",
    );
    text(
        "Nodes 2\ntrigger id 0 oneshot",
        "a:2:12: expected the number of a trigger, 1 to",
    );
    let is = |lines: &[&str], message: &str| text(&flows(lines), message);
    is(
        &["0=>1 start 0 size 1"],
        "a:3:1: expected a connection, `0->1`, or a trigger, found `0=>1`",
    );
    // A second number of nodes was believed, and nodes that it does not have were looked for.
    text(
        "Nodes 4\nConnections 1\n0->3 id 1 start 0 size 10\nNodes 2",
        "a:4:1: the number of nodes is there already",
    );
    text(
        "Nodes 4\nConnections 1\nConnections 2",
        "a:3:1: how many there are is told already",
    );
    is(
        &["0->1 start 0 size 10 size 99"],
        "a:3:22: the flow has two of `size`",
    );
    is(
        &["0->4 start 0 size 1"],
        "a:3:1: there is no node 4, Nodes says 4",
    );
    is(
        &["0->1 start 0"],
        "a:3:13: expected `size`, found the end of the line",
    );
    is(
        &["0->1 start 0 size 0"],
        "a:3:19: expected a number of bytes, 1 to 1125899906842624, found 0",
    );
    is(&["0->1 size 5"], "a:3:12: expected `start` or `trigger`");
    is(
        &["0->1 start 0 trigger 1 size 5"],
        "a:3:14: the flow has two starts",
    );
    is(
        &["0->1 start 0 size 5 msg 1"],
        "a:3:21: `msg` is not understood here",
    );
    is(
        &["0->1 trigger 5 size 1"],
        "a:3:14: no flow fires trigger 5, so this one never starts",
    );
    is(
        &[
            "0->1 start 0 size 1 send_done_trigger 5",
            "1->2 trigger 5 size 1",
        ],
        "a:4:14: rank 0 fires trigger 5, and rank 1 would have to know",
    );
    is(
        &[
            "0->1 start 0 size 1 send_done_trigger 5",
            "0->1 start 0 size 1 send_done_trigger 5",
            "0->2 trigger 5 size 1",
        ],
        "a:5:14: 2 flows fire trigger 5, which may be fired once",
    );
    is(
        &[
            "0->1 start 0 size 1 send_done_trigger 5",
            "0->2 trigger 5 size 1",
            "trigger id 5 barrier count 2",
        ],
        "a:4:14: 1 flows fire trigger 5, which counts to 2",
    );
    is(
        &[
            "0->1 start 0 size 1 send_done_trigger 5",
            "0->2 trigger 5 size 1",
            "0->3 trigger 5 size 1",
            "trigger id 5 multishot",
        ],
        "a:4:14: trigger 5 starts one flow after the other",
    );
}

/// Flows that wait for each other.
#[test]
fn a_circle_of_triggers_is_a_stall() {
    let lines = [
        "0->1 trigger 1 size 9 send_done_trigger 2",
        "0->1 trigger 2 size 9 send_done_trigger 1",
    ];
    let program = of_text("htsim", &flows(&lines)).unwrap();
    let stall = replay(&*program, &LogGops::default())
        .stall
        .unwrap()
        .to_string();
    assert!(stall.contains("rank 0 waits to send 9 B to rank 1, tag 0 (line 3), and what it waits for never happens"), "{stall}");
}
