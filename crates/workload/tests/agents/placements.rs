//! Every placement of the registry, and workloads that are placed.

use crate::mock::{JITTER, Outcome, run};
use crate::registered::{files, texts};
use crate::written::read;
use crate::{LIMIT, damaged, networks, parameters};
use std::collections::BTreeMap;
use turnwise_config::File;
use turnwise_config::registry::{health, parse};
use turnwise_network::topologies::{
    ChannelLatency, Dragonfly, InfiniBand, KAryNTree, Megafly, Topology,
};
use turnwise_network::{Invalid, Network, TerminalId};
use turnwise_workload::WorkloadParameters;
use turnwise_workload::tenants::{self, Tenant};
use turnwise_workload::{PLACEMENTS, Part, Placement, Site, WORKLOADS, placed};

fn placement(written: &str) -> Box<dyn Placement> {
    let mut errors = Vec::new();
    let placement = parse(PLACEMENTS, &read(written), "kind", &mut errors);
    placement.unwrap_or_else(|| panic!("{written}: {errors:?}"))
}

fn living(network: &Network) -> Vec<TerminalId> {
    network.living_terminals().collect()
}

/// Where ranks are; the text is that of a file.
fn place(
    network: &Network,
    free: &[TerminalId],
    written: &str,
    ranks: u32,
    text: &str,
) -> Result<Vec<TerminalId>, Invalid> {
    place_several((network, free, 1), written, ranks, text)
}

/// The same where so many ranks may share a terminal.
fn place_several(
    (network, free, each): (&Network, &[TerminalId], u32),
    written: &str,
    ranks: u32,
    text: &str,
) -> Result<Vec<TerminalId>, Invalid> {
    let seats = free.iter();
    let seats = seats.flat_map(|&terminal| std::iter::repeat_n(terminal, each as usize));
    let site = Site {
        network,
        free: &seats.collect::<Vec<_>>(),
        ranks_per_terminal: each,
        seed: 5,
        text: Some(text),
        routing: None,
        program: None,
    };
    Ok(placement(written).place(&site, ranks)?.terminals)
}

fn places(network: &Network, written: &str, ranks: u32) -> Vec<u32> {
    let terminals = place(network, &living(network), written, ranks, "").unwrap();
    terminals.into_iter().map(|terminal| terminal.0).collect()
}

fn tree(levels: u32) -> Network {
    let tree = KAryNTree {
        arity: 3,
        levels,
        ..KAryNTree::default()
    };
    tree.build(None).unwrap()
}

#[test]
fn the_registry_is_healthy_and_its_examples_parse() {
    assert_eq!(health(PLACEMENTS), Vec::<String>::new());
    for entry in PLACEMENTS {
        let text = format!("kind = \"{}\"\n{}", entry.name, entry.example);
        assert!(placement(&text).check().is_ok());
        let mut errors = Vec::new();
        let strange = read(&format!("{text}\ncolour = 1"));
        assert!(parse(PLACEMENTS, &strange, "kind", &mut errors).is_none());
        assert!(errors[0].to_string().contains("colour"), "{errors:?}");
        let schema = (entry.schema)();
        let fields = schema
            .pointer("/properties")
            .and_then(|fields| fields.as_object());
        for (name, field) in fields.into_iter().flatten() {
            assert!(field.get("description").is_some(), "{}: {name}", entry.name);
        }
    }
}

