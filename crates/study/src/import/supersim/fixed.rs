//! Which settings of SuperSim a study cannot follow, and what they may be all the same.

use crate::import::{no_counterpart, only, what_has};
use turnwise_config::diagnostic::{Diagnostic, nearest, which_unknown_key};
use turnwise_config::document::{Kind, Step, Value, steps};

pub(super) const CLASS: &str = "network.protocol_classes[0]";
pub(super) const APPLICATION: &str = "workload.applications[0]";

/// What decides which other settings there are, and what of it has a counterpart.
const SELECTORS: &[(&str, &str, &[&str])] = &[
    ("network", ".topology", &["dragonfly"]),
    (
        "network",
        ".router.architecture",
        &["input_output_queued", "input_queued"],
    ),
    (
        "network",
        ".router.congestion_sensor.algorithm",
        &["buffer_occupancy"],
    ),
    (CLASS, ".routing.algorithm", &["minimal", "adaptive"]),
    (
        CLASS,
        ".routing.reduction.algorithm",
        &["weighted", "least_congested_minimal"],
    ),
    (APPLICATION, ".type", &["blast"]),
    (
        APPLICATION,
        ".blast_terminal.traffic_pattern.type",
        &[
            "uniform_random",
            "group_attack",
            "random_exchange",
            "local_random_remote_attack",
        ],
    ),
    (
        APPLICATION,
        ".blast_terminal.message_size_distribution.type",
        &["single"],
    ),
];

/// What is wrong with the settings that decide which others there are.
pub(super) fn selected(tree: &Value) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for &(table, field, known) in SELECTORS {
        let path = format!("{table}{field}");
        let found = tree.at_path(&path);
        if let Some((value, name)) = found.and_then(|value| Some((value, value.as_str()?)))
            && !known.contains(&name)
        {
            let error = Diagnostic::at(value.span, no_counterpart(&path, name));
            errors.push(error.with_help(what_has(known.iter().copied())));
        }
    }
    for (list, what) in [(CLASS, "class of packets"), (APPLICATION, "application")] {
        let second = list.replace("[0]", "[1]");
        if let Some(value) = tree.at_path(&second) {
            let message = format!("expected one {what}, found a second one");
            errors.push(Diagnostic::at(value.span, message));
        }
    }
    errors
}

