//! Looks at the points of a study: whatever is distinct about them is read and built once.

use super::blame::Looked;
use super::replaced;
use crate::demand::DemandSpecification;
use crate::mistakes::{ENOUGH, distinct};
use crate::outline::{ReportTable, StudyTable};
use crate::reporting::check_roles;
use crate::row::Further;
use crate::schema;
use crate::several::advise;
use crate::simulation::{SimulationTable, read_threads};
use crate::specification::{Scope, Specification};
use crate::sweep::{self, Point, Selection, Sweep};
use crate::units::{Counted, Units};
use crate::workload::{self, WorkloadSpecification};
use crate::workshop::Workshop;
use std::collections::BTreeMap;
use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::{Step, Value, deserialize};

/// All points, as far as they are kept.
pub(super) struct Points {
    pub(super) sweep: Sweep,
    pub(super) shared: Shared,
    /// [`Point::identity`] of every point.
    pub(super) hashes: Vec<u128>,
    /// By number of [`Shared::sources`]: the digest of the files they are read from.
    pub(super) files: BTreeMap<usize, u64>,
    /// The first point of each distinct network, routing and router.
    pub(super) routings: Vec<usize>,
    /// By number of [`Shared::settings`].
    pub(super) traits: Vec<Traits>,
    /// By number of [`Shared::phases`].
    pub(super) simulations: Vec<SimulationTable>,
    pub(super) had: Had,
}

/// What points of one setting have in common that is asked for once they are planned.
#[derive(Clone, Copy, Default)]
pub(super) struct Traits {
    /// Are packets created in bursts?
    pub(super) in_bursts: bool,
    /// Is it a program, or several?
    pub(super) is_program: bool,
    /// Does the load change while they are simulated?
    pub(super) changes_load: bool,
    /// Flits of what is created at once, at most.
    pub(super) longest_packet: u16,
}

impl Traits {
    fn of(specification: &Specification) -> Self {
        let workload = specification.workload();
        let packets = specification.demand.as_ref();
        Self {
            in_bursts: specification.has_bursts(),
            is_program: workload.is_some_and(WorkloadSpecification::is_program),
            changes_load: specification.changes_load(),
            // Messages may be as long as that.
            longest_packet: match specification.has_messages() {
                true => u16::MAX,
                false => packets.map_or(1, DemandSpecification::longest_packet),
            },
        }
    }
}

/// What rows of some point have beside what all rows have.
#[derive(Clone, Copy, Default)]
pub(super) struct Had {
    pub(super) further: Further,
    /// Of [`PART_COLUMNS`](crate::row::PART_COLUMNS): classes and jobs.
    pub(super) parts: [bool; 2],
}

impl Had {
    fn add(&mut self, specification: &Specification) {
        self.further = self.further.and(Further::of(specification));
        self.parts[0] |= specification.has_classes();
        self.parts[1] |= specification.has_jobs();
    }
}

/// What points may have in common.
pub(super) struct Shared {
    /// Whatever may be read from files: networks, routings, traffic but for its load, workloads and placements.
    pub(super) sources: Selection,
    /// Networks, routings and routers, and what a proof must know of messages.
    pub(super) routings: Selection,
    /// Everything but the load and `[simulation]`.
    pub(super) settings: Selection,
    /// `[simulation]`.
    pub(super) phases: Selection,
    /// Both: everything but the load.
    pairs: Selection,
}

impl Shared {
    fn of(sweep: &Sweep) -> Self {
        let lies_in = |path: &[Step<'_>], tables: &[&str]| {
            let root = path.first();
            tables.iter().any(|&table| root == Some(&Step::Key(table)))
        };
        let is_of_protocol = |path: &[Step<'_>]| match path {
            [Step::Key(table)] => workload::is_of_protocol(table),
            [Step::Key(table), Step::Key(field), ..] => {
                workload::is_of_protocol(&format!("{table}.{field}"))
            }
            _ => false,
        };
        let phases = ["simulation"];
        let read_from_files = ["network", "routing", "traffic", "workload", "placement"];
        Self {
            sources: sweep.select(|path| *path != LOAD && lies_in(path, &read_from_files)),
            routings: sweep.select(|path| {
                lies_in(path, &["network", "routing", "router", "ethernet"]) || is_of_protocol(path)
            }),
            settings: sweep.select(|path| *path != LOAD && !lies_in(path, &phases)),
            phases: sweep.select(|path| lies_in(path, &phases)),
            pairs: sweep.select(|path| *path != LOAD),
        }
    }
}

/// Settings that are read with another `[simulation]`, at most.
const MOST_PAIRS: usize = 2_000;

/// The swept field that nothing is built of.
const LOAD: [Step<'static>; 2] = [Step::Key("traffic"), Step::Key("load")];

/// What a study says of itself and of its report, what its first point asks for, its units, all points.
type Meaning = (StudyTable, ReportTable, Specification, Units, Points);

/// How a study is looked at.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) scope: Scope,
    /// Is whatever is distinct built once, to see that it can be?
    pub(super) builds: bool,
}

/// Reads a study.
pub(super) fn read(
    document: &Value,
    workshop: &Workshop,
    how: Reading,
) -> Result<Meaning, Vec<Diagnostic>> {
    let advised = |error| advise(error, document);
    read_all(document, workshop, how).map_err(|errors| errors.into_iter().map(advised).collect())
}

