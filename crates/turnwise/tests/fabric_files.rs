//! `route` and `verify` on a fabric whose files are as other tools leave them: GUIDs of nodes and ports, pipes, dumps that lack a LID.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{Ran, content, json, refuse, shell, subnet, turnwise};
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
/// What is recommended can be done.
#[test]
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
/// What is told of entries is told of all that are in the file.
#[test]
/// Tables that were safe where adapters were are not said to have been unsafe.
#[test]
/// With the files that were given, and not with the word FILE in their place.
#[test]
