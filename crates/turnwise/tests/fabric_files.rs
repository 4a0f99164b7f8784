//! `route` and `verify` on a fabric whose files are as other tools leave them: GUIDs of nodes and ports, pipes, dumps that lack a LID.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{Ran, content, doubled_lids, json, refuse, shell, subnet, turnwise};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn run(folder: &Path, line: &str) -> Ran {
    turnwise(folder, &line.split(' ').collect::<Vec<_>>())
}

/// Two switches with an adapter each, whose ports 0 have GUIDs of their own.
fn pair() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let node = |guid: u32, name: &str, lid: u32, ports: &str| {
        format!(
            "switchguid=0x{guid}(10{guid})\nSwitch 4 \"S-{guid}\" # \"{name}\" base port 0 lid {lid} lmc 0\n{ports}\n\n"
        )
    };
    let adapter = |id: u32, name: &str, cable: &str| {
        format!("caguid=0x{id}0\nCa 1 \"H-{id}\" # \"{name}\"\n[1]({id}1) {cable}\n\n")
    };
    let fabric = [
        node(10, "a", 1, "[1] \"H-2\"[1](21)\n[2] \"S-11\"[1]"),
        node(11, "b", 2, "[1] \"S-10\"[2]\n[3] \"H-3\"[1](31)"),
        adapter(2, "h1", "\"S-10\"[1] # lid 3 lmc 0 \"a\" lid 1"),
        adapter(3, "h2", "\"S-11\"[3] # lid 4 lmc 0 \"b\" lid 2"),
    ];
    fs::write(folder.path().join("pair.net"), fabric.concat()).unwrap();
    folder
}

/// OpenSM calls switches by their nodes, and by their ports where they are destinations.
#[test]
fn switches_are_called_by_node_and_by_port_where_opensm_does() {
    let folder = pair();
    run(
        folder.path(),
        "route --fabric pair.net --lft a.lft --sl2vl a.vl --ibdmchk checker",
    )
    .fine();
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    let tables = read("a.lft");
    let heads: Vec<&str> = tables
        .lines()
        .filter(|line| line.starts_with("Unicast"))
        .collect();
    assert!(heads[0].contains("guid 0x0000000000000010 "), "{tables}");
    assert!(
        tables.contains("(Switch portguid 0x0000000000001010: 'a')"),
        "{tables}"
    );
    assert!(read("a.vl").starts_with("Switch 0x0000000000000010,"));
    assert!(
        read("checker/opensm.fdbs").starts_with("dump_ucast_routes: Switch 0x0000000000000010\n")
    );
    assert!(read("checker/sl2vl.txt").starts_with("0x0000000000000010 "));
    let ends = "NodeGUID:0000000000000010 PortGUID:0000000000001010";
    assert!(read("checker/opensm-subnet.lst").contains(ends));
    let judged = |tables: &str| {
        fs::write(folder.path().join("now.lft"), tables).unwrap();
        run(
            folder.path(),
            "verify --fabric pair.net --lft now.lft --sl2vl a.vl",
        )
    };
    judged(&tables).fine();
    // As some tools have it, and Turnwise had it.
    let by_ports = tables.replace(" guid 0x00000000000000", " guid 0x00000000000010");
    judged(&by_ports).fine();
    let both = judged(&(tables + &by_ports));
    assert_eq!(both.code, Some(2));
    assert!(
        both.stderr.contains("there is another table of a above"),
        "{}",
        both.stderr
    );
}

/// A pipe can be read only once, and a command looks at its files several times.
#[cfg(unix)]
#[test]
fn files_may_be_pipes() {
    let (folder, _) = subnet();
    let folder = folder.path();
    run(
        folder,
        "route --fabric fabric.net --lft a.lft --service-levels a.qos",
    )
    .fine();
    let judge = "verify --fabric fabric.net --lft a.lft --service-levels a.qos";
    let of_files = run(folder, judge).fine();
    for file in ["fabric.net", "a.lft", "a.qos"] {
        let piped = judge.replace(file, "/dev/stdin");
        let ran = shell(folder, &format!("cat {file} | \"$turnwise\" {piped}")).fine();
        let said = |text: &str| text.replace("/dev/stdin", file);
        assert_eq!(said(&ran.stdout), of_files.stdout, "{file}");
    }
    let change = "verify --fabric fabric.net --lft a.lft --from";
    shell(
        folder,
        &format!("cat a.lft | \"$turnwise\" {change} /dev/stdin"),
    )
    .fine();
    let keep = "route --fabric fabric.net --keep /dev/stdin --lft b.lft";
    shell(folder, &format!("cat a.lft | \"$turnwise\" {keep}")).fine();
    for line in ["route --fabric -", "verify --fabric fabric.net --lft -"] {
        let arguments: Vec<&str> = line.split(' ').collect();
        refuse(
            folder,
            &arguments,
            &[
                "`-` is read as the study alone",
                "standard input is /dev/stdin",
            ],
        );
    }
}

