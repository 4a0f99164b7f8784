//! `route` and `verify` on the files of a fabric: tables of ours, tables that others made, and tables that are wrong.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{doubled_lids, json, subnet, turnwise, verify};
use std::fs;
use tempfile::TempDir;

/// The text with an entry of a switch changed: packets from it to a LID leave by another port.
fn with_entry(tables: &str, switch: &str, lid: &str, port: &str) -> String {
    let (before, of_switch) = tables.split_once(&format!("('{switch}')")).unwrap();
    let (head, entry) = of_switch.split_once(&format!("\n{lid} ")).unwrap();
    format!("{before}('{switch}'){head}\n{lid} {port}{}", &entry[3..])
}

/// The port by which a switch sends packets to a LID.
fn entry(tables: &str, switch: &str, lid: &str) -> String {
    let (_, of_switch) = tables.split_once(&format!("('{switch}')")).unwrap();
    let (_, entry) = of_switch.split_once(&format!("\n{lid} ")).unwrap();
    entry[..3].to_owned()
}

#[test]
fn our_tables_are_proved_and_come_back() {
    let (folder, _) = subnet();
    let files =
        "--lft a.lft --service-levels a.qos --sl2vl a.sl2vl --ibdmchk checker --format json";
    let mut arguments = vec!["route", "--fabric", "fabric.net"];
    arguments.extend(files.split(' '));
    let made = json(&turnwise(folder.path(), &arguments).fine());
    assert_eq!(made["verdict"], "deadlock-free");
    assert_eq!(made["edge_forwarding_index"], 8);
    let judge = "verify --fabric fabric.net --lft a.lft --service-levels a.qos --sl2vl a.sl2vl --format json";
    let judge: Vec<&str> = judge.split(' ').collect();
    let judged = json(&turnwise(folder.path(), &judge).fine());
    for field in [
        "verdict",
        "pairs",
        "routable_pairs",
        "edge_forwarding_index",
        "mean_load",
    ] {
        assert_eq!(made[field], judged[field], "{field}");
    }
    for file in [
        "opensm-subnet.lst",
        "opensm.fdbs",
        "opensm.mcfdbs",
        "path-sl.txt",
        "sl2vl.txt",
    ] {
        assert!(folder.path().join("checker").join(file).exists(), "{file}");
    }
}

/// Fields of ours are nothing to another kind, but stay where ours is named.
#[test]
fn another_kind_is_set_by_its_name_alone() {
    let (folder, _) = subnet();
    let index = |set: &str| {
        let arguments = [
            "route",
            "--fabric",
            "fabric.net",
            "--format",
            "json",
            "--set",
            set,
        ];
        let made = json(&turnwise(folder.path(), &arguments).fine());
        (
            made["edge_forwarding_index"].clone(),
            made["virtual_channels_used"].clone(),
        )
    };
    assert_eq!(index("routing.kind=\"dfsssp\"").1, 2);
    assert_eq!(index(" routing.kind = 'turnwise'"), (8.into(), 1.into()));
    // What a fabric is, and not only what its file is called, is told who does not route it.
    let ran = turnwise(
        folder.path(),
        &[
            "route",
            "--fabric",
            "fabric.net",
            "--set",
            "routing.kind='ftree'",
        ],
    );
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    let says = "this one, fabric.net, is recognised as hypercube: dimensions = 4";
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
    // Tables that are given are not passed over.
    let foreign = "verify --fabric fabric.net --lft opensm-lfts.dump --set routing.kind='dfsssp'";
    let ran = turnwise(folder.path(), &foreign.split(' ').collect::<Vec<_>>());
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    let says = "--lft gives the tables that count, and --set routing.kind='dfsssp' asks for others";
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
    for other in [
        "routing={kind='dfsssp'}",
        "sweep={routing=[{kind='dfsssp'}]}",
    ] {
        let foreign = format!("verify --fabric fabric.net --lft opensm-lfts.dump --set {other}");
        let ran = turnwise(folder.path(), &foreign.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(2), "{ran:#?}");
        let says = "--lft gives the tables that count, and what is set asks for others";
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
    }
}

