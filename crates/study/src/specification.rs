//! What a point asks for, as typed tables: reading knows no world, it only checks words and types.

use crate::buffers::{BufferFlits, WrittenDepth};
use crate::demand::DemandSpecification;
use crate::simulation::{self, SimulationTable};
use crate::traffic::{ClassTable, TrafficSpecification};
use crate::workload::WorkloadSpecification;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::sync::Arc;
use turnwise_config::diagnostic::{Diagnostic, Invalid, suggestion};
use turnwise_config::document::{Key, Value, deserialize, deserialize_ignoring};
use turnwise_config::registry::{Family, parse};
use turnwise_config::units::{self, Clock, FlitSize};
use turnwise_network::topologies::{self, Topology};
use turnwise_network::{ChannelInterval, Faults, FlowControl, Network, Vc};
use turnwise_routing::{Algorithm, Context as RoutingContext, RuleBound};
use turnwise_sim::{Allocator, Depth, Phases, RouterKind, RouterModel, Stages, least_flits};
use turnwise_verify::Assumptions;
use turnwise_workload::{Injection, PacketFlits, PatternParameters};

/// The tables of a study file, in the order they are documented.
pub const TABLES: &[&str] = &[
    "study",
    "network",
    "routing",
    "router",
    "traffic",
    "workload",
    "simulation",
    "sweep",
    "report",
];

/// The `[study]` table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StudyTable {
    /// Name of the study; its results go to a folder of that name.
    pub name: Option<String>,
    /// Heading of the report.
    pub title: Option<String>,
    /// A few sentences for the report.
    pub description: Option<String>,
    /// Seed of every random choice.
    pub seed: u64,
    /// How often each point is repeated, each time with another seed.
    #[schemars(range(min = 1))]
    pub repeat: u32,
    /// How long a cycle is, in which a channel passes on a flit: its frequency, `"1.25 GHz"`, or its
    /// time, `"0.8 ns"`. Cycles may then be written as times, and are reported in ns as well.
    // Read apart, for what is written in units is counted before there are tables.
    #[schemars(with = "Option<Clock>")]
    pub clock: Option<String>,
    /// What a flit holds: `"32 B"`, `"256 bit"`. Flits may then be written as sizes, and with a
    /// `clock` loads as data rates, and are reported in Gb/s as well.
    #[schemars(with = "Option<FlitSize>")]
    pub flit_size: Option<String>,
}

impl Default for StudyTable {
    fn default() -> Self {
        Self {
            name: None,
            title: None,
            description: None,
            seed: 1,
            repeat: 1,
            clock: None,
            flit_size: None,
        }
    }
}

/// The `[report]` table: what plots are drawn against. It changes no result.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReportTable {
    /// The swept field of the horizontal axis; if not given `traffic.load`, or the first number of `workload` that is swept.
    pub x: Option<String>,
    /// Swept fields, or tables of them, whose values lie on different curves of a plot; if not
    /// given, those of `routing` and `router`, and all if there is but one load.
    pub curves: Option<Vec<String>>,
    /// Swept fields, or tables of them, whose values lie in different plots; all that are
    /// neither the axis nor curves if not given.
    pub panels: Option<Vec<String>>,
}

/// Named sets of router parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// BookSim2's input-queued router: unit delays, iSLIP, 16 flits a virtual channel.
    BooksimIq,
}

