//! What `[[traffic.then]]` asks for: traffic that switches to another pattern or load while a run goes on.

use super::{TrafficSpecification, TrafficTable, check_load, keys_of_pattern, read_pattern};
use crate::simulation::{MOST_CYCLES, SimulationTable};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::{Diagnostic, Invalid, nearest};
use turnwise_config::document::{Value, deserialize_ignoring};
use turnwise_config::registry::field_names;
use turnwise_config::units;
use turnwise_network::{Injector, Network};
use turnwise_workload::{Context, Pattern, PatternParameters, REGISTRY, TrafficPhase, switching};

/// The keys of a phase of traffic that every pattern understands.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PhaseTable {
    /// The cycle from which on packets are created as said here.
    #[schemars(range(min = 1, max = MOST_CYCLES), transform = units::cycles)]
    pub at: u64,
    /// Offered load in flits per terminal and cycle; that of the phase before if not given.
    #[schemars(range(min = 0, max = 1), transform = units::load)]
    pub load: Option<f64>,
    /// May random destinations include the source itself? As in `[traffic]` if not given.
    pub send_to_self: Option<bool>,
}

/// A phase of traffic as written.
pub struct PhaseSpecification {
    /// The cycle it begins in.
    pub at: u64,
    /// Its load, if it has one of its own.
    pub load: Option<f64>,
    /// Its pattern, if it has one of its own.
    pattern: Option<OwnPattern>,
}

struct OwnPattern {
    parameters: Box<dyn PatternParameters>,
    send_to_self: bool,
}

impl PhaseSpecification {
    /// The file that its pattern is read from.
    pub(super) fn file(&self) -> Option<&str> {
        self.pattern.as_ref()?.parameters.file()
    }
}

/// More phases than anybody tells apart in a plot.
const MOST_PHASES: usize = 16;

/// Path of a phase's table inside `[traffic]`.
pub(super) fn path(index: usize) -> String {
    format!("then[{index}]")
}

/// The phases of `[traffic]` after the first.
pub(super) fn read(
    shared: &TrafficTable,
    table: &Value,
    errors: &mut Vec<Diagnostic>,
) -> Option<Vec<PhaseSpecification>> {
    let Some(list) = table.at_path("then") else {
        return Some(Vec::new());
    };
    let Some(items) = list.array() else {
        let message = format!("expected a list of tables, found {}", list.describe());
        errors.push(Diagnostic::at(list.span, message).with_help("write [[traffic.then]]"));
        return None;
    };
    if !(1..=MOST_PHASES).contains(&items.len()) {
        let message = format!("expected 1 to {MOST_PHASES} phases, found {}", items.len());
        errors.push(Diagnostic::at(list.span, message));
        return None;
    }
    if table.at_path("classes").is_some() {
        let message = "then: traffic of several classes does not switch";
        let help = "leave out [[traffic.classes]], or [[traffic.then]]";
        errors.push(Diagnostic::at(list.span, message).with_help(help));
        return None;
    }
    let mut phases: Vec<PhaseSpecification> = Vec::new();
    for item in items {
        let before = phases.last().map_or(0, |phase| phase.at);
        phases.extend(read_phase(shared, item, before, errors));
    }
    (phases.len() == items.len()).then_some(phases)
}

/// Is a key a field that some pattern has?
fn belongs_to_pattern(key: &str) -> bool {
    let has_it = |fields: Vec<String>| fields.iter().any(|field| field == key);
    let mut all = REGISTRY.iter().map(|line| field_names(&(line.schema)()));
    all.any(has_it)
}

