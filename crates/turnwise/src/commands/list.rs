//! `turnwise list`: what can be named in a study.

use crate::arguments::{Format, Kind, ListArguments};
use crate::failure::{Failure, Status};
use crate::output;
use serde_json::json;
use turnwise_config::registry::Registered;
use turnwise_network::formats::WRITERS;
use turnwise_network::topologies;
use turnwise_study::schema::TABLES;

/// (family, name, aliases, summary) of something that can be named.
type Named = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
);

/// Everything of a kind.
fn entries(kind: Kind) -> Vec<Named> {
    fn of<E: Registered>(family: &'static str, entries: &'static [E]) -> Vec<Named> {
        entries
            .iter()
            .map(E::entry)
            .map(|entry| (family, entry.name, entry.aliases, entry.summary))
            .collect()
    }
    match kind {
        Kind::Networks => of("network", topologies::REGISTRY),
        Kind::Routings => of("routing", turnwise_routing::REGISTRY),
        Kind::Patterns => of("pattern", turnwise_workload::REGISTRY),
        Kind::Workloads => of("workload", turnwise_workload::WORKLOADS),
        Kind::Placements => of("placement", turnwise_workload::PLACEMENTS),
        Kind::Formats => WRITERS
            .iter()
            .map(|writer| ("format", writer.name, &[][..], writer.summary))
            .collect(),
        Kind::Tables => TABLES
            .iter()
            .map(|table| ("table", table.name, &[][..], table.summary))
            .collect(),
    }
}

pub(crate) fn list(arguments: &ListArguments) -> Result<Status, Failure> {
    let all = [
        Kind::Networks,
        Kind::Routings,
        Kind::Patterns,
        Kind::Workloads,
        Kind::Placements,
        Kind::Formats,
        Kind::Tables,
    ];
    let kinds = arguments.kind.map_or(all.to_vec(), |kind| vec![kind]);
    let found: Vec<_> = kinds.into_iter().flat_map(entries).collect();
    output::print(&match arguments.format {
        Format::Json => found
            .iter()
            .map(|(family, name, aliases, summary)| {
                json!({ "family": family, "name": name, "aliases": aliases, "summary": summary })
                    .to_string()
                    + "\n"
            })
            .collect(),
        Format::Csv | Format::Table => {
            let header = ["family", "name", "also", "summary"].map(String::from);
            let rows: Vec<Vec<String>> = found
                .iter()
                .map(|(family, name, aliases, summary)| {
                    vec![
                        (*family).to_owned(),
                        (*name).to_owned(),
                        aliases.join(", "),
                        (*summary).to_owned(),
                    ]
                })
                .collect();
            match arguments.format {
                Format::Csv => output::csv(&header, &rows),
                _ => output::table(&header, &rows),
            }
        }
    })?;
    Ok(Status::Fine)
}