/// A ring of switches with a host each, whose LIDs end at this one.
fn ring(last: u32) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let switch = |at: u32| {
        let (next, before) = ((at + 1) % 4, (at + 3) % 4);
        format!(
            "switchguid=0x5{at}\nSwitch 3 \"S-{at}\" # \"s{at}\" base port 0 lid {} lmc 0\n\
             [1] \"S-{next}\"[2]\n[2] \"S-{before}\"[1]\n[3] \"H-{at}\"[1](1{at}1)\n\n",
            at + 1
        )
    };
    let adapter = |at: u32| {
        let lid = last - 3 + at;
        format!(
            "caguid=0x1{at}0\nCa 1 \"H-{at}\" # \"h{at}\"\n[1](1{at}1) \"S-{at}\"[3] # lid {lid} lmc 0 \"s{at}\" lid {}\n\n",
            at + 1
        )
    };
    let text: String = (0..4).map(switch).chain((0..4).map(adapter)).collect();
    fs::write(folder.path().join("ring.net"), text).unwrap();
    run(
        folder.path(),
        "route --fabric ring.net --lft a.lft --service-levels a.qos",
    )
    .fine();
    folder
}

/// `dump_lfts` leaves the last LID out where it is a multiple of 64, and the switches have it all the same.
#[test]
fn what_dump_lfts_leaves_out_is_told_from_what_is_lost() {
    for (last, without, is_told) in [(64, 64, true), (64, 63, false), (63, 63, false)] {
        let folder = ring(last);
        let tables = fs::read_to_string(folder.path().join("a.lft")).unwrap();
        let lid = format!("{without:#06x} ");
        let left: Vec<&str> = tables
            .lines()
            .filter(|line| !line.starts_with(&lid))
            .collect();
        assert_eq!(left.len() + 4, tables.lines().count());
        fs::write(folder.path().join("now.lft"), left.join("\n")).unwrap();
        let judge = "verify --fabric ring.net --lft now.lft --service-levels a.qos";
        let judged = run(folder.path(), judge);
        assert_eq!(judged.code, Some(1), "{judged:#?}");
        assert!(
            judged.stdout.contains("UNROUTABLE: 3 of 12 pairs"),
            "{judged:#?}"
        );
        let says = "what to do: take opensm-lfts.dump";
        assert_eq!(
            judged.stdout.contains(says),
            is_told,
            "{last} {without}: {judged:#?}"
        );
        let ours = judged.stdout.contains("turnwise route --fabric ring.net");
        assert_eq!(ours, !is_told, "{judged:#?}");
    }
}

/// What is recommended can be done.
#[test]
fn several_lids_a_port_are_done_away_with_first() {
    let folder = ring(64);
    let path = folder.path().join("ring.net");
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace("lid 64 lmc 0", "lid 64 lmc 1");
    fs::write(&path, text).unwrap();
    let tables = fs::read_to_string(folder.path().join("a.lft")).unwrap();
    let left: Vec<&str> = tables
        .lines()
        .filter(|line| !line.starts_with("0x003d "))
        .collect();
    fs::write(folder.path().join("now.lft"), left.join("\n")).unwrap();
    let judged = run(folder.path(), "verify --fabric ring.net --lft now.lft");
    assert_eq!(judged.code, Some(1), "{judged:#?}");
    let says = "what to do: give each port of an adapter one LID, `lmc 0` in opensm.conf";
    assert!(judged.stdout.contains(says), "{judged:#?}");
}