fn read_all(
    document: &Value,
    workshop: &Workshop,
    how: Reading,
) -> Result<Meaning, Vec<Diagnostic>> {
    let scope = how.scope;
    let mut errors = Vec::new();
    let study = match document.at_path("study") {
        Some(table) => deserialize(table, &mut errors),
        None => Some(StudyTable::default()),
    };
    let report = match document.at_path("report") {
        Some(table) => deserialize(table, &mut errors),
        None => Some(ReportTable::default()),
    };
    let threads = read_threads(document, &mut errors);
    let units = match Units::read(document, schema::quantities) {
        Ok(units) => units,
        Err(more) => {
            errors.extend(more);
            return Err(distinct(errors));
        }
    };
    let sweep = match Sweep::read(document, &units) {
        Ok(sweep) => sweep,
        Err(more) => {
            errors.extend(more);
            // Without points there is still the study as it stands to be looked at.
            let counted = units.counted("", document, &mut Counted::default());
            let rest = Specification::read(&counted, scope).err();
            let mut rest = rest.unwrap_or_default();
            // A value whose unit makes no sense is no number either; once is enough.
            rest.retain(|error| {
                let is_new = errors.iter().all(|known| known.place != error.place);
                is_new && !sweep::supplies(document, error)
            });
            errors.append(&mut rest);
            return Err(distinct(errors));
        }
    };
    if let Some(report) = &report {
        check_roles(report, document, &sweep, &mut errors);
    }
    errors.extend(replaced::mistakes(document, &sweep, scope));
    let (first, points) = look_at_all(sweep, workshop, how, &mut errors);
    match (first, study, report) {
        (Some(mut first), Some(study), Some(report)) if errors.is_empty() => {
            first.simulation.threads = threads;
            Ok((study, report, first, units, points))
        }
        _ => Err(distinct(errors)),
    }
}

/// Looks at every point that has something about it that none before had.
fn look_at_all(
    sweep: Sweep,
    workshop: &Workshop,
    how: Reading,
    errors: &mut Vec<Diagnostic>,
) -> (Option<Specification>, Points) {
    let shared = Shared::of(&sweep);
    let new = |selection: &Selection| Seen(vec![false; selection.len()]);
    let (mut settings, mut phases) = (new(&shared.settings), new(&shared.phases));
    let mut distinct_routings = new(&shared.routings);
    let (mut pairs, mut left) = (new(&shared.pairs), MOST_PAIRS);
    let (mut files, mut routings, mut first) = (BTreeMap::new(), Vec::new(), None);
    let mut had = Had::default();
    let mut looked = Looked::default();
    let sweeps_load = sweep.sweeps(&LOAD) && how.scope >= Scope::Simulation;
    let mut traits = vec![Traits::default(); shared.settings.len()];
    let mut simulations = vec![SimulationTable::default(); shared.phases.len()];
    for index in (0..sweep.len()).step_by(sweep.repeat()) {
        if distinct_routings.is_first(sweep.number(&shared.routings, index)) {
            routings.push(index);
        }
        let setting = sweep.number(&shared.settings, index);
        let phase = sweep.number(&shared.phases, index);
        // Bursts have a load of their own, which is not exceeded.
        let is_any_load = || {
            let load = sweep.value("traffic.load", index);
            traits[setting].in_bursts || !is_load(load)
        };
        let is_new =
            settings.is_first(setting) | phases.is_first(phase) | (sweeps_load && is_any_load());
        // Each may be fine, and both together make no sense; so many pairs take a moment to read.
        let is_new_pair = left > 0 && pairs.is_first(sweep.number(&shared.pairs, index));
        let Some(point) = sweep.point(index).filter(|_| is_new || is_new_pair) else {
            continue;
        };
        if !is_new {
            left -= 1;
            match Specification::read(&point.document, how.scope) {
                Ok(_) => looked.add_fine(index),
                Err(found) => looked.add_wrong(index, found),
            }
            continue;
        }
        match look_at(&point, workshop, how) {
            Ok((specification, file)) => {
                looked.add_fine(index);
                had.add(&specification);
                traits[setting] = Traits::of(&specification);
                simulations[phase] = specification.simulation.clone();
                first = first.or(Some(specification));
                let number = sweep.number(&shared.sources, index);
                files.extend(file.map(|digest| (number, digest)));
            }
            Err(found) => looked.add_wrong(index, found),
        }
        if looked.errors > ENOUGH {
            break;
        }
    }
    errors.extend(looked.blamed(&sweep));
    let points = Points {
        hashes: match errors.is_empty() {
            true => sweep.identities().collect(),
            false => Vec::new(),
        },
        sweep,
        shared,
        files,
        routings,
        traits,
        simulations,
        had,
    };
    (first, points)
}

/// Which numbers have been seen.
struct Seen(Vec<bool>);

impl Seen {
    fn is_first(&mut self, number: usize) -> bool {
        !std::mem::replace(&mut self.0[number], true)
    }
}

/// Is this a load that needs no second look?
fn is_load(value: Option<&Value>) -> bool {
    let load = value.and_then(Value::as_f64);
    load.is_some_and(|load| (0.0..=1.0).contains(&load))
}

/// Reads a point and may build everything it needs once, to see that it can be built. The
/// number is the digest of the files it is read from, if it is.
fn look_at(
    point: &Point,
    workshop: &Workshop,
    how: Reading,
) -> Result<(Specification, Option<u64>), Vec<Diagnostic>> {
    let one = |error| vec![error];
    let specification = Specification::read(&point.document, how.scope)?;
    let file = workshop
        .file_digest(&specification, &point.document)
        .map_err(one)?;
    if how.builds {
        build(workshop, &specification, point, how.scope).map_err(one)?;
    }
    Ok((specification, file))
}

fn build(
    workshop: &Workshop,
    specification: &Specification,
    point: &Point,
    scope: Scope,
) -> Result<(), Diagnostic> {
    let document = &point.document;
    match scope {
        Scope::Network => workshop.network(specification, document).map(drop),
        Scope::Routing => workshop.routed(specification, document).map(drop),
        Scope::Simulation => workshop
            .experiment(specification, document, point.repeat)
            .map(drop),
    }
}