/// The `[router]` table. What is not said is as in BookSim2's input-queued router.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RouterTable {
    /// Where flits wait: at the inputs, or at both sides of the crossbar.
    pub kind: RouterKind,
    /// A named set of parameters; fields given beside it win.
    pub preset: Option<Preset>,
    /// Virtual channels of every channel; as many as the routing needs if not given.
    pub virtual_channels: Option<u8>,
    /// Buffer depth of every virtual channel in flits; or `"round-trip"`, what keeps the channel that
    /// fills the buffer busy; or a table of both by class of that channel. If not given: 16, or what keeps the
    /// longest channel busy if that is more.
    pub buffer_flits: Option<BufferFlits>,
    /// What a head flit must find downstream before it advances. If not given: what the
    /// routing is made for, wormhole for most.
    pub flow_control: Option<FlowControl>,
    /// Cycles of route computation; 0 is look-ahead routing.
    #[schemars(range(max = RouterModel::MOST_DELAY), transform = units::cycles)]
    pub routing_delay: Option<u32>,
    /// Cycles of virtual-channel allocation, at least 1.
    #[schemars(range(min = 1, max = RouterModel::MOST_DELAY), transform = units::cycles)]
    pub vc_allocation_delay: Option<u32>,
    /// Cycles of switch allocation, at least 1.
    #[schemars(range(min = 1, max = RouterModel::MOST_DELAY), transform = units::cycles)]
    pub switch_allocation_delay: Option<u32>,
    /// Cycles of crossbar traversal.
    #[schemars(range(max = RouterModel::MOST_DELAY), transform = units::cycles)]
    pub switch_traversal_delay: Option<u32>,
    /// What route computation and crossbar traversal do when they take several cycles. If not given:
    /// batched with the preset `booksim-iq`, pipelined otherwise.
    pub stages: Option<Stages>,
    /// Cycles a router takes to process a credit.
    #[schemars(range(max = RouterModel::MOST_DELAY), transform = units::cycles)]
    pub credit_delay: Option<u32>,
    /// How virtual channels and the crossbar are allocated.
    pub allocator: Option<Allocator>,
    /// How virtual channels are allocated; as `allocator` says if not given.
    pub vc_allocator: Option<Allocator>,
    /// How the crossbar is allocated; as `allocator` says if not given.
    pub switch_allocator: Option<Allocator>,
    /// Rounds of iSLIP in one step.
    #[schemars(range(min = 1, max = RouterModel::MOST_ITERATIONS))]
    pub allocation_iterations: Option<u32>,
    /// Allocation steps per cycle, 1 to 16; may be fractional.
    #[schemars(range(min = 1, max = RouterModel::MOST_SPEEDUP))]
    pub internal_speedup: Option<f64>,
    /// Crossbar inputs of every input port, 1 to 32; its virtual channels use them in turn.
    #[schemars(range(min = 1, max = RouterModel::MOST_CROSSBAR_PORTS))]
    pub input_speedup: Option<u32>,
    /// Crossbar outputs of every output port, 1 to 32; the input ports use them in turn.
    #[schemars(range(min = 1, max = RouterModel::MOST_CROSSBAR_PORTS))]
    pub output_speedup: Option<u32>,
    /// Flits an output queue holds. Input-queued routers have one for each output when a speedup
    /// exceeds one, unlimited if not given; input/output-queued ones have one for each output virtual
    /// channel, of 8 flits if not given.
    #[schemars(range(min = 1), transform = units::flits)]
    pub output_buffer_flits: Option<u32>,
    /// May an output virtual channel be given away only after its last tail's credit is back?
    pub wait_for_tail_credit: bool,
    /// Is an output virtual channel that could not take a flit now kept from every head?
    pub busy_when_full: bool,
    /// Does a packet keep its way through the crossbar as long as its flits follow each other?
    pub hold_switch: bool,
}

impl RouterTable {
    /// What a head flit must find downstream before it advances.
    pub fn flow_control(&self) -> FlowControl {
        self.flow_control.unwrap_or_default()
    }

    /// What a proof may assume of the routers.
    pub fn assumptions(&self) -> Assumptions {
        Assumptions {
            flow_control: self.flow_control(),
            one_packet_buffers: self.wait_for_tail_credit,
        }
    }

    /// The depth of buffers as far as the study fixes it.
    fn fixed_buffer_flits(&self) -> Option<BufferFlits> {
        let preset = self
            .preset
            .map(|Preset::BooksimIq| BufferFlits::All(WrittenDepth::Flits(USUAL_BUFFER_FLITS)));
        self.buffer_flits.or(preset)
    }

