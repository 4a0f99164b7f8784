//! `route --keep` and `verify --from`: tables of a fabric that change, and the steps in which they do.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{cut_link, json, subnet, turnwise};
use std::collections::BTreeSet;
use std::fs;

/// The entries of tables, each with its switch.
fn entries(tables: &str) -> Vec<(String, String)> {
    let mut switch = String::new();
    let mut found = Vec::new();
    for line in tables.lines() {
        if line.starts_with("Unicast") {
            switch = line.to_owned();
        } else {
            found.push((switch.clone(), line.to_owned()));
        }
    }
    found
}

/// What leads elsewhere than to a missing cable stays, and what is new is proved.
#[test]
fn tables_are_mended_where_a_cable_is_missing() {
    let (folder, _) = subnet();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    run("route --fabric fabric.net --lft a.lft --service-levels a.qos").fine();
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    // Port 1 of sw2_2 is linked to port 2 of sw3_2.
    let ends = [
        "[1]\t\"S-500000000000000f\"[2]",
        "[2]\t\"S-500000000000000b\"[1]",
    ];
    cut_link(folder.path(), ends);
    let mended = run(
        "route --fabric cut.net --keep a.lft --keep-service-levels a.qos \
                      --lft b.lft --service-levels b.qos --format json",
    );
    let mended = json(&mended.fine());
    assert_eq!(mended["verdict"], "deadlock-free");
    assert_eq!(mended["routable_pairs"], 240);
    let [before, after] = ["a.lft", "b.lft"].map(|file| entries(&read(file)));
    let is_dead = |(switch, line): &&(String, String)| {
        let ports = [("sw2_2", " 001 "), ("sw3_2", " 002 ")];
        ports
            .iter()
            .any(|(name, port)| switch.contains(name) && line.contains(port))
    };
    let (dead, pairs) = (
        before.iter().filter(is_dead).count(),
        before.iter().zip(&after),
    );
    let changed = pairs.filter(|(one, other)| one != other).count();
    assert_eq!(before.len(), after.len());
    assert!(
        dead > 0 && (dead..=3 * dead).contains(&changed),
        "{changed} of {dead}"
    );
    run("verify --fabric cut.net --lft b.lft --service-levels b.qos").fine();
    // What can deadlock is not worth keeping.
    let refused = run("route --fabric cut.net --keep opensm-lfts.dump --lft c.lft");
    assert_eq!(refused.code, Some(2), "{refused:#?}");
    assert!(
        refused.stderr.contains("the tables to keep can deadlock"),
        "{refused:#?}"
    );
}

/// Two levels that share a lane only because nobody has said how many there are.
#[test]
fn levels_beyond_the_usual_lanes_are_told_where_tables_can_deadlock() {
    let (folder, _) = subnet();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    run("route --fabric fabric.net --set routing.kind='dfsssp' --lft a.lft --service-levels a.qos")
        .fine();
    let path = folder.path().join("a.qos");
    let policy = fs::read_to_string(&path).unwrap();
    assert!(policy.contains("sl: 1\n"), "{policy}");
    fs::write(&path, policy.replace("sl: 1\n", "sl: 8\n")).unwrap();
    let keep = "route --fabric fabric.net --keep a.lft --keep-service-levels a.qos --format json";
    let refused = run(keep);
    assert_eq!(refused.code, Some(2), "{refused:#?}");
    let help = "service levels go up to 8, on 8 lanes here";
    assert!(refused.stderr.contains(help), "{}", refused.stderr);
    let kept = json(&run(&format!("{keep} --set routing.virtual_lanes=9")).fine());
    assert_eq!(kept["verdict"], "deadlock-free");
}