/// A value as it is written.
#[derive(Clone, Copy)]
enum Only {
    Is(bool),
    Number(f64),
    Word(&'static str),
    /// It must not be there.
    Nothing,
}

/// Settings that only one value of has a counterpart. Not all versions of SuperSim have all of them.
const FIXED: &[(&str, &[(&str, Only)])] = &[
    (
        "network",
        &[
            (".interface_ports", Only::Number(1.0)),
            (".local_weight", Only::Number(1.0)),
            (".router.vca_swa_wait", Only::Is(true)),
            (".router.store_and_forward", Only::Is(false)),
            (".router.crossbar.latency", Only::Number(1.0)),
            (".router.output_crossbar.latency", Only::Number(1.0)),
            (".interface.type", Only::Word("standard")),
            (".interface.adaptive", Only::Is(false)),
            (".interface.crossbar.latency", Only::Number(1.0)),
        ],
    ),
    ("network.router.vc_scheduler.allocator", VC_ALLOCATOR),
    ("network.router.crossbar_scheduler", CROSSBAR_SCHEDULER),
    (
        "network.router.output_crossbar_scheduler",
        CROSSBAR_SCHEDULER,
    ),
    ("network.interface.crossbar_scheduler", CROSSBAR_SCHEDULER),
    (
        CLASS,
        &[
            (".routing.latency", Only::Number(1.0)),
            (".routing.mode", Only::Word("vc")),
            (".routing.reduction.max_outputs", Only::Number(1.0)),
            (".routing.reduction.independent_bias", Only::Number(0.0)),
            (
                ".routing.reduction.non_minimal_weight_func",
                Only::Word("regular"),
            ),
            (".injection.algorithm", Only::Word("common")),
            (".injection.adaptive", Only::Is(false)),
        ],
    ),
    (
        APPLICATION,
        &[
            (".blast_terminal.request_protocol_class", Only::Number(0.0)),
            (".blast_terminal.enable_responses", Only::Is(false)),
            (".blast_terminal.transaction_size", Only::Number(1.0)),
            (".blast_terminal.relative_injection", Only::Nothing),
        ],
    ),
];

const VC_ALLOCATOR: &[(&str, Only)] = &[
    (".type", Only::Word("rc_separable")),
    (".slip_latch", Only::Is(true)),
    (".iterations", Only::Number(2.0)),
    (".resource_arbiter.type", Only::Word("lslp")),
    (".client_arbiter.type", Only::Word("lslp")),
];

const CROSSBAR_SCHEDULER: &[(&str, Only)] = &[
    (".allocator.type", Only::Word("r_separable")),
    (".allocator.slip_latch", Only::Is(true)),
    (".allocator.resource_arbiter.type", Only::Word("lslp")),
    (".full_packet", Only::Is(true)),
    (".packet_lock", Only::Is(true)),
    (".idle_unlock", Only::Is(true)),
];

/// What changes what is printed, or nothing as long as the fixed ones are as they are.
const WITHOUT: &[(&str, &[&str])] = &[
    (
        "simulator",
        &[".print_progress", ".print_interval", ".info_log"],
    ),
    ("network", &[".channel_log", ".traffic_log"]),
    (CLASS, &[".routing.randomized_global"]),
    ("workload", &[".message_log"]),
    (
        APPLICATION,
        &[
            ".rate_log",
            ".kill_on_saturation",
            ".log_during_saturation",
            ".max_saturation_cycles",
            ".warmup_threshold",
            ".blast_terminal.warmup_attempts",
            ".blast_terminal.request_processing_latency",
            ".blast_terminal.response_protocol_class",
        ],
    ),
    ("metadata_handler", &[""]),
    ("debug", &[""]),
];

/// Takes all of these out of the tree. Says where one of the fixed ones is another.
pub(super) fn take_out(tree: &mut Value) -> Vec<Diagnostic> {
    let mut errors: Vec<Diagnostic> = Vec::new();
    for (table, settings) in FIXED {
        for &(field, expected) in *settings {
            let path = format!("{table}{field}");
            // What several refer to is wrong once.
            if let Some(value) = take(tree, &steps(&path))
                && !expected.is(&value)
                && errors.iter().all(|error| error.place != Some(value.span))
            {
                let error = Diagnostic::at(value.span, no_counterpart(&path, &written(&value)));
                errors.push(error.with_help(only(&path, &expected.word())));
            }
        }
    }
    for (table, fields) in WITHOUT {
        for field in *fields {
            take(tree, &steps(&format!("{table}{field}")));
        }
    }
    errors
}

/// An error about a key that there is not, with one of these as what may have been meant.
pub(super) fn with_what_was_meant(error: Diagnostic) -> Diagnostic {
    let fixed = FIXED.iter().flat_map(|(_, settings)| *settings);
    let fixed = fixed.map(|&(field, _)| field);
    let without = WITHOUT
        .iter()
        .flat_map(|(_, fields)| fields.iter().copied());
    let names = fixed
        .chain(without)
        .filter_map(|path| path.rsplit('.').next());
    let has_one = error
        .help
        .as_ref()
        .is_some_and(|help| help.starts_with(DID_YOU_MEAN));
    let name = which_unknown_key(&error).filter(|_| !has_one);
    match name.and_then(|name| nearest(name, names)) {
        Some(near) => error.with_help(format!("{DID_YOU_MEAN}{near}`?")),
        None => error,
    }
}

const DID_YOU_MEAN: &str = "did you mean `";

impl Only {
    fn is(self, value: &Value) -> bool {
        match self {
            Self::Is(expected) => value.as_bool() == Some(expected),
            Self::Number(expected) => value.as_f64() == Some(expected),
            Self::Word(expected) => value.as_str() == Some(expected),
            Self::Nothing => false,
        }
    }

    fn word(self) -> String {
        match self {
            Self::Is(expected) => expected.to_string(),
            Self::Number(expected) => expected.to_string(),
            Self::Word(expected) => expected.to_owned(),
            Self::Nothing => String::new(),
        }
    }
}

/// A value as a setting has it, as far as that is short.
fn written(value: &Value) -> String {
    match &value.kind {
        Kind::String(text) => text.clone(),
        Kind::Boolean(flag) => flag.to_string(),
        Kind::Integer(number) => number.to_string(),
        Kind::Float(number) => number.to_string(),
        Kind::Array(_) | Kind::Table(_) => value.describe(),
    }
}

/// What a path leads to, taken out with all tables that hold nothing else.
fn take(tree: &mut Value, path: &[Step<'_>]) -> Option<Value> {
    let (&first, rest) = path.split_first()?;
    match (&mut tree.kind, first) {
        (Kind::Table(table), Step::Key(name)) if rest.is_empty() => table.remove(name),
        (Kind::Table(table), Step::Key(name)) => {
            let inner = table.get_mut(name)?;
            let taken = take(inner, rest)?;
            if inner.table().is_some_and(|table| table.is_empty()) {
                table.remove(name);
            }
            Some(taken)
        }
        (Kind::Array(values), Step::Index(index)) => take(values.get_mut(index)?, rest),
        _ => None,
    }
}
