//! Builds what points need, each thing once: networks, routings, routers, traffic.
//!
//! The only part of planning that touches the world: it reads the files that networks are
//! read from. Built things are shared between points through small caches keyed by the
//! canonical text of what they were built from.

use crate::cache::Cache;
use crate::demand::{Contents, Demand, DemandSpecification, ReadFiles};
use crate::files::Unread;
use crate::latencies;
use crate::memory;
use crate::minimal_hops::MinimalHops;
use crate::outlook::Outlook;
use crate::provenance::{digest, digest_of};
use crate::specification::{Scope, Specification};
use crate::supply::{Contents as FileContents, Drained, Supply};
use crate::switches;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use turnwise_config::File;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_network::{ChannelClass, Network, Routing, Vc};
use turnwise_routing::{Context as RoutingContext, MessageClasses, ProgramPhases, suggest};
use turnwise_sim::{
    Dimensions, EthernetModel, Phases, RouterModel, Schedule, Setup, Traffic, memory_bytes,
};
use turnwise_verify::Protocol;
use turnwise_workload::tenants::Pairs;
use turnwise_workload::{RANKS_PER_TERMINAL, Seats};

/// A network with a routing on it.
#[derive(Clone)]
pub struct Routed {
    /// The network, after its faults.
    pub network: Arc<Network>,
    /// Shortest distances on the network.
    pub minimal: Arc<MinimalHops>,
    /// The routing.
    pub routing: Arc<dyn Routing>,
    /// The order of directions source routes are written in, if the study gives one.
    pub direction_order: Option<Vec<String>>,
    /// Seconds that making the routing took.
    pub seconds: f64,
    /// What a proof must know of the messages that terminals exchange.
    pub protocol: Protocol,
    /// What their classes are called, if there are several.
    pub class_names: Vec<String>,
    /// Canonical text of what network and routing were made from; equal texts, equal things.
    pub key: Arc<str>,
    /// Text of what the network was made from and of the routing's [relation](Routing::relation), if it has words for it; equal texts, equal
    /// proofs.
    pub relation: Option<Arc<str>>,
}

/// One point, ready to be simulated.
pub struct Experiment {
    /// Network and routing.
    pub routed: Routed,
    /// The routers; of no account with `ethernet`, but for their virtual channels.
    pub model: RouterModel,
    /// Switches and adapters of Ethernet, in the place of routers.
    pub ethernet: Option<EthernetModel>,
    /// What terminals send.
    pub demand: Demand,
    /// What is known of that before it runs.
    pub outlook: Arc<Outlook>,
    /// Names of the classes of traffic or of messages, if there are several.
    pub class_names: Vec<String>,
    /// When to measure; all the time if the demand has an end.
    pub phases: Phases,
    /// Seed of this repetition.
    pub seed: u64,
    /// Check invariants on the way?
    pub check: bool,
    /// Search for saturation too?
    pub find_saturation: bool,
    /// Keep the point's details? `None` is up to a usual size.
    pub details: Option<bool>,
    /// Keep the time line of the ranks' programs?
    pub timeline: bool,
    /// Cycles of an interval of the course in time; `None` for about a hundred intervals.
    pub interval: Option<u64>,
    /// Cycles of the windows that herding is measured over, if it is.
    pub herding: Option<u64>,
    /// Cycles of the intervals that channels are recorded in, if they are.
    pub channel_interval: Option<u64>,
}

impl Experiment {
    /// Asks for nothing but what is accepted in the window.
    pub(crate) fn for_window_alone(&mut self) {
        self.phases.drain = false;
        self.herding = None;
        self.channel_interval = None;
    }

    /// How long it goes on, and what of it is measured.
    pub fn schedule(&self) -> Schedule {
        match self.outlook.total_flits {
            Some(_) => Schedule::ToCompletion {
                limit: self.phases.limit,
            },
            None => Schedule::Window(self.phases),
        }
    }

