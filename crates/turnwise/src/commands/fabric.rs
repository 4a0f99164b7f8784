//! What `route` and `verify` make of a fabric's file, and what they write for its subnet.

use crate::arguments::{ForeignTables, KeptTables, SubjectArguments, SubnetFiles};
use crate::failure::Failure;
use crate::loading::{load, load_text};
use crate::output;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use turnwise_routing::subnet::Programme;
use turnwise_study::Plan;
use turnwise_study::finding::Finding;
use turnwise_study::specification::Scope;

/// The routing of a fabric for which none is given.
const OURS: &str = "turnwise";
/// Lanes for data that nearly all switches have.
const USUAL_LANES: u32 = 8;

/// The plan of a study, or of a fabric with some routing.
pub(crate) fn plan(subject: &SubjectArguments, routing: OfFabric<'_>) -> Result<Plan, Failure> {
    if let Some(study) = subject.of_study() {
        return load(&study, Scope::Routing);
    }
    let fabric = quoted(subject.fabric.as_deref().unwrap_or(Path::new("")))?;
    let network = format!("[network]\nkind = \"ibnetdiscover\"\nfile = {fabric}");
    let table = routing.table(&subject.overrides)?;
    let text = format!("{network}\n\n[routing]\n{table}\n");
    load_text("the arguments", &text, &subject.overrides, Scope::Routing)
}

/// Is this `routing.kind=` with something other than ours?
fn sets_another_kind(set: &str) -> bool {
    let kind = set
        .split_once('=')
        .filter(|(key, _)| key.trim() == "routing.kind");
    kind.is_some_and(|(_, kind)| kind.trim().trim_matches(['"', '\'']) != OURS)
}

/// The routing of a fabric.
pub(crate) enum OfFabric<'a> {
    Ours,
    /// The tables that its switches have, where they are given, or get; ours if not.
    Foreign(&'a ForeignTables),
    /// Those that they have, as far as they can be kept, where they are given; ours if not.
    Kept(&'a KeptTables),
}

impl OfFabric<'_> {
    /// As a study says it, which is then changed by overrides.
    fn table(&self, overrides: &[String]) -> Result<String, Failure> {
        match self {
            Self::Foreign(ForeignTables {
                lft: Some(lft),
                service_levels,
                sl2vl,
                from,
                from_service_levels,
                from_sl2vl,
            }) => {
                let after = fields(lft, service_levels, sl2vl)?;
                let Some(from) = from else {
                    return Ok(format!("kind = \"forwarding\"\n{}", after.join("\n")));
                };
                let before = fields(from, from_service_levels, from_sl2vl)?;
                let [before, after] = [before, after].map(|fields| fields.join(", "));
                Ok(format!(
                    "kind = \"transition\"\nbefore = {{ {before} }}\nafter = {{ {after} }}"
                ))
            }
            Self::Kept(KeptTables {
                keep: Some(lft),
                keep_service_levels,
            }) => {
                let fields = fields(lft, keep_service_levels, &None)?.join("\n");
                Ok(format!("kind = \"repair\"\n{fields}"))
            }
            // Another kind has nothing to do with the fields of the one that it replaces.
            _ if overrides.iter().any(|set| sets_another_kind(set)) => {
                Ok(format!("kind = \"{OURS}\""))
            }
            _ => Ok(format!(
                "kind = \"{OURS}\"\nvirtual_lanes = {USUAL_LANES}\nfewest_lanes = true"
            )),
        }
    }
}