fn read_phase(
    shared: &TrafficTable,
    item: &Value,
    before: u64,
    errors: &mut Vec<Diagnostic>,
) -> Option<PhaseSpecification> {
    let of_pattern = keys_of_pattern(item);
    // Fields of a pattern without a pattern are a slip, too, and so is almost its name.
    let asks_for_one = nearest("pattern", of_pattern.iter().copied()).is_some()
        || of_pattern.iter().any(|name| belongs_to_pattern(name));
    let parameters = asks_for_one.then(|| read_pattern::<PhaseTable>(item, errors));
    let ignored = match asks_for_one {
        true => of_pattern,
        false => vec!["pattern"],
    };
    let table: PhaseTable = deserialize_ignoring(item, &ignored, errors)?;
    let span = |field: &str| item.at_path(field).map_or(item.span, |value| value.span);
    let mut wrong = |field: &str, message: String, help: &str| {
        errors.push(Diagnostic::at(span(field), message).with_help(help));
    };
    if table.at <= before || table.at > MOST_CYCLES {
        let message = format!(
            "at: expected a cycle from {} to {MOST_CYCLES}, found {}",
            before + 1,
            table.at
        );
        let help = "phases stand in the order of time; the first one is [traffic] itself";
        wrong("at", message, help);
        return None;
    }
    if parameters.is_none() && table.load.is_none() {
        let message = "nothing changes in this phase".to_owned();
        wrong(
            "",
            message,
            "give it a pattern, such as pattern = \"adversarial\", or a load",
        );
        return None;
    }
    if parameters.is_none() && table.send_to_self.is_some() {
        let message = "send_to_self: belongs to a pattern".to_owned();
        wrong("send_to_self", message, "repeat the pattern in this phase");
        return None;
    }
    if let Some(load) = table.load {
        check_load(load, item, errors);
    }
    let pattern = match parameters {
        None => None,
        Some(parameters) => Some(OwnPattern {
            parameters: parameters?,
            send_to_self: table.send_to_self.unwrap_or(shared.send_to_self),
        }),
    };
    Some(PhaseSpecification {
        at: table.at,
        load: table.load,
        pattern,
    })
}

/// The source of packets of traffic that switches.
pub(super) fn injector(
    traffic: &TrafficSpecification,
    network: &Network,
    texts: &[Option<String>],
    seed: u64,
) -> Result<Box<dyn Injector>, Invalid> {
    let Some(first) = traffic.classes.first() else {
        return Err(Invalid::new("pattern", "there is no traffic to switch"));
    };
    // A pattern is built anew for each phase that has it: the same seed makes it the same.
    let build = |parameters: &dyn PatternParameters, send_to_self, text| {
        let file = texts.get(text).and_then(Option::as_deref);
        let context = Context {
            seed,
            send_to_self,
            file,
        };
        parameters.build(network, &context)
    };
    let phase = |from, pattern: Box<dyn Pattern>, load| TrafficPhase {
        from,
        pattern,
        packet_flits: first.packet_flits.clone(),
        load,
    };
    let mut present = (&*first.pattern, first.send_to_self, 0);
    let mut load = traffic.load;
    let mut phases = vec![phase(0, build(present.0, present.1, 0)?, load)];
    for (index, then) in traffic.then.iter().enumerate() {
        if let Some(own) = &then.pattern {
            present = (&*own.parameters, own.send_to_self, 1 + index);
        }
        let (parameters, send_to_self, text) = present;
        let pattern = build(parameters, send_to_self, text);
        let pattern = pattern.map_err(|invalid| invalid.under(&path(index)))?;
        load = then.load.unwrap_or(load);
        phases.push(phase(then.at, pattern, load));
    }
    let terminals = network.terminal_count();
    switching(phases, traffic.injection, terminals, seed)
}

impl TrafficSpecification {
    /// What `[simulation]` asks for in vain where the traffic switches.
    pub(crate) fn check_switches(
        &self,
        simulation: &SimulationTable,
        document: &Value,
        errors: &mut Vec<Diagnostic>,
    ) {
        let place = |path: &str| document.at_path(path).unwrap_or(document).span;
        let end = simulation
            .warmup_cycles
            .saturating_add(simulation.measure_cycles);
        for (index, phase) in self.then.iter().enumerate() {
            if phase.at >= end {
                let message = format!(
                    "at: the window of measurement ends before this, with cycle {}",
                    end.saturating_sub(1)
                );
                let help = "switch earlier, or make simulation.measure_cycles larger";
                let at = place(&format!("traffic.{}.at", path(index)));
                errors.push(Diagnostic::at(at, message).with_help(help));
            }
        }
        if simulation.find_saturation && !self.then.is_empty() {
            let message = "find_saturation: traffic that switches has a saturation load for each of its phases";
            let help = "search for that of each phase in a study without [[traffic.then]]";
            let at = place("simulation.find_saturation");
            errors.push(Diagnostic::at(at, message).with_help(help));
        }
        if simulation.herding_cycles.is_some() && !self.then.is_empty() {
            let message = "herding_cycles: where traffic switches, so does the load of channels, whoever herds";
            let help = "measure it in a study without [[traffic.then]]";
            let at = place("simulation.herding_cycles");
            errors.push(Diagnostic::at(at, message).with_help(help));
        }
    }
}