    /// Its simulation on one thread, without checks and without saying what is minimal.
    pub fn setup(&self) -> Setup<'_> {
        Setup {
            network: &self.routed.network,
            routing: &*self.routed.routing,
            demand: self.demand.of_setup(),
            model: &self.model,
            schedule: self.schedule(),
            seed: self.seed,
            minimal: None,
            interval: self.interval,
            check: false,
            threads: 1,
        }
    }
}

/// The windows of herding, which is of channels between groups.
fn herding(asked: Option<u64>, network: &Network) -> Result<Option<u64>, Invalid> {
    let mut channels = network.channels();
    let leaves_groups = channels.any(|(_, channel)| channel.class == ChannelClass::Global);
    match asked.is_none() || leaves_groups {
        true => Ok(asked),
        false => Err(Invalid::new(
            "herding_cycles",
            "this network has no channels between groups",
        )),
    }
}

/// The intervals that channels are recorded in, of which there must not be too many channels.
fn channel_interval(asked: Option<u64>, network: &Network) -> Result<Option<u64>, Invalid> {
    match asked.is_none() || network.channel_count() <= MOST_RECORDED {
        true => Ok(asked),
        false => Err(Invalid::new(
            "channel_interval_cycles",
            format!(
                "this network has {} channels; those of up to {MOST_RECORDED} can be recorded over time",
                network.channel_count()
            ),
        )),
    }
}

/// Channels that can be recorded over time, at most: at 256 intervals, that is 100 MB.
const MOST_RECORDED: usize = 100_000;

/// Builds and shares the parts of experiments.
pub struct Workshop {
    supply: Supply,
    networks: Cache<(Arc<Network>, Arc<MinimalHops>)>,
    routings: Cache<Routed>,
    seats: Cache<Arc<Vec<Seats>>>,
    totals: Cache<Option<f64>>,
    outlooks: Cache<Arc<Outlook>>,
}

