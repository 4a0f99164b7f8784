//! `turnwise plan`: what a study would do, without doing it.

use super::run::all_cores;
use crate::arguments::{Format, StudyArguments};
use crate::failure::{Failure, Status};
use crate::loading::{load, output_folder};
use crate::output;
use serde_json::json;
use turnwise_study::estimate::{Estimate, memory_limit};
use turnwise_study::row::point_fields;
use turnwise_study::runner::threads_each;
use turnwise_study::specification::Scope;
use turnwise_study::store::read_all;

pub(crate) fn plan(arguments: &StudyArguments) -> Result<Status, Failure> {
    let plan = load(arguments, Scope::Simulation)?;
    let results = read_all(&output_folder(&plan, None).join("results"))?;
    let missing = plan
        .points
        .iter()
        .filter(|point| !results.contains_key(&point.id));
    let all = plan
        .first
        .simulation
        .threads
        .map_or_else(all_cores, |n| n as usize);
    let threads = threads_each(all, missing.count());
    let mut total = Estimate::default();
    let mut rows = Vec::new();
    for planned in &plan.points {
        let fail = |error| Failure::Study(Box::new(plan.source.clone()), vec![error]);
        let experiment = plan.experiment(planned, None).map_err(fail)?;
        let estimate = Estimate::within(&experiment, threads, memory_limit());
        total.bytes = total.bytes.max(estimate.bytes);
        total.seconds += estimate.seconds;
        total.flit_hops += estimate.flit_hops;
        rows.push((
            point_fields(&planned.point, plan.is_repeated()),
            results.contains_key(&planned.id),
            experiment,
            estimate,
        ));
    }
    let mut text = String::new();
    match arguments.format {
        Format::Json => {
            for (point, done, experiment, estimate) in &rows {
                let network = &experiment.routed.network;
                let line = json!({
                    "point": point, "done": done, "network": network.description(),
                    "routers": network.router_count(), "terminals": network.terminal_count(),
                    "channels": network.channel_count(), "virtual_channels": experiment.model.virtual_channels,
                    "buffer_flits": experiment.model.buffer_flits, "memory_bytes": estimate.bytes, "threads": estimate.threads,
                    "estimated_flit_hops": estimate.flit_hops, "estimated_seconds": turnwise_study::row::number(estimate.seconds),
                });
                text.push_str(&(line.to_string() + "\n"));
            }
        }
        Format::Table | Format::Csv => {
            let mut header = plan.keys.clone();
            header.extend(plan.is_repeated().then(|| "repeat".to_owned()));
            let swept = header.clone();
            header.extend(
                [
                    "network",
                    "routers",
                    "terminals",
                    "VCs",
                    "buffer",
                    "memory",
                    "seconds",
                    "state",
                ]
                .map(String::from),
            );
            let lines: Vec<Vec<String>> = rows
                .iter()
                .map(|(point, done, experiment, estimate)| {
                    let field = |key: &String| {
                        point.get(key).map_or(String::new(), |value| {
                            value
                                .as_str()
                                .map_or_else(|| value.to_string(), str::to_owned)
                        })
                    };
                    let network = &experiment.routed.network;
                    let mut cells: Vec<String> = swept.iter().map(field).collect();
                    cells.extend([
                        network.description().to_owned(),
                        network.router_count().to_string(),
                        network.terminal_count().to_string(),
                        experiment.model.virtual_channels.to_string(),
                        experiment.model.buffer_flits.to_string(),
                        megabytes(estimate.bytes),
                        output::figure(estimate.seconds),
                        if *done { "done" } else { "to do" }.to_owned(),
                    ]);
                    cells
                })
                .collect();
            if arguments.format == Format::Csv {
                text = output::csv(&header, &lines);
            } else {
                let done = rows.iter().filter(|row| row.1).count();
                text = output::table(&header, &lines);
                text.push_str(&format!(
                    "\n{}, {done} of them done; about {} CPU-seconds, at most {} for one of them\n",
                    output::count(rows.len(), "point"),
                    output::figure(total.seconds),
                    megabytes(total.bytes),
                ));
            }
        }
    }
    output::print(&text)?;
    Ok(Status::Fine)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
