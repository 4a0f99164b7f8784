//! What `[traffic]` asks for: a load, and one pattern or several classes of packets.

mod phases;

pub use phases::{PhaseSpecification, PhaseTable};

use crate::router::WITHOUT_BUBBLES;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::{Value, deserialize_ignoring};
use turnwise_config::registry::{Family, field_names, parse_beside, schema_of};
use turnwise_config::units;
use turnwise_network::{Cutting, FlowControl, Injector, Network};
use turnwise_workload::{
    Context, Injection, PacketFlits, PatternParameters, REGISTRY, TrafficClass, in_packets,
    open_loop,
};

/// The keys of `[traffic]` that every pattern understands.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct TrafficTable {
    /// Offered load in flits per terminal and cycle, 0 to 1.
    #[schemars(range(min = 0, max = 1), transform = units::load)]
    pub load: f64,
    /// Length of every packet in flits, 1 if not given; or several lengths and their shares of the packets.
    #[serde(default)]
    pub packet_flits: PacketFlits,
    /// Length of every message in flits: it is cut into packets of `packet_flits`, the last one the rest, which are all created at once.
    /// By default every packet is a message.
    #[schemars(range(min = 1, max = u16::MAX), transform = units::flits)]
    pub message_flits: Option<u64>,
    /// May random destinations include the source itself?
    #[serde(default)]
    pub send_to_self: bool,
    /// When packets are created: `"bernoulli"` if not given, `"periodic"`, `"dithered"`, or in bursts.
    #[serde(default)]
    pub injection: Injection,
    /// Instead of a pattern: several classes of packets. Each has a `name`, a `share` of the load, a
    /// `pattern` with its fields, and if need be its own `packet_flits` and `send_to_self`.
    // Read apart, because each class has a pattern; named here for the schema.
    #[serde(default)]
    #[schemars(with = "Vec<ClassTable>")]
    pub classes: IgnoredAny,
    /// What the traffic becomes, phase by phase: each has `at`, the cycle it begins in, and a `pattern` with its
    /// fields, a `load`, or both.
    // Read apart, because each phase may have a pattern; named here for the schema.
    #[serde(default)]
    #[schemars(with = "Vec<PhaseTable>")]
    pub then: IgnoredAny,
}

/// The keys of a class of traffic that every pattern understands.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ClassTable {
    /// What the class is called in results.
    pub name: String,
    /// Its share of the load, in flits; the shares of all classes add up to 1.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// Lengths of its packets in flits; those of `[traffic]` if not given.
    pub packet_flits: Option<PacketFlits>,
    /// May random destinations include the source itself? As in `[traffic]` if not given.
    pub send_to_self: Option<bool>,
}

/// `[traffic]` as written.
pub struct TrafficSpecification {
    /// Offered load in flits per terminal and cycle.
    pub load: f64,
    /// When packets are created.
    pub injection: Injection,
    /// How messages are cut into packets, if it asks for messages.
    pub cutting: Option<Cutting>,
    /// What is sent; at least one class.
    pub classes: Vec<ClassSpecification>,
    /// What is sent instead from later cycles on, in the order of time; only where there is one class.
    pub then: Vec<PhaseSpecification>,
}

/// A class of traffic as written; all of the traffic if it is not divided.
pub struct ClassSpecification {
    /// Its name; `None` if the traffic is not divided.
    pub name: Option<String>,
    /// Its share of the load.
    pub share: f64,
    /// Lengths of its packets; of its messages, if these are cut into packets.
    pub packet_flits: PacketFlits,
    /// May random destinations include the source itself?
    pub send_to_self: bool,
    /// Where its packets go.
    pub pattern: Box<dyn PatternParameters>,
}

/// More classes would be slow to draw from.
const MOST_CLASSES: usize = 16;

