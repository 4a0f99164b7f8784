//! `turnwise slurm`: tables for the jobs of a cluster, called by Slurm's prologs and epilogs.

mod context;
mod prolog;
mod select;

use crate::arguments::{SiteArguments, SlurmArguments, SlurmCommand};
use crate::failure::{Failure, Status};
use crate::{loading, output};
use std::path::PathBuf;
use turnwise_slurm::{Site, topology};
use turnwise_study::Source;

pub(crate) fn slurm(arguments: &SlurmArguments) -> Result<Status, Failure> {
    match &arguments.command {
        SlurmCommand::Prolog(arguments) => prolog::prolog(arguments),
        SlurmCommand::Epilog(arguments) => prolog::epilog(arguments),
        SlurmCommand::Select(arguments) => select::select(arguments),
        SlurmCommand::ExportTopology(arguments) => {
            let (_, site) = load(arguments)?;
            output::print(&topology::tree(&site))?;
            Ok(Status::Fine)
        }
    }
}

/// Reads a site file.
/// Where the tables of a site go, which it says whatever else of it is wrong.
fn output_of(arguments: &SiteArguments) -> Result<Option<PathBuf>, Failure> {
    let bytes = loading::read_file(&arguments.site)?;
    let (source, parsed) = Source::parse(&arguments.site.display().to_string(), &bytes, &[]);
    let document = parsed.map_err(|errors| Failure::Study(Box::new(source), errors))?;
    let output = document.at_path("output").and_then(|value| value.as_str());
    Ok(output.map(PathBuf::from))
}

fn load(arguments: &SiteArguments) -> Result<(Source, Site), Failure> {
    let bytes = loading::read_file(&arguments.site)?;
    let (source, parsed) = Source::parse(&arguments.site.display().to_string(), &bytes, &[]);
    match parsed.and_then(|document| Site::read(&document)) {
        Ok(site) => Ok((source, site)),
        Err(errors) => Err(Failure::Study(Box::new(source), errors)),
    }
}