    /// Does the study leave open what a complaint about this field is about?
    pub fn leaves_open(&self, field: &str) -> bool {
        let each = self.fixed_buffer_flits().map(BufferFlits::per_class);
        match (field, each) {
            ("buffer_flits", None) => true,
            ("buffer_flits.terminal", Some(each)) => each.terminal.is_none(),
            ("buffer_flits.local", Some(each)) => each.local.is_none(),
            ("buffer_flits.global", Some(each)) => each.global.is_none(),
            _ => false,
        }
    }

    /// The least depth of buffers between routers, if the study fixes it.
    fn least_buffer_flits(&self, network: &Network) -> Option<u32> {
        let fixed = self.fixed_buffer_flits()?;
        if let BufferFlits::All(WrittenDepth::Flits(flits)) = fixed {
            return Some(flits);
        }
        // With any buffers, virtual channels and packets a round trip takes as long.
        let model = self.model(1, 1, 1).ok()?;
        let round_trip = |latency| model.credit_round_trip(latency);
        let latencies = network.channels().map(|(_, channel)| channel.latency);
        let longest = latencies.max().map_or(0, round_trip);
        fixed.least_between_routers(network, USUAL_BUFFER_FLITS.max(longest), round_trip)
    }

    /// The router model, given what the routing needs and the longest channel's latency.
    ///
    /// # Errors
    /// (field, message) of a value that makes no sense.
    pub fn model(
        &self,
        needed_vcs: Vc,
        longest_latency: u32,
        packet_flits: u16,
    ) -> Result<RouterModel, (&'static str, String)> {
        let usual = RouterModel::default();
        let speedup_permille = permille(self.internal_speedup.unwrap_or(1.0))?;
        let mut model = RouterModel {
            kind: self.kind,
            virtual_channels: self.virtual_channels.unwrap_or(needed_vcs.max(1)),
            buffers: usual.buffers,
            flow_control: self.flow_control(),
            routing_delay: self.routing_delay.unwrap_or(usual.routing_delay),
            vc_allocation_delay: self
                .vc_allocation_delay
                .unwrap_or(usual.vc_allocation_delay),
            switch_allocation_delay: self
                .switch_allocation_delay
                .unwrap_or(usual.switch_allocation_delay),
            switch_traversal_delay: self
                .switch_traversal_delay
                .unwrap_or(usual.switch_traversal_delay),
            stages: match (self.stages, self.preset) {
                (Some(stages), _) => stages,
                (None, Some(Preset::BooksimIq)) => Stages::Batched,
                (None, None) => usual.stages,
            },
            credit_delay: self.credit_delay.unwrap_or(usual.credit_delay),
            vc_allocator: self.vc_allocator.or(self.allocator).unwrap_or_default(),
            switch_allocator: self.switch_allocator.or(self.allocator).unwrap_or_default(),
            allocation_iterations: self
                .allocation_iterations
                .unwrap_or(usual.allocation_iterations),
            speedup_permille,
            input_speedup: self.input_speedup.unwrap_or(usual.input_speedup),
            output_speedup: self.output_speedup.unwrap_or(usual.output_speedup),
            output_buffer_flits: self.output_buffer_flits,
            wait_for_tail_credit: self.wait_for_tail_credit,
            busy_when_full: self.busy_when_full,
            hold_switch: self.hold_switch,
        };
        model.check()?;
        let packet = u32::from(packet_flits);
        let least = least_flits(self.flow_control(), packet_flits);
        let most = RouterModel::MOST_BUFFER_FLITS;
        if least > most {
            let name = self.flow_control().name();
            let message = format!(
                "{name} needs buffers of {least} flits for packets of {packet}; at most {most} are possible"
            );
            return Err(("packet_flits", message));
        }
        let round_trip = model.credit_round_trip(longest_latency);
        // A buffer need not hold a long packet to keep a short channel busy.
        let busy = if round_trip <= most {
            (round_trip + packet).min(most)
        } else {
            round_trip
        };
        let usual = USUAL_BUFFER_FLITS.max(busy).max(least);
        model.buffers = match self.fixed_buffer_flits() {
            None => Depth::everywhere(usual),
            Some(fixed) => fixed.depths(packet_flits, usual),
        };
        model.check()?;
        model.check_packets(packet_flits)?;
        Ok(model)
    }
}

