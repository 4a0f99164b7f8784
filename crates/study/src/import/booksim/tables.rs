//! The tables of the study, a line for each of their fields.

use super::settings::Settings;
use crate::import::{Lines, quoted};

/// No number in a configuration is larger.
const MOST: u32 = i32::MAX as u32;
/// Nobody builds a cube of more dimensions.
const MOST_DIMENSIONS: u32 = 16;
/// A dragonfly of these has more terminals than can be numbered.
const MOST_PORTS: u32 = 1000;
/// As `router.internal_speedup`.
const MOST_SPEEDUP: f64 = 16.0;

pub(super) fn study(name: &str, settings: &mut Settings) -> Lines {
    let mut lines = vec![format!("name = {}", quoted(name))];
    if settings.has("seed") {
        // `time` is another one in each run.
        match settings.word("seed") {
            "time" => lines.push("seed = 1  # of the clock, in BookSim2".into()),
            _ => lines.push(format!(
                "seed = {}",
                settings.number::<u32>("seed", 0..=MOST)
            )),
        }
    }
    match settings.number::<u32>("sim_count", 1..=MOST) {
        1 => {}
        repeat => lines.push(format!("repeat = {repeat}")),
    }
    lines
}

pub(super) fn network(settings: &mut Settings) -> Lines {
    let topologies = ["torus", "mesh", "fattree", "dragonflynew", "anynet"];
    match settings.choice("topology", &topologies.map(|name| (name, name))) {
        "fattree" => {
            let (arity, levels) = (
                settings.number::<u32>("k", 2..=MOST),
                settings.number::<u32>("n", 1..=MOST),
            );
            vec![
                "kind = \"k-ary-n-tree\"".into(),
                format!("arity = {arity}"),
                format!("levels = {levels}"),
                "channel_latency = 1".into(),
            ]
        }
        "dragonflynew" => dragonfly(settings),
        "anynet" => {
            let file = quoted(settings.word("network_file"));
            if settings.word("network_file").is_empty() {
                settings.complain(
                    "topology",
                    "anynet: `network_file` is missing",
                    "name the file of the network",
                );
            }
            vec!["kind = \"anynet\"".into(), format!("file = {file}")]
        }
        cube => {
            // Two routers have two channels each way in a torus there, and one here.
            let least = if cube == "torus" { 3 } else { 1 };
            let size = settings.number::<u32>("k", least..=MOST);
            let dimensions = settings.number::<u32>("n", 1..=MOST_DIMENSIONS);
            // Channels of a torus are folded, unless nobody asks where routers are.
            let is_folded = cube == "torus" && settings.is_on("use_noc_latency");
            vec![
                format!("kind = {}", quoted(cube)),
                format!("sizes = {:?}", vec![size; dimensions as usize]),
                format!("channel_latency = {}", if is_folded { 2 } else { 1 }),
            ]
        }
    }
}

/// As many terminals as global channels of a router, half as many as routers of a group, and a channel between any two groups.
fn dragonfly(settings: &mut Settings) -> Lines {
    let k = settings.number::<u32>("k", 1..=MOST_PORTS);
    settings.number::<u32>("n", 1..=1);
    vec![
        "kind = \"dragonfly\"".into(),
        format!("groups = {}", 2 * k * k + 1),
        format!("routers_per_group = {}", 2 * k),
        format!("terminals_per_router = {k}"),
        format!("global_ports_per_router = {k}"),
        "arrangement = \"absolute\"".into(),
        "channel_latency = { local = 10, global = 100 }".into(),
    ]
}

pub(super) fn routing(settings: &mut Settings) -> Lines {
    let choices: &[(&str, &str)] = match settings.word("topology") {
        "mesh" => &[("dor", "dimension-order"), ("dim_order", "dimension-order")],
        "fattree" => &[("nca", "nca"), ("anca", "anca")],
        "dragonflynew" => &[("min", "minimal"), ("ugal", "ugal")],
        "anynet" => &[("min", "shortest-path")],
        "torus" => &[("dim_order", "dimension-order")],
        _ => return Lines::new(),
    };
    let kind = settings.choice("routing_function", choices);
    let further = match kind {
        "minimal" => Some("virtual_channels = 2".to_owned()),
        "ugal" => Some("classes = \"booksim\"".to_owned()),
        // One way for each pair, on any virtual channel: whether that can deadlock is for the proof to say.
        "shortest-path" => Some("classes = \"none\"".to_owned()),
        "dimension-order" => order(settings),
        _ => None,
    };
    let lines = [format!("kind = {}", quoted(kind))];
    lines.into_iter().chain(further).collect()
}

/// Terminals have the coordinates of BookSim2's in reverse, and the first is corrected first in both. That gives other names to the same
/// routers, and the same pairs in patterns that treat all digits alike, or turn them round; but those that move bits along do not, unless
/// there are two digits.
fn order(settings: &Settings) -> Option<String> {
    let dimensions: u32 = settings.word("n").parse().ok()?;
    let from_last: Vec<u32> = (0..dimensions.min(MOST_DIMENSIONS)).rev().collect();
    let tells = ["shuffle", "transpose"].contains(&settings.word("traffic")) && dimensions > 2;
    tells.then(|| format!("order = {from_last:?}"))
}

