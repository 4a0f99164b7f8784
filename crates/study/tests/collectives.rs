//! Collectives and training through the whole stack: closed forms to the cycle where nothing is in the way, and how near to the
//! bandwidth of its links a sum of all comes.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{figure, plan, rows, simulate};
use turnwise_sim::{Ending, Setup, Simulation};

fn study(network: &str, router: &str, workload: &str) -> String {
    format!(
        "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n[network]\n{network}\n[routing]\nkind = 'd-mod-k'\n\
         [router]\nflow_control = 'virtual-cut-through'\n{router}\n[workload]\n{workload}\n\
         [simulation]\ncycles_limit = 100_000_000\n"
    )
}

const ROUTER: &str = "buffer_flits = 128\nvirtual_channels = 2";

/// The makespan of a collective on so many terminals of one router.
fn on_a_router(terminals: u32, workload: &str) -> u64 {
    let network = format!("kind = 'k-ary-n-tree'\narity = {terminals}\nlevels = 1");
    let workload = format!("kind = 'collective'\n{workload}");
    let rows = rows(&study(&network, ROUTER, &workload));
    figure(&rows[0], "makespan") as u64
}

/// A packet of S flits that meets no other takes 3 + 4 + S - 1 cycles through a router, and answers leave in the cycle in which what they
/// answer arrives.
#[test]
fn a_collective_that_meets_nothing_takes_as_long_as_its_formula_says() {
    let trip = |flits: u64| 6 + flits;
    for levels in 1..=5_u32 {
        let n = 1_u32 << levels;
        let ranks = u64::from(n);
        let levels = u64::from(levels);
        let is = |name: &str, bytes: u64, time: u64| {
            let (kind, algorithm) = name.split_once(' ').unwrap();
            // Where there is a root, it or the others go on at once.
            let times = if ["broadcast", "reduce"].contains(&kind) {
                1
            } else {
                2
            };
            let text = format!(
                "collective = '{kind}'\nalgorithm = '{algorithm}'\nbytes = {bytes}\nrepeat = {times}\n\
                 host = {{ packet_flits = 64 }}"
            );
            assert_eq!(on_a_router(n, &text), times * time, "{name}, {n} terminals");
        };
        is("barrier dissemination", 0, levels * trip(1));
        is("barrier recursive-doubling", 0, levels * trip(1));
        is("barrier binomial", 0, 2 * levels * trip(1));
        is("all-reduce recursive-doubling", 1024, levels * trip(64));
        is("all-reduce ring", 512 * ranks, 2 * (ranks - 1) * trip(32));
        is("all-gather ring", 512, (ranks - 1) * trip(32));
        let neighbors = trip(32) + (ranks / 2 - 1) * trip(64);
        is("all-gather neighbor-exchange", 512, neighbors);
        is("all-to-all pairwise", 512, (ranks - 1) * trip(32));
        is("reduce-scatter ring", 512 * ranks, (ranks - 1) * trip(32));
        is("broadcast binomial", 512, levels * trip(32));
        is("reduce binomial", 512, levels * trip(32));
        // One packet after the other through the channel of the root.
        let at_root = trip(32) + (ranks - 2) * 32;
        is("broadcast linear", 512, at_root);
        is("reduce linear", 512, at_root);
        // Halves down to 16 flits, and up again.
        let halves: u64 = (0..levels).map(|level| trip(2 << level)).sum();
        is("all-reduce rabenseifner", 32 * ranks, 2 * halves);
    }
}

/// Whoever is the root, it takes as long on one router where nobody gets two messages at a time.
#[test]
fn any_member_may_be_the_root() {
    for (kind, algorithm) in [
        ("broadcast", "knomial"),
        ("reduce", "chain"),
        ("scatter", "binomial"),
    ] {
        let text =
            format!("collective = '{kind}'\nalgorithm = '{algorithm}'\nbytes = 4096\ngroups = 2");
        let first = on_a_router(10, &text);
        for root in 1..5 {
            let time = on_a_router(10, &format!("{text}\nroot = {root}"));
            assert_eq!(time, first, "{kind}, root {root}");
        }
    }
}