/// Tables are written of all that is still connected, and pairs that are not have no route in them.
#[test]
fn tables_of_a_fabric_that_falls_apart_are_mended() {
    let folder = tempfile::tempdir().unwrap();
    let study = "[network]\nkind = \"mesh\"\nsizes = [4]\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    run("network study.toml --export fabric.net --no-distances").fine();
    run("route --fabric fabric.net --lft a.lft --service-levels a.qos").fine();
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    // Port 2 of the third switch is linked to port 3 of the last.
    let ends = [
        "[2]\t\"S-5000000000000004\"[3]",
        "[3]\t\"S-5000000000000003\"[2]",
    ];
    cut_link(folder.path(), ends);
    let files = "--lft b.lft --service-levels b.qos --ibdmchk checker --steps steps";
    let mended = run(&format!(
        "route --fabric cut.net --keep a.lft --keep-service-levels a.qos {files} --format json"
    ));
    assert_eq!(mended.code, Some(1), "{mended:#?}");
    let mended = json(&mended);
    assert_eq!(mended["verdict"], "unroutable");
    assert_eq!(mended["routable_pairs"], 6);
    let judged = run("verify --fabric cut.net --lft b.lft --service-levels b.qos --format json");
    assert_eq!(judged.code, Some(1), "{judged:#?}");
    assert_eq!(json(&judged)["routable_pairs"], 6);
    // No switch sends on to the other side.
    let own = |switch: &str| {
        let all = entries(&read("b.lft"));
        let hosts = all.iter().filter(|(at, line)| {
            at.contains(&format!("(router-{switch})")) && line.contains("Channel")
        });
        hosts.count()
    };
    assert_eq!(["0", "1", "2", "3"].map(own), [3, 3, 3, 1]);
    let steps = read("steps/steps.txt");
    let last = steps.matches(".lft: ").count();
    assert_eq!(read(&format!("steps/step-{last}.lft")), read("b.lft"));
    // What leads nowhere any more is counted, too: one entry of each switch of three, and three of the last.
    let [before, after] = ["a.lft", "b.lft"].map(|file| {
        let all = entries(&read(file)).into_iter();
        // The range of LIDs in a switch's line is another one.
        let of_switch = |at: String| at.split_once(" of ").map(|(_, switch)| switch.to_owned());
        let adapters = all.filter(|(_, line)| line.contains("Channel"));
        let adapters = adapters.map(|(at, line)| (of_switch(at), line));
        adapters.collect::<BTreeSet<_>>()
    });
    let switches: BTreeSet<_> = before.difference(&after).map(|(at, _)| at).collect();
    let (changed, switches) = (before.difference(&after).count(), switches.len());
    assert_eq!((changed, switches), (6, 4));
    let told = format!("step-1.lft: {changed} entries of {switches} switches\n");
    assert!(last == 1 && steps.contains(&told), "{steps}");
}

/// Where nothing changes but entries that lead nowhere any more, these are the step.
#[test]
fn entries_towards_what_is_cut_off_are_a_step() {
    let folder = tempfile::tempdir().unwrap();
    let study = "[network]\nkind = \"mesh\"\nsizes = [2]\nterminals_per_router = 2\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    run("network study.toml --export fabric.net --no-distances").fine();
    run("route --fabric fabric.net --lft a.lft --service-levels a.qos").fine();
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    let fabric = read("fabric.net");
    let is_link = |line: &str| {
        line.starts_with('[')
            && line
                .split('\t')
                .nth(1)
                .is_some_and(|end| end.starts_with("\"S-"))
    };
    let switches = fabric.split_once("Switch\t").unwrap().1;
    let links: Vec<&str> = switches.lines().filter(|line| is_link(line)).collect();
    let [one, other] = links[..] else {
        panic!("{links:?}")
    };
    cut_link(folder.path(), [one, other]);
    let keep = "route --fabric cut.net --keep a.lft --keep-service-levels a.qos --lft b.lft --service-levels b.qos";
    let mended = run(&format!("{keep} --steps steps"));
    assert_eq!(mended.code, Some(1), "{mended:#?}");
    assert_eq!(read("steps/step-1.lft"), read("b.lft"));
    let recipe = read("steps/steps.txt");
    assert!(
        recipe.contains("1. step-1.lft: 4 entries of 2 switches"),
        "{recipe}"
    );
    // What has been loaded leaves nothing to do.
    let again = "route --fabric cut.net --keep b.lft --keep-service-levels b.qos --steps steps";
    assert_eq!(run(again).code, Some(1));
    assert!(
        read("steps/steps.txt").contains("There is nothing to do"),
        "{}",
        read("steps/steps.txt")
    );
    assert!(!folder.path().join("steps/step-1.lft").exists());
}

