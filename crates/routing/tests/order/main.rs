//! Orders of updates: each step is tried out in full, with every mixture of entries that packets can meet.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod mixtures;
mod simulation;

use proptest::prelude::*;
use simulation::go_through;
use std::sync::Arc;
use turnwise_network::topologies::{
    Dragonfly, KAryNTree, Megafly, RandomIrregular, RandomRegular, Topology, Torus,
};
use turnwise_network::{Faults, Forwards, Network, Routing};
use turnwise_routing::algorithms::{Dfsssp, MinHop, Nue, Turnwise};
use turnwise_routing::subnet::order::{LevelChange, Order, Step, Stuck};
use turnwise_routing::subnet::{Forwarding, Programme, Repair};
use turnwise_routing::{Algorithm, Context};

fn built(topology: &dyn Topology) -> Arc<Network> {
    Arc::new(topology.build(None).unwrap())
}

/// Ours, on so many lanes.
fn ours(lanes: u8) -> Turnwise {
    Turnwise {
        virtual_lanes: Some(lanes),
        fewest_lanes: true,
        ..Turnwise::default()
    }
}

/// Forwarding tables and service levels as files.
fn files(network: &Network, routing: &dyn Routing) -> Vec<String> {
    let programme = Programme::of(network, routing).unwrap();
    let tables = programme
        .switches()
        .map(|at| programme.forwarding_table(at));
    vec![tables.collect(), programme.policy()]
}

/// The tables that a network has after a fault, and what they are mended to on so many lanes, if they are said; `None` if they do not
/// suffice for that.
fn mended(
    cut: &Arc<Network>,
    files: &[String],
    virtual_lanes: Option<u8>,
) -> Option<[Box<dyn Routing>; 2]> {
    let (lft, service_levels) = ("lft".to_owned(), Some("levels".to_owned()));
    let context = Context {
        files,
        ..Context::default()
    };
    let repair = Repair {
        lft: lft.clone(),
        service_levels: service_levels.clone(),
        virtual_lanes,
    };
    let forwarding = Forwarding {
        lft,
        service_levels,
        sl2vl: None,
        virtual_lanes: None,
    };
    let after = repair.build(cut, &context).ok()?;
    Some([forwarding.build(cut, &context).unwrap(), after])
}

/// A tree of so many routers, and so many links more.
fn irregular(routers: u32, more: u32, seed: u64) -> Arc<Network> {
    built(&RandomIrregular {
        routers,
        links: (routers + more).min(2 * routers),
        most_links: 6,
        seed,
        ..RandomIrregular::default()
    })
}

fn without_a_link(network: &Network, seed: u64) -> Arc<Network> {
    let faults = Faults {
        random_links: 1.into(),
        seed,
        ..Faults::default()
    };
    Arc::new(network.without(&faults).unwrap())
}

/// Finds an order and tries it out; says what it is.
fn tried(network: &Network, tables: [&dyn Forwards; 2]) -> Result<Order, Stuck> {
    let order = Order::find(network, tables[0], tables[1])?;
    go_through(network, tables, &order).unwrap();
    Ok(order)
}

/// All entries of these steps at once.
fn at_once(order: &Order) -> Order {
    let entries = order.steps.iter().flat_map(|step| step.entries.clone());
    let step = Step {
        entries: entries.collect(),
        are_emptied: false,
    };
    Order {
        levels: LevelChange::AnyTime,
        steps: vec![step],
    }
}

/// Fabrics as OpenSM was measured on, those of them that are small.
fn fabrics() -> Vec<Arc<Network>> {
    let torus = |sizes: &[u32]| Torus {
        sizes: sizes.to_vec(),
        ..Torus::default()
    };
    let tree = |arity, levels| KAryNTree {
        arity,
        levels,
        ..KAryNTree::default()
    };
    let dragonfly = Dragonfly {
        groups: 9,
        routers_per_group: 4,
        terminals_per_router: 2,
        global_ports_per_router: Some(2),
        ..Dragonfly::default()
    };
    let megafly = Megafly {
        half_radix: 2,
        groups: 5,
        ..Megafly::default()
    };
    let random = |routers, degree| RandomRegular {
        routers,
        degree,
        seed: 5,
        ..RandomRegular::default()
    };
    vec![
        built(&torus(&[4, 4])),
        built(&torus(&[5, 5])),
        built(&torus(&[4, 4, 4])),
        built(&tree(4, 2)),
        built(&tree(3, 3)),
        built(&dragonfly),
        built(&megafly),
        built(&random(24, 4)),
        built(&random(64, 6)),
    ]
}