/// Interfaces do it by themselves: what a message costs processors does not matter, and what it costs interfaces does, at both ends.
#[test]
fn an_offloaded_barrier_takes_twice_its_depth() {
    let time = |terminals: u32, radix: u32, host: &str| {
        let text = format!(
            "collective = 'barrier'\nalgorithm = 'offloaded'\nradix = {radix}\nhost = {{ {host} }}"
        );
        on_a_router(terminals, &text)
    };
    for (terminals, depth) in [(2, 1), (3, 2), (8, 7)] {
        for host in ["overhead_cycles = 0", "overhead_cycles = 1000"] {
            assert_eq!(
                time(terminals, 1, host),
                2 * depth * 7,
                "{terminals}, {host}"
            );
        }
        let slower = time(
            terminals,
            1,
            "overhead_cycles = 1000, offloaded_cycles = 20",
        );
        assert_eq!(slower, 2 * depth * (20 + 7 + 20), "{terminals}");
    }
    // Two below: their packets come one after the other, both ways.
    assert_eq!(time(3, 2, ""), 2 * (7 + 1));
}

/// Groups do not know of each other: on one router they take as long as one of them alone.
#[test]
fn groups_side_by_side_take_as_long_as_one() {
    let text = "collective = 'all-reduce'\nalgorithm = 'ring'\nbytes = 4096";
    let alone = on_a_router(4, text);
    for members in ["consecutive", "strided"] {
        let groups = format!("{text}\ngroups = 3\nmembers = '{members}'");
        assert_eq!(on_a_router(12, &groups), alone, "{members}");
    }
}

/// Of the 2 (n - 1) / n of its vector that a rank sends at least, on a fat tree with as much bandwidth above as below.
#[test]
fn sums_of_all_come_near_to_the_bandwidth_of_their_links() {
    let share = |algorithm: &str, router: &str, host: &str| {
        let (ranks, bytes) = (16.0, 512.0 * 1024.0);
        let workload = format!(
            "kind = 'collective'\ncollective = 'all-reduce'\nalgorithm = '{algorithm}'\nbytes = 524288\n\
             segment_bytes = 4096\nhost = {{ packet_flits = 64, {host} }}"
        );
        let network = "kind = 'k-ary-n-tree'\narity = 4\nlevels = 2";
        let rows = rows(&study(network, router, &workload));
        2.0 * (ranks - 1.0) / ranks * bytes / 16.0 / figure(&rows[0], "makespan")
    };
    let eager = "eager_bytes = 1000000";
    for algorithm in ["ring", "rabenseifner"] {
        let reached = share(algorithm, ROUTER, eager);
        assert!((0.98..1.0).contains(&reached), "{algorithm}: {reached}");
    }
    // Four steps of the whole vector instead of twice the vector in all.
    let doubling = share("recursive-doubling", ROUTER, eager);
    assert!((0.45..0.47).contains(&doubling), "{doubling}");
    // Messages of several ranks meet at one, and those behind them wait.
    let trees = share("double-tree", ROUTER, eager);
    assert!((0.5..0.9).contains(&trees), "{trees}");
    // Each step waits for what its messages are announced by, or for processors.
    let announced = share("ring", ROUTER, "eager_bytes = 0");
    let overhead = share(
        "ring",
        ROUTER,
        "eager_bytes = 1000000, overhead_cycles = 200",
    );
    assert!(
        announced < 0.98 && overhead < 0.85,
        "{announced} {overhead}"
    );
}

/// Everything in one: two replicas of two stages of two ranks, with experts.
#[test]
fn training_ends_on_a_network_whatever_the_threads() {
    let workload = "kind = 'training'\nlayers = 2\nhidden = 64\nsequence = 64\nmicro_batches = 3\nsteps = 2\ntensor = 2\n\
                    pipeline = 2\ndata = 4\nteraflops = 1.0\nbucket_bytes = 10000\n\
                    experts = { count = 8, parallel = 2, skew = 1.0 }\nhost = { eager_bytes = 4096 }";
    for more in ["", "\nsharded = true", "\nsequence_parallel = true"] {
        let network = "kind = 'k-ary-n-tree'\narity = 4\nlevels = 2";
        let plan = plan(&study(network, ROUTER, &format!("{workload}{more}")));
        let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
        let alone = simulate(&experiment, true);
        assert_eq!(alone.ending, Ending::Completed, "{more}");
        let threads = 2;
        let several = Setup {
            threads,
            ..experiment.setup()
        };
        let several = Simulation::new(several).run().unwrap();
        assert_eq!(several.fingerprint, alone.fingerprint, "{more}");
        assert_eq!(several.makespan, alone.makespan, "{more}");
    }
}