/// As many as the routing function takes, and no more where it takes exactly so many.
fn virtual_channels(settings: &mut Settings) -> u32 {
    let function = settings.word("routing_function");
    let range = match (settings.word("topology"), function) {
        ("torus", _) => 2..=MOST,
        ("dragonflynew", "ugal") => 3..=3,
        ("dragonflynew", _) => 2..=MOST,
        _ => 1..=MOST,
    };
    let count = settings.number::<u32>("num_vcs", range);
    if settings.word("topology") == "torus" && count % 2 == 1 {
        let message = format!(
            "`num_vcs`: both classes of a torus share one of {count} virtual channels, which is not so here"
        );
        settings.complain("num_vcs", message, "write an even number");
    }
    count
}

pub(super) fn router(settings: &mut Settings) -> Lines {
    let traversal = settings
        .number::<u32>("st_prepare_delay", 0..=MOST)
        .saturating_add(settings.number("st_final_delay", 0..=MOST));
    let mut lines = vec![
        "preset = \"booksim-iq\"".to_owned(),
        format!("virtual_channels = {}", virtual_channels(settings)),
        format!("switch_traversal_delay = {traversal}"),
        format!(
            "internal_speedup = {:?}",
            settings.number::<f64>("internal_speedup", 1.0..=MOST_SPEEDUP)
        ),
    ];
    for (theirs, ours, least) in [
        ("vc_buf_size", "buffer_flits", 1),
        ("routing_delay", "routing_delay", 0),
        ("vc_alloc_delay", "vc_allocation_delay", 1),
        ("sw_alloc_delay", "switch_allocation_delay", 1),
        ("credit_delay", "credit_delay", 0),
        ("input_speedup", "input_speedup", 1),
        ("output_speedup", "output_speedup", 1),
        ("alloc_iters", "allocation_iterations", 1),
    ] {
        let number = settings.number::<u32>(theirs, least..=MOST);
        lines.push(format!("{ours} = {number}"));
    }
    let allocators = [
        ("islip", "islip"),
        ("separable_input_first", "separable-input-first"),
        ("separable_output_first", "separable-output-first"),
    ];
    let of_channels = settings.choice("vc_allocator", &allocators);
    let of_switch = settings.choice("sw_allocator", &allocators);
    match of_channels == of_switch {
        true => lines.push(format!("allocator = {}", quoted(of_switch))),
        false => lines.extend([
            format!("vc_allocator = {}", quoted(of_channels)),
            format!("switch_allocator = {}", quoted(of_switch)),
        ]),
    }
    for (theirs, ours) in [
        ("wait_for_tail_credit", "wait_for_tail_credit"),
        ("hold_switch_for_packet", "hold_switch"),
        ("vc_busy_when_full", "busy_when_full"),
    ] {
        if settings.is_on(theirs) {
            lines.push(format!("{ours} = true"));
        }
    }
    // Without limit, unless there is one.
    if settings.word("output_buffer_size") != "-1" {
        lines.push(format!(
            "output_buffer_flits = {}",
            settings.number::<u32>("output_buffer_size", 1..=MOST)
        ));
    }
    lines
}

pub(super) fn traffic(settings: &mut Settings) -> Lines {
    let mut patterns = vec![
        ("uniform", "uniform"),
        ("bitcomp", "bit-complement"),
        ("bitrev", "bit-reverse"),
        ("transpose", "transpose"),
        ("shuffle", "shuffle"),
        ("tornado", "tornado"),
        ("neighbor", "neighbor"),
        ("randperm", "random-permutation"),
    ];
    if settings.word("topology") == "dragonflynew" {
        patterns.push(("bad_dragon", "bad-dragon"));
    }
    let pattern = settings.choice("traffic", &patterns);
    // Versions before 2015 have the other name.
    let size = match settings.has("packet_size") {
        true => "packet_size",
        false => "const_flits_per_packet",
    };
    if pattern == "random-permutation" && settings.word("sim_count") != "1" {
        let message =
            "each repetition draws a permutation of its own here, and BookSim2 has one for all";
        settings.complain("sim_count", message, "write sim_count = 1");
    }
    let flits = settings.number::<u32>(size, 1..=MOST);
    let rate = settings.number::<f64>("injection_rate", 0.0..=1.0);
    let flits_each = match settings.is_on("injection_rate_uses_flits") {
        true => 1.0,
        false => f64::from(flits),
    };
    let load = (rate.abs() * flits_each * DIGITS).round() / DIGITS;
    if load > 1.0 {
        let message =
            format!("`injection_rate`: a terminal sends a flit in a cycle at most, not {load}");
        let help = format!("a flit in every cycle is {}", 1.0 / flits_each);
        settings.complain("injection_rate", message, help);
    }
    vec![
        format!("pattern = {}", quoted(pattern)),
        format!("load = {load:?}"),
        format!("packet_flits = {flits}"),
        "send_to_self = true".into(),
    ]
}

/// Loads have as many digits as people write: 15 times 0.06 is 0.9.
const DIGITS: f64 = 1e12;

/// Periods that BookSim2 measures at least before it may find that figures stand still.
const PERIODS: u64 = 3;

pub(super) fn simulation(settings: &mut Settings) -> Lines {
    let period = u64::from(settings.number::<u32>("sample_period", 1..=MOST));
    // Without any it warms up until figures stand still.
    let warm_up = match u64::from(settings.number::<u32>("warmup_periods", 0..=MOST)) {
        0 => PERIODS,
        periods => periods,
    };
    let types = ["latency", "throughput"].map(|name| (name, name));
    let drains = settings.choice("sim_type", &types) == "latency";
    let mut lines = vec![
        format!("warmup_cycles = {}", warm_up * period),
        format!(
            "measure_cycles = {}  # BookSim2 goes on until its figures stand still",
            period * PERIODS
        ),
    ];
    if !drains {
        lines.push("drain = false".into());
    }
    lines
}