/// The fields of tables in a study.
fn fields(
    lft: &Path,
    levels: &Option<PathBuf>,
    lanes: &Option<PathBuf>,
) -> Result<Vec<String>, Failure> {
    let files = [
        ("lft", Some(lft)),
        ("service_levels", levels.as_deref()),
        ("sl2vl", lanes.as_deref()),
    ];
    let named = files
        .into_iter()
        .filter_map(|(field, file)| Some((field, file?)));
    named
        .map(|(field, file)| Ok(format!("{field} = {}", quoted(file)?)))
        .collect()
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

    /// Refuses files that cannot be written, and two in one.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let files = [
            ("--lft", &self.lft),
            ("--service-levels", &self.service_levels),
            ("--sl2vl", &self.sl2vl),
        ];
        let mut written: Vec<(&str, PathBuf)> = Vec::new();
        for (option, file) in files {
            Failure::unless_writable(file.as_ref())?;
            let Some(file) = file else { continue };
            // Devices, as /dev/null and /dev/stdout are, take anything one after the other.
            if file.exists() && !file.is_file() {
                continue;
            }
            let place = std::path::absolute(file);
            let place =
                place.map_err(|error| Failure::writing(&file.display().to_string(), &error))?;
            if let Some((other, _)) = written.iter().find(|(_, other)| *other == place) {
                let message = format!("{other} and {option} would both write {}", file.display());
                let help = format!("give {option} a file of its own");
                return Err(Failure::Plain(message, Some(help)));
            }
            written.push((option, place));
        }
        Ok(())
    }

    /// What the files do not say that the verdict is about, if anything.
    fn note(&self, programme: &Programme<'_>, finding: &Finding) -> Option<String> {
        if self.lft.is_none() && self.service_levels.is_none() {
            return None;
        }
        let is_proved = finding.analysis.verdict.is_deadlock_free();
        let [unsafe_so, about] = match is_proved {
            true => ["not safe", "are proved with"],
            false => ["not what was judged", "have"],
        };
        let levels = programme.highest_level().unwrap_or(0);
        if programme.keeps_lanes() {
            return (levels > 0 && self.service_levels.is_none()).then(|| {
                format!(
                    "note: the tables alone are {unsafe_so}: they {about} service levels 0 to {levels}, which OpenSM must be told; write these \
                     with --service-levels FILE, too, and load both"
                )
            });
        }
        let missing = match (&self.service_levels, &self.sl2vl) {
            (None, None) => "; write what they are with --service-levels FILE and --sl2vl FILE",
            (None, Some(_)) => "; write the service levels with --service-levels FILE, too",
            (Some(_), None) => "; write which they are with --sl2vl FILE",
            (Some(_), Some(_)) => "",
        };
        Some(format!(
            "note: the tables are {unsafe_so} where OpenSM loads them: packets change their virtual lanes from port to port, which stock OpenSM \
             cannot be told, and the routes {about} these lanes{missing}. Nothing of the kind is needed for a routing that keeps to a lane, as \
             `turnwise` does unless `deployment` says otherwise"
        ))
    }

    /// Writes those that are wanted.
    pub(crate) fn write(&self, finding: &Finding) -> Result<(), Failure> {
        let routed = &finding.routed;
        let programme = Programme::of(&routed.network, &*routed.routing).map_err(|why| {
            let help = why.help.clone();
            Failure::Plain(format!("{}: {}", finding.routing_name, why.message), help)
        })?;
        if self.ibdmchk.is_some() {
            let nodes = programme.check_nodes();
            nodes.map_err(|why| Failure::Plain(why.message, why.help))?;
        }
        if let Some(note) = self.note(&programme, finding) {
            output::talk(&note);
        }
        if let Some(file) = &self.lft {
            output::fill(file, &mut |out| {
                let mut switches = programme.switches();
                switches.try_for_each(|at| put(out, &programme.forwarding_table(at)))
            })?;
        }
        if let Some(file) = &self.service_levels {
            output::fill(file, &mut |out| put(out, &programme.policy()))?;
        }
        if let Some(file) = &self.sl2vl {
            output::fill(file, &mut |out| {
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
    output::fill(&folder.join("opensm-subnet.lst"), &mut |out| {
        put(out, &programme.links())
    })?;
    output::fill(&folder.join("opensm.fdbs"), &mut |out| {
        let mut switches = programme.switches();
        switches.try_for_each(|at| put(out, &programme.forwarding_database(at)))
    })?;
    output::fill(&folder.join("opensm.mcfdbs"), &mut |_| Ok(()))?;
    output::fill(&folder.join("path-sl.txt"), &mut |out| {
        let mut sources = network.living_terminals();
        sources.try_for_each(|source| put(out, &programme.path_levels(source)))
    })?;
    output::fill(&folder.join("sl2vl.txt"), &mut |out| {
        let mut switches = programme.switches();
        switches.try_for_each(|at| put(out, &programme.packed_lane_rows(at)))
    })
}

fn put(out: &mut dyn Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())
}
