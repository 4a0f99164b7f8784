//! `turnwise slurm prolog` and `epilog`: a job's tables come and go with it.

use super::context::{Job, Nodes};
use super::{load, parsed, understood};
use crate::arguments::{EpilogArguments, JobArguments, PrologArguments, SiteArguments};
use crate::failure::{Failure, Status};
use crate::output;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use turnwise_network::{Diagnostic, Span};
use turnwise_slurm::spool::{Spool, name_of};
use turnwise_slurm::{JobTables, Trouble, manifest};
use turnwise_study::provenance::now;

pub(crate) fn prolog(arguments: &PrologArguments) -> Result<Status, Failure> {
    let (mut source, site) = load(&arguments.site)?;
    let job = Job::of(&arguments.job)?;
    let spool = Spool::new(folder(
        &arguments.site,
        &arguments.job,
        site.output.as_deref(),
    )?);
    let nodes = Nodes::of(arguments, &job)?;
    let number = source.add(&nodes.origin, &nodes.list);
    let members = match site.hosts.positions(&nodes.list, number) {
        Ok(members) if members.is_empty() => {
            let none = Diagnostic::at(Span::new(number, 0, 0), "there are no nodes in this list");
            return Err(Failure::Study(Box::new(source), vec![none]));
        }
        Ok(members) => members,
        Err(errors) => return Err(Failure::Study(Box::new(source), errors)),
    };
    let log = site.log.as_deref().map(|log| beside(&arguments.site, log));
    let words = job.words();
    let tables = match JobTables::new(&site, &members) {
        Ok(tables) => tables,
        Err(Trouble::Wrong(errors)) => return Err(Failure::Study(Box::new(source), errors)),
        Err(Trouble::Refused(why)) => {
            let list = site.hosts.list(&members);
            let line = format!("job {words}: refused on {list}: {why}");
            // Slurm shows this to the user, whose job will not start; the log is for others.
            output::talk(&format!("turnwise: {line}"));
            record(log.as_deref(), &line);
            // Tables of an earlier start must not be taken for those of this one.
            let own = name_of(&job.job, job.step.as_deref());
            spool.remove(|name| name == own).map_err(|error| {
                Failure::writing(&spool.path(&own).display().to_string(), &error)
            })?;
            return Ok(Status::Negative);
        }
    };
    let site_name = arguments.site.site.display().to_string();
    let files = manifest::files(&site, &site_name, &words, &now(), &tables);
    let name = name_of(&job.job, job.step.as_deref());
    spool.publish(&name, &files).map_err(|error| {
        // Here too: no tables are better than those of an earlier start.
        let _ = spool.remove(|other| other == name);
        Failure::writing(&spool.path(&name).display().to_string(), &error)
    })?;
    let line = manifest::line(&site, &words, &tables);
    match log {
        Some(log) => record(Some(&log), &line),
        None => output::talk(&format!("turnwise: {line}")),
    }
    Ok(Status::Fine)
}

pub(crate) fn epilog(arguments: &EpilogArguments) -> Result<Status, Failure> {
    let job = Job::of(&arguments.job)?;
    let (source, document) = parsed(&arguments.site)?;
    // Tables go also while the site file has a mistake, which is told all the same.
    let written = document.at_path("output").and_then(|value| value.as_str());
    let folder = folder(&arguments.site, &arguments.job, written.map(Path::new))?;
    let own = name_of(&job.job, job.step.as_deref());
    let of_its_steps = format!("{own}.");
    // The end of a job is the end of its steps.
    let wanted =
        |name: &str| name == own || (job.step.is_none() && name.starts_with(&of_its_steps));
    let fail = |error| Failure::writing(&folder.display().to_string(), &error);
    Spool::new(&folder).remove(wanted).map_err(fail)?;
    understood((source, document))?;
    Ok(Status::Fine)
}

/// Where the tables are.
fn folder(
    site: &SiteArguments,
    job: &JobArguments,
    written: Option<&Path>,
) -> Result<PathBuf, Failure> {
    let written = written.map(|output| beside(site, output));
    job.out.clone().or(written).ok_or_else(|| {
        let help = "write output = \"/var/spool/turnwise\" into the site file, or --out FOLDER";
        Failure::Plain("where do the tables go?".into(), Some(help.into()))
    })
}

/// Relative names of a site file start where it is, wherever a daemon happens to run.
fn beside(site: &SiteArguments, name: &Path) -> PathBuf {
    site.site.parent().unwrap_or(Path::new(".")).join(name)
}

/// Appends a line to the log. A log that cannot be written must not keep a job from starting.
fn record(log: Option<&Path>, line: &str) {
    let Some(log) = log else { return };
    let file = OpenOptions::new().create(true).append(true).open(log);
    let line = format!("{} {line}\n", now());
    if let Err(error) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
        output::talk(&format!(
            "turnwise: {}: {error}: {}",
            log.display(),
            line.trim_end()
        ));
    }
}
