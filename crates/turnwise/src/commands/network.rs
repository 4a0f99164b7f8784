//! `turnwise network`: build, inspect, convert.

use crate::arguments::{Format, NetworkArguments};
use crate::commands::run::all_cores;
use crate::failure::{Failure, Status};
use crate::loading::load;
use crate::{output, progress};
use serde_json::json;
use turnwise_network::Network;
use turnwise_network::diagnostic::listed;
use turnwise_network::formats::{WRITERS, writer};
use turnwise_network::metrics::Distances;
use turnwise_study::distances::measure;
use turnwise_study::export::write_atomically;
use turnwise_study::specification::Scope;

pub(crate) fn network(arguments: &NetworkArguments) -> Result<Status, Failure> {
    Failure::unless_writable(arguments.export.as_ref())?;
    let plan = load(&arguments.study, Scope::Network)?;
    let Some(first) = plan.points.first() else {
        return Ok(Status::Fine);
    };
    let network = plan
        .network(first)
        .map_err(|error| Failure::Study(Box::new(plan.source.clone()), vec![error]))?;
    if let Some(file) = &arguments.export {
        let extension = file
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default();
        let Some(writer) = writer(extension) else {
            let names = listed(WRITERS.iter().map(|writer| writer.name));
            return Err(Failure::Plain(
                format!(
                    "cannot tell the format of {} by its extension",
                    file.display()
                ),
                Some(format!("the extensions are {names}")),
            ));
        };
        write_atomically(file, (writer.write)(&network).as_bytes())
            .map_err(|error| Failure::writing(&file.display().to_string(), &error))?;
    }
    let bar = progress::bar(0, "measuring");
    let distances = measure(&network, all_cores(), &mut |done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    output::print(&match arguments.study.format {
        Format::Json => facts(&network, &distances).to_string() + "\n",
        Format::Csv => {
            let (names, values): (Vec<String>, Vec<String>) =
                words(&network, &distances).into_iter().unzip();
            output::csv(&names, &[values])
        }
        Format::Table => {
            let words = words(&network, &distances);
            let facts: Vec<(&str, String)> = words
                .iter()
                .map(|(name, value)| (name.as_str(), value.clone()))
                .collect();
            output::facts(&facts)
        }
    })?;
    Ok(if distances.disconnected > 0 {
        Status::Negative
    } else {
        Status::Fine
    })
}

fn facts(network: &Network, distances: &Distances) -> serde_json::Value {
    json!({
        "description": network.description(),
        "routers": network.router_count(),
        "living_routers": network.routers().filter(|&router| network.is_alive(router)).count(),
        "terminals": network.terminal_count(),
        "living_terminals": network.living_terminals().count(),
        "channels": network.channel_count(),
        "radix": network.routers().map(|router| network.radix(router)).max().unwrap_or(0),
        "unconnected_ports": network.unconnected_ports().count(),
        "diameter": distances.diameter,
        "mean_distance": turnwise_study::row::number(distances.mean()),
        "disconnected_pairs": distances.disconnected,
    })
}

/// Names and values of the facts, for people.
fn words(network: &Network, distances: &Distances) -> Vec<(String, String)> {
    let json = facts(network, distances);
    let fields = json.as_object().into_iter().flatten();
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Number(number) => number
            .as_f64()
            .map_or_else(|| number.to_string(), output::figure),
        other => other.to_string(),
    };
    fields
        .map(|(name, value)| (name.clone(), text(value)))
        .collect()
}