/// A link has fifteen lanes for data, whoever routes.
#[test]
fn a_fabric_has_fifteen_lanes() {
    let folder = ring(63);
    for kind in ["turnwise", "lash", "dfsssp", "tor", "min-hop", "nue"] {
        for lanes in [0, 16, 17] {
            let kind = format!("routing.kind=\"{kind}\"");
            let lanes_set = format!("routing.virtual_lanes={lanes}");
            let arguments = [
                "route", "--fabric", "ring.net", "--set", &kind, "--set", &lanes_set,
            ];
            refuse(
                folder.path(),
                &arguments,
                &[&format!("expected 1 to 15, found {lanes}")],
            );
        }
    }
}

/// Where packets may choose among lanes, the files say less than was judged.
#[test]
fn lanes_that_a_subnet_cannot_choose_are_told() {
    let folder = ring(63);
    let route = "route --fabric ring.net --set routing.kind=\"up-down\" --set routing.virtual_channels=3 --lft b.lft --service-levels b.qos";
    let ran = run(folder.path(), route).fine();
    assert!(
        ran.stderr
            .contains("packets may choose among 3 virtual channels"),
        "{}",
        ran.stderr
    );
    let ran = run(
        folder.path(),
        "route --fabric ring.net --lft b.lft --service-levels b.qos",
    )
    .fine();
    assert!(!ran.stderr.contains("may choose"), "{}", ran.stderr);
}

/// Steps are not looked for there, and those of an earlier change would be taken for them.
#[test]
fn a_change_of_lanes_by_ports_has_no_steps() {
    let folder = ring(63);
    let folder = folder.path();
    let made = "route --fabric ring.net --set routing.deployment=\"transitions\" --set routing.virtual_lanes=2 --lft b.lft \
                --service-levels b.qos --sl2vl b.vl";
    run(folder, made).fine();
    // Where nobody comes by, another lane.
    let lanes = fs::read_to_string(folder.join("b.vl")).unwrap();
    let rest = lanes.trim_end().rsplit_once(' ').unwrap().0;
    fs::write(folder.join("b.vl"), format!("{rest} 1\n")).unwrap();
    assert!(!lanes.trim_end().ends_with(" 1"));
    fs::create_dir(folder.join("steps")).unwrap();
    fs::write(folder.join("steps/steps.txt"), "stale").unwrap();
    fs::write(folder.join("steps/step-1.lft"), "stale").unwrap();
    let judge = "verify --fabric ring.net --lft b.lft --service-levels b.qos --sl2vl b.vl --from b.lft --from-service-levels b.qos \
                 --from-sl2vl b.vl";
    let ran = run(folder, &format!("{judge} --steps steps"));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:#?}");
    assert!(
        ran.stderr
            .contains("--steps are looked for where a service level has the same lane"),
        "{}",
        ran.stderr
    );
    assert!(content(&folder.join("steps")).is_empty());
    let ran = run(folder, judge).fine();
    assert!(
        ran.stdout
            .contains("the change: safe whichever switch changes first"),
        "{ran:#?}"
    );
    // Where the new tables lose somebody, no order is safe.
    let tables = fs::read_to_string(folder.join("b.lft")).unwrap();
    let left: Vec<&str> = tables
        .lines()
        .filter(|line| !line.starts_with("0x003d "))
        .collect();
    fs::write(folder.join("c.lft"), left.join("\n")).unwrap();
    let ran = run(folder, &judge.replacen("b.lft", "c.lft", 1));
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(
        ran.stdout
            .contains("the change: not known to be safe in any order"),
        "{ran:#?}"
    );
    assert!(!ran.stdout.contains("FILE"), "{ran:#?}");
}

