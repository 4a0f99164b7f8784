//! The site file: what one torus is like, where its hosts sit, what of it has failed, and how
//! its jobs are routed.
//!
//! ```toml
//! sizes = [4, 2, 2, 2]
//! hosts = "n[01-32]"            # row by row, the last dimension fastest; or a table [hosts]
//! output = "/var/spool/turnwise"
//!
//! [failed]
//! nodes = "n07"
//! links = [["n01", "n02"]]
//!
//! [routing]
//! kind = "angara-sssp"
//! ```

mod failed;
mod hosts;
mod seconds;

pub use hosts::Hosts;
pub use seconds::Seconds;

use serde::Deserialize;
use std::path::PathBuf;
use std::sync::Arc;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::{Value, deserialize, deserialize_ignoring};
use turnwise_config::registry;
use turnwise_network::topologies::{Topology, Torus};
use turnwise_network::{Faults, Network};
use turnwise_routing::angara::Directions;
use turnwise_routing::{Algorithm, AlgorithmEntry};

/// A torus and its hosts, as a site file describes them.
pub struct Site {
    /// Nodes in each dimension, X first.
    pub sizes: Vec<u32>,
    /// Who sits where.
    pub hosts: Hosts,
    /// Positions of failed nodes, ascending.
    pub failed_nodes: Vec<u32>,
    /// Failed links, by the positions of both ends.
    pub failed_links: Vec<[u32; 2]>,
    /// May a job's packets pass through nodes of other jobs?
    pub transit: bool,
    /// How long `routing` may take before `fallback` is used instead.
    pub time_limit: Option<Seconds>,
    /// How long to look for a bound that holds under the algorithm's own rules.
    pub bound_time: Seconds,
    /// Seed of every random choice.
    pub seed: u64,
    /// Where tables go, if the file says so, as written.
    pub output: Option<PathBuf>,
    /// Where a line for each job goes, if the file says so, as written.
    pub log: Option<PathBuf>,
    /// How jobs are routed.
    pub routing: Recipe,
    /// How they are routed if that takes too long.
    pub fallback: Option<Recipe>,
    /// The torus without faults, routers numbered row by row.
    pub torus: Network,
}

/// A routing algorithm as a site file asks for it.
#[derive(Clone)]
pub struct Recipe {
    /// Its name in the registry.
    pub kind: &'static str,
    /// With its parameters.
    pub algorithm: Arc<dyn Algorithm>,
    /// Of what it draws at random, instead of the site's.
    pub seed: Option<u64>,
    /// The order of directions in which its tables are encoded.
    pub directions: Directions,
    /// Its table, to point at.
    pub table: Value,
}

/// The fields without a shape of their own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    sizes: Vec<u32>,
    #[serde(default)]
    transit: bool,
    #[serde(default)]
    time_limit: Option<Seconds>,
    #[serde(default)]
    bound_time: Seconds,
    #[serde(default = "one")]
    seed: u64,
    #[serde(default)]
    output: Option<PathBuf>,
    #[serde(default)]
    log: Option<PathBuf>,
}

fn one() -> u64 {
    1
}

const OTHERS: [&str; 4] = ["hosts", "failed", "routing", "fallback"];

impl Site {
    /// Reads a site file's document.
    ///
    /// # Errors
    /// Everything that is wrong with it, each at its place.
    pub fn read(document: &Value) -> Result<Self, Vec<Diagnostic>> {
        if let Some(error) = study(document) {
            return Err(vec![error]);
        }
        let mut errors = Vec::new();
        let site = Self::read_into(document, &mut errors);
        match site {
            Some(site) if errors.is_empty() => Ok(site),
            _ => Err(errors),
        }
    }

    fn read_into(document: &Value, errors: &mut Vec<Diagnostic>) -> Option<Self> {
        let written: Option<Written> = deserialize_ignoring(document, &OTHERS, errors);
        for (name, example) in [
            ("hosts", "for example hosts = \"n[1-32]\""),
            (
                "routing",
                "for example [routing] with kind = \"angara-sssp\"",
            ),
        ] {
            if document.at_path(name).is_none() {
                let missing = Diagnostic::at(document.span, format!("missing key `{name}`"));
                errors.push(missing.with_help(example));
            }
        }
        let written = written?;
        let torus = match torus(&written.sizes) {
            Ok(torus) => torus,
            Err(invalid) => {
                errors.push(invalid.locate(document));
                return None;
            }
        };
        let recipe = |name: &str, errors: &mut Vec<Diagnostic>| {
            let table = document.at_path(name)?;
            Recipe::read(table, written.sizes.len(), &torus, errors)
        };
        let routing = recipe("routing", errors);
        let fallback = recipe("fallback", errors);
        if let (Some(table), None) = (document.at_path("fallback"), &written.time_limit) {
            let unused = Diagnostic::at(table.span, "the fallback is never used");
            errors.push(unused.with_help("write time_limit = \"0.25 s\" beside it"));
        }
        let hosts = Hosts::read(document.at_path("hosts")?, &torus, errors)?;
        let failed = match document.at_path("failed") {
            Some(table) => failed::read(table, &hosts, &torus, errors),
            None => failed::Failed::default(),
        };
        Some(Self {
            sizes: written.sizes,
            hosts,
            failed_nodes: failed.nodes,
            failed_links: failed.links,
            transit: written.transit,
            time_limit: written.time_limit,
            bound_time: written.bound_time,
            seed: written.seed,
            output: written.output,
            log: written.log,
            routing: routing?,
            fallback,
            torus,
        })
    }

