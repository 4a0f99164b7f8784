//! What `route --keep` and `verify --from` say of the change from the tables that switches have to others, and write of it.

use super::fabric::{OfFabric, plan};
use crate::arguments::{ForeignTables, StepFiles, SubjectArguments};
use crate::failure::Failure;
use crate::output;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use turnwise_network::contract::forwards::NO_ENTRY;
use turnwise_network::tables::SERVICE_LEVELS;
use turnwise_network::{Forwards, Network, RouterId};
use turnwise_routing::subnet::order::LevelChange;
use turnwise_study::export::write_atomically;
use turnwise_study::finding::Finding;
use turnwise_study::reprogramming::{Reprogramming, Unsafe};
use turnwise_study::workshop::Routed;
use turnwise_verify::{Assumptions, Verdict};

/// A change of tables, judged.
pub(crate) struct Judged {
    found: Result<Reprogramming, Unsafe>,
}

/// The tables of a fabric's switches, from their files.
pub(crate) fn tables(
    subject: &SubjectArguments,
    tables: &ForeignTables,
) -> Result<Routed, Failure> {
    // What else is said of other routings does not fit these.
    let fits = |set: &&String| {
        let path = set.split('=').next().unwrap_or_default().trim();
        let table = path.split('.').next();
        matches!(table, Some("network" | "router")) || path == "routing.virtual_lanes"
    };
    let subject = SubjectArguments {
        overrides: subject.overrides.iter().filter(fits).cloned().collect(),
        ..subject.clone()
    };
    let plan = plan(&subject, OfFabric::Foreign(tables))?;
    let fail = |error| Failure::Study(Box::new(plan.source.clone()), vec![error]);
    let Some(planned) = plan.routings().next() else {
        return Err(Failure::plain("there is no routing".to_owned()));
    };
    let (routed, _) = plan.routed(&planned).map_err(fail)?;
    Ok(routed)
}

/// Judges a change; `None` if tables are not of the kind that changes entry by entry, as those with lanes by ports are not, nor those
/// between which the lanes of service levels change.
pub(crate) fn judged(
    network: &Arc<Network>,
    before: &dyn Forwards,
    after: &dyn Forwards,
    assumptions: Assumptions,
) -> Result<Option<Judged>, Failure> {
    let had = levels_of(network, before) | levels_of(network, after);
    let mut had = (0..SERVICE_LEVELS).filter(|level| had >> level & 1 == 1);
    if had.any(|level| before.lane(level) != after.lane(level)) {
        return Ok(None);
    }
    let found = Reprogramming::find(network, before, after, assumptions);
    let found = found.map_err(|why| Failure::Plain(why.message, why.help))?;
    Ok(Some(Judged { found }))
}

/// Is a change safe in any order whose entries cannot be looked at one by one? So it is if the mixture of both tables is proved, and loses no
/// pair that the old ones do not lose.
pub(crate) fn is_safe_unjudged(
    subject: &SubjectArguments,
    old: &ForeignTables,
    mixture: &Finding,
) -> Result<bool, Failure> {
    if !matches!(mixture.analysis.verdict, Verdict::DeadlockFree(_)) {
        return Ok(false);
    }
    let lost = mixture.unroutable_pairs();
    if lost == 0 {
        return Ok(true);
    }
    let routed = tables(subject, old)?;
    // What the old tables lose, a mixture loses, too.
    let alone = turnwise_verify::analyse(&routed.network, &*routed.routing, mixture.assumptions());
    let reachability = alone.reachability;
    Ok(reachability.pairs - reachability.routable == lost)
}

/// Says which switches the tables of a file have nothing of: they are taken to send nothing on, as new ones do, which is wrong of those that
/// the file lacks because it is cut off or older than they are.
pub(crate) fn tell_missing(network: &Network, tables: &dyn Forwards, of: &str) {
    let is_there = |&at: &RouterId| network.is_alive(at) && network.neighbours(at).next().is_some();
    let is_empty = |at: &RouterId| tables.entries(*at).iter().all(|&port| port == NO_ENTRY);
    let (mut missing, mut all, mut first) = (0, 0, None);
    for at in network.routers().filter(is_there) {
        all += 1;
        if is_empty(&at) {
            missing += 1;
            first = first.or(Some(at));
        }
    }
    if let Some(first) = first {
        let [has, is] = match missing {
            1 => ["has", "is"],
            _ => ["have", "are"],
        };
        output::talk(&format!(
            "warning: {missing} of {all} switches {has} no entries in {of}, {} among them, and {is} taken to send nothing on; if that is wrong, the \
             file is not what they are programmed with",
            network.router_label(first)
        ));
    }
}