/// Whatever is mended behind a failed link can be loaded in steps, and most of it neither in any order nor in many steps.
#[test]
fn mended_tables_have_an_order_on_every_fabric() {
    let (mut in_steps, mut emptied) = (0, 0);
    for network in fabrics() {
        let routing = ours(8).build(&network, &Context::default()).unwrap();
        let files = files(&network, &*routing);
        for seed in 0..6 {
            let cut = without_a_link(&network, seed);
            let who = format!("{} without link {seed}", network.description());
            let [before, after] = mended(&cut, &files, None).expect(&who);
            let tables = [&before, &after].map(|tables| tables.forwards().unwrap());
            let order = tried(&cut, tables).unwrap_or_else(|stuck| panic!("{who}: {stuck:?}"));
            assert!(order.steps.len() <= 4, "{who}: {} steps", order.steps.len());
            if order.levels == LevelChange::AnyTime && order.steps.len() > 1 {
                in_steps += 1;
                // What is told apart must not happen at once, and whoever tries it out notices.
                assert!(go_through(&cut, tables, &at_once(&order)).is_err(), "{who}");
            }
            emptied += order.steps.iter().filter(|step| step.are_emptied).count();
        }
    }
    assert!(in_steps > 10 && emptied > 0, "{in_steps}, {emptied}");
}

/// Where lanes are so few that no shortest way fits, longer ones do in most cases, and can be loaded in steps.
#[test]
fn longer_ways_are_taken_where_no_shorter_one_fits() {
    let random = RandomRegular {
        routers: 40,
        degree: 4,
        ..RandomRegular::default()
    };
    let network = built(&random);
    for lanes in 1..4 {
        let routing = ours(lanes).build(&network, &Context::default()).unwrap();
        let files = files(&network, &*routing);
        let mut found = 0;
        for seed in 0..20 {
            let cut = without_a_link(&network, seed);
            if let Some([before, after]) = mended(&cut, &files, Some(lanes)) {
                let tables = [&before, &after].map(|tables| tables.forwards().unwrap());
                let who = format!("{lanes} lanes without link {seed}");
                tried(&cut, tables).unwrap_or_else(|stuck| panic!("{who}: {stuck:?}"));
                found += 1;
            }
        }
        assert!(found > 10, "{lanes} lanes: {found} of 20");
    }
}

/// Tables behind the steps are whole, and the last are the new ones.
#[test]
fn tables_between_steps_are_old_where_they_are_not_new() {
    let network = built(&KAryNTree {
        arity: 4,
        levels: 2,
        ..KAryNTree::default()
    });
    let routing = ours(8).build(&network, &Context::default()).unwrap();
    let cut = without_a_link(&network, 1);
    let [before, after] = mended(&cut, &files(&network, &*routing), None).unwrap();
    let both = [&before, &after].map(|tables| tables.forwards().unwrap());
    let order = tried(&cut, both).unwrap();
    assert_eq!(
        order.steps.len(),
        2,
        "those who send to a switch change before the switch"
    );
    let network = Arc::new((*cut).clone());
    let tables = |steps| order.tables(steps, &network, both, both[1]).unwrap();
    let [none, one, all] = [0, 1, 2].map(tables);
    for at in cut.routers() {
        for to in cut.living_terminals() {
            let is_first = order.steps[0].entries.contains(&(at, to));
            assert_eq!(none.entry(at, to), both[0].entry(at, to));
            assert_eq!(one.entry(at, to), both[usize::from(is_first)].entry(at, to));
            assert_eq!(all.entry(at, to), both[1].entry(at, to));
        }
    }
}