/// Who accepts a connection may answer on the service level of who opened it, which the proof of both levels says nothing of.
#[test]
fn answers_on_the_level_of_what_they_answer_are_judged() {
    let folder = tempfile::tempdir().unwrap();
    let ring = "[network]\nkind = 'torus'\nsizes = [8]\n";
    fs::write(folder.path().join("ring.toml"), ring).unwrap();
    let run = |words: &str| {
        let arguments: Vec<&str> = words.split(' ').collect();
        turnwise(folder.path(), &arguments).fine()
    };
    run("network ring.toml --export ring.net");
    let judge = "verify --fabric ring.net --lft a.lft --service-levels a.qos";
    run("route --fabric ring.net --lft a.lft --service-levels a.qos");
    let judged = json(&run(&format!("{judge} --format json")));
    assert_eq!(judged["verdict"], "deadlock-free");
    assert_eq!(judged["unlike_answers_verdict"], "cyclic");
    assert!(judged["unlike_answers"].as_u64().unwrap() > 0);
    let words = run(judge).stdout;
    assert!(words.contains("could close a circle\n    "), "{words}");
    // One pair without a route says nothing of the others.
    let path = folder.path().join("a.lft");
    let whole = fs::read_to_string(&path).unwrap();
    let (head, entry) = whole.split_once("\n0x000c ").unwrap();
    fs::write(&path, format!("{head}\n0x000c 255{}", &entry[3..])).unwrap();
    let arguments: Vec<&str> = judge.split(' ').collect();
    let holed = turnwise(folder.path(), &arguments);
    assert_eq!(holed.code, Some(1), "{holed:#?}");
    for what in ["UNROUTABLE", "could close a circle\n    "] {
        assert!(holed.stdout.contains(what), "{what}: {}", holed.stdout);
    }
    run(
        "route --fabric ring.net --set routing.mutual_lanes=true --lft a.lft --service-levels a.qos",
    );
    let judged = json(&run(&format!("{judge} --format json")));
    assert_eq!(judged["verdict"], "deadlock-free");
    assert!(judged.get("unlike_answers").is_none());
    assert!(!run(judge).stdout.contains("circle"));
}

