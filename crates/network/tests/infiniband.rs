//! Files of InfiniBand subnets: what is written is read again, what the real tools wrote is understood, and what is wrong is
//! blamed on its line and column.

#![allow(clippy::unwrap_used)]

use common::fabric::fabric;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use turnwise_network::formats::infiniband::levels::{self, LevelRule, Party};
use turnwise_network::formats::infiniband::{TableWriter, lft, policy, sl2vl, write};
use turnwise_network::formats::read_fabric;
use turnwise_network::identities::Device;
use turnwise_network::topologies::{Topology, Torus};
use turnwise_network::{
    ChannelId, Faults, Identities, NamedFaults, Network, Part, RouterId, TerminalId,
};

#[allow(dead_code)]
mod common;

const FOLDER: &str = "../../tests/reference/opensm";

fn sample(name: &str) -> String {
    std::fs::read_to_string(format!("{FOLDER}/{name}")).unwrap()
}

/// Every living channel between two routers, by names of switches and numbers of ports.
fn cables(network: &Network) -> BTreeSet<String> {
    let known = network.identities_or_made_up().unwrap();
    let end = |end| match end {
        turnwise_network::End::Router(router, port) => {
            let number = known.port(network, router, port);
            format!("{}[{number}]", known.switches[RouterId::index(router)].name)
        }
        turnwise_network::End::Terminal(terminal) => {
            known.adapters[TerminalId::index(terminal)].name.clone()
        }
    };
    let ids = (0..network.total_channel_count()).map(ChannelId::from);
    let channels = ids.map(|id| network.channel(id));
    let living = channels.filter(|channel| {
        [channel.source, channel.target]
            .iter()
            .all(|end| match *end {
                turnwise_network::End::Router(router, _) => network.is_alive(router),
                turnwise_network::End::Terminal(terminal) => network.is_terminal_alive(terminal),
            })
    });
    living
        .map(|channel| format!("{} -> {}", end(channel.source), end(channel.target)))
        .collect()
}

#[test]
fn every_network_comes_back_from_its_net_file() {
    let mut met = 0;
    for example in common::examples::examples() {
        let healthy = example.network;
        let damaged = common::examples::damaged(&healthy, 1);
        for network in std::iter::once((*healthy).clone()).chain(damaged) {
            let one_way = network
                .channels()
                .any(|(id, _)| network.reverse(id).is_none());
            match write(&network) {
                Err(why) => assert!(one_way, "{}: {why}", network.description()),
                Ok(text) => {
                    let read = fabric(&text);
                    assert_eq!(cables(&read), cables(&network), "{}", network.description());
                    // A second time nothing is left to be made up.
                    let body = |text: &str| text.split_once('\n').unwrap().1.to_owned();
                    assert_eq!(body(&write(&read).unwrap()), body(&text));
                    met += 1;
                }
            }
        }
    }
    assert!(met > 50, "{met}");
}

#[test]
fn what_ibnetdiscover_prints_says_who_everybody_is() {
    let network = fabric(&sample("ibnetdiscover_t4x4.out"));
    assert_eq!((network.router_count(), network.terminal_count()), (16, 16));
    let known = network.identities().unwrap();
    assert!(known.made_up_lids.is_empty());
    let first = &known.switches[0];
    assert_eq!(
        (first.name.as_str(), first.guid, first.lid),
        ("sw2_2", 0x5000_0000_0000_000b, 13)
    );
    let host = known
        .adapters
        .iter()
        .find(|adapter| adapter.lid == 28)
        .unwrap();
    assert_eq!(
        (host.name.as_str(), host.guid),
        ("host10 HCA-1", 0x1000_0000_0000_00b1)
    );
    assert_eq!(network.router_label(RouterId(0)), "sw2_2");
    assert_eq!(network.channel_label(ChannelId(0)), "sw2_2[1] -> sw3_2[2]");
    // Faults take nobody's name.
    let faults = Faults {
        routers: vec![3],
        ..Faults::default()
    };
    let survivor = network.without(&faults).unwrap();
    assert_eq!(survivor.identities(), network.identities());
}