/// A level has the lane of its number at all ports, where nobody says otherwise and where `sl2vl` says just that. Of six switches, each of
/// whose tables is safe, the change can deadlock.
#[test]
fn lanes_that_say_what_holds_anyway_change_no_verdict_of_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    write("links", "0 1\n0 2\n0 5\n1 2\n1 4\n2 3\n3 4\n3 5\n4 5\n");
    write(
        "six.toml",
        "[network]\nkind = 'edge-list'\nfile = 'links'\n",
    );
    write(
        "old",
        "0,1,1,2,5,5\n0,1,2,4,4,4\n0,1,2,3,3,3\n5,4,2,3,4,5\n5,1,1,3,4,5\n0,4,0,3,4,5\n",
    );
    write(
        "new",
        "0,1,2,2,5,5\n0,1,2,4,4,4\n0,1,2,3,3,3\n5,2,2,3,4,5\n5,1,3,3,4,5\n0,4,3,3,4,5\n",
    );
    run(folder, "network six.toml --export six.net").fine();
    for tables in ["old", "new"] {
        let made = format!(
            "route --fabric six.net --set routing={{kind=\"next-hops\",file=\"{tables}\"}} --lft {tables}.lft --sl2vl vl --ibdmchk checker"
        );
        run(folder, &made).fine();
    }
    let zeros = read("checker/path-sl.txt");
    write("zero.sl", &zeros);
    write("one.sl", &zeros.replace(" 0\n", " 1\n"));
    let lanes = "0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7 ";
    write("id.vl", &read("vl").replace(&"0  ".repeat(16)[..47], lanes));
    assert_eq!(read("id.vl").matches(lanes).count(), 120);
    for [old, old_levels, new, new_levels] in [
        ["old", "one", "new", "one"],
        ["old", "zero", "old", "one"],
        ["old", "one", "old", "zero"],
        ["old", "zero", "new", "one"],
    ] {
        let judge = format!(
            "verify --fabric six.net --from {old}.lft --from-service-levels {old_levels}.sl --lft {new}.lft \
             --service-levels {new_levels}.sl --format json"
        );
        let without = run(folder, &judge);
        let with = run(folder, &format!("{judge} --sl2vl id.vl --from-sl2vl id.vl"));
        let [one, other] = [&without, &with].map(json);
        for field in [
            "verdict",
            "dependencies",
            "vertices",
            "cycle",
            "routable_pairs",
            "change",
            "change_steps",
            "fewest_virtual_channels",
        ] {
            assert_eq!(one[field], other[field], "{judge}: {field}");
        }
        let is_safe = old == new;
        assert_eq!(other["verdict"] == "deadlock-free", is_safe, "{judge}");
        assert_eq!(with.code, Some(i32::from(!is_safe)), "{judge}");
    }
}

/// Loads of single paths are whole. Who shares out the packets of a pair may do with less.
#[test]
fn a_bound_that_is_rounded_up_is_one_of_single_paths() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tree = "[network]\nkind = 'xgft'\nm = [3, 2]\nw = [1, 2]\n";
    fs::write(folder.join("tree.toml"), tree).unwrap();
    run(folder, "network tree.toml --export tree.net").fine();
    let made = run(folder, "route --fabric tree.net --lft a.lft --format json").fine();
    assert_eq!(json(&made)["lower_bound"], 5);
    let judged = run(folder, "verify --fabric tree.net --lft a.lft").fine();
    let says = "; no routing with one path for each pair can do with less than 5\n";
    assert!(judged.stdout.contains(says), "{}", judged.stdout);
    let routing = "[routing]\nkind = 'nca'\n";
    fs::write(folder.join("tree.toml"), format!("{tree}{routing}")).unwrap();
    let shared = run(folder, "route tree.toml --format json").fine();
    let shared = json(&shared);
    assert_eq!(shared["lower_bound"], 4.5);
    assert_eq!(shared["edge_forwarding_index"], 4.5);
}