#[test]
fn a_cycle_is_shown_by_names_and_what_to_do_is_told() {
    let (folder, tables) = subnet();
    let ran = verify(&folder, &tables, &[]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let says = |what: &str| assert!(ran.stdout.contains(what), "{what}: {}", ran.stdout);
    says("sw2_2[1] -> sw3_2[2] VC 0, held by packets host10 HCA-1 -> ");
    says(
        "the busiest channel carries 13 routes, the mean is 8; no routing can do with less than 8",
    );
    says(
        "what to do: tables that are proved free of deadlock for all 240 pairs, with 8 routes on the busiest channel",
    );
    says("turnwise route --fabric fabric.net --lft tables.lft");
}

#[test]
fn a_black_hole_and_a_loop_are_found() {
    let (folder, tables) = subnet();
    // host10 has LID 28 and hangs on sw2_2; sw3_2 is next to it, by its port 2.
    assert_eq!(entry(&tables, "sw3_2", "0x001c"), "002");
    let hole = verify(&folder, &with_entry(&tables, "sw3_2", "0x001c", "255"), &[]);
    assert_eq!(hole.code, Some(1));
    assert!(
        hole.stdout.contains("host14 HCA-1 -> host10 HCA-1: "),
        "{}",
        hole.stdout
    );
    // Its own switch and its host's are no exception.
    let says = "host14 HCA-1 -> host10 HCA-1: lost at sw3_2: no way on";
    assert!(hole.stdout.contains(says), "{}", hole.stdout);
    // sw3_2's port 3 leads to sw3_3, which comes back by its port 4.
    let circle = with_entry(&tables, "sw3_2", "0x001c", "003");
    let circle = verify(&folder, &with_entry(&circle, "sw3_3", "0x001c", "004"), &[]);
    assert_eq!(circle.code, Some(1));
    let says = "host14 HCA-1 -> host10 HCA-1: may go round for ever: sw3_2 -> sw3_3";
    assert!(circle.stdout.contains(says), "{}", circle.stdout);
    // To a port of another host.
    let astray = verify(&folder, &with_entry(&tables, "sw3_2", "0x001c", "005"), &[]);
    assert_eq!(astray.code, Some(1));
    let says = "host14 HCA-1 -> host10 HCA-1: delivered to host14 HCA-1 instead at sw3_2";
    assert!(astray.stdout.contains(says), "{}", astray.stdout);
}

#[test]
fn wrong_files_are_blamed_at_their_place() {
    let (folder, tables) = subnet();
    let refused = |tables: &str, what: &str| {
        let ran = verify(&folder, tables, &[]);
        assert_eq!(ran.code, Some(2), "{ran:#?}");
        assert!(ran.stderr.contains(what), "{what}: {}", ran.stderr);
    };
    refused(
        &with_entry(&tables, "sw3_2", "0x001c", "006"),
        "sw3_2 has 5 ports, not one of number 6",
    );
    refused(
        &tables.replace("guid 0x5", "guid 0x6"),
        "no switch of this dump is in the network",
    );
    refused("", "there are no forwarding tables in this file");
    // Switches know LIDs: whose they were does not count.
    let foreign = tables.replace("portguid 0x1", "portguid 0x2");
    let judged = verify(&folder, &foreign, &[]);
    assert!(judged.stdout.contains("all 240 pairs"), "{judged:#?}");
    refused(
        &foreign.replace("\n0x00", "\n0x10"),
        "no destination of this dump is an adapter",
    );
    fs::write(folder.path().join("levels"), "0x77 28 1\n").unwrap();
    let ran = verify(&folder, &tables, &["--service-levels", "levels"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .contains("levels:1:1: nobody who is named from here on is an adapter of the network"),
        "{}",
        ran.stderr
    );
}

#[test]
fn lanes_count_without_service_levels_too() {
    let (folder, tables) = subnet();
    let made = "route --fabric fabric.net --sl2vl lanes --lft a.lft";
    turnwise(folder.path(), &made.split(' ').collect::<Vec<_>>()).fine();
    let lanes = fs::read_to_string(folder.path().join("lanes")).unwrap();
    let judged = |lanes: &str| {
        fs::write(folder.path().join("lanes"), lanes).unwrap();
        verify(&folder, &tables, &["--sl2vl", "lanes"])
    };
    assert_eq!(judged(&lanes).code, Some(1));
    let half = &lanes[..lanes.len() / 2];
    let half = &half[..half.rfind('\n').unwrap() + 1];
    for (lanes, what) in [
        ("nothing of the kind", "lanes:1:1: expected `Switch 0x...`"),
        (half, "there are no lanes of"),
    ] {
        let ran = judged(lanes);
        assert_eq!(ran.code, Some(2), "{ran:#?}");
        assert!(ran.stderr.contains(what), "{what}: {}", ran.stderr);
    }
}

#[test]
fn what_has_failed_since_is_passed_over() {
    let (folder, tables) = subnet();
    let policy = "route --fabric fabric.net --service-levels levels --lft a.lft --set routing={kind=\"lash\"}";
    turnwise(folder.path(), &policy.split(' ').collect::<Vec<_>>()).fine();
    // sw3_2 is gone, and host14 with it.
    let fabric = fs::read_to_string(folder.path().join("fabric.net")).unwrap();
    let lines = fabric.split("\n\n").filter(|block| {
        !block.contains("\"sw3_2\" base") && !block.contains("\"host14 HCA-1\"\n[")
    });
    let left: Vec<String> = lines
        .map(|block| {
            block
                .lines()
                .filter(|line| !line.contains("\"S-500000000000000f\"["))
                .collect::<Vec<_>>()
                .join("\n")
        })
        .collect();
    fs::write(folder.path().join("fabric.net"), left.join("\n\n")).unwrap();
    let judged = |policy: Option<&str>| {
        if let Some(policy) = policy {
            fs::write(folder.path().join("levels"), policy).unwrap();
        }
        verify(&folder, &tables, &["--service-levels", "levels"])
    };
    let ran = judged(None);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.stdout.contains("UNROUTABLE"), "{}", ran.stdout);
    // So is a policy that names nobody else, but not one that names nobody who ever was there.
    let policy = |guid: &str| {
        format!(
            "port-groups\nport-group\nname: G\nport-guid: {guid}\nend-port-group\nend-port-groups\n\
             qos-levels\nqos-level\nname: DEFAULT\nsl: 0\nend-qos-level\nend-qos-levels\n\
             qos-match-rules\nqos-match-rule\nsource: G\ndestination: G\nqos-level-name: default\n\
             end-qos-match-rule\nend-qos-match-rules\n"
        )
    };
    let ran = judged(Some(&policy("0x10000000000000f1")));
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let ran = judged(Some(&policy("0x77")));
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    let says = "levels:15:9: nobody who is named from here on";
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
}

/// The LIDs that a dump says no more of are those of the fabric's file.
#[test]
fn lids_without_a_guid_are_those_of_the_fabric() {
    let (folder, tables) = subnet();
    let whole = verify(&folder, &tables, &["--format", "json"]);
    // As `ibroute` prints what it does not get to know.
    let unknown = |line: &str| match line.split_once('#') {
        Some((entry, _)) if line.starts_with("0x001c ") => {
            format!("{entry}: (unknown node and type)\n")
        }
        _ => format!("{line}\n"),
    };
    let without: String = tables.lines().map(unknown).collect();
    assert_ne!(without, tables);
    let judged = verify(&folder, &without, &["--format", "json"]);
    let [whole, judged] = [&whole, &judged].map(json);
    for field in ["verdict", "routable_pairs", "edge_forwarding_index"] {
        assert_eq!(whole[field], judged[field], "{field}");
    }
    // A port that has no LID yet takes nobody else's away, and gets nobody's entries.
    let fabric = fs::read_to_string(folder.path().join("fabric.net")).unwrap();
    let fabric = fabric.replace("# lid 28 lmc", "# lid 0 lmc");
    let fabric = fabric.replace("HCA-1\" lid 28 4x", "HCA-1\" lid 0 4x");
    fs::write(folder.path().join("fabric.net"), fabric).unwrap();
    let bare = |line: &str| line.split('#').next().unwrap().to_owned() + "\n";
    let bare: String = tables.lines().map(bare).collect();
    let judged = json(&verify(&folder, &bare, &["--format", "json"]));
    assert_eq!(judged["routable_pairs"], 240 - 15);
}

#[test]
fn several_lids_a_port_are_not_written_as_one() {
    let (folder, _) = subnet();
    let fabric = fs::read_to_string(folder.path().join("fabric.net")).unwrap();
    fs::write(
        folder.path().join("fabric.net"),
        fabric
            .replace("lid 28 lmc 0", "lid 100 lmc 1")
            .replace("HCA-1\" lid 28 4x", "HCA-1\" lid 100 4x"),
    )
    .unwrap();
    let ran = turnwise(
        folder.path(),
        &["route", "--fabric", "fabric.net", "--lft", "a.lft"],
    );
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.stderr.contains("have 2 LIDs each"), "{}", ran.stderr);
}