impl Workshop {
    /// `folder` is where relative file names of the study start.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::with_files(folder, FileContents::new())
    }

    /// The same with files that are not in the folder.
    pub fn with_files(folder: impl Into<PathBuf>, given: FileContents) -> Self {
        Self {
            supply: Supply::new(folder.into(), given),
            networks: Cache::new(),
            routings: Cache::new(),
            seats: Cache::new(),
            totals: Cache::new(),
            outlooks: Cache::new(),
        }
    }

    /// The same with what others have got out of pipes, which can be read only once.
    #[must_use]
    pub fn sharing(self, drained: &Drained) -> Self {
        Self {
            supply: self.supply.sharing(drained),
            ..self
        }
    }

    /// All files that points have been built of, as they are now.
    ///
    /// # Errors
    /// A file that is there no more.
    pub fn files(&self) -> Result<FileContents, Unread> {
        self.supply.contents()
    }

    /// Where those of them are that lie in a folder.
    pub fn places_of_files(&self) -> Vec<PathBuf> {
        self.supply.places()
    }

    /// The network a point asks for.
    ///
    /// # Errors
    /// Parameters or faults that make no sense, files that cannot be read.
    pub fn network(
        &self,
        specification: &Specification,
        document: &Value,
    ) -> Result<Arc<Network>, Diagnostic> {
        let (network, _) = self.network_and_distances(specification, document)?;
        Ok(network)
    }

    /// The network and the distances on it, which are walked once for all points that share it.
    fn network_and_distances(
        &self,
        specification: &Specification,
        document: &Value,
    ) -> Result<(Arc<Network>, Arc<MinimalHops>), Diagnostic> {
        let table = document.at_path("network").unwrap_or(document);
        let text = specification
            .network
            .topology
            .file()
            .map(|file| self.text(file, "file", table))
            .transpose()?;
        let mut key = table.canonical();
        key.push_str(text.as_deref().unwrap_or_default());
        self.networks.get_or_make(&key, || {
            let locate = |invalid: Invalid| invalid.locate(table);
            let topology = &specification.network.topology;
            refuse_beyond_memory(specification, table)?;
            let network = topology.build(text.as_deref()).map_err(locate)?;
            latencies::check_dimensions(network.shape(), table).map_err(locate)?;
            let intervals = &specification.network.intervals;
            let network = network.with_intervals(intervals).map_err(locate)?;
            let faults = &specification.network.faults;
            let survivor = if faults.is_empty() {
                network
            } else {
                let numbered = faults.of(&network);
                let survivor = numbered.and_then(|faults| network.without(&faults));
                survivor.map_err(|invalid| locate(invalid.under("faults")))?
            };
            let survivor = Arc::new(survivor);
            Ok((survivor.clone(), Arc::new(MinimalHops::of(survivor))))
        })
    }

    /// Digest of the files that network, routing and traffic are read from, if they are: results
    /// must not outlive them.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn file_digest(
        &self,
        specification: &Specification,
        document: &Value,
    ) -> Result<Option<u64>, Diagnostic> {
        let of_network = specification.network.topology.file();
        let mut files: Vec<_> = of_network
            .map(|file| ("network", "file", file))
            .into_iter()
            .collect();
        if let Some(routing) = &specification.routing {
            let of_routing = routing.files().into_iter();
            files.extend(of_routing.map(|(field, file)| ("routing", field, file)));
        }
        let mut all = Vec::new();
        for (name, field, file) in files {
            let table = document.at_path(name).unwrap_or(document);
            all.push(self.text(file, field, table)?.into_bytes());
        }
        if let Some(demand) = &specification.demand {
            all.push(demand.contents(document, self)?.bytes());
        }
        let is_empty = all.iter().all(Vec::is_empty);
        Ok((!is_empty).then(|| digest_of(&all)))
    }

    /// Network and routing of a point whose `[routing]` has been read.
    ///
    /// # Errors
    /// As [`network`](Self::network), and what the algorithm has to say about the network.
    pub fn routed(
        &self,
        specification: &Specification,
        document: &Value,
    ) -> Result<Routed, Diagnostic> {
        self.routed_for(specification, document, specification.study.seed)
    }

    /// The same for the repetition with a seed, which may have placed a program elsewhere.
    fn routed_for(
        &self,
        specification: &Specification,
        document: &Value,
        seed: u64,
    ) -> Result<Routed, Diagnostic> {
        let (network, minimal) = self.network_and_distances(specification, document)?;
        let Some(algorithm) = &specification.routing else {
            return Err(Diagnostic::general("the table [routing] is missing"));
        };
        let canonical = |name: &str| {
            document
                .at_path(name)
                .map(Value::canonical)
                .unwrap_or_default()
        };
        let table = document.at_path("routing").unwrap_or(document);
        let texts = algorithm.files().into_iter();
        let texts = texts.map(|(field, file)| self.text(file, field, table));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        let phases = match (&specification.demand, algorithm.minds_phases()) {
            (Some(demand), true) => self.phases(demand, &network, document, seed)?,
            _ => Vec::new(),
        };
        let context = RoutingContext {
            files: &texts,
            phases: ProgramPhases(&phases),
            ..specification.routing_context(&network)
        };
        let classes = specification.classes_apart();
        // Files are told by their digests: those of a subnet are large.
        let without_files = RoutingContext {
            files: &[],
            ..context
        };
        let digests: Vec<u64> = texts.iter().map(|text| digest(text.as_bytes())).collect();
        let key = format!(
            "{} {} {without_files:?} {digests:x?} {classes}",
            canonical("network"),
            canonical("routing")
        );
        self.check_shares(specification, document)?;
        let mut routed = self.routings.get_or_make(&key, || {
            let routers = network.router_count() as u64;
            let of_faults = match specification.network.faults.is_empty() {
                true => 0,
                false => routers * routers / 8,
            };
            let tables = algorithm.table_bytes(&network).saturating_add(of_faults);
            let bytes = network.memory_bytes().saturating_add(tables);
            memory::refuse_beyond("routing this network", bytes, table)?;
            let start = Instant::now();
            let kind = table.at_path("kind").and_then(Value::as_str);
            let routing = algorithm.build(&network, &context).map_err(|invalid| {
                suggest(invalid, kind.unwrap_or_default(), &network).locate(table)
            })?;
            let mut routing: Arc<dyn Routing> = routing.into();
            if classes > 1 {
                let apart = MessageClasses::new(routing, classes);
                routing = Arc::new(apart.map_err(|invalid| invalid.locate(table))?);
            }
            let relation = routing.relation();
            let relation = relation.map(|words| format!("{} {words}", canonical("network")).into());
            Ok(Routed {
                network,
                minimal,
                relation,
                routing,
                protocol: Protocol::default(),
                class_names: Vec::new(),
                direction_order: algorithm.direction_order().map(<[String]>::to_vec),
                seconds: start.elapsed().as_secs_f64(),
                key: key.as_str().into(),
            })
        })?;
        if let Some(workload) = specification.workload() {
            routed.protocol = workload.protocol();
            routed.class_names = workload.class_names();
        }
        Ok(routed)
    }

    /// What is strange about what terminals do.
    ///
    /// # Errors
    /// As [`experiment`](Self::experiment).
    pub(crate) fn remarks(
        &self,
        specification: &Specification,
        document: &Value,
    ) -> Result<Vec<String>, Diagnostic> {
        let Some(demand) = &specification.demand else {
            return Ok(Vec::new());
        };
        let network = self.network(specification, document)?;
        let terminals = network.living_terminals().count() as u32;
        let contents = demand.contents(document, self)?;
        let remarks = demand.remarks(terminals, &contents);
        remarks.map_err(|invalid| within_table(invalid, document))
    }

    /// Who exchanges messages with whom at a time.
    fn phases(
        &self,
        demand: &DemandSpecification,
        network: &Network,
        document: &Value,
        seed: u64,
    ) -> Result<Vec<Pairs>, Diagnostic> {
        let contents = demand.contents(document, self)?;
        let phases = demand.phases(network, &contents, seed);
        let phases = phases.map_err(|invalid| within_table(invalid, document))?;
        phases.ok_or_else(|| {
            let message = format!(
                "this routing chooses ways for the messages of a program, and `[{}]` is none",
                demand.table()
            );
            let help =
                "for example [workload] kind = \"phases\", \"npb\", \"collective\", or a trace";
            let table = document.at_path("routing").unwrap_or(document);
            Invalid::new("kind", message).with_help(help).locate(table)
        })
    }

    /// Refuses routers that cannot give each class of messages a virtual channel.
    fn check_shares(
        &self,
        specification: &Specification,
        document: &Value,
    ) -> Result<(), Diagnostic> {
        let classes = specification.classes_apart();
        match specification.router.virtual_channels {
            Some(all) if all < classes => {
                let message = format!(
                    "{classes} classes of messages need at least {classes} virtual channels, found {all}"
                );
                let router = document.at_path("router").unwrap_or(document);
                Err(Invalid::new("virtual_channels", message).locate(router))
            }
            _ => Ok(()),
        }
    }

    /// Everything a point needs to be simulated.
    ///
    /// # Errors
    /// As [`routed`](Self::routed), and whatever does not fit together about routers,
    /// traffic and phases.
    pub fn experiment(
        &self,
        specification: &Specification,
        document: &Value,
        repeat: u32,
    ) -> Result<Experiment, Diagnostic> {
        let seed = repetition_seed(specification.study.seed, repeat);
        let routed = self.routed_for(specification, document, seed)?;
        let Some(demand) = &specification.demand else {
            return Err(Diagnostic::general(
                "the table [traffic] or [workload] is missing",
            ));
        };
        if routed.network.living_terminals().next().is_none() {
            let network = document.at_path("network").unwrap_or(document);
            let nobody = match routed.network.terminal_count() {
                0 => Invalid::new(
                    "",
                    "this network has no terminals: nobody is there to send anything",
                ),
                _ => Invalid::new(
                    "faults",
                    "no terminal survives: nobody is left to send anything",
                ),
            };
            return Err(nobody.locate(network));
        }
        let ethernet = switches::of_point(specification, document, &routed, demand)?;
        let model = match &ethernet {
            Some(ethernet) => RouterModel {
                virtual_channels: ethernet.priorities,
                ..RouterModel::default()
            },
            None => self.model(specification, document, &routed, demand)?,
        };
        let contents = demand.contents(document, self)?;
        let of_files = digest(&contents.bytes());
        let seats = self.seats(&routed, demand, document, (&contents, of_files, seed))?;
        let built = demand.build(&routed.network, &seats, &contents, seed);
        let outlook = self.outlook(
            &routed,
            demand,
            document,
            &seats,
            (&contents, of_files, seed),
        )?;
        let simulation = &specification.simulation;
        let herding = herding(simulation.herding_cycles, &routed.network);
        let in_simulation = |invalid: Invalid| {
            let table = document.at_path("simulation").unwrap_or(document);
            invalid.locate(table)
        };
        let herding = herding.map_err(in_simulation)?;
        let recorded = channel_interval(simulation.channel_interval_cycles, &routed.network);
        let channel_interval = recorded.map_err(in_simulation)?;
        Ok(Experiment {
            routed,
            model,
            ethernet,
            demand: built.map_err(|invalid| within_table(invalid, document))?,
            outlook,
            class_names: demand.class_names(),
            phases: specification.phases(),
            seed,
            check: simulation.check,
            find_saturation: simulation.find_saturation,
            details: simulation.details,
            timeline: simulation.timeline,
            interval: simulation.interval(!specification.switches().is_empty()),
            herding,
            channel_interval,
        })
    }

    /// That of a workload is one for all routings and routers.
    fn outlook(
        &self,
        routed: &Routed,
        demand: &DemandSpecification,
        document: &Value,
        seats: &[Seats],
        (contents, of_files, seed): (&Contents, u64, u64),
    ) -> Result<Arc<Outlook>, Diagnostic> {
        if demand.workload().is_none() {
            return Ok(Arc::default());
        }
        let canonical = |name: &str| document.at_path(name).map(Value::canonical);
        let each = format!("placement.{RANKS_PER_TERMINAL}");
        let tables = ["network", demand.table(), &each].map(canonical);
        let places = seats.iter().map(|seats| format!("{:?} ", seats.terminals));
        let places = digest(places.collect::<String>().as_bytes());
        let key = format!("{tables:?} {places:x} {of_files:x} {seed}");
        self.outlooks.get_or_make(&key, || {
            let terminals = routed.network.living_terminals().count();
            // Wherever ranks are, they send the same.
            let key = format!("{:?} {of_files:x} {terminals}", &tables[1..]);
            let total = || Ok(demand.total_flits(terminals as u32, contents));
            let total_flits = self.totals.get_or_make(&key, total)?;
            Ok(Arc::new(Outlook::of(total_flits)))
        })
    }

    /// Where ranks are. Places may have been searched for, so they are found once.
    fn seats(
        &self,
        routed: &Routed,
        demand: &DemandSpecification,
        document: &Value,
        (contents, of_files, seed): (&Contents, u64, u64),
    ) -> Result<Arc<Vec<Seats>>, Diagnostic> {
        let canonical = |name: &str| document.at_path(name).map(Value::canonical);
        let tables = [demand.table(), "placement"].map(canonical);
        let key = format!("{} {tables:?} {of_files:x} {seed}", routed.key);
        self.seats.get_or_make(&key, || {
            let seats = demand.seats(&routed.network, &*routed.routing, contents, seed);
            let seats = seats.map_err(|invalid| within_table(invalid, document))?;
            Ok(Arc::new(seats))
        })
    }

    fn model(
        &self,
        specification: &Specification,
        document: &Value,
        routed: &Routed,
        demand: &DemandSpecification,
    ) -> Result<RouterModel, Diagnostic> {
        let sends = document.at_path(demand.table()).unwrap_or(document);
        demand
            .check_lengths(specification.router.flow_control())
            .map_err(|invalid| invalid.locate(sends))?;
        let longest = longest_latency(&routed.network);
        let needed: Vc = routed.routing.virtual_channels();
        let router = &specification.router;
        let model = router.model(needed, longest, demand.longest_packet());
        let model = model.map_err(|(field, message)| {
            if router.leaves_open(field) {
                let network = document.at_path("network").unwrap_or(document);
                let message =
                    format!("channels of {longest} cycles need too large buffers: {message}");
                return Invalid::new("channel_latency", message)
                    .with_help(SHALLOWER)
                    .locate(network);
            }
            let router = document.at_path("router").unwrap_or(document);
            match field == "packet_flits" {
                true => Invalid::new(demand.length_field(), message).locate(sends),
                false => Invalid::new(field, message).locate(router),
            }
        })?;
        model
            .check_on(&routed.network)
            .map_err(|(field, message)| {
                let router = document.at_path("router").unwrap_or(document);
                Invalid::new(field, message)
                    .with_help(SHALLOWER)
                    .locate(router)
            })?;
        Ok(model)
    }
}