#[test]
fn three_dumps_of_the_same_tables_say_the_same() {
    let network = fabric(&sample("t5x5.net"));
    assert!(network.identities().unwrap().by_lid().is_empty());
    let dump = lft::read(&sample("opensm-lfts_t5x5.dump")).unwrap();
    let bare = lft::read(&sample("opensm_t5x5.fdbs")).unwrap();
    let entries = |dump: &lft::ForwardingDump| {
        let switches = dump.switches.iter();
        let tables = switches.map(|table| {
            let entries = table.entries.iter().map(|entry| (entry.lid, entry.port));
            (table.guid, entries.collect::<Vec<_>>())
        });
        tables.collect::<Vec<_>>()
    };
    assert_eq!(entries(&dump), entries(&bare));
    assert_eq!(
        (dump.switches.len(), dump.guids.len(), bare.guids.len()),
        (25, 50, 0)
    );
    let older = sample("opensm_t5x5.fdbs")
        .replace("dump_ucast_routes: ", "osm_ucast_mgr_dump_ucast_routes: ");
    assert_eq!(lft::read(&older).unwrap().switches.len(), 25);
    let loaded = lft::read(&sample("ext_lfts_in_t5x5.txt")).unwrap();
    assert_eq!(loaded.switches[0].entries[0].port, 0);
}

/// What tools write around tables of theirs is passed over.
#[test]
fn dumps_may_have_more_than_tables() {
    let plain = sample("opensm-lfts_t5x5.dump");
    let with = plain.replace("\n0x0001 ", "\n0x0000 255\n0x0001 ");
    assert_ne!(with, plain);
    let (first, rest) = with.split_once('\n').unwrap();
    let groups = "Multicast mlids [0xc000-0xc3ff] of switch Lid 2 guid 0x5000000000000001 (sw0_0):\n     0 1\n\
                  MLid\n0xc000   x x\n3 valid mlids dumped\n";
    let middle = rest.replacen("Unicast", &format!("{groups}Unicast"), 1);
    let text = format!("\u{feff}{first}\nPLFT_NUM: 0\n{middle}{groups}");
    let tables = |text: &str| {
        let read = lft::read(text).unwrap().switches;
        let entries = read.into_iter().map(|table| {
            let entries = table.entries.iter().map(|entry| (entry.lid, entry.port));
            (table.guid, entries.collect::<Vec<_>>())
        });
        entries.collect::<Vec<_>>()
    };
    assert_eq!(tables(&text), tables(&plain));
}

/// A dump that stops in the middle says that switches have no entries, which is not so.
#[test]
fn dumps_that_are_cut_off_are_refused() {
    let whole = sample("opensm-lfts_t5x5.dump");
    let message = |text: &str| lft::read(text).unwrap_err().message;
    let last = whole.rfind("Unicast").unwrap();
    let cut = &whole[..last + 200];
    assert!(
        message(cut).contains("is the file cut off?"),
        "{}",
        message(cut)
    );
    let valid = whole.replace(" lids dumped", " valid lids dumped ");
    assert!(lft::read(&valid).is_ok());
    let line = valid.split_inclusive('\n').nth(9).unwrap();
    let without = valid.replacen(line, "", 1);
    assert_eq!(
        message(&without),
        "this table has 50 entries, and 49 of them are here: has somebody cut lines out?"
    );
    // OpenSM counts its highest LID there, whatever has a path.
    let line = whole.split_inclusive('\n').nth(9).unwrap();
    assert!(lft::read(&whole.replacen(line, "", 1)).is_ok());
}

/// As `dump_lfts` prints a port with two LIDs.
#[test]
fn every_lid_of_a_port_is_its_own() {
    let text = "Unicast lids [0x0-0x3] of switch Lid 1 guid 0x5000000000000001 (sw0):\n  Lid  Out   Destination\n       Port     Info \n\
                0x0002 005 : (Channel Adapter portguid 0x1000000000000011: 'host0 mlx5_0')\n\
                0x0003 005 : (path #2 out of 2: portguid 0x1000000000000011)\n2 valid lids dumped \n";
    let guids = lft::read(text).unwrap().guids;
    let guid = 0x1000_0000_0000_0011;
    assert_eq!(guids, BTreeMap::from([(2, guid), (3, guid)]));
}