/// A change is safe if old and new entries together are.
#[test]
fn a_change_of_tables_is_judged_whichever_switch_changes_first() {
    let (folder, _) = subnet();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    run("route --fabric fabric.net --lft a.lft --service-levels a.qos --sl2vl a.sl2vl").fine();
    let same = run("verify --fabric fabric.net --lft a.lft --from a.lft --format json");
    let same = json(&same.fine());
    assert_eq!(same["verdict"], "deadlock-free");
    assert_eq!(same["change"], "safe in any order");
    let other = run("verify --fabric fabric.net --lft a.lft --from opensm-lfts.dump");
    assert_eq!(other.code, Some(1), "{other:#?}");
    for what in [
        "CYCLIC",
        "the tables that switches have can deadlock already",
        "stop the traffic while the switches change",
    ] {
        assert!(other.stdout.contains(what), "{what}: {}", other.stdout);
    }
    // Nobody could keep to such tables.
    assert!(!other.stdout.contains("--keep"), "{}", other.stdout);
    // Lanes that are the same at all ports change nothing, be they told of one of the two alone.
    let half = "verify --fabric fabric.net --lft a.lft --sl2vl a.sl2vl --from a.lft --format json";
    let half = json(&run(half).fine());
    assert_eq!(
        (&half["change"], &half["change_steps"]),
        (&same["change"], &same["change_steps"])
    );
}

/// A switch that a dump knows nothing of may be new, and may be missing because the dump is old or cut: that is said.
#[test]
fn switches_that_the_tables_do_not_have_are_told() {
    let (folder, _) = subnet();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    run("route --fabric fabric.net --lft a.lft").fine();
    let whole = fs::read_to_string(folder.path().join("a.lft")).unwrap();
    let last = whole.rfind("Unicast").unwrap();
    fs::write(folder.path().join("part.lft"), &whole[..last]).unwrap();
    let says = "warning: 1 of 16 switches has no entries in the tables";
    for line in [
        "route --fabric fabric.net --keep part.lft",
        "verify --fabric fabric.net --lft a.lft --from part.lft",
    ] {
        let ran = run(line);
        assert!(ran.stderr.contains(says), "{line}: {}", ran.stderr);
    }
    let same = run("route --fabric fabric.net --keep a.lft").fine();
    assert!(!same.stderr.contains("warning"), "{}", same.stderr);
    fs::write(folder.path().join("part.lft"), &whole[..last + 150]).unwrap();
    let cut = run("route --fabric fabric.net --keep part.lft");
    assert_eq!(cut.code, Some(2), "{cut:#?}");
    assert!(
        cut.stderr.contains("is the file cut off?"),
        "{}",
        cut.stderr
    );
}