    /// The network a job of these nodes has: what has failed is dead, and so are other nodes,
    /// unless packets may pass through them.
    ///
    /// # Errors
    /// None that reading the site has not found before.
    pub fn network_of(&self, members: &[u32]) -> Result<Network, Invalid> {
        let (nodes, links) = (&self.failed_nodes, &self.failed_links);
        self.network_with(members, nodes, links, |_| self.transit)
    }

    /// As [`network_of`](Self::network_of), if other things had failed, and if packets may pass
    /// through the nodes that `passable` says.
    ///
    /// # Errors
    /// As [`network_of`](Self::network_of).
    pub fn network_with(
        &self,
        members: &[u32],
        failed_nodes: &[u32],
        failed_links: &[[u32; 2]],
        passable: impl Fn(u32) -> bool,
    ) -> Result<Network, Invalid> {
        let mut faults = Faults {
            links: failed_links.to_vec(),
            ..Faults::default()
        };
        for position in 0..self.torus.router_count() as u32 {
            // Where no host sits, there is no adapter either.
            let dead = failed_nodes.contains(&position) || self.hosts.name(position).is_none();
            let outside = members.binary_search(&position).is_err();
            if dead || (outside && !passable(position)) {
                faults.routers.push(position);
            } else if outside {
                faults.terminals.push(position);
            }
        }
        self.torus.without(&faults)
    }
}

/// A study in the place of a site file, of which every line would be wrong.
fn study(document: &Value) -> Option<Diagnostic> {
    let root = document.table()?;
    let (network, _) = root.entry("network")?;
    root.get("hosts").is_none().then(|| {
        Diagnostic::at(network.span, "this is a study, not a site file")
            .with_help("a site file says `sizes`, `hosts` and [routing], and docs/slurm.md what they mean; `turnwise run` reads studies")
    })
}

/// The torus of these sizes.
fn torus(sizes: &[u32]) -> Result<Network, Invalid> {
    const MOST_NODES: u64 = 65_536;
    if sizes.len() > Directions::MOST_DIMENSIONS {
        let message = format!(
            "a route has room for {} dimensions, found {}",
            Directions::MOST_DIMENSIONS,
            sizes.len()
        );
        return Err(Invalid::new("sizes", message));
    }
    if let Some(index) = sizes.iter().position(|&size| size > 255) {
        let message = format!(
            "a route has room for rings of 255 nodes, found {}",
            sizes[index]
        );
        return Err(Invalid::new(format!("sizes[{index}]"), message));
    }
    let torus = Torus {
        sizes: sizes.to_vec(),
        ..Torus::default()
    };
    if torus.size().routers > MOST_NODES {
        let message = format!("{} nodes are more than {MOST_NODES}", torus.size().routers);
        return Err(Invalid::new("sizes", message));
    }
    torus.build(None)
}

impl Recipe {
    fn read(
        table: &Value,
        dimensions: usize,
        torus: &Network,
        errors: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let entry = registry::select(turnwise_routing::REGISTRY, table, "kind", errors)?;
        let algorithm = (entry.parse)(table, errors)?;
        if !(entry.fits)(torus.shape()) {
            let span = table.at_path("kind").map_or(table.span, |kind| kind.span);
            let needs_no_file =
                |entry: &&AlgorithmEntry| (entry.parse)(&empty(table), &mut Vec::new()).is_some();
            let fitting = turnwise_routing::fitting(torus.shape()).filter(needs_no_file);
            let names: Vec<&str> = fitting.map(|entry| entry.name).collect();
            let message = format!("`{}` does not route a torus", entry.name);
            let help = format!("algorithms for a torus: {}", names.join(", "));
            errors.push(Diagnostic::at(span, message).with_help(help));
            return None;
        }
        if let Some((field, _)) = algorithm.files().first() {
            let span = table.at_path(field).map_or(table.span, |file| file.span);
            let message = "a table from a file is for one set of nodes, and jobs have many";
            errors.push(Diagnostic::at(span, message));
            return None;
        }
        let directions = match Directions::new(dimensions, algorithm.direction_order()) {
            Ok(directions) => directions,
            Err(invalid) => {
                errors.push(invalid.locate(table));
                return None;
            }
        };
        let seed = match table.at_path("seed") {
            Some(seed) => Some(deserialize(seed, errors)?),
            None => None,
        };
        Some(Self {
            kind: entry.name,
            algorithm: algorithm.into(),
            seed,
            directions,
            table: table.clone(),
        })
    }
}

/// A table without fields, to try an algorithm's defaults.
fn empty(table: &Value) -> Value {
    use turnwise_config::document::{Kind, Table};
    Value::new(table.span, Kind::Table(Table::default()))
}

#[cfg(test)]
mod tests;