#[test]
fn samples_of_levels_and_lanes_are_understood() {
    let policy = levels::read(&sample("qos-policy_t5x5.conf")).unwrap();
    assert!(
        policy
            .iter()
            .all(|rule| rule.destinations.len() == 1 && rule.level > 0)
    );
    let list = levels::read(&sample("ibdmchk_psl_sample.txt")).unwrap();
    let third = &list[2];
    assert_eq!(third.sources, [Party::Node(0x1000_0000_0000_0010)]);
    assert_eq!(
        (third.destinations.as_slice(), third.level),
        ([Party::Lid(33)].as_slice(), 2)
    );
    let record = "PathRecord dump:\n\t\tdgid....................fe80::1000:0:0:141\n\t\tdlid....................20\n\
                  \t\tslid....................1\n\t\tsl......................0x3\n";
    let records = levels::read(&record.repeat(2)).unwrap();
    assert_eq!(records.len(), 2);
    assert_eq!(
        (records[1].sources.as_slice(), records[1].level),
        ([Party::Lid(1)].as_slice(), 3)
    );
    let dumped = sl2vl::read(&sample("opensm-sl2vl_t5x5.dump")).unwrap();
    let packed = sl2vl::read(&sample("ibdmchk_slvl_sample.txt")).unwrap();
    for (row, same) in dumped.iter().zip(&packed) {
        assert_eq!(
            (row.switch, row.from, row.to, row.lanes),
            (same.switch, same.from, same.to, same.lanes)
        );
    }
}

