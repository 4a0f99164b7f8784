//! `turnwise slurm select`: which nodes a job should have.

use super::load;
use crate::arguments::{Format, SelectArguments};
use crate::failure::{Failure, Status};
use crate::output;
use serde_json::{Map, Value as Json, json};
use std::time::Instant;
use turnwise_slurm::select::{Choice, Question, select as choose};
use turnwise_slurm::{Site, Trouble, manifest};
use turnwise_study::row::number;

pub(crate) fn select(arguments: &SelectArguments) -> Result<Status, Failure> {
    let start = Instant::now();
    let (mut source, site) = load(&arguments.site)?;
    let text = source.add("--busy", &arguments.busy);
    let busy = match site.hosts.positions(&arguments.busy, text) {
        Ok(busy) => busy,
        Err(errors) => return Err(Failure::Study(Box::new(source), errors)),
    };
    let question = Question {
        at_least: arguments.nodes as usize,
        spare: arguments.spare as usize,
        busy,
    };
    match choose(&site, &question) {
        Ok(choice) => {
            let row = row(&site, &choice, start.elapsed().as_secs_f64());
            output::print(&printed(&row, arguments.format))?;
            Ok(Status::Fine)
        }
        Err(Trouble::Wrong(errors)) => Err(Failure::Study(Box::new(source), errors)),
        Err(Trouble::Refused(why)) => {
            output::talk(&format!("turnwise: {why}"));
            Ok(Status::Negative)
        }
    }
}

fn row(site: &Site, choice: &Choice, seconds: f64) -> Map<String, Json> {
    let mut row = Map::new();
    let place = [
        ("hostlist", json!(site.hosts.list(&choice.tables.members))),
        ("nodes", json!(choice.tables.members.len())),
        ("box", json!(choice.place.words())),
        ("origin", json!(choice.place.origin)),
        ("extent", json!(choice.place.extent)),
        ("gaps", json!(choice.gaps)),
        ("throughput", number(choice.throughput())),
    ];
    row.extend(place.map(|(name, value)| (name.to_owned(), value)));
    let quality = manifest::quality(&choice.tables).into_iter();
    row.extend(quality.filter(|(name, _)| !name.ends_with("_seconds")));
    row.insert("boxes_tried".into(), choice.tried.into());
    row.insert("seconds".into(), number(seconds));
    row
}

fn printed(row: &Map<String, Json>, format: Format) -> String {
    match format {
        Format::Json => Json::Object(row.clone()).to_string() + "\n",
        Format::Csv => output::csv_of(std::slice::from_ref(row)),
        Format::Table => {
            // The box says in words what these two say in numbers.
            let facts: Vec<(&str, String)> = row
                .iter()
                .filter(|(name, _)| !["origin", "extent"].contains(&name.as_str()))
                .map(|(name, value)| (name.as_str(), output::text(value)))
                .collect();
            output::facts(&facts)
        }
    }
}
