//! SuperSim (McDonald and others, ISPASS 2018): its dragonflies with blasting terminals.
//!
//! Its settings have no defaults. What some of its versions do not have, and what nothing here depends on, may be missing.

mod fixed;
mod importer;
mod json;
mod network;
mod router;
mod routing;
mod settings;
mod traffic;
mod tree;

use super::Tables;
use crate::source::Source;
use importer::Importer;
use turnwise_config::diagnostic::{Diagnostic, Span};
use turnwise_config::document::deserialize;

/// The study's tables.
pub(super) fn tables(name: &str, source: &Source) -> Result<Tables, Vec<Diagnostic>> {
    let mut tree = tree::read(source)?;
    // Where something else is simulated, nothing more can be said of the other settings.
    let mut errors = fixed::selected(&tree);
    if !errors.is_empty() {
        return Err(errors);
    }
    errors.extend(fixed::take_out(&mut tree));
    let Some(settings) = deserialize(&tree, &mut errors) else {
        let errors = errors.into_iter().map(fixed::with_what_was_meant);
        return Err(errors.collect());
    };
    let mut importer = Importer {
        settings,
        tree,
        errors,
    };
    importer.check_numbers();
    let tables = vec![
        ("study", importer.study(name)),
        ("network", importer.network()),
        ("routing", importer.routing()),
        ("router", importer.router()),
        ("traffic", importer.traffic()),
        ("simulation", importer.simulation()),
    ];
    match importer.errors.is_empty() {
        true => Ok(tables),
        false => Err(importer.errors),
    }
}

/// The brace that a JSON file begins with, if it has what every configuration has.
pub(super) fn recognised(text: &str) -> Option<Span> {
    let has = |key: &str| text.contains(&format!("\"{key}\""));
    let is_one = ["simulator", "network", "workload"].into_iter().any(has);
    json::opening(text).filter(|_| is_one)
}

/// Is it at least JSON?
pub(super) fn may_be_one(text: &str) -> bool {
    json::opening(text).is_some()
}

#[cfg(test)]
mod tests;