#[test]
fn mistakes_have_their_place() {
    let tables: &[(&str, &str)] = &[
        ("0x0001 002\n", "1:1: this entry belongs to no switch"),
        (
            "Unicast lids of switch Lid 1 (x):\n",
            "1:1: expected the GUID of a switch",
        ),
        (
            "Unicast lids of switch guid 0xzz (x):\n",
            "1:29: expected a GUID in hexadecimal digits, found `0xzz`",
        ),
        (
            "Unicast lids of switch guid 0x1 (x):\n0x0001 400\n",
            "2:8: expected a port, 0 to 255, found `400`",
        ),
        (
            "Unicast lids of switch guid 0x1 (x):\n0x0001\n",
            "2:7: expected a port, found the end",
        ),
        (
            "Unicast lids of switch guid 0x1 (x):\n0xc000 1\n",
            "2:1: expected a LID, 0x0001 to 0xbfff",
        ),
        (
            "Unicast lids of switch guid 0x1 (x):\nhallo\n",
            "2:1: expected `Unicast lids ... of switch` or an entry",
        ),
        ("# nothing\n", "there are no forwarding tables"),
        (
            "Unicast lids of switch guid 0x1 (x):\n0x0001 1 # portguid 0x5: 'a'\n0x0001 1 # portguid 0x6: 'b'\n",
            "3:21: LID 1 (0x0001) was that of 0x0000000000000005 before",
        ),
    ];
    for (text, expected) in tables {
        let complaint = lft::read(text).unwrap_err().in_file("t", text).message;
        assert!(complaint.contains(expected), "{text:?}: {complaint}");
    }
    let of_levels: &[(&str, &str)] = &[
        (
            "0x1 5\n",
            "1:1: expected a node GUID, a LID and a service level, found 2 words",
        ),
        (
            "0x1 5 16\n",
            "1:7: expected a service level, 0 to 15, found `16`",
        ),
        ("0x1 x 1\n", "1:5: expected a LID, found `x`"),
        ("dlid..5\nslid..zz\n", "2:7: expected a LID, found `zz`"),
        (
            "what is this\n",
            "1:1: expected a QoS policy, lines of `GUID LID level` or path records",
        ),
        (
            "qos-match-rules\nqos-match-rule\nsource: A\nend-qos-match-rule\nend-qos-match-rules\n",
            "2:1: a rule needs `source`, `destination`",
        ),
        (
            "port-group\nname: Alpha\nend-port-group\nqos-match-rules\nqos-match-rule\nsource: Alfa\ndestination: Alpha\n\
             qos-level-name: L\nend-qos-match-rule\nend-qos-match-rules\n",
            "6:9: there is no group `Alfa`",
        ),
        (
            "qos-match-rules\nport-group\npkey: 0x1\n",
            "3:1: `pkey` is not read here",
        ),
        (
            "qos-match-rules\nqos-level\nname: L\nend-qos-level\n",
            "4:1: this level has no `sl`",
        ),
        (
            "qos-levels\nqos-level\nname: SL1\nsl: 1\nend-qos-level\nend-qos-levels\n",
            "1:1: this policy has no level `DEFAULT`: OpenSM takes nothing of it",
        ),
        (
            "qos-match-rules\nqos-level\nname: SL1\nsl: 0\nend-qos-level\nqos-level\nname: sl1\nsl: 1\nend-qos-level\n",
            "7:7: there is another level `SL1` above",
        ),
        (
            "qos-match-rules\nport-group\nname: A\nend-port-group\nport-group\nname: A\nend-port-group\n",
            "6:7: there is another group `A` above",
        ),
    ];
    for (text, expected) in of_levels {
        let complaint = levels::read(text).unwrap_err().in_file("t", text).message;
        assert!(complaint.contains(expected), "{text:?}: {complaint}");
    }
    let of_lanes: &[(&str, &str)] = &[
        ("0 1 : 0\n", "1:1: expected `Switch 0x...`, found `0`"),
        (
            "Switch 0x1, \"a\"\n0 1 : 0 1\n",
            "2:1: expected lanes of 16 service levels, found 2",
        ),
        (
            "Switch 0x1, \"a\"\n0 x : 0 1\n",
            "2:3: expected a port, 0 to 254, found `x`",
        ),
        ("Switch\n", "1:7: expected a GUID"),
        ("\n", "there are no lanes"),
    ];
    for (text, expected) in of_lanes {
        let complaint = sl2vl::read(text).unwrap_err().in_file("t", text).message;
        assert!(complaint.contains(expected), "{text:?}: {complaint}");
    }
}

#[test]
fn what_is_told_twice_is_refused() {
    let table = "Unicast lids of switch guid 0x1 (x):\n0x0001 1\n";
    let twice = format!("{table}{table}");
    let complaint = lft::read(&twice).unwrap_err().in_file("t", &twice).message;
    assert!(
        complaint.contains("3:1: there is another table of switch 0x0000000000000001"),
        "{complaint}"
    );
    let other = format!("{table}0x0001 2\n");
    let complaint = lft::read(&other).unwrap_err().in_file("t", &other).message;
    assert!(
        complaint.contains("3:1: LID 1 (0x0001) had port 1"),
        "{complaint}"
    );
    let row = |lane: u8| format!("0x1 1 2{}\n", format!(" 0x{lane}{lane}").repeat(8));
    assert_eq!(sl2vl::read(&row(1).repeat(2)).unwrap().len(), 2);
    let other = row(1) + &row(2);
    let complaint = sl2vl::read(&other).unwrap_err().in_file("t", &other);
    let says = "2:1: switch 0x0000000000000001 had other lanes from port 1 to port 2 above";
    assert!(complaint.message.contains(says), "{}", complaint.message);
    let node = |guid: u32, id: &str, lid: u32| {
        format!("switchguid=0x{guid:x}\nSwitch 2 \"{id}\" # \"{id}\" base port 0 lid {lid} lmc 0\n")
    };
    for (text, expected) in [
        (
            node(1, "a", 1) + &node(1, "b", 2),
            "GUID 0x0000000000000001 is listed twice",
        ),
        (node(1, "a", 1) + &node(2, "b", 1), "LID 1 is listed twice"),
    ] {
        let complaint = read_fabric(&text).unwrap_err().in_file("t", &text).message;
        assert!(complaint.contains(expected), "{complaint}");
    }
    // A file that says nothing is as wrong.
    assert!(
        levels::read("# nothing\n")
            .unwrap_err()
            .message
            .contains("no service levels")
    );
    assert!(levels::read("# a comment first\n0x1 5 1\n").is_ok());
}

