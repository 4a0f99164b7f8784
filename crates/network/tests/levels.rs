//! Service levels as OpenSM's policies and path records say them: what is valid is taken, and what is cut off is refused at its place.

#![allow(clippy::unwrap_used)]

use turnwise_network::formats::infiniband::levels::{LevelRule, Party, read};

fn refused(text: &str, says: &str) {
    let complaint = read(text).unwrap_err().in_file("t", text).message;
    assert!(complaint.contains(says), "{text:?}: {complaint}");
}

/// The level of all pairs.
fn of_all(text: &str) -> Option<u8> {
    match &read(text).unwrap()[..] {
        [] => None,
        [LevelRule { sources, level, .. }] if sources == &[Party::All] => Some(*level),
        more => panic!("{text:?}: {more:?}"),
    }
}

const LEVELS: &str = "qos-levels\n qos-level\n  name: DEFAULT\n  sl: 0\n  mtu-limit: 4\n end-qos-level\nend-qos-levels\n";

/// OpenSM takes them without a rule, and with other blocks in front.
#[test]
fn policies_are_told_by_how_they_begin() {
    assert_eq!(of_all(LEVELS), None);
    assert_eq!(of_all(&LEVELS.replace("sl: 0", "sl: 3")), Some(3));
    assert_eq!(of_all(&format!("\u{feff}# ours\n{LEVELS}")), None);
    refused("qos-setup\n", "t:1:1: `qos-setup` is not read here");
}

#[test]
fn the_default_of_programs_is_a_level_for_all() {
    let programs = |lines: &str| format!("qos-ulps\n{lines}end-qos-ulps\n");
    assert_eq!(of_all(&programs(" default : 0\n")), None);
    assert_eq!(of_all(&programs(" default: 2 # all\n")), Some(2));
    // A level of that name counts before.
    assert_eq!(of_all(&(programs("default: 2\n") + LEVELS)), None);
    refused(
        &programs("default: 0\nsdp, port-num 30000 : 1\n"),
        "t:3:1: `qos-ulps` is not read here but for `default`: with `sdp, port-num 30000`",
    );
    refused(
        &programs("default: 16\n"),
        "t:2:10: expected a service level",
    );
}

#[test]
fn what_a_policy_lacks_at_its_end_is_said_where_it_begins() {
    let cut = "port-groups\n port-group\n  name: A\n  port-guid: 0x1\n";
    refused(
        cut,
        "t:2:2: `port-group` does not end: expected `end-port-group`",
    );
    refused("port-groups\n", "t:1:1: `port-groups` does not end");
    refused(
        "qos-levels\nend-port-groups\n",
        "t:2:1: expected `end-qos-levels`, found `end-port-groups`",
    );
    refused("end-qos-levels\n", "t:1:1: there is no `qos-levels` above");
}

#[test]
fn ports_may_be_told_from_one_guid_to_another() {
    let policy = |guids: &str| {
        format!(
            "port-groups\nport-group\nname: A\nport-guid: {guids}\nend-port-group\nend-port-groups\n{LEVELS}\
             qos-match-rules\nqos-match-rule\nsource: A\ndestination: A\nqos-level-name: default\nend-qos-match-rule\nend-qos-match-rules\n"
        )
    };
    let rules = read(&policy("0X10-0x1f, 0x30")).unwrap();
    assert_eq!(
        rules[0].sources,
        [Party::Ports(0x10, 0x1f), Party::Port(0x30)]
    );
    refused(
        &policy("0x20-0x1f"),
        "t:4:12: expected the lower GUID first",
    );
    refused(
        &policy("0x20-0xz"),
        "t:4:17: expected a GUID in hexadecimal digits",
    );
}

/// What is said of a pair is not dropped in silence.
#[test]
fn path_records_without_a_level_are_refused() {
    let record = |lines: &str| format!("PathRecord dump:\n{lines}");
    let whole = record("\t\tdlid....5\n\t\tslid....6\n\t\tsl......1\n\t\tmtu.....4\n");
    assert_eq!(read(&whole.repeat(2)).unwrap().len(), 2);
    let cut = record("\t\tdlid....5\n\t\tslid....6\n");
    refused(
        &(whole.clone() + &cut),
        "t:6:1: this path record has no `sl`",
    );
    refused(
        &(cut.clone() + &whole),
        "t:1:1: this path record has no `sl`",
    );
    let title = record("");
    refused(
        &(whole.clone() + &title),
        "t:6:1: this path record has no `dlid`",
    );
    // Without titles one begins where another one says the same again.
    let bare = "dlid..5\nslid..6\nsl..1\n";
    assert_eq!(read(&bare.repeat(2)).unwrap().len(), 2);
    refused(
        &format!("dlid..5\nslid..6\n{bare}"),
        "t:1:1: this path record has no `sl`",
    );
    refused(
        &format!("{bare}slid..6\nsl..1\n"),
        "t:4:1: this path record has no `dlid`",
    );
}