#[test]
fn what_has_no_order_is_told() {
    let ring = built(&Torus {
        sizes: vec![6],
        ..Torus::default()
    });
    let routing = |algorithm: &dyn Algorithm| algorithm.build(&ring, &Context::default()).unwrap();
    let [safe, unsafe_] = [routing(&ours(2)), routing(&MinHop::default())];
    let [safe, unsafe_] = [&safe, &unsafe_].map(|routing| routing.forwards().unwrap());
    let find = |before, after| Order::find(&ring, before, after);
    assert_eq!(find(unsafe_, safe), Err(Stuck::Before));
    assert_eq!(find(safe, unsafe_), Err(Stuck::After));
    assert_eq!(find(safe, safe).unwrap(), Order::default());
    // Entries behind a link that fails lead nowhere, so that these lose what the others do not.
    let cut = without_a_link(&ring, 1);
    let files = files(&ring, &*routing(&ours(2)));
    let [before, after] = mended(&cut, &files, None).unwrap();
    let [before, after] = [&before, &after].map(|tables| tables.forwards().unwrap());
    assert!(matches!(
        Order::find(&cut, after, before),
        Err(Stuck::Loses(_))
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// On random fabrics with hosts at some switches or all, after a failure, even one that cuts them apart: there is an order, it holds, and
    /// what comes of it can be written.
    #[test]
    fn mended_tables_of_random_fabrics_have_an_order(
        routers in 5u32..22,
        more in 0u32..14,
        lanes in 1u8..5,
        has_no_more in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let network = irregular(routers, more, seed);
        let routing = ours(lanes).build(&network, &Context::default()).unwrap();
        let cut = without_a_link(&network, seed);
        if let Some([before, after]) = mended(&cut, &files(&network, &*routing), has_no_more.then_some(lanes)) {
            let tables = [&before, &after].map(|tables| tables.forwards().unwrap());
            match tried(&cut, tables) {
                Ok(_) => {}
                Err(stuck) => prop_assert!(false, "{:?}", stuck),
            }
            // Who asks for a level gets that of the tables, be it cut off or not: the change that was judged is the one that is made.
            let written = Programme::of(&cut, &*after);
            prop_assert!(written.is_ok(), "{:?}", written.map(|_| ()));
            for (source, to) in cut.living_terminals().flat_map(|source| cut.living_terminals().map(move |to| (source, to))) {
                let told = written.as_ref().map(|written| written.level(source, to)).ok();
                prop_assert!(source == to || told == Some(tables[1].service_level(source, to)), "{:?} {:?}", source, to);
            }
        }
    }

    /// From any tables to any others: an order holds, and where there is none it is not safe at once either.
    #[test]
    fn orders_between_any_tables_hold(
        routers in 5u32..16,
        more in 0u32..10,
        which in (0usize..4, 0usize..4),
        seed in 0u64..1000,
    ) {
        let network = irregular(routers, more, seed);
        let algorithms: [&dyn Algorithm; 4] =
            [&ours(1), &ours(4), &Nue::default(), &Dfsssp::default()];
        let built = [which.0, which.1].map(|at| algorithms[at].build(&network, &Context::default()));
        let [Ok(before), Ok(after)] = built else { return Ok(()); };
        let tables = [&before, &after].map(|tables| tables.forwards());
        let [Some(before), Some(after)] = tables else { return Ok(()); };
        if let Err(Stuck::Circle { .. }) = tried(&network, [before, after]) {
            let mut entries = Vec::new();
            for at in network.routers() {
                for to in network.living_terminals() {
                    if before.entry(at, to) != after.entry(at, to) {
                        entries.push((at, to));
                    }
                }
            }
            let steps = vec![Step { entries, are_emptied: false }];
            let all = Order { levels: LevelChange::AnyTime, steps };
            prop_assert!(go_through(&network, [before, after], &all).is_err());
        }
    }
}
