//! `turnwise slurm`: tables for the jobs of a cluster, called by Slurm's prologs and epilogs.

mod context;
mod prolog;
mod select;

use crate::arguments::{SiteArguments, SlurmArguments, SlurmCommand};
use crate::failure::{Failure, Status};
use crate::{loading, output};
use turnwise_config::document::Value;
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

/// Reads a site file, as far as it is TOML.
fn parsed(arguments: &SiteArguments) -> Result<(Source, Value), Failure> {
    let bytes = loading::read_file(&arguments.site)?;
    let (source, parsed) = Source::parse(&arguments.site.display().to_string(), &bytes, &[]);
    match parsed {
        Ok(document) => Ok((source, document)),
        Err(errors) => Err(Failure::Study(Box::new(source), errors)),
    }
}

/// What a site file says.
fn understood((source, document): (Source, Value)) -> Result<(Source, Site), Failure> {
    match Site::read(&document) {
        Ok(site) => Ok((source, site)),
        Err(errors) => Err(Failure::Study(Box::new(source), errors)),
    }
}

/// Reads a site file.
fn load(arguments: &SiteArguments) -> Result<(Source, Site), Failure> {
    understood(parsed(arguments)?)
}