#[test]
fn real_fabrics_have_oddities() {
    let text = "Non-Chassis Nodes\nswitchguid=0x1\nSwitch 4 \"S-1\" # \"same name\" base port 0 lid 1 lmc 0\n\
                [1] \"S-1\"[2]\n[2] \"S-1\"[1]\n[3] \"S-2\"[3]\n[4] \"H-1\"[1]\n\
                switchguid=0x2\nSwitch 4 \"S-2\" # \"same name\" base port 0 lid 2 lmc 0\n[3] \"S-1\"[3]\n[4] \"H-1\"[2]\n\
                caguid=0x9\nCa 2 \"H-1\" # \"node7 HCA-1\"\n[1](a) \"S-1\"[4] # lid 4 lmc 1 \"x\" lid 1\n\
                [2](b) \"S-2\"[4] # lid 6 lmc 1 \"x\" lid 2\n";
    let network = fabric(text);
    // The cable from a switch to itself is none.
    assert_eq!(network.channel_count(), 2);
    let known = network.identities().unwrap();
    assert_eq!(
        (known.lmc(), known.adapters[1].lid, known.adapters[1].guid),
        (1, 6, 0xb)
    );
    assert_eq!(network.terminal_label(TerminalId(1)), "node7 HCA-1[2]");
    let conf = (turnwise_network::formats::writer("conf").unwrap().write)(&network).unwrap();
    let line = "SwitchName=same_name-0000000000000001 Nodes=node7\n";
    assert!(conf.contains(line), "{conf}");
}

#[test]
fn what_has_failed_is_found_by_name_and_by_guid() {
    let text = "switchguid=0x1\nSwitch 4 \"S-1\" # \"same name\" base port 0 lid 1 lmc 0\n[1] \"S-2\"[1]\n[2] \"S-3\"[1]\n\
                switchguid=0x2\nSwitch 4 \"S-2\" # \"same name\" base port 0 lid 2 lmc 0\n[1] \"S-1\"[1]\n\
                switchguid=0x3\nSwitch 4 \"S-3\" # \"0x0000000000000003\" base port 0 lid 3 lmc 0\n[1] \"S-1\"[2]\n";
    let network = fabric(text);
    let name = |text: &str| Part::Name(text.to_owned());
    let faults = |a: &str, b: &str| {
        let faults = NamedFaults {
            links: vec![[name(a), name(b)]],
            ..NamedFaults::default()
        };
        faults.of(&network)
    };
    assert_eq!(faults("0x1", "0X2").unwrap().links, [[0, 1]]);
    // Called by its GUID, which is one name and not two.
    assert_eq!(faults("0x0000000000000003", "0x1").unwrap().links, [[2, 0]]);
    let ambiguous = faults("0x1", "same name").unwrap_err();
    assert_eq!(
        ambiguous.to_string(),
        "links[0][1]: 2 routers are called `same name`"
    );
    assert!(faults("0x1", "0x7").is_err());
}