/// A change that is not safe in any order is in the steps that are written, each of which is.
#[test]
fn a_change_is_made_in_steps() {
    let folder = tempfile::tempdir().unwrap();
    let study = "[network]\nkind = \"k-ary-n-tree\"\narity = 4\nlevels = 2\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    run("network study.toml --export fabric.net --no-distances").fine();
    run("route --fabric fabric.net --lft a.lft").fine();
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    // Port 8 of the first switch is linked to port 1 of the last.
    let ends = [
        "[8]\t\"S-5000000000000008\"[1]",
        "[1]\t\"S-5000000000000001\"[8]",
    ];
    cut_link(folder.path(), ends);
    let mended = run("route --fabric cut.net --keep a.lft --lft b.lft --steps steps");
    for line in [
        "the change: safe in these steps",
        "step-1.lft: ",
        "step-2.lft: ",
    ] {
        assert!(mended.stdout.contains(line), "{line}: {}", mended.stdout);
    }
    mended.fine();
    assert_eq!(read("steps/step-2.lft"), read("b.lft"));
    assert!(read("steps/steps.txt").contains("1. step-1.lft: "));
    // All at once is not safe, and each step is.
    let at_once = run("verify --fabric cut.net --lft b.lft --from a.lft --format json");
    assert_eq!(at_once.code, Some(1), "{at_once:#?}");
    let at_once = json(&at_once);
    assert_eq!(at_once["change_steps"], 2);
    assert_eq!(at_once["change"], "safe in steps");
    let of = "any mixture of the old and the new tables";
    assert_eq!(at_once["verdict_of"], of);
    for step in [
        "steps/step-1.lft --from a.lft",
        "b.lft --from steps/step-1.lft",
    ] {
        let safe = run(&format!("verify --fabric cut.net --lft {step}"));
        assert!(
            safe.stdout.contains("safe whichever switch changes first"),
            "{safe:#?}"
        );
        safe.fine();
    }
    run("verify --fabric cut.net --lft b.lft --from a.lft --steps again").fine();
    assert_eq!(read("again/step-1.lft"), read("steps/step-1.lft"));
    let alone = run("route --fabric cut.net --lft b.lft --steps steps");
    assert_eq!(alone.code, Some(2), "{alone:#?}");
    assert!(alone.stderr.contains("say which with --keep"), "{alone:#?}");
}

/// Packets of an adapter that has been put in the place of another one get levels as if they were new, as they are.
#[test]
fn tables_are_mended_where_an_adapter_has_been_exchanged() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let study = "[network]\nkind = \"torus\"\nsizes = [5, 5]\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    run("network study.toml --export fabric.net --no-distances").fine();
    run("route --fabric fabric.net --lft a.lft --service-levels a.qos").fine();
    let fabric = fs::read_to_string(folder.path().join("fabric.net")).unwrap();
    let mut needed = 0;
    for host in 1..=25 {
        let guid = format!("{:013x}", 0x10 * host);
        assert!(fabric.contains(&format!("H-100{guid}\"")), "{guid}");
        let own = |digits: &str| format!("100{digits}");
        let new = fabric.replace(&own(&guid[..12]), &own(&format!("00abc{}", &guid[5..12])));
        assert_ne!(new, fabric);
        fs::write(folder.path().join("new.net"), new).unwrap();
        let mended = run(
            "route --fabric new.net --keep a.lft --keep-service-levels a.qos \
                          --lft b.lft --service-levels b.qos --steps steps",
        );
        let says = "1 adapter is new to the old tables or their service levels, and must send and be sent nothing";
        let recipe = fs::read_to_string(folder.path().join("steps/steps.txt")).unwrap();
        let is_needed = mended.stdout.contains(says);
        assert_eq!(
            recipe.contains("1. the service levels of 1 new adapter"),
            is_needed
        );
        assert_ne!(
            recipe.contains("There is nothing to do"),
            is_needed,
            "{recipe}"
        );
        needed += usize::from(is_needed);
        mended.fine();
        // It has the other one's LID, and so its entries.
        let entries = |file: &str| {
            let text = fs::read_to_string(folder.path().join(file)).unwrap();
            let entries = text.lines().map(|line| line.get(..10).map(str::to_owned));
            entries.collect::<Vec<_>>()
        };
        assert_eq!(entries("a.lft"), entries("b.lft"));
        let judged =
            run("verify --fabric new.net --lft b.lft --service-levels b.qos --format json");
        assert_eq!(json(&judged.fine())["routable_pairs"], 600);
    }
    assert!(needed > 0);
}