/// The service levels that pairs have, a bit each.
fn levels_of(network: &Network, tables: &dyn Forwards) -> u16 {
    let sources = network.living_terminals();
    sources.fold(0, |had, source| {
        let levels = tables.service_levels(source);
        match levels.is_empty() {
            true => had | 1,
            false => levels.iter().fold(had, |had, level| had | 1 << level),
        }
    })
}

/// A change that is safe whichever switch changes first, in a word.
pub(crate) const IN_ANY_ORDER: &str = "safe in any order";
/// One that no order is known of.
pub(crate) const WITHOUT_ORDER: &str = "no order is known";

impl Judged {
    /// How many steps there are, if they are safe.
    pub(crate) fn steps(&self) -> Option<usize> {
        let found = self.found.as_ref().ok()?;
        let has_tables = !found.steps().is_empty();
        let has_levels = levels_apart(found).is_some() || !has_tables && found.new_adapters > 0;
        Some(found.steps().len() + usize::from(has_levels))
    }

    /// Could other tables keep to those before, where there are no steps to these?
    pub(crate) fn can_be_kept_to(&self) -> bool {
        self.found
            .as_ref()
            .err()
            .is_none_or(|found| !found.is_before)
    }

    pub(crate) fn is_safe_in_any_order(&self) -> bool {
        self.found
            .as_ref()
            .is_ok_and(Reprogramming::is_safe_in_any_order)
    }

    /// In a word, for programs.
    pub(crate) fn word(&self) -> &'static str {
        match &self.found {
            Ok(found) if found.is_safe_in_any_order() => IN_ANY_ORDER,
            Ok(_) => "safe in steps",
            Err(_) => WITHOUT_ORDER,
        }
    }

    /// In words, with what to do if no order is known to be safe.
    pub(crate) fn words(&self, network: &Network, files: &StepFiles, otherwise: &str) -> String {
        let found = match &self.found {
            Ok(found) if found.is_safe_in_any_order() => {
                let safe = match lines(network, found).is_empty() {
                    true => NOTHING_TO_DO,
                    false => "safe whichever switch changes first; no pair loses a route it has",
                };
                return format!("  the change: {safe}\n")
                    + &about_new(found).map_or(String::new(), |line| format!("  {line}\n"));
            }
            Ok(found) => found,
            Err(found) => {
                let mut text = format!(
                    "  the change: no order is known to be safe: {}\n",
                    found.why
                );
                for line in &found.circle {
                    let _ = writeln!(text, "    {line}");
                }
                text.push_str(otherwise);
                return text;
            }
        };
        let mut text =
            "  the change: safe in these steps, each of which is proved; no pair loses a route it has\n"
                .to_owned();
        for line in lines(network, found) {
            let _ = writeln!(text, "    {line}");
        }
        if let Some(line) = about_new(found) {
            let _ = writeln!(text, "  {line}");
        }
        if files.steps.is_none() {
            text.push_str("  what to do: load the tables of each step, one after the other, as `--steps FOLDER` writes them\n");
        }
        text
    }

    /// Writes the tables of each step, and what to do with them, if that is wanted and there are any.
    pub(crate) fn write(&self, network: &Network, files: &StepFiles) -> Result<(), Failure> {
        let Some(folder) = &files.steps else {
            return Ok(());
        };
        clear(folder);
        let Ok(found) = &self.found else {
            return Ok(());
        };
        let failed =
            |error: &std::io::Error| Failure::writing(&folder.display().to_string(), error);
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        let put = |name: &str, text: &str| {
            write_atomically(&folder.join(name), text.as_bytes()).map_err(|error| failed(&error))
        };
        for step in 0..found.steps().len() {
            let tables = found.load(step);
            let tables = tables.map_err(|why| Failure::Plain(why.message, why.help))?;
            put(&file(step), &tables.concat())?;
        }
        put(RECIPE, &recipe(network, found))
    }
}

