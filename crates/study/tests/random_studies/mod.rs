//! Random small studies of one point: every topology that is drawn, not read, and every kind of
//! routing, with as many virtual channels as it asks for or too few; any router; any traffic.
#![allow(dead_code)]

mod systems;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::fmt;
use systems::{System, system};

/// A study's tables, as text.
#[derive(Clone)]
pub(crate) struct Study {
    system: System,
    router: String,
    traffic: String,
    simulation: String,
    seed: u32,
}

impl Study {
    /// The study file.
    pub(crate) fn text(&self) -> String {
        let Self {
            system,
            router,
            traffic,
            simulation,
            seed,
        } = self;
        let System {
            network,
            routing,
            faults,
            ..
        } = system;
        format!(
            "[study]\nseed = {seed}\n[network]\n{network}\n{faults}[routing]\n{routing}\n\
             [router]\n{router}\n[traffic]\n{traffic}\n[simulation]\n{simulation}\n"
        )
    }

    /// Has anything failed in its network?
    pub(crate) fn has_faults(&self) -> bool {
        !self.system.faults.is_empty()
    }
}

impl fmt::Debug for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", self.text())
    }
}

/// Any study that makes sense; with faults, its routing may be impossible.
pub(crate) fn study() -> impl Strategy<Value = Study> {
    let parts = (system(), router(), pattern(), any::<u32>());
    let injection = prop_oneof![
        2 => Just("'bernoulli'"),
        1 => Just("'periodic'"),
        1 => Just("{ kind = 'on-off', mean_burst = 20 }"),
    ];
    let mixed = prop_oneof![3 => Just(false), 1 => Just(true)];
    let traffic = (0.01f64..=1.0, 1u16..=6, any::<bool>(), injection, mixed);
    let phases = (prop_oneof![Just(0), Just(50)], any::<bool>());
    (parts, traffic, phases).prop_map(
        |((system, router, pattern, seed), traffic, (warmup, drain))| {
            let (load, flits, send_to_self, injection, mixed) = traffic;
            let Router {
                mut fields,
                flow_control,
                packets,
                flits: more,
            } = router;
            // Only grids have rings for bubbles to keep moving.
            let flow_control = match flow_control {
                "bubble" if !system.is_grid => "virtual-cut-through",
                other => other,
            };
            let packets = match flow_control {
                "bubble" => packets.max(2),
                "virtual-cut-through" => packets.max(1),
                _ => packets,
            };
            let buffer = packets * u32::from(flits) + more;
            fields += &format!("flow_control = '{flow_control}'\nbuffer_flits = {buffer}");
            if flow_control == "bubble" {
                fields = fields.replace("wait_for_tail_credit = true\n", "");
            }
            // The bubble rule is proved for packets of one length.
            let lengths = match mixed && flow_control != "bubble" {
                true => format!("[{{ flits = 1, share = 0.7 }}, {{ flits = {flits}, share = 0.3 }}]"),
                false => flits.to_string(),
            };
            Study {
                system,
                router: fields,
                traffic: format!(
                    "{pattern}\nload = {load}\npacket_flits = {lengths}\ninjection = {injection}\nsend_to_self = {send_to_self}"
                ),
                simulation: format!(
                    "warmup_cycles = {warmup}\nmeasure_cycles = 200\ndrain = {drain}\ncycles_limit = 20_000"
                ),
                seed,
            }
        },
    )
}

/// How to draw studies, always the same ones for the same seed.
pub(crate) fn config(seed: u64) -> Config {
    Config {
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..Config::default()
    }
}

/// So many studies, always the same ones for the same seed.
pub(crate) fn sample(count: usize, seed: u64) -> Vec<Study> {
    let mut runner = TestRunner::new(config(seed));
    let draw = |_| study().new_tree(&mut runner).unwrap().current();
    (0..count).map(draw).collect()
}

/// The `[router]` table; its buffers hold so many packets and so many flits more.
#[derive(Clone, Debug)]
struct Router {
    fields: String,
    flow_control: &'static str,
    packets: u32,
    flits: u32,
}

fn router() -> impl Strategy<Value = Router> {
    let stages = (0u32..=3, 1u32..=3, 1u32..=3, 0u32..=2, 0u32..=3).prop_map(
        |(routing, vc, switch, traversal, credit)| {
            format!(
                "routing_delay = {routing}\nvc_allocation_delay = {vc}\nswitch_allocation_delay = {switch}\n\
                 switch_traversal_delay = {traversal}\ncredit_delay = {credit}\n"
            )
        },
    );
    let stages = prop_oneof![1 => Just(String::new()), 1 => stages];
    let allocator = prop_oneof![
        Just("islip"),
        Just("separable-input-first"),
        Just("separable-output-first")
    ];
    let speedup = prop_oneof![2 => Just(1.0), 1 => Just(2.0), 1 => 1.0f64..4.0];
    let output = prop_oneof![2 => Just(0u32), 1 => 1u32..=8];
    let allocators = (allocator.clone(), allocator);
    let allocation = (allocators, 1u32..=3, speedup, output, any::<bool>()).prop_map(
        |((allocator, switch), iterations, speedup, output, wait)| {
            let mut fields = format!(
                "allocator = '{allocator}'\nswitch_allocator = '{switch}'\nallocation_iterations = {iterations}\ninternal_speedup = {speedup:.3}\n"
            );
            if output > 0 {
                fields += &format!("output_buffer_flits = {output}\n");
            }
            if wait {
                fields += "wait_for_tail_credit = true\n";
            }
            fields
        },
    );
    let allocation = prop_oneof![1 => Just(String::new()), 1 => allocation];
    let crossbar = (1u32..=3, 1u32..=3, any::<bool>(), any::<bool>()).prop_map(
        |(input, output, full, hold)| {
            format!(
                "input_speedup = {input}\noutput_speedup = {output}\nbusy_when_full = {full}\n\
                 hold_switch = {hold}\n"
            )
        },
    );
    let crossbar = prop_oneof![2 => Just(String::new()), 1 => crossbar];
    let kind = prop_oneof![
        2 => Just(""),
        1 => Just("kind = 'input-queued'\n"),
        2 => Just("kind = 'input-output-queued'\n"),
    ];
    let control = prop_oneof![
        2 => Just("wormhole"),
        1 => Just("virtual-cut-through"),
        1 => Just("bubble"),
    ];
    let parts = (kind, stages, allocation, crossbar);
    (parts, control, 0u32..=2, 1u32..=4).prop_map(
        |((kind, stages, allocation, crossbar), flow_control, packets, flits)| Router {
            fields: [kind, &stages, &allocation, &crossbar].concat(),
            flow_control,
            packets,
            flits,
        },
    )
}

/// The pattern's own fields of the `[traffic]` table, for any network of two terminals or more.
fn pattern() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just("pattern = 'uniform'".to_string()),
        1 => (0.0f64..=1.0).prop_map(|fraction| format!("pattern = 'hotspot'\nfraction = {fraction:.3}")),
        1 => Just("pattern = 'random-permutation'".to_string()),
        // Primes, so that nobody is moved to himself, however few there are.
        1 => (0usize..8).prop_map(|at| {
            let offset = [1, 1009, 1013, 1019, 1021, 1031, 1033, 1039][at];
            format!("pattern = 'shift'\noffset = {offset}")
        }),
        1 => Just("pattern = 'stencil'\npoints = '2d5'\nmapping = 'random'".to_string()),
    ]
}
