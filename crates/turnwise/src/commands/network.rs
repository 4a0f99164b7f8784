//! `turnwise network`: build, inspect, convert.

use super::places::Places;
use crate::arguments::{Format, NetworkArguments};
use crate::failure::{Failure, Status};
use crate::loading::load;
use crate::{output, progress};
use serde_json::{Map, Value as Json, json};
use std::path::Path;
use turnwise_config::diagnostic::listed;
use turnwise_network::Network;
use turnwise_network::formats::{WRITERS, Writer, writer};
use turnwise_network::metrics::{cables, is_connected, remarks};
use turnwise_network::recognition::recognise;
use turnwise_study::distances::{MOST_EFFORT, Measured, measure};
use turnwise_study::plan::PlannedPoint;
use turnwise_study::row::{number, point_fields};
use turnwise_study::runner::all_cores;
use turnwise_study::specification::Scope;

pub(crate) fn network(arguments: &NetworkArguments) -> Result<Status, Failure> {
    let places = Places::default()
        .reads_study(&arguments.study.study)
        .writes([("--export", arguments.export.as_ref())]);
    places.check(|_, _| false)?;
    let plan = load(&arguments.study, Scope::Network)?;
    places.spare(&plan)?;
    let points: Vec<PlannedPoint> = plan.networks().collect();
    let export = match &arguments.export {
        Some(_) if points.len() > 1 => {
            let message = format!(
                "--export writes one network; this study has {}",
                points.len()
            );
            let help = "choose one with --set network....";
            return Err(Failure::Plain(message, Some(help.into())));
        }
        Some(file) => Some((file, writer_of(file)?)),
        None => None,
    };
    let mut status = Status::Fine;
    let mut rows = Vec::new();
    for planned in points {
        let network = plan
            .network(&planned)
            .map_err(|error| Failure::Study(Box::new(plan.source.clone()), vec![error]))?;
        for remark in remarks(&network) {
            output::talk(&format!("note: {remark}"));
        }
        if let Some((file, writer)) = export {
            let text = (writer.write)(&network).map_err(|why| Failure::plain(why.to_string()))?;
            output::fill(file, &mut |out| out.write_all(text.as_bytes()))?;
            if let Some(what) = writer.leaves_out(&network) {
                output::talk(&format!("note: {} is without {what}", file.display()));
            }
        }
        let measured = (!arguments.no_distances).then(|| walked(&network));
        let apart = measured.is_some_and(|measured| measured.distances.disconnected > 0);
        let exact = measured.is_some_and(|measured| measured.is_exact());
        if apart || !exact && !is_connected(&network) {
            status = Status::Negative;
        }
        let mut point = point_fields(&planned.point, false);
        point.retain(|name, _| name.starts_with("network"));
        rows.push(Row {
            point,
            facts: facts(&network, measured),
            exact,
        });
    }
    output::print(&printed(&rows, arguments.study.format))?;
    Ok(status)
}

fn writer_of(file: &Path) -> Result<&'static Writer, Failure> {
    let extension = file.extension().and_then(|extension| extension.to_str());
    writer(extension.unwrap_or_default()).ok_or_else(|| {
        let names = listed(WRITERS.iter().map(|writer| writer.name));
        Failure::Plain(
            format!(
                "cannot tell the format of {} by its extension",
                file.display()
            ),
            Some(format!("the extensions are {names}")),
        )
    })
}

fn walked(network: &Network) -> Measured {
    let bar = progress::bar(0, "measuring");
    let measured = measure(network, all_cores(), MOST_EFFORT, &mut |done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    measured
}

/// What is said of one network.
struct Row {
    /// The swept fields that make it.
    point: Map<String, Json>,
    facts: Map<String, Json>,
    /// Were all pairs measured?
    exact: bool,
}

fn facts(network: &Network, measured: Option<Measured>) -> Map<String, Json> {
    let distances = measured.map(|measured| measured.distances);
    let said = match measured {
        None => "not measured".to_owned(),
        Some(measured) if measured.is_exact() => "exact".to_owned(),
        Some(Measured {
            sources,
            all_sources,
            ..
        }) => {
            format!("from {sources} of {all_sources} routers only; the diameter is at least this")
        }
    };
    let recognised = recognise(network);
    let recognised = recognised.map_or("irregular".to_owned(), |found| found.to_string());
    let living = |network: &Network| network.routers().filter(|&at| network.is_alive(at)).count();
    let cables = cables(network);
    let all_cables: usize = cables.iter().map(|(_, count)| count).sum();
    let kinds = cables.iter().map(|(kind, count)| format!("{count} {kind}"));
    let kinds: Vec<String> = kinds.collect();
    let radix = network.routers().map(|at| network.radix(at)).max();
    let (in_use, unconnected) = ports_in_use(network);
    let facts = [
        ("description", json!(network.description())),
        ("recognised", json!(recognised)),
        ("routers", json!(network.router_count())),
        ("living_routers", json!(living(network))),
        ("terminals", json!(network.terminal_count())),
        (
            "living_terminals",
            json!(network.living_terminals().count()),
        ),
        ("channels", json!(network.channel_count())),
        ("cables", json!(all_cables)),
        ("kinds_of_cables", json!(kinds.join(", "))),
        ("radix", json!(radix.unwrap_or(0))),
        ("ports_in_use", json!(in_use)),
        ("unconnected_ports", json!(unconnected)),
        ("diameter", json!(distances.map(|found| found.diameter))),
        (
            "mean_distance",
            distances.map_or(Json::Null, |found| number(found.mean())),
        ),
        (
            "disconnected_pairs",
            json!(distances.map(|found| found.disconnected)),
        ),
        ("distances", json!(said)),
    ];
    Map::from_iter(facts.map(|(name, value)| (name.to_owned(), value)))
}

/// The most connected ports that a living router has, which is what a switch must have that is bought for it, and how many are
/// unconnected at all of them.
fn ports_in_use(network: &Network) -> (usize, usize) {
    let mut in_use: Vec<usize> = (network.routers())
        .map(|at| {
            if network.is_alive(at) {
                network.radix(at)
            } else {
                0
            }
        })
        .collect();
    let mut unconnected = 0;
    for (router, _) in network.unconnected_ports() {
        in_use[router.index()] -= 1;
        unconnected += 1;
    }
    (in_use.into_iter().max().unwrap_or(0), unconnected)
}

fn printed(rows: &[Row], format: Format) -> String {
    // Where all are exact, nobody needs to be told.
    let all_exact = rows.iter().all(|row| row.exact);
    let facts = |row: &Row| {
        let mut facts = row.facts.clone();
        if all_exact {
            facts.remove("distances");
        }
        facts
    };
    match format {
        Format::Json => {
            let line = |row: &Row| {
                let mut line = Map::new();
                if !row.point.is_empty() {
                    line.insert("point".into(), row.point.clone().into());
                }
                line.extend(facts(row));
                Json::Object(line).to_string() + "\n"
            };
            rows.iter().map(line).collect()
        }
        Format::Csv => {
            let all = |row: &Row| row.point.clone().into_iter().chain(facts(row)).collect();
            output::csv_of(&rows.iter().map(all).collect::<Vec<_>>())
        }
        Format::Table => {
            let block = |row: &Row| {
                let all = row.point.clone().into_iter().chain(facts(row));
                let words: Vec<(String, String)> = all
                    .map(|(name, value)| (name, output::text(&value)))
                    .collect();
                let words = words
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.clone()));
                output::facts(&words.collect::<Vec<_>>())
            };
            rows.iter().map(block).collect::<Vec<_>>().join("\n")
        }
    }
}
