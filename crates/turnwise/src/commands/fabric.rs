//! What `route` and `verify` make of a fabric's file, and what they write for its subnet.

use crate::arguments::{ForeignTables, SubjectArguments, SubnetFiles};
use crate::failure::Failure;
use crate::loading::{load, load_text};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use turnwise_routing::subnet::Programme;
use turnwise_study::Plan;
use turnwise_study::export::fill_atomically;
use turnwise_study::finding::Finding;
use turnwise_study::specification::Scope;

/// Lanes for data that nearly all switches have.
const USUAL_LANES: u32 = 8;

/// The plan of a study, or of a fabric with our routing, or with the tables that its switches have.
pub(crate) fn plan(
    subject: &SubjectArguments,
    tables: Option<&ForeignTables>,
) -> Result<Plan, Failure> {
    if let Some(study) = subject.of_study() {
        return load(&study, Scope::Routing);
    }
    let fabric = quoted(subject.fabric.as_deref().unwrap_or(Path::new("")))?;
    // Writing into a string cannot fail.
    let mut text = format!("[network]\nkind = \"ibnetdiscover\"\nfile = {fabric}\n\n[routing]\n");
    match tables.and_then(|tables| Some((tables, tables.lft.as_deref()?))) {
        Some((tables, lft)) => {
            let _ = writeln!(text, "kind = \"forwarding\"\nlft = {}", quoted(lft)?);
            let others = [
                ("service_levels", &tables.service_levels),
                ("sl2vl", &tables.sl2vl),
            ];
            for (field, file) in others {
                if let Some(file) = file {
                    let _ = writeln!(text, "{field} = {}", quoted(file)?);
                }
            }
        }
        None => {
            let _ = writeln!(
                text,
                "kind = \"turnwise\"\nvirtual_lanes = {USUAL_LANES}\nfewest_lanes = true"
            );
        }
    }
    load_text("the arguments", &text, &subject.overrides, Scope::Routing)
}

/// A file's name as a string of a study.
fn quoted(file: &Path) -> Result<String, Failure> {
    match file.to_str() {
        Some(name) => Ok(serde_json::Value::from(name).to_string()),
        None => Err(Failure::plain(format!(
            "the name {} is not UTF-8",
            file.display()
        ))),
    }
}

impl SubnetFiles {
    /// Is any of them wanted? Its option.
    pub(crate) fn wanted(&self) -> Option<&'static str> {
        [
            ("--lft", &self.lft),
            ("--service-levels", &self.service_levels),
            ("--sl2vl", &self.sl2vl),
            ("--ibdmchk", &self.ibdmchk),
        ]
        .into_iter()
        .find_map(|(option, file)| file.as_ref().map(|_| option))
    }

    pub(crate) fn check(&self) -> Result<(), Failure> {
        [&self.lft, &self.service_levels, &self.sl2vl]
            .into_iter()
            .try_for_each(|file| Failure::unless_writable(file.as_ref()))
    }

    /// Writes those that are wanted.
    pub(crate) fn write(&self, finding: &Finding) -> Result<(), Failure> {
        let routed = &finding.routed;
        let programme = Programme::of(&routed.network, &*routed.routing).map_err(|why| {
            let help = why.help.clone();
            Failure::Plain(format!("{}: {}", finding.routing_name, why.message), help)
        })?;
        if let Some(file) = &self.lft {
            fill(file, &mut |out| {
                let mut switches = programme.switches();
                switches.try_for_each(|at| put(out, &programme.forwarding_table(at)))
            })?;
        }
        if let Some(file) = &self.service_levels {
            fill(file, &mut |out| put(out, &programme.policy()))?;
        }
        if let Some(file) = &self.sl2vl {
            fill(file, &mut |out| {
                let mut switches = programme.switches();
                switches.try_for_each(|at| put(out, &programme.lanes(at)))
            })?;
        }
        match &self.ibdmchk {
            Some(folder) => checker(&programme, folder, finding),
            None => Ok(()),
        }
    }
}

/// The files of `ibdmchk`, called as OpenSM calls them.
fn checker(programme: &Programme<'_>, folder: &Path, finding: &Finding) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::writing(&folder.display().to_string(), &error))?;
    let network = &finding.routed.network;
    fill(&folder.join("opensm-subnet.lst"), &mut |out| {
        put(out, &programme.links())
    })?;
    fill(&folder.join("opensm.fdbs"), &mut |out| {
        let mut switches = programme.switches();
        switches.try_for_each(|at| put(out, &programme.forwarding_database(at)))
    })?;
    fill(&folder.join("opensm.mcfdbs"), &mut |_| Ok(()))?;
    fill(&folder.join("path-sl.txt"), &mut |out| {
        let mut sources = network.living_terminals();
        sources.try_for_each(|source| put(out, &programme.path_levels(source)))
    })?;
    fill(&folder.join("sl2vl.txt"), &mut |out| {
        let mut switches = programme.switches();
        switches.try_for_each(|at| put(out, &programme.packed_lane_rows(at)))
    })
}

fn put(out: &mut dyn Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())
}

fn fill(
    file: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    fill_atomically(file, write)
        .map_err(|error| Failure::writing(&file.display().to_string(), &error))
}