/// Ports with several LIDs were once written with one, and what was proved of the file said too much.
#[test]
fn ports_keep_all_their_lids() {
    let text = |second: &str| {
        format!(
            "switchguid=0x1\nSwitch 4 \"S-1\" # \"one\" base port 0 lid 1 lmc 0\n[1] \"H-1\"[1]\n[2] \"H-2\"[1]\n\
             caguid=0x8\nCa 1 \"H-1\" # \"a\"\n[1](8) \"S-1\"[1] # lid 4 lmc 2 \"one\" lid 1\n\
             caguid=0x9\nCa 1 \"H-2\" # \"b\"\n[1](9) \"S-1\"[2] # {second} \"one\" lid 1\n"
        )
    };
    let network = fabric(&text("lid 8 lmc 1"));
    let again =
        fabric(&(turnwise_network::formats::writer("net").unwrap().write)(&network).unwrap());
    let lmcs = |network: &Network| -> Vec<u8> {
        let known = network.identities().unwrap();
        known.adapters.iter().map(|adapter| adapter.lmc).collect()
    };
    assert_eq!(lmcs(&network), [2, 1]);
    assert_eq!(lmcs(&again), [2, 1]);
    // A port without a LID gets none of those that are taken: 1 and 4 to 7.
    let known = fabric(&text("lid 0 lmc 0")).identities().unwrap().clone();
    assert_eq!(known.adapters[1].lid, 2);
    let files = ["lid 2 lmc 0", "lid 3 lmc 0"].map(|free| fabric(&text(free)));
    assert!(files.iter().all(|network| network.terminal_count() == 2));
    let taken = read_fabric(&text("lid 6 lmc 0")).unwrap_err();
    assert_eq!(taken.message, "LID 6 is listed twice");
}

/// Who has no LID yet takes nobody else's away.
#[test]
fn a_port_without_a_lid_gets_a_free_one() {
    let known = |text: &str| fabric(text).identities().unwrap().clone();
    let text = sample("ibnetdiscover_t4x4.out");
    let whole = known(&text);
    // host10 is on its way up.
    let part = text.replace("# lid 28 lmc", "# lid 0 lmc");
    let part = known(&part.replace("HCA-1\" lid 28 4x", "HCA-1\" lid 0 4x"));
    let at = whole.adapters.iter().position(|own| own.lid == 28).unwrap();
    for (other, own) in part.adapters.iter().zip(&whole.adapters) {
        assert!(other == own || own.lid == 28);
    }
    assert_eq!(part.switches, whole.switches);
    let lid = part.adapters[at].lid;
    assert_eq!(part.made_up_lids, BTreeSet::from([lid]));
    assert!(!part.by_lid().contains_key(&lid));
    assert!(!whole.by_lid().contains_key(&lid) || lid == 28);
    assert_eq!(part.by_lid().len() + 1, whole.by_lid().len());
}

#[test]
fn more_parts_than_lids_make_no_subnet() {
    let torus = |sizes: &[u32]| Torus {
        sizes: sizes.to_vec(),
        ..Torus::default()
    };
    let large = torus(&[160, 160]).build(None).unwrap();
    assert!(write(&large).unwrap_err().message.contains("49151 LIDs"));
    let wide = turnwise_network::topologies::FullMesh {
        routers: 300,
        ..Default::default()
    };
    assert!(
        write(&wide.build(None).unwrap())
            .unwrap_err()
            .message
            .contains("a switch can have 254")
    );
}

fn expanded(rules: &[LevelRule]) -> Vec<(Party, Party, u8)> {
    let mut all = Vec::new();
    for rule in rules {
        for &source in &rule.sources {
            all.extend(rule.destinations.iter().map(|&to| (source, to, rule.level)));
        }
    }
    all.sort_unstable();
    all
}

/// As OpenSM answers: by the first rule, and where there is none by the level that is called so.
#[test]
fn pairs_without_a_rule_take_the_default_level() {
    let torus = Torus::default().build(None).unwrap();
    let known = Identities::made_up(&torus).unwrap();
    let text = policy::write(&known, |from, to| u8::from(from.0 == 0 && to.0 == 1));
    assert_eq!(levels::read(&text).unwrap().len(), 1);
    let others = text.replace("sl: 0", "sl: 3");
    let rules = levels::read(&others).unwrap();
    let [rule, rest] = &rules[..] else {
        panic!("{rules:?}");
    };
    assert_eq!((rule.level, rest.level), (1, 3));
    assert_eq!(rest.sources, [Party::All]);
    assert_eq!(rest.destinations, [Party::All]);
}

