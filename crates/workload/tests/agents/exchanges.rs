//! Rounds of exchange on a network of one latency.

use crate::mock::{JITTER, LATENCY, run};
use crate::{LIMIT, damaged, line_up, parameters, simulate};

/// Messages there, acknowledgements back, a barrier.
#[test]
fn a_round_is_computing_a_round_trip_and_a_barrier() {
    for terminals in [2, 3, 4, 7, 8, 9] {
        let written = "kind = \"exchange\"\npattern = \"uniform\"\nrounds = 5\nmessages = 3\nmessage_flits = 20\n\
                       packet_flits = 8\ncompute_cycles = 100";
        let outcome = simulate(&line_up(terminals), written);
        let steps = u64::from(u32::BITS - (terminals - 1u32).leading_zeros());
        let round = 100 + 2 * LATENCY + steps * LATENCY;
        assert_eq!(outcome.makespan, 5 * round, "{terminals}");
        assert_eq!(outcome.transactions.len() as u32, 5 * terminals);
        assert!(
            outcome
                .transactions
                .iter()
                .all(|(_, since, now)| now - since == round)
        );
        // Three packets and an acknowledgement for each message.
        let signals = u64::from(terminals) * steps;
        assert_eq!(
            outcome.messages,
            5 * (u64::from(terminals) * 3 * 4 + signals)
        );
    }
}

/// No message of a round is sent before everybody has received all of the round before it.
#[test]
fn rounds_do_not_overlap() {
    let written = "kind = \"exchange\"\npattern = \"shift\"\noffset = 3\nrounds = 4\nbarrier_algorithm = \"gather-broadcast\"";
    let workload = parameters(written).build(&damaged(), 3, &[]).unwrap();
    let outcome = run(&damaged(), &*workload, LIMIT, JITTER);
    let mut of_terminals = std::collections::BTreeMap::<u32, Vec<(u64, u64)>>::new();
    for &(terminal, since, now) in &outcome.transactions {
        of_terminals.entry(terminal).or_default().push((since, now));
    }
    for round in 1..4 {
        let last_begin = of_terminals
            .values()
            .map(|rounds| rounds[round - 1].0)
            .max();
        let first_end = of_terminals
            .values()
            .map(|rounds| rounds[round - 1].1)
            .min();
        assert!(
            first_end > last_begin,
            "somebody left round {round} before all began it"
        );
    }
}

#[test]
fn a_terminal_alone_computes_and_is_done() {
    let written = "kind = \"exchange\"\npattern = \"uniform\"\nrounds = 1_000\ncompute_cycles = ";
    let alone = line_up(1);
    assert_eq!(simulate(&alone, &format!("{written}7")).makespan, 7_000);
    let outcome = simulate(&alone, &format!("{written}0"));
    assert_eq!((outcome.makespan, outcome.transactions.len()), (0, 1_000));
    let to_itself = simulate(&alone, &format!("{written}0\nsend_to_self = true"));
    assert_eq!(to_itself.makespan, 1_000 * 2 * LATENCY);
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (field, fields) in [
        ("rounds", "rounds = 0"),
        ("messages", "messages = 0"),
        ("message_flits", "message_flits = 0"),
        ("message_flits", "message_flits = 65_536"),
        (
            "message_flits",
            "message_flits = 4_000_000_000\npacket_flits = 1",
        ),
        ("packet_flits", "packet_flits = 0"),
        ("control_flits", "control_flits = 0"),
        ("compute_cycles", "compute_cycles = 1_000_000_001"),
    ] {
        let parameters = parameters(&format!(
            "kind = \"exchange\"\npattern = \"uniform\"\n{fields}"
        ));
        let place = parameters.check().err().map(|invalid| invalid.place);
        assert_eq!(place.as_deref(), Some(field), "{fields}");
        assert!(parameters.build(&line_up(2), 1, &[]).is_err(), "{fields}");
    }
}