/// A folder with a ring whose ports have two LIDs each, and its service levels: those that are proved and 0 everywhere, of first LIDs and
/// of second ones.
fn with_two_lids() -> (TempDir, [[String; 2]; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let study = "[network]\nkind = \"torus\"\nsizes = [5]\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    for line in [
        "network study.toml --export fabric.net --no-distances",
        "route --fabric fabric.net --lft a.lft --service-levels qos --sl2vl lanes --ibdmchk checker",
    ] {
        turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>()).fine();
    }
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    let tables = doubled_lids(&read("a.lft"));
    fs::write(folder.path().join("now.lft"), tables).unwrap();
    let list = read("checker/path-sl.txt");
    let lines = |of_lid: u32, are_proved: bool| {
        let line = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let lid = 2 * words[1].parse::<u32>().unwrap() + of_lid;
            let level = if are_proved { words[2] } else { "0" };
            format!("{} {lid} {level}\n", words[0])
        };
        list.lines().map(line).collect::<String>()
    };
    let levels = [true, false].map(|are_proved| [0, 1].map(|lid| lines(lid, are_proved)));
    (folder, levels)
}

/// Each LID of a port has a service level of its own, in whatever order a file tells them.
#[test]
fn every_lid_of_a_port_has_its_own_level() {
    let (folder, [[first, second], [first_at_0, second_at_0]]) = with_two_lids();
    let verify = |levels: &[&String], more: &[&str]| {
        let text: String = levels.iter().map(|lines| lines.as_str()).collect();
        fs::write(folder.path().join("levels"), text).unwrap();
        let arguments = "verify --fabric fabric.net --lft now.lft --service-levels levels";
        let arguments: Vec<&str> = arguments.split(' ').collect();
        turnwise(folder.path(), &[&arguments, more].concat())
    };
    for levels in [[&first, &second_at_0], [&second_at_0, &first]] {
        let ran = verify(&levels, &[]);
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        assert!(ran.stdout.contains("CYCLIC"), "{ran:#?}");
    }
    verify(&[&second, &first], &[]).fine();
    // Of two rules for a LID the first counts, and what is told of a port's GUID is told of all its LIDs.
    verify(&[&second, &first, &second_at_0], &[]).fine();
    let policy = fs::read_to_string(folder.path().join("qos")).unwrap();
    verify(&[&policy], &["--sl2vl", "lanes"]).fine();
    // What nobody's packets pass may be thrown away: nobody leaves by the port that they have come by.
    let lanes = fs::read_to_string(folder.path().join("lanes")).unwrap();
    let back = |line: &str| {
        let ports: Vec<&str> = line.split_whitespace().take(2).collect();
        match line.split_once(':') {
            Some((way, _)) if ports[0] == ports[1] => format!("{way}:{}\n", " 15".repeat(16)),
            _ => format!("{line}\n"),
        }
    };
    let unused: String = lanes.lines().map(back).collect();
    assert!(unused.contains(" 15 15 "));
    fs::write(folder.path().join("lanes"), unused).unwrap();
    verify(&[&policy], &["--sl2vl", "lanes"]).fine();
    // Packets to second LIDs alone have the level that is thrown away.
    let lanes = lanes.replace(" : 0  1 ", " : 0  15 ");
    fs::write(folder.path().join("lanes"), lanes).unwrap();
    let thrown = verify(&[&first_at_0, &second], &["--sl2vl", "lanes"]);
    assert_eq!(thrown.code, Some(2), "{thrown:#?}");
    let says = "throws packets of service level 1 away, which pairs have, from port ";
    assert!(thrown.stderr.contains(says), "{thrown:#?}");
}

