//! Messages that nobody receives, told before a program is played: the same as after it.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use proptest::prelude::*;
use std::fmt::Write as _;
use turnwise_application::ANY;
use turnwise_application::formats::goal;
use turnwise_application::replay::{LogGops, replay, unreceived};

/// A message, and how its receive says what it takes: source and tag, one of them, neither; or there is none.
#[derive(Clone, Copy, Debug)]
struct Sent {
    from: u32,
    to: u32,
    tag: u32,
    receive: Option<(bool, bool)>,
}

const RANKS: u32 = 5;

/// All receives are posted at once and sends wait for nobody, so that the program ends if every receive has its message.
fn schedule(messages: &[Sent]) -> String {
    let mut text = format!("num_ranks {RANKS}\n");
    for rank in 0..RANKS {
        writeln!(text, "rank {rank} {{\nc: calc 5").unwrap();
        for sent in messages {
            if sent.from == rank {
                writeln!(text, "send 8b to {} tag {}", sent.to, sent.tag).unwrap();
            }
            if let Some((says_source, says_tag)) = sent.receive.filter(|_| sent.to == rank) {
                let source = if says_source {
                    sent.from.to_string()
                } else {
                    "-1".into()
                };
                let tag = if says_tag {
                    sent.tag.to_string()
                } else {
                    "-1".into()
                };
                writeln!(text, "recv 8b from {source} tag {tag}").unwrap();
            }
        }
        text.push_str("}\n");
    }
    text
}

fn messages(may_be_any: bool) -> impl Strategy<Value = Vec<Sent>> {
    let receive = (any::<bool>(), any::<bool>()).prop_map(move |says| match may_be_any {
        true => says,
        false => (true, true),
    });
    let message = (
        0..RANKS,
        0..RANKS,
        0..3_u32,
        proptest::option::weighted(0.8, receive),
    );
    let message = message.prop_map(|(from, to, tag, receive)| Sent {
        from,
        to,
        tag,
        receive,
    });
    proptest::collection::vec(message, 0..40)
}

proptest! {
    #[test]
    fn what_nobody_receives_is_known_before(messages in messages(true)) {
        let program = goal::read(schedule(&messages).as_bytes()).unwrap();
        let played = replay(&program, &LogGops::default());
        // A receive of any message may have taken what only another one could.
        prop_assume!(played.stall.is_none());
        let told = unreceived(&program);
        prop_assert_eq!(told.count, played.unreceived.count);
        prop_assert_eq!(told.first.is_some(), told.count > 0);
    }

    #[test]
    fn which_they_are_is_told_where_receives_say_what_they_take(messages in messages(false)) {
        let program = goal::read(schedule(&messages).as_bytes()).unwrap();
        let told = unreceived(&program);
        let in_vain: Vec<&Sent> = messages.iter().filter(|sent| sent.receive.is_none()).collect();
        prop_assert_eq!(told.count as usize, in_vain.len());
        let Some((from, message)) = told.first else {
            return Ok(());
        };
        prop_assert!(message.tag != ANY);
        let is_it = |sent: &&&Sent| (sent.from, sent.to, sent.tag) == (from, message.peer, message.tag);
        prop_assert!(in_vain.iter().any(|sent| is_it(&sent)), "{told:?}");
    }
}