/// A ring of four switches, each with an adapter; `hosts` says which of them there are, by number, and their LIDs.
fn ring(hosts: &[(u32, u32)]) -> String {
    let mut text = String::new();
    for at in 0..4 {
        text += &format!(
            "Switch 8 \"S-500{at}\" # \"sw{at}\" base port 0 lid {} lmc 0\n",
            1 + at
        );
        text += &format!("[1] \"S-500{}\"[2]\n", (at + 1) % 4);
        text += &format!("[2] \"S-500{}\"[1]\n", (at + 3) % 4);
        if hosts.iter().any(|&(host, _)| host == at) {
            text += &format!("[3] \"H-100{at}\"[1]\n");
        }
        text.push('\n');
    }
    for &(at, lid) in hosts {
        text +=
            &format!("Ca 1 \"H-100{at}\" # \"h{at}\"\n[1] \"S-500{at}\"[3] # lid {lid} lmc 0\n\n");
    }
    text
}

/// Who has a LID has its entries, whosever they were made for.
#[test]
fn a_lid_that_somebody_else_has_now_leads_where_it_led() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let all = [(0, 11), (1, 12), (2, 13), (3, 14)];
    fs::write(folder.path().join("fabric.net"), ring(&all)).unwrap();
    run("route --fabric fabric.net --lft a.lft --service-levels a.qos").fine();
    // The last one has gone, and the first one has come back with its LID.
    let now = [(0, 14), (1, 12), (2, 13)];
    fs::write(folder.path().join("now.net"), ring(&now)).unwrap();
    let judged = run("verify --fabric now.net --lft a.lft --service-levels a.qos --format json");
    assert_eq!(judged.code, Some(1), "{judged:#?}");
    let judged = json(&judged);
    assert_eq!(
        (&judged["pairs"], &judged["routable_pairs"]),
        (&6.into(), &4.into())
    );
    let keep = "route --fabric now.net --keep a.lft --keep-service-levels a.qos";
    run(&format!(
        "{keep} --lft b.lft --service-levels b.qos --steps steps"
    ))
    .fine();
    let judged = run("verify --fabric now.net --lft b.lft --service-levels b.qos --format json");
    assert_eq!(json(&judged.fine())["routable_pairs"], 6);
    // Where others have other LIDs as well, those of the fabric say nothing of the tables.
    let other = [(0, 14), (1, 15), (2, 16)];
    fs::write(folder.path().join("other.net"), ring(&other)).unwrap();
    run("verify --fabric other.net --lft a.lft --service-levels a.qos").fine();
}

/// No list of steps without a step.
#[test]
fn nothing_to_do_is_said_so() {
    let (folder, _) = subnet();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>()).fine();
    run("route --fabric fabric.net --lft a.lft --service-levels a.qos");
    run(
        "route --fabric fabric.net --keep a.lft --keep-service-levels a.qos --lft b.lft --steps steps",
    );
    let steps = fs::read_to_string(folder.path().join("steps/steps.txt")).unwrap();
    assert!(steps.contains("There is nothing to do"), "{steps}");
    assert!(!steps.contains("one after the other"), "{steps}");
}

/// What is safe on the lanes that switches usually have may close a circle on fewer.
#[test]
fn a_change_is_judged_on_the_lanes_that_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let study = "[network]\nkind = \"torus\"\nsizes = [5]\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    run("network study.toml --export fabric.net --no-distances").fine();
    run("route --fabric fabric.net --lft a.lft --service-levels a.qos").fine();
    let verify = "verify --fabric fabric.net --format json --lft a.lft --service-levels a.qos \
                  --from a.lft --from-service-levels a.qos";
    let fine = json(&run(verify).fine());
    assert_eq!(fine["change"], "safe in any order");
    let fewer = [
        "--set router.virtual_channels=1",
        "--set routing.before.virtual_lanes=1 --set routing.after.virtual_lanes=1",
    ];
    for fewer in fewer {
        let found = run(&format!("{verify} {fewer}"));
        assert_eq!(found.code, Some(1), "{found:#?}");
        let found = json(&found);
        assert_eq!(found["verdict"], "cyclic", "{fewer}");
        assert_eq!(found["change"], "no order is known", "{fewer}");
    }
}

