//! Requests and replies on a network of one latency.

use crate::mock::{LATENCY, run};
use crate::{line_up, parameters, simulate};
use turnwise_network::{Event, Mark, Outbox, TerminalId};

/// A request, its service, its reply.
#[test]
fn a_transaction_is_a_round_trip_and_the_service() {
    for (window, service, think) in [(1, 0, 0), (3, 25, 0), (4, 7, 50)] {
        let written = format!(
            "kind = \"request-reply\"\npattern = \"uniform\"\nwindow = {window}\nservice_cycles = {service}\n\
             think_cycles = {think}\nrequests = 40"
        );
        let outcome = simulate(&line_up(8), &written);
        let time = 2 * LATENCY + service;
        assert_eq!(outcome.transactions.len(), 8 * 40);
        assert!(
            outcome
                .transactions
                .iter()
                .all(|(_, since, now)| now - since == time)
        );
        let turns = 40u64.div_ceil(window);
        assert_eq!(
            outcome.makespan,
            turns * time + (turns - 1) * think,
            "{written}"
        );
    }
}

/// Only so many are served at a time: a server is a bottleneck of a known rate.
#[test]
fn few_servers_serve_one_after_the_other() {
    for servers in [1, 2, 3] {
        let written = format!(
            "kind = \"request-reply\"\npattern = \"uniform\"\nwindow = 30\nservice_cycles = 5\nservers = {servers}\n\
             requests = 30\nreply_queue = 100"
        );
        let outcome = simulate(&line_up(2), &written);
        let turns = 30u64.div_ceil(servers);
        assert_eq!(outcome.makespan, 2 * LATENCY + 5 * turns, "{servers}");
    }
}

/// A reply keeps its place until it has left.
#[test]
fn a_full_reply_queue_refuses_requests_and_no_replies() {
    for classes in [1, 2] {
        let written = format!(
            "kind = \"request-reply\"\npattern = \"uniform\"\nwindow = 9\nrequests = 9\nservice_cycles = 100\n\
             reply_queue = 2\nmessage_classes = {classes}"
        );
        let workload = parameters(&written).build(&line_up(2), 1, &[]).unwrap();
        let mut agent = workload.agent(TerminalId(0));
        let mut out = Outbox::default();
        let reply_class = classes - 1;
        for (came, takes) in [(0, true), (1, true), (2, false)] {
            assert_eq!(
                (agent.takes(0, 0), agent.takes(reply_class, 0)),
                (takes, takes || classes == 2)
            );
            assert_eq!(agent.takes(0, 1), came == 0, "one is on its way");
            let arrived = Event::Arrived {
                from: TerminalId(1),
                tag: came,
                note: 0,
                flits: 1,
                class: 0,
                mark: Mark(0),
                parties: [0; 2],
            };
            if takes {
                agent.on(arrived, came, &mut out);
            }
        }
        let replies: Vec<_> = out
            .messages
            .iter()
            .map(|reply| (reply.class, reply.not_before))
            .collect();
        assert_eq!(replies, [(reply_class, 100), (reply_class, 101)]);
        assert!(out.messages.iter().all(|reply| reply.report_sent));
        let tag = out.messages[0].tag;
        agent.on(Event::Sent { tag, party: 0 }, 102, &mut out);
        assert!(agent.takes(0, 0) && !agent.takes(0, 1));
    }
}

/// Replies are as long as the client says, requests as the study says.
#[test]
fn lengths_come_in_their_shares() {
    let written = "kind = \"request-reply\"\npattern = \"uniform\"\nrequests = 1\nrequest_flits = 3\n\
                   reply_flits = [{ flits = 2, share = 0.5 }, { flits = 9, share = 0.5 }]";
    let parameters = parameters(written);
    assert_eq!(
        (parameters.lengths(), parameters.classes_apart()),
        ((2, 9), 2)
    );
    let workload = parameters.build(&line_up(100), 1, &[]).unwrap();
    let mut long = 0;
    for terminal in 0..100 {
        let mut out = Outbox::default();
        let mut client = workload.agent(TerminalId(terminal));
        client.on(Event::Start, 0, &mut out);
        let request = out.messages[0];
        assert_eq!(request.flits, 3);
        let arrived = Event::Arrived {
            from: TerminalId(terminal),
            tag: request.tag,
            note: request.note,
            flits: 3,
            class: 0,
            mark: Mark(0),
            parties: [0; 2],
        };
        let mut server = workload.agent(request.destination);
        server.on(arrived, 20, &mut out);
        assert!([2, 9].contains(&out.messages[1].flits));
        long += u32::from(out.messages[1].flits == 9);
    }
    assert!((30..70).contains(&long), "{long}");
}

/// Without a number of requests they never end.
#[test]
fn an_endless_workload_keeps_its_window_open() {
    let written = "kind = \"request-reply\"\npattern = \"uniform\"\nwindow = 5";
    let parameters = parameters(written);
    assert!(!parameters.ends());
    let workload = parameters.build(&line_up(4), 1, &[]).unwrap();
    let outcome = run(&line_up(4), &*workload, 1_000, 0);
    assert_eq!(outcome.busy, 4);
    assert_eq!(
        outcome.transactions.len() as u64,
        4 * 5 * (1_000 / (2 * LATENCY))
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (field, fields) in [
        ("window", "window = 0"),
        ("requests", "requests = 0"),
        ("servers", "servers = 0"),
        ("message_classes", "message_classes = 3"),
        ("reply_queue", "reply_queue = 0"),
        ("request_flits", "request_flits = 0"),
        (
            "reply_flits[0].share",
            "reply_flits = [{ flits = 1, share = 2.0 }]",
        ),
        ("service_cycles", "service_cycles = 2_000_000_000"),
    ] {
        let parameters = parameters(&format!(
            "kind = \"request-reply\"\npattern = \"uniform\"\n{fields}"
        ));
        let place = parameters.check().err().map(|invalid| invalid.place);
        assert_eq!(place.as_deref(), Some(field), "{fields}");
        assert!(parameters.build(&line_up(2), 1, &[]).is_err(), "{fields}");
    }
}