/// Points to a field of the study, whose message calls it by its path inside its table.
fn within_table(invalid: Invalid, document: &Value) -> Diagnostic {
    let (table, field) = match invalid.place.split_once('.') {
        Some((table, field)) => (table.to_owned(), field.to_owned()),
        None => (invalid.place.clone(), String::new()),
    };
    let table = document.at_path(&table).unwrap_or(document);
    invalid.moved(|_| field).locate(table)
}

impl ReadFiles for Workshop {
    fn text(&self, file: &str, field: &str, table: &Value) -> Result<String, Diagnostic> {
        let text = self.supply.text(file);
        text.map_err(|unread| complaint(unread, field, table))
    }

    fn files(&self, file: &str, field: &str, table: &Value) -> Result<Vec<File>, Diagnostic> {
        let files = self.supply.files(file);
        files.map_err(|unread| complaint(unread, field, table))
    }
}

/// What is wrong with a file, said of the field that names it.
fn complaint(unread: Unread, field: &str, table: &Value) -> Diagnostic {
    let span = table.at_path(field).map_or(table.span, |value| value.span);
    let complaint = Diagnostic::at(span, unread.message);
    match unread.near {
        Some(near) => complaint.with_help(format!("did you mean `{near}`?")),
        None => complaint,
    }
}