/// Buffers are never less deep than this unless the study says so.
const USUAL_BUFFER_FLITS: u32 = 16;

/// A speedup in thousandths, which is how exactly the engine knows it.
fn permille(speedup: f64) -> Result<u32, (&'static str, String)> {
    let most = RouterModel::MOST_SPEEDUP;
    if !(1.0..=f64::from(most)).contains(&speedup) {
        let message = format!("expected a speedup of 1 to {most}, found {speedup}");
        return Err(("internal_speedup", message));
    }
    let thousandths = (speedup * 1000.0).round();
    // Decimals are no binary fractions: 1.001 times 1000 is not quite 1001.
    if (speedup * 1000.0 - thousandths).abs() > 1e-6 {
        let message = format!(
            "expected a speedup in thousandths, such as {}, found {speedup}",
            thousandths / 1000.0
        );
        return Err(("internal_speedup", message));
    }
    Ok(thousandths as u32)
}

/// The keys of `[traffic]` that every pattern understands.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct TrafficTable {
    /// Offered load in flits per terminal and cycle, 0 to 1.
    #[schemars(range(min = 0, max = 1), transform = units::load)]
    pub load: f64,
    /// Length of every packet in flits, 1 if not given; or several lengths and their shares of the packets.
    #[serde(default)]
    pub packet_flits: PacketFlits,
    /// May random destinations include the source itself?
    #[serde(default)]
    pub send_to_self: bool,
    /// When packets are created: `"bernoulli"` if not given, `"periodic"`, or in bursts.
    #[serde(default)]
    pub injection: Injection,
    /// Instead of a pattern: several classes of packets. Each has a `name`, a `share` of the load, a
    /// `pattern` with its fields, and if need be its own `packet_flits` and `send_to_self`.
    // Read apart, because each class has a pattern; named here for the schema.
    #[serde(default)]
    #[schemars(with = "Vec<ClassTable>")]
    pub classes: IgnoredAny,
}

/// `[network]` as written.
pub struct NetworkSpecification {
    /// The topology's parameters.
    pub topology: Box<dyn Topology>,
    /// Which channels are slower than the topology has them.
    pub intervals: ChannelInterval,
    /// What has failed.
    pub faults: Faults,
}

/// Which tables a command needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// `[network]` alone.
    Network,
    /// `[network]` and `[routing]`.
    Routing,
    /// Everything a simulation needs.
    Simulation,
}

/// One point as written: typed, but nothing built yet.
pub struct Specification {
    /// `[study]`.
    pub study: StudyTable,
    /// `[network]`.
    pub network: NetworkSpecification,
    /// `[routing]`, if the scope includes it.
    pub routing: Option<Box<dyn Algorithm>>,
    /// `[router]`.
    pub router: RouterTable,
    /// `[traffic]` or `[workload]`, if the scope includes it. Routing needs no traffic, but has to know of a
    /// workload's messages.
    pub demand: Option<DemandSpecification>,
    /// `[simulation]`.
    pub simulation: SimulationTable,
    /// What it was read for.
    pub scope: Scope,
}