/// Free terminals, none with more ranks than may share it, as many as there are ranks, and the same whenever one asks.
#[test]
fn every_rank_gets_a_free_seat() {
    let mut all = networks();
    all.extend([tree(3), Megafly::default().build(None).unwrap()]);
    let mut placed = 0;
    for (entry, network) in PLACEMENTS
        .iter()
        .flat_map(|entry| all.iter().map(move |network| (entry, network)))
    {
        let text = format!("kind = \"{}\"\n", entry.name);
        let text = match entry.name {
            "file" => text + entry.example,
            _ => text,
        };
        // Some have been taken by others.
        let mut free = living(network);
        free.retain(|terminal| free_of_others(*terminal) || network.terminal_count() < 8);
        let lines = free.iter().rev().map(|terminal| format!("{terminal}\n"));
        let lines: String = lines.collect();
        let all = free.len() as u32;
        for (each, ranks) in [1, 3]
            .into_iter()
            .flat_map(|each| [0, 1, all * each / 2, all * each].map(|ranks| (each, ranks)))
        {
            let site = (network, &free[..], each);
            let lines = lines.repeat(each as usize);
            let first = place_several(site, &text, ranks, &lines);
            let Ok(terminals) = &first else {
                assert_eq!(first.unwrap_err().place, "kind", "{text}");
                continue;
            };
            let mut seated = BTreeMap::new();
            for terminal in terminals {
                *seated.entry(terminal).or_insert(0) += 1;
            }
            assert_eq!(terminals.len(), ranks as usize, "{text}");
            assert!(seated.values().all(|&ranks| ranks <= each), "{text}");
            assert!(
                terminals.iter().all(|terminal| free.contains(terminal)),
                "{text}"
            );
            assert_eq!(place_several(site, &text, ranks, &lines), first, "{text}");
            placed += 1;
        }
    }
    assert!(placed > 200, "{placed}");
}

fn free_of_others(terminal: TerminalId) -> bool {
    !terminal.0.is_multiple_of(3)
}

#[test]
fn turns_are_taken_as_they_say() {
    // Three subtrees of three leaf switches with three terminals each.
    let tree = tree(3);
    assert_eq!(places(&tree, "kind = \"linear\"", 4), [0, 1, 2, 3]);
    assert_eq!(places(&tree, "kind = \"linear\"\nfirst = 7", 3), [7, 8, 9]);
    let by_router = places(&tree, "kind = \"round-robin\"", 12);
    assert_eq!(by_router, [0, 3, 6, 9, 12, 15, 18, 21, 24, 1, 4, 7]);
    let in_pairs = places(&tree, "kind = \"round-robin\"\nblock = 2", 20);
    assert_eq!(in_pairs[..6], [0, 1, 3, 4, 6, 7]);
    assert_eq!(in_pairs[18..], [2, 5]);
    let by_group = places(&tree, "kind = \"by-group\"", 7);
    assert_eq!(by_group, [0, 9, 18, 1, 10, 19, 2]);
    let in_pairs = places(&tree, "kind = \"by-group\"\nblock = 2", 7);
    assert_eq!(in_pairs, [0, 1, 9, 10, 18, 19, 2]);
    // Nine groups of four routers with two terminals each.
    let dragonfly = Dragonfly {
        groups: 9,
        routers_per_group: 4,
        terminals_per_router: 2,
        global_ports_per_router: Some(2),
        ..Dragonfly::default()
    };
    let dragonfly = dragonfly.build(None).unwrap();
    let by_group = places(&dragonfly, "kind = \"by-group\"", 11);
    assert_eq!(by_group, [0, 8, 16, 24, 32, 40, 48, 56, 64, 1, 9]);
    // Leaves are numbered before spines, so terminals are numbered group by group.
    let megafly = Megafly {
        half_radix: 2,
        groups: 3,
        ..Megafly::default()
    };
    let megafly = megafly.build(None).unwrap();
    assert_eq!(places(&megafly, "kind = \"by-group\"", 5), [0, 4, 8, 1, 5]);
}