/// A fabric of a ring of five switches, each linked to the next by its port 1: hosts hang on these.
fn ring_with(hosts: &[&[usize]]) -> String {
    let mut text = String::new();
    for at in 1..=5 {
        let next = at % 5 + 1;
        text +=
            &format!("switchguid=0x{at}\nSwitch 9 \"S-{at}\" # \"sw{at}\"\n[1] \"S-{next}\"[2]\n");
    }
    for (number, switches) in (1..).zip(hosts) {
        let ports = switches.len();
        text += &format!("caguid=0x{number}00\nCa {ports} \"H-{number}\" # \"host{number}\"\n");
        for (port, switch) in (1..).zip(*switches) {
            text += &format!("[{port}](0x{number}0{port}) \"S-{switch}\"[{}]\n", 2 + port);
        }
    }
    text
}

/// `ibdmchk` tells sources by their nodes, so that it would look at other levels than packets have.
#[test]
fn ports_of_an_adapter_with_unlike_levels_are_nothing_for_ibdmchk() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let files = "route --fabric fabric.net --lft a.lft --service-levels a.qos --ibdmchk checker";
    fs::write(
        folder.path().join("fabric.net"),
        ring_with(&[&[1, 2], &[3], &[4], &[5]]),
    )
    .unwrap();
    let ran = run(files);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    for says in [
        "from port 1 of host1 (0x0000000000000100) and",
        "from its port 2; ibdmchk knows one",
    ] {
        assert!(ran.stderr.contains(says), "{says}: {}", ran.stderr);
    }
    assert!(!folder.path().join("a.lft").exists());
    assert!(!folder.path().join("checker").exists());
    // With one lane there is one level.
    run(&format!("{files} --set routing.virtual_lanes=1")).fine();
    let list = fs::read_to_string(folder.path().join("checker/path-sl.txt")).unwrap();
    assert!(list.lines().all(|line| line.ends_with(" 0")), "{list}");
}