impl Specification {
    /// What the routing algorithm is told of the rest of the study.
    pub fn routing_context(&self, network: &Network) -> RoutingContext<'static> {
        RoutingContext {
            seed: self.study.seed,
            router_virtual_channels: self
                .router
                .virtual_channels
                .map(|all| all / self.classes_apart()),
            router_buffer_flits: self
                .routing
                .as_ref()
                .filter(|algorithm| algorithm.minds_buffers())
                .and_then(|_| self.router.least_buffer_flits(network)),
            flow_control: self.router.flow_control(),
            file: None,
        }
    }

    /// The workload, if there is one.
    pub fn workload(&self) -> Option<&WorkloadSpecification> {
        self.demand.as_ref()?.workload()
    }

    /// How many classes of messages have virtual channels of their own.
    pub fn classes_apart(&self) -> u8 {
        self.workload()
            .map_or(1, WorkloadSpecification::classes_apart)
    }

    /// When to measure, and when to give up.
    pub fn phases(&self) -> Phases {
        let ends = self.workload().is_some_and(WorkloadSpecification::ends);
        match ends {
            true => self.simulation.phases_to_completion(),
            false => self.simulation.phases(),
        }
    }

    /// How low the largest load can be under the routing algorithm's own rules, if it knows.
    pub fn rule_bound(&self, network: &Arc<Network>) -> Option<RuleBound> {
        let algorithm = self.routing.as_ref()?;
        algorithm
            .rule_bound(network, &self.routing_context(network))
            .ok()?
    }

    /// Reads a point's document that has been read before.
    ///
    /// # Errors
    /// The first of all that is wrong with it.
    pub fn read_again(document: &Value, scope: Scope) -> Result<Self, Diagnostic> {
        let first = |errors: Vec<Diagnostic>| errors.into_iter().next();
        Self::read(document, scope)
            .map_err(|errors| first(errors).unwrap_or_else(|| Diagnostic::general("unreadable")))
    }

    /// Reads a point's document.
    ///
    /// # Errors
    /// Everything that is wrong with its words and types, all at once.
    pub fn read(document: &Value, scope: Scope) -> Result<Self, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        check_tables(document, scope, &mut errors);
        let study = read_or_default(document, "study", &mut errors);
        let network = document
            .at_path("network")
            .and_then(|table| read_network(table, &mut errors));
        let routing = document
            .at_path("routing")
            .filter(|_| scope >= Scope::Routing)
            .and_then(|table| parse(turnwise_routing::REGISTRY, table, "kind", &mut errors));
        let mut router = read_or_default::<RouterTable>(document, "router", &mut errors);
        if let Some(router) = &mut router {
            check_router(router, document, &mut errors);
            if let Some(routing) = &routing {
                router.flow_control.get_or_insert(routing.flow_control());
            }
        }
        let demand = read_demand(document, scope, &mut errors);
        let simulation = read_or_default::<SimulationTable>(document, "simulation", &mut errors);
        if let Some(simulation) = &simulation {
            let workload = demand.as_ref().and_then(DemandSpecification::workload);
            simulation::check(simulation, workload, document, &mut errors);
        }
        match (study, network, router, simulation) {
            (Some(study), Some(network), Some(router), Some(simulation)) if errors.is_empty() => {
                Ok(Self {
                    study,
                    network,
                    routing,
                    router,
                    demand,
                    simulation,
                    scope,
                })
            }
            _ => Err(errors),
        }
    }
}

fn check_tables(document: &Value, scope: Scope, errors: &mut Vec<Diagnostic>) {
    let Some(root) = document.table() else { return };
    for key in root
        .keys()
        .filter(|key| !TABLES.contains(&key.name.as_str()))
    {
        let names = TABLES.iter().copied();
        let help = suggestion(&key.name, "the tables are", names.clone(), names);
        let message = format!("unknown table `{}`", key.name);
        errors.push(Diagnostic::at(key.span, message).with_help(help));
    }
    let needed = [
        (
            "network",
            "which network? for example kind = \"torus\", sizes = [8, 8]",
            Scope::Network,
        ),
        (
            "routing",
            "how are packets routed? for example kind = \"dimension-order\"",
            Scope::Routing,
        ),
    ];
    let mut missing = |names: &str, help: &str| {
        let message = format!("the table [{names}] is missing");
        errors.push(Diagnostic::general(message).with_help(help));
    };
    for (name, help, from) in needed {
        if scope >= from && root.get(name).is_none() {
            missing(name, help);
        }
    }
    match DEMANDS.map(|name| root.entry(name)) {
        [None, None] if scope >= Scope::Simulation => missing(
            &DEMANDS.join("] or ["),
            "who sends what? for example [traffic] with pattern = \"uniform\", load = 0.2",
        ),
        [Some((traffic, _)), Some((workload, _))] => {
            let place = |key: &Key| (key.span.source, key.span.start);
            let second = match place(traffic) < place(workload) {
                true => workload,
                false => traffic,
            };
            let message = "a study has [traffic], whose packets depend on nothing, or [workload], whose messages answer others";
            let help = format!("remove one of the two, for example [{}]", second.name);
            errors.push(Diagnostic::at(second.span, message).with_help(help));
        }
        _ => {}
    }
}

