//! What it costs to keep to the tables there are behind a failed link, and what new ones for all pairs cost:
//! `cargo bench -p turnwise-routing --bench reroute`.
//!
//! All start from the network; files are not read, and nothing is proved. Times are the least of some that were taken in turns. `mend` takes
//! in the tables anew for one link; `each` has taken them in before, and is the mean over all links, or as many as two seconds allow. `-- NAME`
//! takes the fabrics whose name contains it, and `-- NAME full`, `mend`, `each` or `order` does that alone once, for who counts instructions.
#![allow(clippy::print_stdout, reason = "a benchmark reports on its output")]
#![allow(clippy::unwrap_used, reason = "its fabrics are its own")]

use std::sync::Arc;
use std::time::Instant;
use turnwise_network::contract::forwards::differing;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::topologies::{Dragonfly, KAryNTree, Megafly, RandomRegular, Topology, Torus};
use turnwise_network::{Faults, Invalid, Network, Routing};
use turnwise_routing::algorithms::Turnwise;
use turnwise_routing::subnet::failures::{Failing, Part, Whole, Wiring, parts};
use turnwise_routing::subnet::{Order, mended};
use turnwise_routing::{Algorithm, Context};

/// Lanes that switches have.
const LANES: u8 = 8;
/// Times that each is timed.
const REPETITIONS: usize = 9;

/// A fabric, the same without a link, and the tables it had with it.
struct Fabric {
    whole: Arc<Network>,
    cut: Arc<Network>,
    old: ForwardingTable,
}

impl Fabric {
    fn new(topology: &dyn Topology) -> Self {
        let whole = Arc::new(topology.build(None).unwrap());
        let faults = Faults {
            random_links: 1.into(),
            seed: 1,
            ..Faults::default()
        };
        let cut = Arc::new(whole.without(&faults).unwrap());
        let routing = ours().build(&whole, &Context::default()).unwrap();
        let tables = routing.forwards().unwrap();
        let old = ForwardingTable::of(&cut, tables, tables).unwrap();
        // As read from files, where a level has the lane of its number.
        let old = old.with_lanes(LANES, |level| level % LANES).unwrap();
        Self { whole, cut, old }
    }

    fn full(&self) -> Box<dyn Routing> {
        ours().build(&self.cut, &Context::default()).unwrap()
    }

    /// Nothing if lanes do not suffice to keep to the tables.
    fn mend(&self, old: ForwardingTable) -> Result<ForwardingTable, Invalid> {
        mended(&self.cut, old, LANES)
    }

    fn order(&self, new: &ForwardingTable) -> Order {
        Order::find(&self.cut, &self.old, new).unwrap()
    }

    /// Links of the whole network that fail alone, behind how many of them tables cannot be mended, and milliseconds for each.
    fn each(&self) -> (usize, usize, f64) {
        let wiring = Wiring::of(&self.whole);
        let whole = Whole::of(&self.whole, &wiring, &self.old);
        let mut failing = Failing::of(&whole, LANES).unwrap();
        let all = parts(&self.whole).into_iter();
        let links = all.filter(|part| matches!(part, Part::Link(_)));
        let (mut tried, mut refused, began) = (0, 0, Instant::now());
        for link in links.take_while(|_| began.elapsed().as_secs() < 2) {
            tried += 1;
            refused += usize::from(failing.fail(link).mended.is_err());
        }
        (
            tried,
            refused,
            1e3 * began.elapsed().as_secs_f64() / tried as f64,
        )
    }

    fn measure(&self, name: &str) {
        let new = match self.mend(self.old.clone()) {
            Ok(new) => new,
            Err(why) => {
                println!("{name:32} {}", why.message);
                return;
            }
        };
        let mut least = [f64::INFINITY; 3];
        let mut steps = 0;
        for _ in 0..REPETITIONS {
            // Whoever mends tables has read them, and needs no other copy.
            let mut old = Some(self.old.clone());
            let all: [&mut dyn FnMut(); 3] = [
                &mut || drop(self.full()),
                &mut || drop(old.take().map(|old| self.mend(old))),
                &mut || steps = self.order(&new).steps.len(),
            ];
            for (least, what) in least.iter_mut().zip(all) {
                let before = Instant::now();
                what();
                *least = least.min(1e3 * before.elapsed().as_secs_f64());
            }
        }
        let [full, mend, order] = least;
        let differs = differing(&self.cut, [&self.old, &new]);
        let columns = differs.iter().filter(|&&differs| differs).count();
        let (links, refused, each) = self.each();
        println!(
            "{name:32} {full:9.2} {mend:9.2} {order:9.2} {each:9.3} {:7.1} {:7.1} {:7.2} {columns:8} {steps:5} {links:6} {refused:8}",
            100.0 * mend / full,
            100.0 * (mend + order) / full,
            100.0 * each / full,
        );
    }
}

fn ours() -> Turnwise {
    Turnwise {
        virtual_lanes: Some(LANES),
        fewest_lanes: true,
        ..Turnwise::default()
    }
}

fn fabrics() -> Vec<(&'static str, Box<dyn Topology>)> {
    let torus = |sizes: &[u32]| {
        Box::new(Torus {
            sizes: sizes.to_vec(),
            ..Torus::default()
        })
    };
    let dragonfly = |groups, routers_per_group, terminals_per_router, ports| {
        Box::new(Dragonfly {
            groups,
            routers_per_group,
            terminals_per_router,
            global_ports_per_router: Some(ports),
            ..Dragonfly::default()
        })
    };
    let random = |routers, degree, terminals_per_router| {
        Box::new(RandomRegular {
            routers,
            degree,
            terminals_per_router,
            ..RandomRegular::default()
        })
    };
    let megafly = Box::new(Megafly {
        half_radix: 4,
        groups: 17,
        ..Megafly::default()
    });
    let tree = Box::new(KAryNTree {
        arity: 8,
        levels: 3,
        ..KAryNTree::default()
    });
    vec![
        ("torus 16x16", torus(&[16, 16])),
        ("torus 8x8x8", torus(&[8, 8, 8])),
        ("dragonfly 72", dragonfly(9, 4, 2, 2)),
        ("dragonfly 1056", dragonfly(33, 8, 4, 4)),
        ("megafly 272", megafly),
        ("fat tree 512", tree),
        ("random 64", random(64, 6, 1)),
        ("random 256", random(256, 6, 1)),
        ("random 2048 with 8192 hosts", random(2048, 16, 4)),
    ]
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let name = arguments.first().map_or("", String::as_str);
    let chosen = fabrics().into_iter().filter(|(of, _)| of.contains(name));
    if let Some(what) = arguments.get(1) {
        for (_, topology) in chosen {
            let fabric = Fabric::new(&*topology);
            match what.as_str() {
                "full" => drop(fabric.full()),
                "mend" => drop(fabric.mend(fabric.old.clone())),
                "each" => drop(fabric.each()),
                _ => drop(fabric.order(&fabric.mend(fabric.old.clone()).unwrap())),
            }
        }
        return;
    }
    println!(
        "{:32} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7} {:>8} {:>5} {:>6} {:>8}",
        "fabric",
        "full ms",
        "mend ms",
        "order ms",
        "each ms",
        "mend %",
        "both %",
        "each %",
        "columns",
        "steps",
        "links",
        "refused"
    );
    for (name, topology) in chosen {
        Fabric::new(&*topology).measure(name);
    }
}