/// As OpenSM does: several groups of a rule are meant together, and capital letters are as good as small ones.
#[test]
fn a_rule_is_about_all_its_groups() {
    let group = |name: &str, guid: u64| {
        format!("port-group\nname: {name}\nport-guid: {guid:#x}\nend-port-group\n")
    };
    let groups = [("A", 1), ("B", 2), ("C", 3)].map(|(name, guid)| group(name, guid));
    let policy = |rule: &str| {
        let level = |name: &str, level: u8| {
            format!("qos-level\nname: {name}\nsl: {level}\nend-qos-level\n")
        };
        format!(
            "port-groups\n{}end-port-groups\nqos-levels\n{}{}end-qos-levels\n\
             qos-match-rules\nqos-match-rule\n{rule}end-qos-match-rule\nend-qos-match-rules\n",
            groups.concat(),
            level("Default", 0),
            level("SL2", 2)
        )
    };
    for rule in [
        "source: A\nsource: b\ndestination: B\ndestination: C\nqos-level-name: sl2\n",
        "source: A, B\ndestination: b, c\nqos-level-name: SL2\n",
    ] {
        let rules = levels::read(&policy(rule)).unwrap();
        let [rule] = &rules[..] else {
            panic!("{rules:?}");
        };
        assert_eq!(rule.sources, [Party::Port(1), Party::Port(2)]);
        assert_eq!(rule.destinations, [Party::Port(2), Party::Port(3)]);
        assert_eq!(rule.level, 2);
    }
}

#[test]
fn two_ports_have_no_guid_in_common() {
    let text = sample("ibnetdiscover_t4x4.out");
    let guids: Vec<&str> = text
        .split(['(', ')'])
        .filter(|word| word.len() == 16 && word.starts_with('1'))
        .collect();
    assert_ne!(guids[0], guids[1]);
    let twice = text.replace(&format!("({})", guids[1]), &format!("({})", guids[0]));
    let error = read_fabric(&twice).unwrap_err();
    let wanted = format!("port GUID 0x{} is listed twice", guids[0]);
    assert_eq!(error.message, wanted);
}

#[test]
fn sources_that_have_the_same_levels_share_rules() {
    let torus = Torus {
        sizes: vec![3, 3],
        terminals_per_router: 4,
        ..Torus::default()
    };
    let torus = torus.build(None).unwrap();
    let known = Identities::made_up(&torus).unwrap();
    let router = |at: TerminalId| torus.router_of(at).0;
    // Three levels, and one for those at the same switch, whom nobody needs a rule for.
    let level = |from, to| match (router(from), router(to)) {
        (here, there) if here == there => 0,
        (here, there) => (here + there) as u8 % 3 + 1,
    };
    let rules = levels::read(&policy::write(&known, level)).unwrap();
    assert_eq!(rules.len(), 9 * 3);
    assert!(rules.iter().all(|rule| rule.sources.len() == 4));
    // Two at the same switch who are not alike share none.
    let unlike = |from: TerminalId, to| u8::from(from == TerminalId(1)) + level(from, to);
    let rules = levels::read(&policy::write(&known, unlike)).unwrap();
    assert_eq!(rules.len(), 9 * 3 + 4);
}

/// Switch, LID and port.
type Entry = (u64, u32, u8);

/// All entries of a dump, and whose the LIDs are.
fn entries(text: &str) -> (Vec<Entry>, BTreeMap<u32, u64>) {
    let dump = lft::read(text).unwrap();
    let entries = dump.switches.iter().flat_map(|table| {
        let entries = table.entries.iter();
        entries.map(|entry| (table.guid, entry.lid, entry.port))
    });
    (entries.collect(), dump.guids)
}

