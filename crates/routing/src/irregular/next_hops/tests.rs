//! Tables for a ring of four routers with two terminals each, right and wrong.

use super::*;
use proptest::prelude::*;
use turnwise_network::topologies::{Megafly, RandomRegular, Topology, Torus};
use turnwise_network::{Header, Port, RouterId, TerminalId};

fn ring() -> Arc<Network> {
    let ring = Torus {
        sizes: vec![4],
        terminals_per_router: 2,
        ..Torus::default()
    };
    Arc::new(ring.build(None).unwrap())
}

fn algorithm() -> NextHops {
    NextHops {
        file: "t.csv".into(),
        classes: PathClasses::None,
        virtual_channels: None,
    }
}

fn built(text: &str) -> Result<Box<dyn Routing>, String> {
    let files = [text.to_owned()];
    let context = Context {
        files: &files,
        ..Context::default()
    };
    let built = algorithm().build(&ring(), &context);
    built.map_err(|invalid| invalid.to_string())
}

const BY_ROUTER: &str = "-1,1,1,3\n0,1,2,2\n# its own number\n3,1,2,3\n0,0,2,-1\n";

#[test]
fn a_table_by_router_leads_where_it_says() {
    let (network, routing) = (ring(), built(BY_ROUTER).unwrap());
    let hop = |at, to| routing.settled(RouterId(at), Header::to(TerminalId(to)));
    let next = |at, to| network.next_router(RouterId(at), hop(at, to).unwrap().port);
    assert_eq!(next(0, 4), Some(RouterId(1)));
    assert_eq!(next(2, 1), Some(RouterId(3)));
    assert_eq!(next(3, 6), None, "the packet leaves the network");
}

#[test]
fn a_table_by_terminal_may_part_terminals_of_a_router() {
    let text = "-1,-1,1,1,1,3,3,3\n0,0,-1,-1,2,2,2,0\n1,3,1,1,-1,-1,3,3\n0,0,0,2,2,2,-1,-1\n";
    let (network, routing) = (ring(), built(text).unwrap());
    let hop = |to| routing.settled(RouterId(0), Header::to(TerminalId(to)));
    let next = |to| network.next_router(RouterId(0), hop(to).unwrap().port);
    assert_eq!([next(4), next(5)], [1, 3].map(|at| Some(RouterId(at))));
    assert!(routing.distinguishes_terminals());
}

#[test]
fn a_wrong_entry_is_named_by_row_and_column() {
    let with = |row: usize, column: usize, cell: &str| {
        let rows = BY_ROUTER.lines().filter(|line| !line.starts_with('#'));
        let mut rows: Vec<Vec<&str>> = rows.map(|line| line.split(',').collect()).collect();
        rows[row][column] = cell;
        let rows: Vec<String> = rows.iter().map(|row| row.join(",") + "\n").collect();
        built(&rows.concat()).err().unwrap()
    };
    let cases = [
        (
            0,
            2,
            "0",
            "t.csv:1:6: entry [0, 2]: no channel leads from router 0 to router 0",
        ),
        (
            0,
            2,
            "2",
            "t.csv:1:6: entry [0, 2]: no channel leads from router 0 to router 2",
        ),
        (
            0,
            2,
            "4",
            "t.csv:1:6: entry [0, 2]: there is no router 4: they are numbered from 0 to 3, and -1 is none",
        ),
        (
            0,
            2,
            "-2",
            "t.csv:1:6: entry [0, 2]: there is no router -2: they are numbered from 0 to 3, and -1 is none",
        ),
        (
            0,
            2,
            "1.0",
            "t.csv:1:6: entry [0, 2]: expected the number of a router or -1, found `1.0`",
        ),
        (
            1,
            1,
            "2",
            "t.csv:2:3: entry [1, 1]: router 1 is the destination, from where nobody goes on: expected -1, found 2",
        ),
        (
            1,
            2,
            "0",
            "t.csv:1:6: entry [0, 2]: leads into a loop: routers 0, 1, 0 on the way to router 2",
        ),
        (
            1,
            2,
            "-1",
            "t.csv:1:6: entry [0, 2]: leads to a dead end: router 1 has no next hop towards router 2",
        ),
    ];
    for (row, column, cell, expected) in cases {
        let found = with(row, column, cell);
        assert_eq!(found, format!("file: {expected}"), "{row} {column} {cell}");
    }
}

