//! What `route` and `verify` make of a fabric's file, and what they write for its subnet.

use super::change::counted;
use crate::arguments::{ForeignTables, KeptTables, SubjectArguments, SubnetFiles};
use crate::failure::Failure;
use crate::loading::{load, load_text};
use crate::output;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::Value;
use turnwise_routing::subnet::Programme;
use turnwise_study::Plan;
use turnwise_study::finding::Finding;
use turnwise_study::plan::PlannedPoint;
use turnwise_study::specification::Scope;

/// The routing of a fabric for which none is given.
const OURS: &str = "turnwise";
/// Lanes for data that nearly all switches have.
const USUAL_LANES: u32 = 8;

/// The plan of a study, or of a fabric with some routing.
pub(crate) fn plan(subject: &SubjectArguments, routing: OfFabric<'_>) -> Result<Plan, Failure> {
    if let Some(study) = subject.of_study() {
        routing.refuse_tables()?;
        return load(&study, Scope::Routing);
    }
    routing.refuse_other_kinds(&subject.overrides)?;
    let fabric = quoted(subject.fabric.as_deref().unwrap_or(Path::new("")))?;
    let network = format!("[network]\nkind = \"ibnetdiscover\"\nfile = {fabric}");
    let table = routing.table(&subject.overrides)?;
    let text = format!("{network}\n\n[routing]\n{table}\n");
    let (sets, drained) = (&subject.overrides, &subject.drained);
    let plan = load_text("the arguments", &text, sets, drained, Scope::Routing)
        .map_err(|failure| in_arguments(failure, subject, &routing))?;
    // A whole table, or a sweep, may have taken the place of the tables.
    if let (OfFabric::Foreign(_), Some((option, kind))) = (&routing, routing.reads()) {
        let is_of_tables = |planned: PlannedPoint| {
            let found = planned.point.document.at_path("routing.kind");
            found.and_then(Value::as_str) == Some(kind)
        };
        if !plan.routings().all(is_of_tables) {
            return Err(OfFabric::not_both(option, kind, "what is set"));
        }
    }
    Ok(plan)
}

/// The fields of a study that name the files of a fabric.
const FILES: [&str; 4] = ["file", "lft", "service_levels", "sl2vl"];

/// Points at the option of a file that cannot be used: the user has not seen the text that names it.
fn in_arguments(failure: Failure, subject: &SubjectArguments, routing: &OfFabric<'_>) -> Failure {
    let Failure::Study(source, errors) = failure else {
        return failure;
    };
    let fabric = ("--fabric", subject.fabric.as_ref());
    let files = std::iter::once(fabric).chain(routing.files());
    let named = files.filter_map(|(option, file)| Some((option, quoted(file?).ok()?)));
    let named: Vec<(&str, String)> = named.collect();
    let option_of = |error: &Diagnostic| {
        let place = error.place.filter(|place| place.source == 0)?;
        let text = source
            .text(0)?
            .get(place.start as usize..place.end as usize)?;
        let (option, _) = named.iter().find(|(_, file)| file == text)?;
        // The field's name is of the text, too.
        let of_field = error.message.split_once(": ");
        let is_field = |path: &str| {
            let last = path.rsplit('.').next().unwrap_or(path);
            FILES.contains(&last) && !path.contains([' ', '/'])
        };
        let message = of_field.filter(|(path, _)| is_field(path));
        let message = message.map_or(error.message.as_str(), |(_, message)| message);
        Some(format!("{option}: {message}"))
    };
    let told = match errors.as_slice() {
        [only] => option_of(only).map(|message| Failure::Plain(message, only.help.clone())),
        _ => None,
    };
    told.unwrap_or(Failure::Study(source, errors))
}