impl TrafficSpecification {
    /// Reads `[traffic]`.
    pub(crate) fn read(table: &Value, errors: &mut Vec<Diagnostic>) -> Option<Self> {
        let divided = table.at_path("classes").is_some();
        let fields = <dyn PatternParameters>::SHARED;
        let own: Vec<&str> = table
            .table()
            .into_iter()
            .flat_map(|fields| fields.keys())
            .map(|key| key.name.as_str())
            .filter(|name| match divided {
                true => *name == "classes" || *name == "then",
                false => !fields.contains(name) || ["pattern", "then"].contains(name),
            })
            .collect();
        let shared: Option<TrafficTable> = deserialize_ignoring(table, &own, errors);
        match shared {
            Some(shared) => {
                check_traffic(&shared, table, errors);
                Self::with_shared(shared, table, errors)
            }
            // For what else is wrong.
            None => {
                if !divided {
                    read_pattern::<TrafficTable>(table, errors);
                }
                None
            }
        }
    }

    /// The same once its shared keys are known.
    fn with_shared(
        shared: TrafficTable,
        table: &Value,
        errors: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let then = phases::read(&shared, table, errors);
        check_messages(&shared, table, errors);
        let message_flits = shared
            .message_flits
            .and_then(|flits| u16::try_from(flits).ok());
        let cutting = match (message_flits, &shared.packet_flits) {
            (Some(message_flits), &PacketFlits::Fixed(packet_flits)) => {
                Some(Cutting::new(message_flits, packet_flits))
            }
            _ => None,
        };
        let shared = match message_flits {
            None => shared,
            Some(message_flits) => TrafficTable {
                packet_flits: PacketFlits::Fixed(message_flits),
                ..shared
            },
        };
        let classes = match table.at_path("classes") {
            None => vec![ClassSpecification {
                name: None,
                share: 1.0,
                packet_flits: shared.packet_flits,
                send_to_self: shared.send_to_self,
                pattern: read_pattern::<TrafficTable>(table, errors)?,
            }],
            Some(list) => read_classes(&shared, list, errors)?,
        };
        Some(Self {
            load: shared.load,
            injection: shared.injection,
            cutting,
            classes,
            then: then?,
        })
    }

    /// Are packets created in bursts, whose load bounds that of the traffic?
    pub fn has_bursts(&self) -> bool {
        matches!(self.injection, Injection::OnOff { .. })
    }

    /// The longest packets' length.
    pub fn longest_packet(&self) -> u16 {
        if let Some(cutting) = self.cutting {
            return cutting.packet_flits;
        }
        let lengths = self
            .classes
            .iter()
            .map(|class| class.packet_flits.longest());
        lengths.max().unwrap_or(1)
    }

    /// Can packets of these lengths be sent under this flow control?
    ///
    /// # Errors
    /// Several lengths under bubble flow control, whose proof needs packets of one length.
    pub fn check_lengths(&self, flow_control: FlowControl) -> Result<(), Invalid> {
        if flow_control != FlowControl::Bubble || self.have_one_length() {
            return Ok(());
        }
        let message =
            "bubble flow control keeps rings free of deadlock for packets of one length only";
        if self.cutting.is_some() {
            let help =
                format!("message_flits that are a multiple of packet_flits, or {WITHOUT_BUBBLES}");
            return Err(Invalid::new("message_flits", message).with_help(help));
        }
        let help = format!("write one number, or {WITHOUT_BUBBLES}");
        Err(Invalid::new("packet_flits", message).with_help(help))
    }

    /// Are all packets of one length?
    fn have_one_length(&self) -> bool {
        let mut shortest = (self.classes.iter()).map(|class| class.packet_flits.shortest());
        match self.cutting {
            Some(cutting) => shortest.all(|flits| flits.is_multiple_of(cutting.packet_flits)),
            None => shortest.min() == Some(self.longest_packet()),
        }
    }