/// Terminals that several share are filled one after the other, in the order in which they have their turns.
#[test]
fn shared_terminals_are_filled_before_the_next() {
    let tree = tree(2);
    let shared = |written: &str, ranks| {
        let terminals = place_several((&tree, &living(&tree), 2), written, ranks, "8\n7\n8\n7\n");
        let terminals = terminals.unwrap().into_iter();
        terminals.map(|terminal| terminal.0).collect::<Vec<u32>>()
    };
    assert_eq!(shared("kind = \"linear\"", 5), [0, 0, 1, 1, 2]);
    assert_eq!(shared("kind = \"linear\"\nfirst = 7", 4), [7, 7, 8, 8]);
    let by_router = shared("kind = \"round-robin\"", 8);
    assert_eq!(by_router, [0, 3, 6, 0, 3, 6, 1, 4]);
    let in_pairs = shared("kind = \"round-robin\"\nblock = 2", 8);
    assert_eq!(in_pairs, [0, 0, 3, 3, 6, 6, 1, 1]);
    assert_eq!(shared("kind = \"file\"\nfile = \"hosts\"", 4), [8, 7, 8, 7]);
    // It is terminals that are drawn.
    let drawn = shared("kind = \"random\"", 18);
    let alone = places(&tree, "kind = \"random\"", 9);
    assert!(
        drawn
            .chunks(2)
            .zip(alone)
            .all(|(pair, terminal)| pair == [terminal; 2])
    );
    let wrong = place_several(
        (&tree, &living(&tree), 2),
        "kind = \"file\"\nfile = \"hosts\"",
        3,
        "4\n4\n4",
    );
    let wrong = wrong.unwrap_err();
    assert_eq!(wrong.message, "hosts:3:1: `4` has no free terminal");
    assert!(wrong.help.unwrap().contains("2 ranks at most"));
}

#[test]
fn seeds_place_anew() {
    let tree = tree(3);
    let places = |seed: u64| places(&tree, &format!("kind = \"random\"\nseed = {seed}"), 27);
    assert_ne!(places(1), places(2));
    // Without one it is the study's.
    assert_eq!(places(5), self::places(&tree, "kind = \"random\"", 27));
}

#[test]
fn files_name_terminals_routers_and_lists() {
    let text = "# three ways\n 7\nterminal 1  # its label\nlevel 1 switch 2\n\nlevel 1 switch 2/0\nlevel 1 switch 2\n";
    let file = "kind = \"file\"\nfile = \"hosts\"";
    let tree = tree(2);
    let free = living(&tree);
    let found = place(
        &tree,
        &free,
        file,
        5,
        &text.replace("switch 2/0", "switch 1/2"),
    );
    let numbers: Vec<u32> = found.unwrap().iter().map(|terminal| terminal.0).collect();
    assert_eq!(numbers, [7, 1, 6, 5, 8]);
    let refused = |text: &str, ranks| {
        let error = place(&tree, &free, file, ranks, text).unwrap_err();
        assert_eq!(error.place, "file");
        (error.message, error.help.unwrap_or_default())
    };
    let is = |text: &str, message: &str, help: &str| {
        let found = refused(text, 4);
        assert!(found.0 == message && found.1.contains(help), "{found:?}");
    };
    is(
        text,
        "hosts:6:1: `level 1 switch 2/0` has no free terminal",
        "a terminal has one rank",
    );
    is("0\n1", "hosts: 2 terminals for 4 ranks", "for every rank");
    is(
        "0\n 9\n1",
        "hosts:2:2: there is no terminal or router `9`",
        "0 to 8",
    );
    is(
        "0\nlevel 1 swich 1\n1",
        "hosts:2:1: there is no terminal or router `level 1 swich 1`",
        "did you mean `level 1 switch 1`?",
    );
    is(
        "0\nlevel 2 switch 1\n1",
        "hosts:2:1: `level 2 switch 1` has no free terminal",
        "",
    );
    is("0\n0\n", "hosts:2:1: `0` has no free terminal", "");
    // More lines than ranks are not even looked at.
    assert!(place(&tree, &free, file, 1, "3\nnobody").is_ok());
}