impl StepFiles {
    /// Refuses to write steps of no change.
    pub(crate) fn belongs_to(&self, option: &str, is_given: bool) -> Result<(), Failure> {
        match self.steps {
            Some(_) if !is_given => Err(Failure::plain(format!(
                "--steps are those of a change from the tables that switches have; say which with {option}"
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses to write steps that there are not, and leaves none of an earlier change.
    pub(crate) fn refuse(&self, why: &str, help: &str) -> Result<(), Failure> {
        match &self.steps {
            Some(folder) => {
                clear(folder);
                Err(Failure::Plain(why.to_owned(), Some(help.to_owned())))
            }
            None => Ok(()),
        }
    }

    /// The same where so many routings have been judged and no change.
    pub(crate) fn refuse_without_change(&self, routings: usize) -> Result<(), Failure> {
        match routings {
            1 => self.refuse(NO_STEPS, "leave --steps out"),
            many => {
                let why = format!("--steps are those of one change; these are {many}");
                self.refuse(&why, "choose one with --set")
            }
        }
    }
}

/// Why some changes have no steps.
const NO_STEPS: &str = "--steps are looked for where a service level has the same lane at all ports, before and behind the change, and adapters have one LID each";

/// What is said where all that is judged stays as it is.
const NOTHING_TO_DO: &str = "none of entries towards adapters or of service levels; those towards switches, which are for management, may \
                             differ, and may change at any time";

/// Steps of an earlier change must not be taken for those of another one.
fn clear(folder: &Path) {
    let _ = std::fs::remove_file(folder.join(RECIPE));
    for step in 0.. {
        if std::fs::remove_file(folder.join(file(step))).is_err() {
            break;
        }
    }
}

/// The file that says what to do.
const RECIPE: &str = "steps.txt";

/// Is this a file in the folder of `--steps`?
pub(crate) fn is_of_steps(name: &str) -> bool {
    let number = name.strip_prefix("step-");
    let number = number.and_then(|rest| rest.strip_suffix(".lft"));
    name == RECIPE || number.is_some_and(|number| number.parse::<usize>().is_ok())
}

fn file(step: usize) -> String {
    format!("step-{}.lft", step + 1)
}

/// When service levels change, if that is a step of its own.
fn levels_apart(found: &Reprogramming) -> Option<LevelChange> {
    found.levels().filter(|&when| when != LevelChange::AnyTime)
}

/// What is taken for granted of adapters that the old tables do not know.
fn about_new(found: &Reprogramming) -> Option<String> {
    let adapters = match found.new_adapters {
        0 => return None,
        1 => "1 adapter is".to_owned(),
        many => format!("{many} adapters are"),
    };
    Some(format!(
        "{adapters} new to the old tables or their service levels, and must send and be sent nothing before the new ones are loaded"
    ))
}

/// What each step changes.
fn lines(network: &Network, found: &Reprogramming) -> Vec<String> {
    let pairs = counted(found.new_levels, "pair", "pairs");
    let levels = format!("the service levels of {pairs}");
    let mut lines: Vec<String> = Vec::new();
    for (number, step) in found.steps().iter().enumerate() {
        if found.levels() == Some(LevelChange::After(number)) {
            lines.push(levels.clone());
        }
        let mut is_changed = vec![false; network.router_count()];
        for (at, _) in &step.entries {
            is_changed[at.index()] = true;
        }
        let switches = is_changed.iter().filter(|&&is_changed| is_changed).count();
        let entries = counted(step.entries.len(), "entry", "entries");
        let switches = counted(switches, "switch", "switches");
        let emptied = if step.are_emptied {
            ", whose packets are lost anyway, emptied"
        } else {
            ""
        };
        lines.push(format!(
            "{}: {entries} of {switches}{emptied}",
            file(number)
        ));
    }
    match found.levels() {
        Some(LevelChange::After(steps)) if steps == found.steps().len() => lines.push(levels),
        Some(LevelChange::AnyTime) => lines.push(format!("with any of these {levels}")),
        _ => {}
    }
    if lines.is_empty() && found.new_adapters > 0 {
        let adapters = counted(found.new_adapters, "new adapter", "new adapters");
        lines.push(format!("the service levels of {adapters}"));
    }
    lines
}

/// So many of these.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// What an administrator does.
fn recipe(network: &Network, found: &Reprogramming) -> String {
    let steps = lines(network, found);
    let mut text = format!("New tables for {}.\n\n", network.description());
    if steps.is_empty() {
        text.push_str(
            "There is nothing to do: every entry towards an adapter of the fabric, and every service level, is what it is already.\n\
             Entries towards switches, which are for management, may differ in the new tables, and may change at any time.\n",
        );
        return text;
    }
    text.push_str(
        "Do these one after the other. A table is loaded when OpenSM has been sent SIGHUP with it in its `lfts_file` and has programmed\n\
         all switches. Before the next one wait a few seconds, until packets that are under way have arrived or been dropped: by OpenSM's\n\
         default a switch drops what has waited for 1.1 s. Within a step switches may change in any order, under full load.\n\n",
    );
    for (number, line) in (1..).zip(steps) {
        let _ = writeln!(text, "{number}. {line}");
    }
    if let Some(line) = about_new(found) {
        let _ = writeln!(text, "\n{line}.");
    }
    text.push_str(match found.levels() {
        Some(LevelChange::AnyTime) => {
            "\nThe new service levels (`qos_policy_file`) may come with any of these. Who keeps to the old level of a pair is safe.\n"
        }
        Some(_) => {
            "\nService levels have changed when OpenSM has loaded the new `qos_policy_file` and whoever talks to these pairs has asked\n\
             for a path record again. No other step is safe beside that one.\n"
        }
        None => "",
    });
    text
}