    /// The files that patterns are read from, of all classes and then of all phases, each with the path of its
    /// table inside `[traffic]`.
    pub fn files(&self) -> impl Iterator<Item = (String, Option<&str>)> {
        let classes = self.classes.iter().enumerate();
        let classes = classes.map(|(index, class)| (self.path(index), class.pattern.file()));
        let phases = self.then.iter().enumerate();
        classes.chain(phases.map(|(index, phase)| (phases::path(index), phase.file())))
    }

    /// Path of a class's table inside `[traffic]`; empty if the traffic is not divided.
    fn path(&self, index: usize) -> String {
        match self
            .classes
            .get(index)
            .is_some_and(|class| class.name.is_some())
        {
            true => format!("classes[{index}]"),
            false => String::new(),
        }
    }

    /// Names of the classes, if the traffic is divided.
    pub fn class_names(&self) -> Vec<String> {
        let names = self.classes.iter().filter_map(|class| class.name.clone());
        names.collect()
    }

    /// The cycles in which the traffic switches, in ascending order.
    pub fn switches(&self) -> Vec<u64> {
        self.then.iter().map(|phase| phase.at).collect()
    }

    /// Is there another load in one of the phases?
    pub fn changes_load(&self) -> bool {
        self.then.iter().any(|phase| phase.load.is_some())
    }

    /// The source of packets; `texts` are those of [`files`](Self::files).
    ///
    /// # Errors
    /// Whatever makes no sense on this network, on a field of `[traffic]`.
    pub fn injector(
        &self,
        network: &Network,
        texts: &[Option<String>],
        seed: u64,
    ) -> Result<Box<dyn Injector>, Invalid> {
        let source = match self.then.is_empty() {
            true => self.steady_injector(network, texts, seed),
            false => phases::injector(self, network, texts, seed),
        }?;
        Ok(match self.cutting {
            Some(cutting) => in_packets(source, cutting),
            None => source,
        })
    }

    /// The same for traffic that does not switch, of whole messages.
    fn steady_injector(
        &self,
        network: &Network,
        texts: &[Option<String>],
        seed: u64,
    ) -> Result<Box<dyn Injector>, Invalid> {
        let mut classes = Vec::new();
        for (index, class) in self.classes.iter().enumerate() {
            let context = Context {
                seed,
                send_to_self: class.send_to_self,
                file: texts.get(index).and_then(Option::as_deref),
            };
            let pattern = class.pattern.build(network, &context);
            classes.push(TrafficClass {
                pattern: pattern.map_err(|invalid| invalid.under(&self.path(index)))?,
                share: class.share,
                packet_flits: class.packet_flits.clone(),
            });
        }
        let terminals = network.terminal_count();
        open_loop(classes, self.injection, self.load, terminals, seed)
    }
}

fn read_classes(
    shared: &TrafficTable,
    list: &Value,
    errors: &mut Vec<Diagnostic>,
) -> Option<Vec<ClassSpecification>> {
    let Some(items) = list.array() else {
        let message = format!("expected a list of tables, found {}", list.describe());
        errors.push(Diagnostic::at(list.span, message).with_help("write [[traffic.classes]]"));
        return None;
    };
    if !(1..=MOST_CLASSES).contains(&items.len()) {
        let message = format!(
            "expected 1 to {MOST_CLASSES} classes, found {}",
            items.len()
        );
        errors.push(Diagnostic::at(list.span, message));
        return None;
    }
    let mut classes: Vec<ClassSpecification> = Vec::new();
    for item in items {
        let Some(class) = read_class(shared, item, errors) else {
            continue;
        };
        if classes.iter().any(|known| known.name == class.name) {
            let span = item.at_path("name").map_or(item.span, |name| name.span);
            errors.push(Diagnostic::at(span, "name: another class has this name"));
        }
        classes.push(class);
    }
    (classes.len() == items.len()).then_some(classes)
}

/// The pattern of a table which `T` has the other keys of.
fn read_pattern<T: JsonSchema>(
    table: &Value,
    errors: &mut Vec<Diagnostic>,
) -> Option<Box<dyn PatternParameters>> {
    let beside = || field_names(&schema_of::<T>());
    parse_beside(REGISTRY, table, "pattern", beside, errors)
}