/// Host files of Open MPI and of MPICH: a line for all ranks of a host.
#[test]
fn files_of_launchers_say_how_many_ranks_are_at_a_host() {
    let tree = tree(2);
    let free = living(&tree);
    let file = "kind = \"file\"\nfile = \"hosts\"";
    let found = |text: &str, each, ranks| place_several((&tree, &free, each), file, ranks, text);
    let text =
        "3 slots=2 max_slots=4\n0:2\nterminal 1\tslots=1\nlevel 1 switch 2 slots=3\n8 port=22\n";
    // Words for the same, blanks around what is equal, and the mark that some editors begin files with.
    let alike = "\u{feff}3 cpu=2 max-slots = 4\n0 count =2\nterminal 1 slots= 1\n\
                 level 1 switch 2\u{3000}slots = 3 max_slots=3 # three\r\n8 user_name = me\n";
    for text in [text, alike] {
        let numbers: Vec<u32> = found(text, 2, 9).unwrap().iter().map(|at| at.0).collect();
        assert_eq!(numbers, [3, 3, 0, 0, 1, 6, 6, 7, 8]);
    }
    let refused = |text: &str| {
        let error = found(text, 1, 3).unwrap_err();
        (error.message, error.help.unwrap_or_default())
    };
    let (message, help) = refused("0\n1 slots=2\n");
    assert_eq!(message, "hosts:2:1: `1` has no free terminal");
    assert!(help.contains("ranks_per_terminal = 2"), "{help}");
    for (text, message) in [
        (
            "0\n1  slots=two\n",
            "hosts:2:4: `slots=two` says no number of ranks",
        ),
        ("0:0\n", "hosts:1:2: `:0` says no number of ranks"),
        (
            "\u{feff}0\n1 slots = 0\n",
            "hosts:2:3: `slots = 0` says no number of ranks",
        ),
        (
            "0 slots=1 cpu=1\n",
            "hosts:1:11: `cpu` says again how many ranks are there",
        ),
        (
            "0:1 slots=1\n",
            "hosts:1:5: `slots` says again how many ranks are there",
        ),
        (
            "0 cpus=2\n",
            "hosts:1:3: `cpus` is not understood behind a host",
        ),
        (
            "0 slots=1 two\n",
            "hosts:1:11: `two` is not understood behind a host",
        ),
        (
            "0 slots=1 =\n",
            "hosts:1:11: `` is not understood behind a host",
        ),
        ("0 slots=\n", "hosts:1:3: `slots=` says no number of ranks"),
        (
            "slots=1\n",
            "hosts:1:1: there is no terminal or router `slots=1`",
        ),
        (
            "rank 0=1 slot=0\n",
            "hosts:1:1: this is a line of a rank file, and not of a host file",
        ),
        ("0:x\n", "hosts:1:1: there is no terminal or router `0:x`"),
        ("0 1\n", "hosts:1:1: there is no terminal or router `0 1`"),
    ] {
        assert_eq!(refused(text).0, message);
    }
}

#[test]
fn files_name_hosts_of_a_fabric() {
    let fabric = "Switch 8 \"leaf1\"\n[1] \"n01 HCA-1\"[1]\n[2] \"n02 HCA-1\"[1]\n[3] \"n3 HCA-1\"[1]\n[4] \"n3 HCA-1\"[2]\n\n\
                  Hca 1 \"n01 HCA-1\"\n[1] \"leaf1\"[1]\n\nHca 1 \"n02 HCA-1\"\n[1] \"leaf1\"[2]\n\n\
                  Hca 2 \"n3 HCA-1\"\n[1] \"leaf1\"[3]\n[2] \"leaf1\"[4]\n";
    let network = InfiniBand {
        file: "hosts.net".into(),
        channel_latency: ChannelLatency::default(),
    };
    let network = network.build(Some(fabric)).unwrap();
    let found = place(
        &network,
        &living(&network),
        "kind = \"file\"\nfile = \"hosts\"",
        4,
        "n[02-02]:1\nn3 slots=2\nn01 HCA-1\n",
    );
    let labels: Vec<String> = found
        .unwrap()
        .iter()
        .map(|&terminal| network.terminal_label(terminal))
        .collect();
    assert_eq!(
        labels,
        ["n02 HCA-1", "n3 HCA-1", "n3 HCA-1[2]", "n01 HCA-1"]
    );
    let wrong = place(
        &network,
        &living(&network),
        "kind = \"file\"\nfile = \"hosts\"",
        4,
        "n[3-4],n01\n",
    );
    let message = wrong.unwrap_err().message;
    assert_eq!(message, "hosts:1:1: there is no terminal or router `n4`");
}