/// The tables that say who sends what; a study has one of them.
const DEMANDS: [&str; 2] = ["traffic", "workload"];

fn read_demand(
    document: &Value,
    scope: Scope,
    errors: &mut Vec<Diagnostic>,
) -> Option<DemandSpecification> {
    let table = |name: &str, from: Scope| document.at_path(name).filter(|_| scope >= from);
    let traffic = table("traffic", Scope::Simulation)
        .and_then(|table| read_traffic(table, errors))
        .map(DemandSpecification::Traffic);
    let workload = table("workload", Scope::Routing)
        .and_then(|table| WorkloadSpecification::read(table, errors))
        .map(DemandSpecification::Workload);
    traffic.or(workload)
}

/// A table of its own type, or a field of a table; its default if it is not there.
fn read_or_default<T: Default + serde::de::DeserializeOwned>(
    table: &Value,
    name: &str,
    errors: &mut Vec<Diagnostic>,
) -> Option<T> {
    match table.at_path(name) {
        Some(value) => deserialize(value, errors),
        None => Some(T::default()),
    }
}

fn read_network(table: &Value, errors: &mut Vec<Diagnostic>) -> Option<NetworkSpecification> {
    let topology = parse(topologies::REGISTRY, table, "kind", errors);
    let intervals = read_or_default::<ChannelInterval>(table, "channel_interval", errors);
    let faults = read_or_default(table, "faults", errors);
    Some(NetworkSpecification {
        topology: topology?,
        intervals: intervals?,
        faults: faults?,
    })
}

fn read_traffic(table: &Value, errors: &mut Vec<Diagnostic>) -> Option<TrafficSpecification> {
    let divided = table.at_path("classes").is_some();
    let fields = <dyn PatternParameters>::SHARED;
    let own: Vec<&str> = table
        .table()
        .into_iter()
        .flat_map(|fields| fields.keys())
        .map(|key| key.name.as_str())
        .filter(|name| match divided {
            true => *name == "classes",
            false => !fields.contains(name) || *name == "pattern",
        })
        .collect();
    let shared: Option<TrafficTable> = deserialize_ignoring(table, &own, errors);
    match shared {
        Some(shared) => {
            check_traffic(&shared, table, errors);
            TrafficSpecification::read(shared, table, errors)
        }
        // For what else is wrong.
        None => {
            if !divided {
                parse(turnwise_workload::REGISTRY, table, "pattern", errors);
            }
            None
        }
    }
}

fn check_traffic(traffic: &TrafficTable, table: &Value, errors: &mut Vec<Diagnostic>) {
    let span = |field: &str| table.at_path(field).map_or(table.span, |value| value.span);
    if !(0.0..=1.0).contains(&traffic.load) {
        let message = format!(
            "load: expected 0 to 1 flits per terminal and cycle, found {}",
            traffic.load
        );
        let help = "a terminal injects at most one flit a cycle";
        errors.push(Diagnostic::at(span("load"), message).with_help(help));
    }
    if let Err(invalid) = traffic.packet_flits.check() {
        errors.push(invalid.locate(table));
    }
}

/// What is wrong with the routers whatever they are used for. A simulation finds it too, but
/// only after the network is built and the routing has stumbled over it.
fn check_router(router: &RouterTable, document: &Value, errors: &mut Vec<Diagnostic>) {
    const SHORTEST: (u32, u16) = (1, 1);
    if let Err((field, message)) = router.model(1, SHORTEST.0, SHORTEST.1) {
        let table = document.at_path("router").unwrap_or(document);
        errors.push(Invalid::new(field, message).locate(table));
    }
}