/// What to do about channels that no buffer keeps busy.
const SHALLOWER: &str =
    "write router.buffer_flits, which may be less than keeps the longest channel busy";

/// Refuses a network that cannot be built or, if it is to be simulated, not be simulated with the
/// memory there is, as far as its parameters tell. Topologies refuse sizes beyond all numbers
/// themselves, and better.
fn refuse_beyond_memory(specification: &Specification, table: &Value) -> Result<(), Diagnostic> {
    let size = specification.network.topology.size();
    if size.check("").is_err() {
        return Ok(());
    }
    let copies = if specification.network.faults.is_empty() {
        1
    } else {
        2
    };
    let built = copies * size.memory_bytes();
    let words = |what: &str| {
        format!(
            "{what} {} routers, {} terminals and {} channels",
            size.routers, size.terminals, size.channels
        )
    };
    memory::refuse_beyond(&words("a network of"), built, table)?;
    if specification.scope < Scope::Simulation {
        return Ok(());
    }
    let model = RouterModel {
        virtual_channels: specification.router.virtual_channels.unwrap_or(1),
        ..RouterModel::default()
    };
    let least = memory_bytes(
        &Dimensions::at_least(size),
        &model,
        1.into(),
        &Traffic::default(),
    );
    memory::refuse_beyond(&words("simulating"), least, table)
}

/// The longest latency of any channel of a network.
pub fn longest_latency(network: &Network) -> u32 {
    let ids = 0..network.total_channel_count();
    ids.map(|id| network.channel(id.into()).latency)
        .max()
        .unwrap_or(1)
}

/// The seed of a repetition: the study's own for the first.
fn repetition_seed(seed: u64, repeat: u32) -> u64 {
    match repeat {
        0 => seed,
        repeat => turnwise_network::random::mix(seed ^ u64::from(repeat).rotate_left(32)),
    }
}
