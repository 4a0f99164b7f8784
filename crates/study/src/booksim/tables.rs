//! The tables of the study, a line for each of their fields.

use super::settings::Settings;

type Lines = Vec<String>;

fn text(value: &str) -> String {
    toml::Value::from(value).to_string()
}

pub(super) fn study(name: &str, settings: &mut Settings) -> Lines {
    let mut lines = vec![format!("name = {}", text(name))];
    if settings.has("seed") {
        // `time` is another one in each run.
        match settings.word("seed") {
            "time" => lines.push("seed = 1  # of the clock, in BookSim2".into()),
            _ => lines.push(format!("seed = {}", settings.number::<u64>("seed", 0))),
        }
    }
    match settings.number::<u32>("sim_count", 1) {
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
                settings.number::<u32>("k", 2),
                settings.number::<u32>("n", 1),
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
            let file = text(settings.word("network_file"));
            if settings.word("network_file").is_empty() {
                settings.complain(
                    "topology",
                    "anynet: `network_file` is missing",
                    "name the file of the network",
                );
            }
            vec!["kind = \"anynet\"".into(), format!("file = {file}")]
        }
        // Channels of a torus are folded, unless nobody asks where routers are.
        cube => {
            let (size, dimensions) = (
                settings.number::<u32>("k", 1),
                settings.number::<u32>("n", 1),
            );
            let is_folded = cube == "torus" && settings.is_on("use_noc_latency");
            let sizes = vec![size; dimensions.min(MOST_DIMENSIONS) as usize];
            if dimensions > MOST_DIMENSIONS {
                let message = format!(
                    "`n`: expected at most {MOST_DIMENSIONS} dimensions, found {dimensions}"
                );
                settings.complain("n", message, "2 if not given");
            }
            vec![
                format!("kind = {}", text(cube)),
                format!("sizes = {sizes:?}"),
                format!("channel_latency = {}", if is_folded { 2 } else { 1 }),
            ]
        }
    }
}

/// Nobody builds a cube of more.
const MOST_DIMENSIONS: u32 = 16;

/// As many terminals as global channels of a router, half as many as routers of a group, and a channel between any two groups.
fn dragonfly(settings: &mut Settings) -> Lines {
    let k = settings.number::<u64>("k", 1).min(u64::from(u16::MAX));
    if settings.number::<u32>("n", 1) != 1 {
        settings.complain(
            "n",
            "a group of `dragonflynew` has one dimension here, as in BookSim2",
            "write n = 1",
        );
    }
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
        "minimal" => Some("virtual_channels = 2"),
        "ugal" => Some("classes = \"booksim\""),
        // One way for each pair, on any virtual channel: whether that can deadlock is for the proof to say.
        "shortest-path" => Some("classes = \"none\""),
        _ => None,
    };
    let lines = [format!("kind = {}", text(kind))];
    lines
        .into_iter()
        .chain(further.map(str::to_owned))
        .collect()
}

pub(super) fn router(settings: &mut Settings) -> Lines {
    let traversal = settings
        .number::<u32>("st_prepare_delay", 0)
        .saturating_add(settings.number("st_final_delay", 0));
    let mut lines = vec![
        "preset = \"booksim-iq\"".to_owned(),
        format!(
            "virtual_channels = {}",
            settings.number::<u32>("num_vcs", 1)
        ),
        format!(
            "buffer_flits = {}",
            settings.number::<u32>("vc_buf_size", 1)
        ),
        format!(
            "routing_delay = {}",
            settings.number::<u32>("routing_delay", 0)
        ),
        format!(
            "vc_allocation_delay = {}",
            settings.number::<u32>("vc_alloc_delay", 1)
        ),
        format!(
            "switch_allocation_delay = {}",
            settings.number::<u32>("sw_alloc_delay", 1)
        ),
        format!("switch_traversal_delay = {traversal}"),
        format!(
            "credit_delay = {}",
            settings.number::<u32>("credit_delay", 0)
        ),
        format!(
            "internal_speedup = {:?}",
            settings.number::<f64>("internal_speedup", 1.0)
        ),
        format!(
            "input_speedup = {}",
            settings.number::<u32>("input_speedup", 1)
        ),
        format!(
            "output_speedup = {}",
            settings.number::<u32>("output_speedup", 1)
        ),
    ];
    let allocators = [
        ("islip", "islip"),
        ("separable_input_first", "separable-input-first"),
        ("separable_output_first", "separable-output-first"),
    ];
    let of_channels = settings.choice("vc_allocator", &allocators);
    let of_switch = settings.choice("sw_allocator", &allocators);
    match of_channels == of_switch {
        true => lines.push(format!("allocator = {}", text(of_switch))),
        false => lines.extend([
            format!("vc_allocator = {}", text(of_channels)),
            format!("switch_allocator = {}", text(of_switch)),
        ]),
    }
    lines.push(format!(
        "allocation_iterations = {}",
        settings.number::<u32>("alloc_iters", 1)
    ));
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
            settings.number::<u32>("output_buffer_size", 1)
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
    let flits = settings.number::<u32>(size, 1);
    let rate = settings.number::<f64>("injection_rate", 0.0);
    let load = match settings.is_on("injection_rate_uses_flits") {
        true => rate,
        false => rate * f64::from(flits),
    };
    if load > 1.0 {
        let message =
            format!("`injection_rate`: a terminal sends a flit in a cycle at most, not {load}");
        settings.complain(
            "injection_rate",
            message,
            format!("a flit in every cycle is {}", rate / load),
        );
    }
    vec![
        format!("pattern = {}", text(pattern)),
        format!("load = {load:?}"),
        format!("packet_flits = {flits}"),
        "send_to_self = true".into(),
    ]
}

/// Periods that BookSim2 measures at least before it may find that figures stand still.
const PERIODS: u64 = 3;

pub(super) fn simulation(settings: &mut Settings) -> Lines {
    let period = settings.number::<u64>("sample_period", 1);
    // Without any it warms up until figures stand still.
    let warm_up = match settings.number::<u64>("warmup_periods", 0) {
        0 => PERIODS,
        periods => periods,
    };
    let is_throughput =
        settings.choice("sim_type", &[("latency", ""), ("throughput", "throughput")]);
    let mut lines = vec![
        format!("warmup_cycles = {}", warm_up.saturating_mul(period)),
        format!(
            "measure_cycles = {}  # BookSim2 goes on until its figures stand still",
            period.saturating_mul(PERIODS)
        ),
    ];
    if !is_throughput.is_empty() {
        lines.push("drain = false".into());
    }
    lines
}