/// Two adapters of one name are not one of them.
#[test]
fn names_that_several_have_say_who_is_meant() {
    let fabric = "Switch 8 \"S-1\" # \"leaf1\" lid 1\n[1] \"H-1\"[1] # \"n1 HCA-1\" lid 2\n[2] \"H-2\"[1] # \"n1 HCA-1\" lid 3\n\n\
                  Hca 1 \"H-1\" # \"n1 HCA-1\"\n[1] \"S-1\"[1]\n\nHca 1 \"H-2\" # \"n1 HCA-1\"\n[1] \"S-1\"[2]\n";
    let file = InfiniBand {
        file: "hosts.net".into(),
        channel_latency: ChannelLatency::default(),
    };
    let network = file.build(Some(fabric)).unwrap();
    let table = "kind = \"file\"\nfile = \"hosts\"";
    let seats = |hosts: &str| place(&network, &living(&network), table, 1, hosts);
    assert_eq!(seats("n1 HCA-1 (lid 3)\n").unwrap(), [TerminalId(1)]);
    let wrong = seats("n1 HCA-1\n").unwrap_err();
    assert_eq!(
        wrong.message,
        "hosts:1:1: 2 terminals are called `n1 HCA-1`"
    );
    assert!(wrong.help.unwrap().contains("n1 HCA-1 (lid"), "say which");
    // So it is with switches.
    let of_switch = |this: u32, other: u32| {
        format!(
            "Switch 8 \"S-{this}\" # \"plain\" lid 1{this}\n[1] \"H-{this}\"[1] # \"n{this} HCA-1\" lid {this}\n[2] \"S-{other}\"[2] # \"plain\" lid 1{other}\n\n"
        )
    };
    let adapter =
        |this: u32| format!("Hca 1 \"H-{this}\" # \"n{this} HCA-1\"\n[1] \"S-{this}\"[1]\n\n");
    let fabric = [of_switch(1, 2), of_switch(2, 1), adapter(1), adapter(2)].concat();
    let network = file.build(Some(&fabric)).unwrap();
    let seats = |hosts: &str| place(&network, &living(&network), table, 1, hosts);
    assert_eq!(seats("plain (lid 12)\n").unwrap(), [TerminalId(1)]);
    let wrong = seats("plain\n").unwrap_err();
    assert_eq!(wrong.message, "hosts:1:1: 2 routers are called `plain`");
    let help = wrong.help.unwrap();
    assert!(help.contains("`plain (lid 11)`"), "{help}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let network = damaged();
    let error =
        |text: &str, ranks| place(&network, &living(&network), text, ranks, "").unwrap_err();
    let linear = error("kind = \"linear\"\nfirst = 60", 20);
    assert_eq!(linear.place, "first");
    for kind in ["round-robin", "by-group"] {
        let text = format!("kind = \"{kind}\"\nblock = 0");
        assert_eq!(placement(&text).check().unwrap_err().place, "block");
    }
    let torus = &networks()[0];
    let by_group = place(torus, &living(torus), "kind = \"by-group\"", 2, "").unwrap_err();
    assert_eq!(by_group.place, "kind");
    assert!(by_group.help.unwrap().contains("round-robin"));
}

/// What stands in the files of a workload as written.
fn files_of(text: &str, parameters: &dyn WorkloadParameters) -> Vec<File> {
    let kind = text.split('"').nth(1).unwrap();
    files(kind, parameters)
}

/// A run of a workload, its ranks placed at random or where they are anyway.
fn played(network: &Network, text: &str, is_placed: bool, start: u64) -> Option<Outcome> {
    let parameters = parameters(text);
    let files = files_of(text, &*parameters);
    let workload = parameters.build(network, 3, &files).ok()?;
    let terminals = match is_placed {
        true => place(
            network,
            &living(network),
            "kind = \"random\"",
            ranks(network),
            "",
        ),
        false => Ok(living(network)),
    };
    let part = Part {
        workload,
        terminals: terminals.unwrap(),
        is_there: false,
        start,
    };
    Some(run(network, &*placed(network, vec![part]), LIMIT, 0))
}

fn ranks(network: &Network) -> u32 {
    network.living_terminals().count() as u32
}

/// Where all messages take the same time, it does not matter where ranks are, and all that happens at a rank happens at its
/// terminal.
#[test]
fn ranks_do_elsewhere_what_they_would_do_at_home() {
    let mut compared = 0;
    for (line, network) in WORKLOADS.iter().zip([damaged()].iter().cycle()) {
        for text in texts(line) {
            let parameters = parameters(&text);
            let files = files_of(&text, &*parameters);
            let Ok(workload) = parameters.build(network, 3, &files) else {
                continue;
            };
            let plain = run(network, &*workload, LIMIT, 0);
            let terminals = place(
                network,
                &living(network),
                "kind = \"random\"",
                ranks(network),
                "",
            );
            let homes = terminals.unwrap();
            let (home, away) = (
                played(network, &text, false, 0).unwrap(),
                played(network, &text, true, 0).unwrap(),
            );
            assert_eq!(home.transactions, plain.transactions, "{text}");
            assert_eq!((away.busy, away.refused), (0, 0), "{text}");
            assert_eq!(away.flits, plain.flits, "{text}");
            let at_home = |terminal: u32| {
                let rank = homes.iter().position(|&place| place.0 == terminal);
                living(network)[rank.unwrap()].0
            };
            let moved = away.transactions.iter();
            let mut moved: Vec<_> = moved
                .map(|&(at, since, until)| (at_home(at), since, until))
                .collect();
            let mut plain = plain.transactions;
            moved.sort_unstable();
            plain.sort_unstable();
            // Requests of several are served in the order of the terminals they come from.
            if line.entry.name != "request-reply" {
                assert_eq!(moved, plain, "{text}");
            }
            compared += 1;
        }
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn ranks_that_begin_later_are_as_much_later_done() {
    // Jobs begin when they say themselves.
    for line in WORKLOADS.iter().filter(|line| line.entry.name != "jobs") {
        let text = &texts(line)[0];
        let network = damaged();
        let [now, later] = [0, 700].map(|start| played(&network, text, true, start).unwrap());
        assert_eq!(now.makespan + 700, later.makespan, "{text}");
        assert_eq!(now.flits, later.flits, "{text}");
    }
}

/// Side by side each does what it does alone, whatever overtakes what, and nobody hears of others.
#[test]
fn workloads_side_by_side_do_what_they_do_alone() {
    let network = tree(3);
    let schedule = "num_ranks 3\nrank 0 {\nsend 100000b to 2\nrecv 8b from 1\n}\nrank 1 {\nsend 8b to 0\ncalc 40\n}\n\
                    rank 2 {\nrecv 100000b from 0\n}";
    let schedule = File {
        name: "a".into(),
        bytes: schedule.as_bytes().to_vec().into(),
    };
    let texts = [
        "kind = \"npb\"\nprogram = \"is\"\nclass = \"S\"\nranks = 8\niterations = 1\ncomputing = 0\ncycle_ns = 1\nflit_bytes = 16",
        "kind = \"goal\"\nfile = \"a\"\ncycle_ns = 1\nflit_bytes = 16\nhost = { packet_flits = 5 }",
    ];
    let build = |index: usize| {
        parameters(texts[index])
            .build(&network, 3, std::slice::from_ref(&schedule))
            .unwrap()
    };
    for jitter in [0, JITTER] {
        let alone = [0, 1].map(|index| run(&network, &*build(index), LIMIT, jitter));
        let free = living(&network);
        let parts = vec![
            Part {
                workload: build(0),
                terminals: place(&network, &free[3..], "kind = \"random\"", 8, "").unwrap(),
                is_there: false,
                start: 0,
            },
            Part {
                workload: build(1),
                terminals: free[..3].to_vec(),
                is_there: false,
                start: 0,
            },
        ];
        let both = placed(&network, parts);
        assert_eq!((both.classes(), both.longest_packet()), (4, 16));
        let both = run(&network, &*both, LIMIT, jitter);
        assert_eq!((both.busy, both.refused), (0, 0));
        assert_eq!(both.flits, alone[0].flits + alone[1].flits);
        assert_eq!(both.messages, alone[0].messages + alone[1].messages);
        if jitter == 0 {
            assert_eq!(both.makespan, alone[0].makespan.max(alone[1].makespan));
        }
    }
}

/// Programs whose number of ranks is not given have as many as find a place; where it is given they must all find one.
#[test]
fn as_many_ranks_as_find_a_place() {
    let network = tree(2);
    let ranks = |workload: &str, placed: &str, text: &str, each| {
        let written = "cycle_ns = 1\nflit_bytes = 16\n";
        let parameters = parameters(&format!("{workload}\n{written}"));
        let placement = placement(placed);
        let mut tenant = Tenant::alone(&*parameters, "workload");
        tenant.placement = &*placement;
        tenant.placement_text = Some(text);
        tenant.ranks_per_terminal = each;
        let seats = tenants::seats(&[tenant], &network, None, 1);
        seats.map(|all| all[0].terminals.iter().map(|at| at.0).collect::<Vec<_>>())
    };
    let barrier = "kind = \"collective\"\ncollective = \"barrier\"";
    let linear = "kind = \"linear\"\nfirst = 7";
    let file = "kind = \"file\"\nfile = \"hosts\"";
    let lines = "5\n3\n1\n";
    assert_eq!(ranks(barrier, linear, "", 1).unwrap(), [7, 8]);
    assert_eq!(ranks(barrier, linear, "", 2).unwrap(), [7, 7, 8, 8]);
    assert_eq!(ranks(barrier, file, lines, 1).unwrap(), [5, 3, 1]);
    assert_eq!(ranks(barrier, file, "5 slots=2\n3", 2).unwrap(), [5, 5, 3]);
    assert_eq!(ranks(barrier, "kind = \"linear\"", "", 1).unwrap().len(), 9);
    // Not every number of ranks will do: two groups of them, or a square.
    let pairs = format!("{barrier}\ngroups = 2");
    let odd = "kind = \"linear\"\nfirst = 1";
    assert_eq!(ranks(&pairs, odd, "", 1).unwrap().len(), 8);
    assert!(ranks(&pairs, "kind = \"linear\"", "", 1).is_err());
    // A program has as many as it takes of those that find a place.
    let cg = "kind = \"npb\"\nprogram = \"cg\"\nclass = \"S\"";
    assert_eq!(ranks(cg, file, lines, 1).unwrap(), [5, 3]);
    let message =
        |workload: &str, placed, text| ranks(workload, placed, text, 1).unwrap_err().message;
    let given = format!("{barrier}\nranks = 4");
    assert_eq!(
        message(&given, linear, ""),
        "4 ranks do not fit on the 2 terminals that are left"
    );
    assert_eq!(
        message(&given, file, lines),
        "hosts: 3 terminals for 4 ranks"
    );
    assert_eq!(
        ranks(&given, file, "5\n3\n1\n0\nnobody", 1).unwrap(),
        [5, 3, 1, 0]
    );
    assert_eq!(
        message(barrier, file, "5\nnobody"),
        "hosts:2:1: there is no terminal or router `nobody`"
    );
}
