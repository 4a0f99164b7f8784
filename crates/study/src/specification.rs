//! What a point asks for, as typed tables: reading knows no world, it only checks words and types.

use crate::demand::DemandSpecification;
use crate::ethernet::{self, EthernetTable};
use crate::outline::{StudyTable, TABLES};
use crate::router::{self, RouterTable};
use crate::schema;
use crate::simulation::{self, SimulationTable};
use crate::traffic::TrafficSpecification;
use crate::units;
use crate::workload::WorkloadSpecification;
use std::sync::Arc;
use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::{Key, Value, deserialize};
use turnwise_config::registry::parse;
use turnwise_network::topologies::{self, Topology};
use turnwise_network::{ChannelInterval, FlowControl, NamedFaults, Network};
use turnwise_routing::{Algorithm, Context as RoutingContext, ProgramPhases, RuleBound};
use turnwise_sim::Phases;

/// `[network]` as written.
pub struct NetworkSpecification {
    /// The topology's parameters.
    pub topology: Box<dyn Topology>,
    /// Which channels are slower than the topology has them.
    pub intervals: ChannelInterval,
    /// What has failed.
    pub faults: NamedFaults,
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
    /// `routing.seed`.
    pub routing_seed: Option<u64>,
    /// `[router]`.
    pub router: RouterTable,
    /// `[ethernet]`, in the place of routers.
    pub ethernet: Option<EthernetTable>,
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
        let routing = self.routing.as_ref();
        let minds = routing.is_some_and(|algorithm| algorithm.minds_buffers());
        // Who does not mind is the same routing with any of them.
        let router = minds.then_some(&self.router);
        let packets = self.demand.as_ref();
        let packet_flits = packets.map_or(1, DemandSpecification::longest_packet);
        let ethernet = self.ethernet.as_ref();
        RoutingContext {
            seed: self.routing_seed.unwrap_or(self.study.seed),
            router_virtual_channels: self
                .router
                .virtual_channels
                .map(|all| all / self.classes_apart()),
            message_classes: self.classes_apart(),
            router_buffer_flits: router.and_then(|router| router.least_buffer_flits(network)),
            router_outputs: router
                .and_then(|router| router.outputs(packet_flits))
                .unwrap_or_default(),
            flow_control: self.router.flow_control(),
            // Whoever simulates says what is missing.
            measure: ethernet
                .and_then(|table| table.measure().ok())
                .unwrap_or_default(),
            files: &[],
            phases: ProgramPhases::default(),
        }
    }

    /// The workload, if there is one.
    pub fn workload(&self) -> Option<&WorkloadSpecification> {
        self.demand.as_ref()?.workload()
    }

    /// The cycles in which the traffic switches, in ascending order.
    pub fn switches(&self) -> Vec<u64> {
        match &self.demand {
            Some(DemandSpecification::Traffic(traffic)) => traffic.switches(),
            _ => Vec::new(),
        }
    }

    /// Are packets created in bursts, whose load bounds that of the traffic?
    pub fn has_bursts(&self) -> bool {
        match &self.demand {
            Some(DemandSpecification::Traffic(traffic)) => traffic.has_bursts(),
            _ => false,
        }
    }

    /// Does the load change while a point is simulated?
    pub fn changes_load(&self) -> bool {
        match &self.demand {
            Some(DemandSpecification::Traffic(traffic)) => traffic.changes_load(),
            _ => false,
        }
    }

    /// Are several classes of packets or messages measured apart?
    pub fn has_classes(&self) -> bool {
        let demand = self.demand.as_ref();
        demand.is_some_and(|demand| !demand.class_names().is_empty())
    }

    /// Do rows say what came of messages that do not depend on what arrives?
    pub fn has_messages(&self) -> bool {
        match &self.demand {
            Some(DemandSpecification::Traffic(traffic)) => traffic.cutting.is_some(),
            _ => false,
        }
    }

    /// Do rows say what came of jobs?
    pub fn has_jobs(&self) -> bool {
        let workload = self.workload();
        workload.is_some_and(WorkloadSpecification::is_seated)
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
        if let Some(error) = site_file(document) {
            return Err(vec![error]);
        }
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
        let routing_seed = document
            .at_path("routing.seed")
            .and_then(|seed| deserialize(seed, &mut errors));
        let mut router = read_or_default::<RouterTable>(document, "router", &mut errors);
        if let Some(router) = &mut router {
            router::check(router, document, &mut errors);
            if let Some(routing) = &routing {
                router.flow_control.get_or_insert(routing.flow_control());
            }
        }
        ethernet::check(document, &mut errors);
        errors.extend(units::disagreements(document));
        let ethernet = document
            .at_path("ethernet")
            .and_then(|table| deserialize::<EthernetTable>(table, &mut errors));
        if let Some(table) = &ethernet {
            ethernet::check_priorities(table, document, &mut errors);
        }
        if let (Some(router), Some(ethernet)) = (&mut router, &ethernet) {
            router.flow_control = Some(FlowControl::Pause);
            router.virtual_channels = ethernet.priorities;
        }
        let demand = read_demand(document, scope, &mut errors);
        let simulation = read_or_default::<SimulationTable>(document, "simulation", &mut errors);
        if let Some(simulation) = &simulation {
            let workload = demand.as_ref().and_then(DemandSpecification::workload);
            simulation::check(simulation, workload, document, &mut errors);
            if scope == Scope::Simulation {
                simulation::check_timeline(simulation, workload, document, &mut errors);
            }
            if let Some(DemandSpecification::Traffic(traffic)) = &demand {
                traffic.check_switches(simulation, document, &mut errors);
            }
        }
        match (study, network, router, simulation) {
            (Some(study), Some(network), Some(router), Some(simulation)) if errors.is_empty() => {
                Ok(Self {
                    study,
                    network,
                    routing,
                    routing_seed,
                    router,
                    ethernet,
                    demand,
                    simulation,
                    scope,
                })
            }
            _ => Err(errors),
        }
    }
}

