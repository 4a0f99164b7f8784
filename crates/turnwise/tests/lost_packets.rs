//! `verify` on tables that lose packets: which ones, where, and by which port.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::verify;
use std::fs;

/// A fabric of two switches and a host at each, the first of which has two LIDs, and its tables.
const TWO_LIDS: [&str; 2] = [
    "switchguid=0x1\nSwitch 4 \"S-1\" # \"s0\" base port 0 lid 1 lmc 0\n[1] \"S-2\"[1]\n[2] \"S-2\"[2]\n[3] \"H-10\"[1]\n\
     switchguid=0x2\nSwitch 4 \"S-2\" # \"s1\" base port 0 lid 2 lmc 0\n[1] \"S-1\"[1]\n[2] \"S-1\"[2]\n[3] \"H-20\"[1]\n\
     caguid=0x10\nCa 1 \"H-10\" # \"h0\"\n[1](11) \"S-1\"[3] # lid 4 lmc 1 \"s0\" lid 1 4xSDR\n\
     caguid=0x20\nCa 1 \"H-20\" # \"h1\"\n[1](21) \"S-2\"[3] # lid 6 lmc 0 \"s1\" lid 2 4xSDR\n",
    "Unicast lids [0-7] of switch Lid 1 guid 0x1 (s0):\n\
     0x0004 003 : (Channel Adapter portguid 0x11: 'h0')\n\
     0x0005 003 : (Channel Adapter portguid 0x11: 'h0')\n\
     0x0006 001 : (Channel Adapter portguid 0x21: 'h1')\n\
     Unicast lids [0-7] of switch Lid 2 guid 0x2 (s1):\n\
     0x0004 001 : (Channel Adapter portguid 0x11: 'h0')\n\
     0x0005 002 : (Channel Adapter portguid 0x11: 'h0')\n\
     0x0006 003 : (Channel Adapter portguid 0x21: 'h1')\n",
];

/// Who has been told a LID sends to it, whether the first switch knows a way or not.
#[test]
fn a_lid_that_the_first_switch_does_not_know_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let [fabric, tables] = TWO_LIDS;
    fs::write(folder.path().join("fabric.net"), fabric).unwrap();
    let whole = verify(&folder, tables, &[]).fine();
    assert!(
        whole.stdout.contains("all 2 pairs are routable"),
        "{}",
        whole.stdout
    );
    let second = "0x0005 002 : (Channel Adapter portguid 0x11: 'h0')\n";
    for less in ["", "0x0005 255 : (Channel Adapter portguid 0x11: 'h0')\n"] {
        let ran = verify(&folder, &tables.replace(second, less), &[]);
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        let says = "h1 -> h0: lost at s1: no way on";
        assert!(ran.stdout.contains(says), "{}", ran.stdout);
    }
    // A LID that nobody lists is none that anybody has been told.
    let first = "0x0005 003 : (Channel Adapter portguid 0x11: 'h0')\n";
    let never = tables.replace(second, "").replace(first, "");
    verify(&folder, &never, &[]).fine();
    // While tables change, too.
    fs::write(folder.path().join("old.lft"), tables).unwrap();
    let ran = verify(&folder, &tables.replace(second, ""), &["--from", "old.lft"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let says = "h1 -> h0: lost at s1: no way on";
    assert!(ran.stdout.contains(says), "{}", ran.stdout);
}

/// Every wrong entry was once told as none: at the first switch of a packet, and behind it.
#[test]
fn what_is_wrong_with_an_entry_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let [fabric, tables] = TWO_LIDS;
    fs::write(
        folder.path().join("fabric.net"),
        fabric.replace("lmc 1", "lmc 0"),
    )
    .unwrap();
    let (first, second) = tables.split_once("0x0004 001").unwrap();
    let from_h1 = |entry: &str| format!("{first}0x0004 {entry}{second}");
    let to_h1 = |entry: &str| {
        let (first, second) = tables.rsplit_once("0x0006 003").unwrap();
        format!("{first}0x0006 {entry}{second}")
    };
    for (tables, says) in [
        (from_h1("004"), "h1 -> h0: lost at s1: port 4 leads nowhere"),
        (from_h1("003"), "h1 -> h0: delivered to h1 instead at s1"),
        (from_h1("255"), "h1 -> h0: lost at s1: no way on"),
        (to_h1("004"), "h0 -> h1: lost at s1: port 4 leads nowhere"),
        (to_h1("255"), "h0 -> h1: lost at s1: no way on"),
    ] {
        let ran = verify(&folder, &tables, &[]);
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        assert!(ran.stdout.contains(says), "{says} in {}", ran.stdout);
    }
}

/// A switch is told by its own numbers of ports, and one without an entry is not blamed on a port.
#[test]
fn a_port_that_leads_nowhere_is_called_by_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let [fabric, tables] = TWO_LIDS;
    let fabric = fabric.replace("lmc 1", "lmc 0");
    fs::write(folder.path().join("fabric.net"), fabric).unwrap();
    let first = "0x0005 003 : (Channel Adapter portguid 0x11: 'h0')\n";
    let second = "0x0005 002 : (Channel Adapter portguid 0x11: 'h0')\n";
    let tables = tables.replace(first, "").replace(second, "");
    fs::write(folder.path().join("old.lft"), &tables).unwrap();
    let entry = "0x0004 001 : (Channel";
    assert!(tables.contains(entry));
    for (new, says) in [
        (
            "0x0004 004 : (Channel",
            "h1 -> h0: lost at s1: port 4 leads nowhere",
        ),
        ("0x0004 255 : (Channel", "h1 -> h0: lost at s1: no way on"),
    ] {
        let ran = verify(&folder, &tables.replace(entry, new), &["--from", "old.lft"]);
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        assert!(ran.stdout.contains(says), "{}", ran.stdout);
    }
}