/// What an earlier run has proved must not be taken for what this one has not; who has mistyped something loses nothing.
#[test]
fn where_there_is_no_proof_none_is_left() {
    let (folder, _) = subnet();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let old = ["c.json", "failures.csv"];
    let steps = ["steps/steps.txt", "steps/step-1.lft"];
    fs::create_dir(folder.path().join("steps")).unwrap();
    for file in old.iter().chain(&steps) {
        fs::write(folder.path().join(file), "old").unwrap();
    }
    let is_there = |file: &&str| folder.path().join(file).exists();
    let files = "--lft opensm-lfts.dump --certificate c.json --failures failures.csv";
    let mistyped = [
        &format!("verify --fabric fabric.nett {files}"),
        "route --fabric fabric.net --keep opensm-lfts.dump --steps steps --set routing.virtual_lane=4",
    ];
    for line in mistyped {
        assert_eq!(run(line).code, Some(2), "{line}");
    }
    assert!(old.iter().chain(&steps).all(is_there));
    let cyclic = run(&format!("verify --fabric fabric.net {files}"));
    assert_eq!(cyclic.code, Some(1), "{cyclic:#?}");
    assert!(!old.iter().any(is_there));
}

/// Message classes do not come in the way of a change: each class does what all do without them.
#[test]
fn a_change_is_judged_with_message_classes_too() {
    let (folder, _) = subnet();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    run("route --fabric fabric.net --lft a.lft --service-levels a.qos").fine();
    let verify = "verify --fabric fabric.net --format json --lft a.lft --service-levels a.qos \
                  --from a.lft --from-service-levels a.qos";
    let classes = " --set workload.kind=request-reply --set workload.pattern=uniform";
    for classes in ["", classes] {
        let found = run(&format!("{verify}{classes}"));
        assert_eq!(json(&found)["change"], "safe in any order", "{found:#?}");
    }
}

/// Where lanes are said by ports, entries are not looked at one by one; a pair that is lost already is not lost by the change.
#[test]
fn a_change_of_tables_with_lanes_by_ports_is_told_to_programs() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let study = "[network]\nkind = \"torus\"\nsizes = [5, 5]\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    run("network study.toml --export fabric.net --no-distances").fine();
    run("route --fabric fabric.net --set routing.deployment=transitions --set routing.virtual_lanes=2 \
         --lft a.lft --service-levels a.qos --sl2vl a.sl2vl")
    .fine();
    let text = fs::read_to_string(folder.path().join("a.lft")).unwrap();
    let (head, entry) = text.split_once("\n0x001c ").unwrap();
    fs::write(
        folder.path().join("holed.lft"),
        format!("{head}\n0x001c 255{}", &entry[3..]),
    )
    .unwrap();
    for (new, old, change, code) in [
        ("a", "a", "safe in any order", 0),
        ("holed", "holed", "safe in any order", 0),
        ("a", "holed", "safe in any order", 0),
        ("holed", "a", "no order is known", 1),
    ] {
        let judged = run(&format!(
            "verify --fabric fabric.net --lft {new}.lft --service-levels a.qos --sl2vl a.sl2vl \
             --from {old}.lft --from-service-levels a.qos --from-sl2vl a.sl2vl --format json"
        ));
        assert_eq!(judged.code, Some(code), "{new} {old}: {judged:#?}");
        let judged = json(&judged);
        assert_eq!(judged["change"], change, "{new} {old}");
        assert!(judged["change_steps"].is_null(), "{new} {old}");
    }
}