/// A site of Slurm in the place of a study, of which every line would be wrong.
fn site_file(document: &Value) -> Option<Diagnostic> {
    let root = document.table()?;
    let (hosts, _) = root.entry("hosts")?;
    (root.get("sizes").is_some() && root.get("network").is_none()).then(|| {
        let message = "this is a site file, not a study: it says which hosts sit where";
        Diagnostic::at(hosts.span, message)
            .with_help("`turnwise slurm` reads it, as `--site FILE`; `turnwise describe network` shows how a study names a torus")
    })
}

fn check_tables(document: &Value, scope: Scope, errors: &mut Vec<Diagnostic>) {
    let Some(root) = document.table() else { return };
    for (key, value) in root
        .iter()
        .filter(|(key, _)| !TABLES.contains(&key.name.as_str()))
    {
        let names = TABLES.iter().copied();
        let help = schema::help(&key.name, "the tables are", names.clone(), names);
        let message = match value.table() {
            Some(_) => format!("unknown table `{}`", key.name),
            None => format!("`{}` is in no table", key.name),
        };
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
    if let (Some((placement, _)), None) = (root.entry("placement"), root.entry("workload")) {
        let message = "a placement says where the ranks of a [workload] are; this study has none";
        errors.push(Diagnostic::at(placement.span, message).with_help("remove [placement]"));
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
        .and_then(|table| TrafficSpecification::read(table, errors))
        .map(DemandSpecification::Traffic);
    let workload = table("workload", Scope::Routing)
        .and_then(|workload| {
            let placement = table("placement", Scope::Simulation);
            if document.at_path("ethernet").is_none() {
                return WorkloadSpecification::read(workload, placement, errors);
            }
            let framed = ethernet::with_frames(workload);
            WorkloadSpecification::read(&framed, placement, errors)
        })
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