/// The keys of a table that are a pattern's own, and the pattern's name.
fn keys_of_pattern(table: &Value) -> Vec<&str> {
    let fields = <dyn PatternParameters>::SHARED;
    let keys = table.table().into_iter().flat_map(|fields| fields.keys());
    keys.map(|key| key.name.as_str())
        .filter(|name| !fields.contains(name) || *name == "pattern")
        .collect()
}

fn read_class(
    shared: &TrafficTable,
    item: &Value,
    errors: &mut Vec<Diagnostic>,
) -> Option<ClassSpecification> {
    let pattern = read_pattern::<ClassTable>(item, errors);
    let of_pattern = keys_of_pattern(item);
    let table: ClassTable = deserialize_ignoring(item, &of_pattern, errors)?;
    let span = |field: &str| item.at_path(field).map_or(item.span, |value| value.span);
    if table.name.is_empty() || table.name.len() > 64 || table.name.chars().any(char::is_control) {
        let message = "name: expected 1 to 64 characters that can be printed";
        errors.push(Diagnostic::at(span("name"), message));
        return None;
    }
    if shared.message_flits.is_some() && table.packet_flits.is_some() {
        let message =
            "packet_flits: the messages of all classes are cut into packets of one length";
        let help = "write packet_flits beside message_flits";
        errors.push(Diagnostic::at(span("packet_flits"), message).with_help(help));
        return None;
    }
    if !(table.share > 0.0 && table.share <= 1.0) {
        let message = format!(
            "share: expected more than 0, up to 1, of the load, found {}",
            table.share
        );
        errors.push(Diagnostic::at(span("share"), message));
        return None;
    }
    Some(ClassSpecification {
        name: Some(table.name),
        share: table.share,
        packet_flits: table
            .packet_flits
            .unwrap_or_else(|| shared.packet_flits.clone()),
        send_to_self: table.send_to_self.unwrap_or(shared.send_to_self),
        pattern: pattern?,
    })
}

fn check_traffic(traffic: &TrafficTable, table: &Value, errors: &mut Vec<Diagnostic>) {
    check_load(traffic.load, table, errors);
    let flits = &traffic.packet_flits;
    let injection = || match table.at_path("classes") {
        // Classes have lengths of their own.
        Some(_) => Ok(()),
        None => traffic.injection.check(traffic.load, flits.mean()),
    };
    if let Err(invalid) = flits.check().and_then(|()| injection()) {
        errors.push(invalid.locate(table));
    }
}

/// Can messages of so many flits be cut into such packets?
fn check_messages(traffic: &TrafficTable, table: &Value, errors: &mut Vec<Diagnostic>) {
    let Some(message_flits) = traffic.message_flits else {
        return;
    };
    let value = table.at_path("message_flits");
    let at = value.map_or(table.span, |value| value.span);
    let most = u16::MAX;
    if !(1..=u64::from(most)).contains(&message_flits) {
        let message = format!("message_flits: expected 1 to {most} flits, found {message_flits}");
        errors.push(Diagnostic::at(at, message));
    }
    if matches!(traffic.packet_flits, PacketFlits::Mixed(_)) {
        let message = "message_flits: messages are cut into packets of one length";
        let help = "write one number for packet_flits, or leave message_flits out";
        errors.push(Diagnostic::at(at, message).with_help(help));
    }
}

/// Is the `load` of this table one that a terminal can offer?
fn check_load(load: f64, table: &Value, errors: &mut Vec<Diagnostic>) {
    if !(0.0..=1.0).contains(&load) {
        let span = table.at_path("load").map_or(table.span, |value| value.span);
        let message = format!("load: expected 0 to 1 flits per terminal and cycle, found {load}");
        let help = "a terminal injects at most one flit a cycle";
        errors.push(Diagnostic::at(span, message).with_help(help));
    }
}