#[test]
fn a_wrong_shape_is_counted() {
    let start = "a table of next hops has 4 rows, one for each router, of 4 cells, one for each router, or 8, one for each terminal; ";
    let cases = [
        ("-1,1,1\n", "t.csv:1:1:", "this row has 3"),
        (
            "-1,1,1,3\n0,1,2\n1,1,-1,3\n0,0,2,-1",
            "t.csv:2:1:",
            "this row has 3, the first has 4",
        ),
        ("-1,1,1,3\n0,1,2,2\n", "t.csv:3:1:", "there are 2 rows"),
        ("", "t.csv:1:1:", "this row has 0"),
    ];
    for (text, place, what) in cases {
        let found = built(text).err().unwrap();
        assert_eq!(found, format!("file: {place} {start}{what}"));
    }
}

/// Ways between spines are longer than those between leaves, and nobody takes them.
#[test]
fn ways_without_ends_need_no_classes() {
    let network = Arc::new(Megafly::default().build(None).unwrap());
    let neighbours = |at: RouterId| -> Vec<RouterId> {
        let ports = 0..network.radix(at) as Port;
        ports
            .filter_map(|port| network.next_router(at, port))
            .collect()
    };
    let mut next = vec![vec![-1; network.router_count()]; network.router_count()];
    for to in network.routers() {
        let (mut reached, mut looked_at) = (vec![to], 0);
        while let Some(&at) = reached.get(looked_at) {
            looked_at += 1;
            for before in neighbours(at).into_iter().filter(|&other| other != to) {
                let entry = &mut next[before.index()][to.index()];
                if *entry == -1 {
                    *entry = at.index() as i64;
                    reached.push(before);
                }
            }
        }
    }
    let row = |row: &Vec<i64>| row.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let files = [next.iter().map(row).collect::<Vec<_>>().join("\n")];
    let context = Context {
        files: &files,
        ..Context::default()
    };
    let table = NextHops {
        classes: PathClasses::ByHop,
        ..algorithm()
    };
    let built_in = super::super::ShortestPath::default();
    let theirs = built_in.build(&network, &Context::default()).unwrap();
    let ours = table.build(&network, &context).unwrap();
    assert_eq!(ours.virtual_channels(), theirs.virtual_channels());
}

proptest! {
    /// What a built-in algorithm does comes back from its table, classes and all.
    #[test]
    fn shortest_paths_come_back(routers in 4u32..20, seed: u64) {
        let topology = RandomRegular { routers: 2 * routers, degree: 3, seed, ..RandomRegular::default() };
        let network = Arc::new(topology.build(None).unwrap());
        let theirs = super::super::ShortestPath::default().build(&network, &Context::default()).unwrap();
        let next = |at: RouterId, to: RouterId| {
            let terminal = network.terminals_of(to).next()?;
            network.next_router(at, theirs.settled(at, Header::to(TerminalId(terminal)))?.port)
        };
        let cell = |next: Option<RouterId>| next.map_or("-1".into(), |next| next.to_string());
        let row = |at| {
            let cells: Vec<String> = network.routers().map(|to| cell(next(at, to))).collect();
            cells.join(",") + "\n"
        };
        let files = [network.routers().map(row).collect()];
        let context = Context { files: &files, ..Context::default() };
        let table = NextHops { classes: PathClasses::ByHop, ..algorithm() };
        let ours = table.build(&network, &context).unwrap();
        prop_assert_eq!(ours.virtual_channels(), theirs.virtual_channels());
        for (at, to) in network.routers().flat_map(|at| network.terminals().map(move |to| (at, to))) {
            let header = Header::to(to);
            prop_assert_eq!(ours.settled(at, header), theirs.settled(at, header));
        }
    }
}