/// Answers on the level of what they answer are judged where lanes are said by ports and where ports have several LIDs, too, and those
/// are told that switches throw away because of their level.
#[test]
fn answers_are_judged_whatever_lanes_and_lids_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    write("ring.toml", "[network]\nkind = 'torus'\nsizes = [8]\n");
    run(folder, "network ring.toml --export ring.net").fine();
    let made = "route --fabric ring.net --lft a.lft --service-levels a.qos --sl2vl a.vl";
    run(folder, made).fine();
    let judge = "verify --fabric ring.net --lft a.lft --service-levels a.qos";
    let judged = |more: &str| json(&run(folder, &format!("{judge} --format json{more}")).fine());
    let plain = judged("");
    assert_eq!(plain["unlike_answers_lost"], 0);
    for more in ["", " --sl2vl a.vl"] {
        let judged = judged(more);
        for field in ["verdict", "unlike_answers", "unlike_answers_verdict"] {
            assert_eq!(judged[field], plain[field], "{more}: {field}");
        }
        let words = run(folder, &format!("{judge}{more}")).fine().stdout;
        assert!(words.contains("could close a circle\n    "), "{words}");
    }
    assert_eq!(plain["unlike_answers_verdict"], "cyclic");
    // Each port may have two LIDs, and its routes go to either.
    write("two.lft", &doubled_lids(&read("a.lft")));
    let two = "verify --fabric ring.net --lft two.lft --service-levels a.qos --format json";
    let two = json(&run(folder, two).fine());
    for field in ["unlike_answers", "unlike_answers_verdict"] {
        assert_eq!(two[field], plain[field], "{field}");
    }
    // A switch that throws level 1 away where nobody has it who does not answer.
    let lanes = read("a.vl");
    let mut lost = 0;
    for (at, row) in lanes.match_indices("2   3   : 0  1 ") {
        let (before, after) = (&lanes[..at], &lanes[at + row.len()..]);
        write("b.vl", &format!("{before}2   3   : 0  15{after}"));
        let judge = format!("{judge} --sl2vl b.vl");
        let ran = run(folder, &format!("{judge} --format json"));
        if ran.code == Some(0) {
            let pairs = json(&ran)["unlike_answers_lost"].as_u64().unwrap();
            let words = run(folder, &judge).fine().stdout;
            assert_eq!(
                words.contains("throw away packets of "),
                pairs > 0,
                "{words}"
            );
            lost += pairs;
        }
    }
    assert!(lost > 0);
}

/// What is told of entries is told of all that are in the file.
#[test]
fn entries_towards_switches_are_not_passed_over() {
    let folder = ring(63);
    let folder = folder.path();
    let change = "verify --fabric ring.net --lft a.lft --service-levels a.qos --from a.lft --from-service-levels a.qos --steps steps";
    let ran = run(folder, change).fine();
    let says =
        "the change: none of entries towards adapters or of service levels; those towards switches";
    assert!(ran.stdout.contains(says), "{ran:#?}");
    let steps = fs::read_to_string(folder.join("steps/steps.txt")).unwrap();
    assert!(steps.contains("Entries towards switches"), "{steps}");
    let rows = json(&run(folder, &format!("{change} --format json")).fine());
    assert_eq!(rows["change_steps"], 0);
}

/// Tables that were safe where adapters were are not said to have been unsafe.
#[test]
fn tables_that_can_deadlock_since_adapters_have_moved_are_said_to() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let study = "[network]\nkind = \"torus\"\nsizes = [5, 5]\n";
    fs::write(folder.join("study.toml"), study).unwrap();
    run(
        folder,
        "network study.toml --export fabric.net --no-distances",
    )
    .fine();
    let files = "--lft a.lft --service-levels a.qos";
    run(folder, &format!("route --fabric fabric.net {files}")).fine();
    let fabric = fs::read_to_string(folder.join("fabric.net")).unwrap();
    let [one, other] = ["100000000000001", "100000000000002"];
    let swapped = fabric
        .replace(one, "one")
        .replace(other, one)
        .replace("one", other);
    fs::write(folder.join("new.net"), swapped).unwrap();
    let keep = "route --fabric new.net --keep a.lft --keep-service-levels a.qos --lft b.lft";
    let says = "with the service levels that pairs had, so there is nothing to mend: 2 adapters are not where these tables have them";
    refuse(folder, &keep.split(' ').collect::<Vec<_>>(), &[says]);
}

/// With the files that were given, and not with the word FILE in their place.
#[test]
fn tables_to_keep_to_are_called_by_their_names() {
    let folder = ring(63);
    let folder = folder.path();
    let tables = fs::read_to_string(folder.join("a.lft")).unwrap();
    let left: Vec<&str> = tables
        .lines()
        .filter(|line| !line.starts_with("0x003d "))
        .collect();
    fs::write(folder.join("c.lft"), left.join("\n")).unwrap();
    let change = "verify --fabric ring.net --lft c.lft --from a.lft --from-service-levels a.qos";
    let ran = run(folder, change);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let says = "turnwise route --fabric ring.net --keep a.lft --keep-service-levels a.qos --lft tables.lft";
    assert!(ran.stdout.contains(says), "{ran:#?}");
}