/// Tables that need service levels are not left without them unawares.
#[test]
fn tables_that_need_service_levels_say_so() {
    let (folder, _) = subnet();
    fs::write(
        folder.path().join("ring.net"),
        ring_with(&[&[1], &[2], &[3], &[4], &[5]]),
    )
    .unwrap();
    let note = |line: &str| {
        let ran = turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>()).fine();
        ran.stderr
            .contains("the tables alone are not safe: they are proved with service levels 0 to 1")
            && ran.stderr.contains("--service-levels FILE")
    };
    assert!(note("route --fabric ring.net --lft a.lft"));
    assert!(!note(
        "route --fabric ring.net --lft a.lft --service-levels a.qos"
    ));
    assert!(!note("route --fabric fabric.net --lft a.lft"));
    // A verdict that is none is not called a proof.
    let cyclic = "route --fabric ring.net --set routing.kind='min-hop' --lft a.lft";
    let ran = turnwise(folder.path(), &cyclic.split(' ').collect::<Vec<_>>());
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(!ran.stderr.contains("proved"), "{}", ran.stderr);
    // One file for two things would have the second alone.
    let same = "route --fabric ring.net --lft b.lft --service-levels ./b.lft";
    let ran = turnwise(folder.path(), &same.split(' ').collect::<Vec<_>>());
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    let says = "--lft and --service-levels would both write ./b.lft";
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
    assert!(!folder.path().join("b.lft").exists());
}

/// Lanes that change from port to port are in no file that OpenSM loads, so that tables and policy alone may be cyclic.
#[test]
fn tables_that_need_lanes_of_ports_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let ring = ring_with(&[&[1], &[2], &[3], &[4], &[5]]);
    fs::write(folder.path().join("ring.net"), ring).unwrap();
    let note = |kind: &str, files: &str| {
        let line =
            format!("route --fabric ring.net --format json --set routing.kind='{kind}' {files}");
        let ran = turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>()).fine();
        assert_eq!(json(&ran)["verdict"], "deadlock-free");
        ran.stderr
    };
    let loaded = "--lft a.lft --service-levels a.qos";
    for (files, help) in [
        (loaded, "write which they are with --sl2vl FILE"),
        ("--lft a.lft", "--service-levels FILE and --sl2vl FILE"),
        (
            "--lft a.lft --sl2vl a.sl2vl",
            "with --service-levels FILE, too",
        ),
        (
            "--lft a.lft --service-levels a.qos --sl2vl a.sl2vl",
            "stock OpenSM cannot be told",
        ),
    ] {
        let says = note("sbp", files);
        assert!(says.contains("the tables are not safe"), "{files}: {says}");
        assert!(says.contains(help), "{files}: {says}");
    }
    // They are what the note says.
    note("sbp", loaded);
    let judge = "verify --fabric ring.net --lft a.lft --service-levels a.qos";
    let judged = turnwise(folder.path(), &judge.split(' ').collect::<Vec<_>>());
    assert_eq!(judged.code, Some(1), "{judged:#?}");
    assert!(!note("turnwise", loaded).contains("note:"));
}