proptest! {
    /// Lines that stand in the table before as well are read as those are that do not.
    #[test]
    fn the_table_before_changes_nothing(gaps in proptest::collection::vec(0u32..40, 4), seed in 0u32..255) {
        let torus = Torus { sizes: vec![4, 2], ..Torus::default() }.build(None).unwrap();
        let known = Arc::new(Identities::made_up(&torus).unwrap());
        let writer = TableWriter::new(&known);
        let (mut usual, mut unlike) = (String::new(), String::new());
        for (number, &gap) in (0..).zip(&gaps) {
            let text = writer.switch(RouterId(number), |device| {
                let lid = device.lid(&known);
                (lid != gap).then(|| ((lid + number) * seed % 255) as u8)
            });
            for line in text.lines() {
                usual += &format!("{line}\n");
                unlike += &format!("{line}{}\n", " ".repeat(number as usize));
            }
        }
        prop_assert_eq!(entries(&usual), entries(&unlike));
        prop_assert_eq!(entries(&usual), entries(usual.trim_end()));
        // A line that is like that before it but for its port is an entry all the same, and one that is hardly like it is not.
        let last = usual.rfind(" : (").unwrap();
        usual.replace_range(last - 1..last, "x");
        prop_assert!(lft::read(&usual).is_err());
    }

    #[test]
    fn tables_levels_and_lanes_come_back(seed in any::<u64>()) {
        let torus = Torus { sizes: vec![3, 3], ..Torus::default() }.build(None).unwrap();
        let known = Arc::new(Identities::made_up(&torus).unwrap());
        let draw = |a: u64, b: u64, bound: u64| {
            let mixed = (seed ^ a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_mul(0xbf58_476d_1ce4_e5b9)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed >> 32) % bound
        };
        let port = |device: Device| {
            let lid = u64::from(device.lid(&known));
            (draw(lid, 1, 4) > 0).then(|| draw(lid, 2, 256) as u8)
        };
        let text = TableWriter::new(&known).switch(RouterId(2), port);
        let read = lft::read(&text).unwrap();
        let wanted: Vec<(u32, u8)> = known
            .devices()
            .filter_map(|device| Some((device.lid(&known), port(device)?)))
            .collect();
        let found: Vec<(u32, u8)> = read.switches[0].entries.iter().map(|entry| (entry.lid, entry.port)).collect();
        prop_assert_eq!(found, wanted);
        prop_assert_eq!(read.switches[0].guid, known.switches[2].guid);

        let level = |from: TerminalId, to: TerminalId| draw(from.0.into(), u64::from(to.0) + 100, 16) as u8;
        let rules = levels::read(&policy::write(&known, level)).unwrap();
        let mut wanted = Vec::new();
        for from in torus.terminals() {
            for to in torus.terminals().filter(|&to| to != from && level(from, to) > 0) {
                let guid = |at: TerminalId| Party::Port(known.adapters[at.index()].guid);
                wanted.push((guid(from), guid(to), level(from, to)));
            }
        }
        wanted.sort_unstable();
        prop_assert_eq!(expanded(&rules), wanted);

        let lane = |from: u8, to: u8, level: u8| draw(u64::from(from) * 300 + u64::from(to), level.into(), 15) as u8;
        for row in sl2vl::read(&sl2vl::write_switch(&known.switches[4], 5, lane)).unwrap() {
            prop_assert_eq!(row.switch, known.switches[4].guid);
            prop_assert_eq!(row.lanes.to_vec(), (0..16).map(|level| lane(row.from, row.to, level)).collect::<Vec<u8>>());
        }
    }

    #[test]
    fn no_text_makes_a_reader_of_subnets_panic(
        name in prop::sample::select(vec!["t5x5.net", "opensm-lfts_t5x5.dump", "opensm_t5x5.fdbs", "qos-policy_t5x5.conf", "ibnetdiscover_t4x4.out", "opensm-sl2vl_t5x5.dump", "ibdmchk_psl_sample.txt"]),
        begin in 0..2000_usize,
        length in 0..600_usize,
        cut in 0..600_usize,
        noise in "\\PC{0,6}",
    ) {
        let text: Vec<char> = sample(name).chars().skip(begin).take(length).collect();
        let cut = cut.min(text.len());
        let text: String = text[..cut].iter().copied().chain(noise.chars()).chain(text[cut..].iter().copied()).collect();
        let _ = read_fabric(&text);
        let _ = lft::read(&text);
        let _ = levels::read(&text);
        let _ = sl2vl::read(&text);
    }
}
