//! Builds what points need, each thing once: networks, routings, routers, traffic.
//!
//! The only part of planning that touches the world: it reads the files that networks are
//! read from. Built things are shared between points through small caches keyed by the
//! canonical text of what they were built from.

mod experiment;
mod networks;
mod routers;
mod routings;

pub use self::experiment::{Experiment, Routed};
use self::experiment::{channel_interval, herding};
pub use self::networks::longest_latency;
use crate::cache::Cache;
use crate::demand::{Contents, DemandSpecification, ReadFiles};
use crate::files::Unread;
use crate::minimal_hops::MinimalHops;
use crate::outlook::Outlook;
use crate::provenance::{digest, digest_of};
use crate::specification::Specification;
use crate::supply::{Contents as FileContents, Drained, Supply};
use crate::switches;
use std::path::PathBuf;
use std::sync::Arc;
use turnwise_config::File;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_network::Network;
use turnwise_sim::RouterModel;
use turnwise_workload::{RANKS_PER_TERMINAL, Seats};

/// Builds and shares the parts of experiments.
pub struct Workshop {
    supply: Supply,
    /// So many simulate a point together.
    processes: usize,
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
            processes: 1,
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

    /// The same for points that so many processes simulate together: each keeps a part of the network's state.
    #[must_use]
    pub fn for_processes(self, processes: usize) -> Self {
        Self { processes, ..self }
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

    /// Where a file of this name would be, if it lay in the study's folder.
    pub(crate) fn place_of_file(&self, name: &str) -> PathBuf {
        self.supply.path(name)
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
        let mut texts = Vec::new();
        for (name, field, file) in files {
            let table = document.at_path(name).unwrap_or(document);
            texts.push(self.text(file, field, table)?);
        }
        let contents = match &specification.demand {
            Some(demand) => demand.contents(document, self)?,
            None => Contents::default(),
        };
        let mut all: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        all.extend(contents.parts());
        let is_empty = all.iter().all(|part| part.is_empty());
        Ok((!is_empty).then(|| digest_of(&all)))
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
        let contents = demand.contents(document, self)?;
        let remarks = demand.remarks(&network, &contents);
        remarks.map_err(|invalid| within_table(invalid, document))
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
        let of_files = digest_of(&contents.parts());
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
            file_bytes: contents.parts().iter().map(|part| part.len() as u64).sum(),
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

/// The seed of a repetition: the study's own for the first.
fn repetition_seed(seed: u64, repeat: u32) -> u64 {
    match repeat {
        0 => seed,
        repeat => turnwise_network::random::mix(seed ^ u64::from(repeat).rotate_left(32)),
    }
}