/// Is this `routing.kind=` with something other than this kind?
fn sets_another_kind(set: &str, than: &str) -> bool {
    let kind = set
        .split_once('=')
        .filter(|(key, _)| key.trim() == "routing.kind");
    kind.is_some_and(|(_, kind)| kind.trim().trim_matches(['"', '\'']) != than)
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
    /// The option of the tables that are given, if any, and the kind of routing that reads them.
    fn reads(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Foreign(tables) if tables.from.is_some() => Some(("--from", "transition")),
            Self::Foreign(tables) if tables.lft.is_some() => Some(("--lft", "forwarding")),
            Self::Kept(tables) if tables.keep.is_some() => Some(("--keep", "repair")),
            _ => None,
        }
    }

    /// Refuses to ask for another routing than that of the tables that are given, which would have none of their fields.
    fn refuse_other_kinds(&self, overrides: &[String]) -> Result<(), Failure> {
        let Some((option, kind)) = self.reads() else {
            return Ok(());
        };
        let other = overrides.iter().find(|set| sets_another_kind(set, kind));
        other.map_or(Ok(()), |set| {
            Err(Self::not_both(option, kind, &format!("--set {set}")))
        })
    }

    fn not_both(option: &str, kind: &str, other: &str) -> Failure {
        let message = format!("{option} gives the tables that count, and {other} asks for others");
        let help = format!("leave one of the two away; {option} is `routing.kind = \"{kind}\"`");
        Failure::Plain(message, Some(help))
    }

    /// Every option of its files, with what is given for it.
    fn files(&self) -> Vec<(&'static str, Option<&PathBuf>)> {
        match self {
            Self::Ours => Vec::new(),
            Self::Foreign(tables) => tables.files().to_vec(),
            Self::Kept(tables) => tables.files().to_vec(),
        }
    }

    /// Refuses tables beside a study, of which nothing would be read.
    fn refuse_tables(&self) -> Result<(), Failure> {
        let kind = match self {
            Self::Ours | Self::Foreign(_) => "forwarding",
            Self::Kept(_) => "repair",
        };
        let given = self.files().into_iter().find(|(_, file)| file.is_some());
        given.map_or(Ok(()), |(option, _)| {
            let message = format!(
                "{option} is a file of a fabric's tables: it needs --fabric FILE in the place of a study"
            );
            let help = format!(
                "a study names such files itself, with `routing.kind = \"{kind}\"`"
            );
            Err(Failure::Plain(message, Some(help)))
        })
    }

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
            _ if overrides.iter().any(|set| sets_another_kind(set, OURS)) => {
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
    let files = [Some(lft), levels.as_deref(), lanes.as_deref()];
    let fields = FILES[1..].iter().zip(files);
    let named = fields.filter_map(|(field, file)| Some((field, file?)));
    named
        .map(|(field, file)| Ok(format!("{field} = {}", quoted(file)?)))
        .collect()
}

/// A file's name as a string of a study.
fn quoted(file: &Path) -> Result<String, Failure> {
    match file.to_str() {
        Some("-") => {
            let message = "`-` is read as the study alone; a fabric and its tables are files";
            let help = "standard input is /dev/stdin";
            Err(Failure::Plain(message.to_owned(), Some(help.to_owned())))
        }
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
        let checker = ("--ibdmchk", self.ibdmchk.as_ref());
        let mut all = self.files().into_iter().chain([checker]);
        all.find_map(|(option, file)| file.map(|_| option))
    }

    /// Every option of a file, with what is given for it.
    pub(crate) fn files(&self) -> [(&'static str, Option<&PathBuf>); 3] {
        [
            ("--lft", self.lft.as_ref()),
            ("--service-levels", self.service_levels.as_ref()),
            ("--sl2vl", self.sl2vl.as_ref()),
        ]
    }

    /// Is this a file in the folder of `--ibdmchk`?
    pub(crate) fn are_of_checker(name: &str) -> bool {
        CHECKER.contains(&name)
    }

    /// What of the lanes the files do not say.
    fn of_lanes(&self, programme: &Programme<'_>, finding: &Finding) -> Option<String> {
        let judged = finding.analysis.quality.virtual_channels_used;
        let written = programme.virtual_lanes;
        (judged > written.into()).then(|| {
            format!(
                "note: packets may choose among {judged} virtual channels by this routing; a pair of a subnet has one service level, and these \
                 tables take {}",
                counted(written.into(), "lane", "lanes")
            )
        })
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
        let notes = [
            self.note(&programme, finding),
            self.of_lanes(&programme, finding),
        ];
        notes.iter().flatten().for_each(|note| output::talk(note));
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

/// The files of `ibdmchk`, called as OpenSM calls them: links, tables of two kinds, levels, lanes.
const CHECKER: [&str; 5] = [
    "opensm-subnet.lst",
    "opensm.fdbs",
    "opensm.mcfdbs",
    "path-sl.txt",
    "sl2vl.txt",
];

/// Writes them.
fn checker(programme: &Programme<'_>, folder: &Path, finding: &Finding) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::writing(&folder.display().to_string(), &error))?;
    let network = &finding.routed.network;
    let [links, tables, multicast, levels, lanes] = CHECKER.map(|name| folder.join(name));
    output::fill(&links, &mut |out| put(out, &programme.links()))?;
    output::fill(&tables, &mut |out| {
        let mut switches = programme.switches();
        switches.try_for_each(|at| put(out, &programme.forwarding_database(at)))
    })?;
    output::fill(&multicast, &mut |_| Ok(()))?;
    output::fill(&levels, &mut |out| {
        let mut sources = network.living_terminals();
        sources.try_for_each(|source| put(out, &programme.path_levels(source)))
    })?;
    output::fill(&lanes, &mut |out| {
        let mut switches = programme.switches();
        switches.try_for_each(|at| put(out, &programme.packed_lane_rows(at)))
    })
}

fn put(out: &mut dyn Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())
}