/// Levels share lanes here only because nobody has said how many lanes there are.
#[test]
fn levels_beyond_the_usual_lanes_are_told_of_a_circle() {
    let folder = tempfile::tempdir().unwrap();
    let torus = "[network]\nkind = 'torus'\nsizes = [5, 5]\n";
    fs::write(folder.path().join("study.toml"), torus).unwrap();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    run("network study.toml --export t5.net --no-distances").fine();
    let lash = "--set routing.kind='lash' --set routing.virtual_lanes=15";
    run(&format!(
        "route --fabric t5.net {lash} --lft a.lft --service-levels a.qos"
    ))
    .fine();
    let judge = "verify --fabric t5.net --lft a.lft --service-levels a.qos";
    let folded = run(judge);
    assert_eq!(folded.code, Some(1), "{folded:#?}");
    let says = "service levels go up to 14, on 8 lanes here; if switches have more for data, take virtual_lanes = 15";
    assert!(folded.stdout.contains(says), "{}", folded.stdout);
    let lanes = run(&format!("{judge} --set routing.virtual_lanes=15")).fine();
    assert!(
        !lanes.stdout.contains("service levels go up to"),
        "{}",
        lanes.stdout
    );
    // A circle that has nothing to do with lanes.
    run("route --fabric t5.net --set routing.kind='min-hop' --lft b.lft");
    let cyclic = run("verify --fabric t5.net --lft b.lft");
    assert_eq!(cyclic.code, Some(1), "{cyclic:#?}");
    assert!(
        !cyclic.stdout.contains("service levels go up to"),
        "{}",
        cyclic.stdout
    );
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let (folder, _) = subnet();
    for arguments in [
        "verify --lft a.lft study.toml",
        "route study.toml --fabric fabric.net",
        "verify",
        "route --fabric fabric.net --lft -",
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        assert_eq!(
            turnwise(folder.path(), &arguments).code,
            Some(2),
            "{arguments:?}"
        );
    }
    // Two routings make no one table.
    let set = [
        "--set",
        "sweep={ routing = [{ kind = \"lash\" }, { kind = \"turnwise\" }] }",
    ];
    let ran = turnwise(
        folder.path(),
        &[
            &["route", "--fabric", "fabric.net", "--lft", "a.lft"],
            &set[..],
        ]
        .concat(),
    );
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .contains("--lft writes the routes of one routing; this study has 2"),
        "{}",
        ran.stderr
    );
    // What a subnet cannot do.
    let set = ["--set", "routing={ kind = \"up-down\" }"];
    let ran = turnwise(
        folder.path(),
        &[
            &["route", "--fabric", "fabric.net", "--lft", "a.lft"],
            &set[..],
        ]
        .concat(),
    );
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("by several ports"), "{}", ran.stderr);
    assert!(!folder.path().join("a.lft").exists());
}

#[test]
fn routes_from_a_file_are_proved_as_those_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let study =
        "[network]\nkind = \"torus\"\nsizes = [4, 4]\n[routing]\nkind = \"shortest-path\"\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let route = |more: &[&str]| {
        let arguments = [&["route", "study.toml", "--format", "json"], more].concat();
        turnwise(folder.path(), &arguments)
    };
    let made = json(&route(&["--paths", "paths.csv"]).fine());
    let set = [
        "--set",
        "routing={ kind = \"paths\", file = \"paths.csv\" }",
    ];
    let read = json(&route(&set).fine());
    for field in [
        "verdict",
        "pairs",
        "routable_pairs",
        "edge_forwarding_index",
        "deviation",
        "mean_hops",
        "virtual_channels_used",
    ] {
        assert_eq!(made[field], read[field], "{field}");
    }
    let path = folder.path().join("paths.csv");
    let text = fs::read_to_string(&path).unwrap();
    let cases = [
        (
            text.replacen("vc", "lane", 1),
            "paths.csv:1:1: expected a header with a column `vc`",
        ),
        (
            text.replacen("\n0,1,0,0,", "\n0,1,0,3,", 1),
            "the route is at router 0 here, not 3",
        ),
        (
            text.replacen("\n0,1,", "\n0,99,", 1),
            "there is no terminal 99",
        ),
        (
            format!("{text}0,1,0,0,1,4,0\n"),
            "rows of the route from 0 to 1 stand elsewhere already",
        ),
        (
            text.lines().take(2).collect::<Vec<_>>().join("\n") + "\n0,2,0,0,3,1,0\n",
            "the route from 0 to 2 ends at",
        ),
    ];
    for (text, expected) in cases {
        fs::write(&path, text).unwrap();
        let ran = route(&set);
        assert_eq!(ran.code, Some(2), "{ran:#?}");
        assert!(ran.stderr.contains(expected), "{expected}: {}", ran.stderr);
    }
}
