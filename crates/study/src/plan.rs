//! From a study as written to a plan as meant: every distinct thing that points ask for built once
//! to see that it can be.
//!
//! A study may have a million points, so a plan keeps none of them: they are made when they are
//! asked for, and those that differ in nothing but their load are looked at once.

mod blame;
mod points;
pub(crate) mod replaced;

use self::points::{Had, Points, Reading, read};
use crate::files::Unread;
use crate::misplaced;
use crate::outline::{ReportTable, StudyTable};
use crate::provenance::Provenance;
use crate::results::Results;
use crate::row::{COLUMNS, PART_COLUMNS, Row, point_fields};
use crate::scale::{mistakes_elsewhere, scaled};
use crate::simulation::SimulationTable;
use crate::source::Source;
use crate::specification::{Scope, Specification};
use crate::store::{StoreError, Writer, read_all};
use crate::supply::Contents;
use crate::sweep::{Point, PointId};
use crate::units::{Column, Rounded, Units};
use crate::workshop::{Experiment, Routed, Workshop};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::{Kind, Value};

/// A point of a plan.
pub struct PlannedPoint {
    /// The point.
    pub point: Point,
    /// What its stored result is found by.
    pub id: PointId,
}

/// A study that has been understood and can be run.
pub struct Plan {
    /// The study's texts.
    pub source: Source,
    /// The study's name.
    pub name: String,
    /// Swept fields, in order.
    pub keys: Vec<String>,
    /// Where results come from.
    pub provenance: Provenance,
    /// `[study]`.
    pub study: StudyTable,
    /// `[report]`.
    pub report: ReportTable,
    /// What the first point asks for; what is common to all can be read here.
    pub first: Specification,
    /// What cycles and flits are, if the study says so.
    pub units: Units,
    points: Points,
    workshop: Workshop,
}

/// Every text in a document that may name a file, which what something is called and of which kind it is does not.
fn each_text(value: &Value, key: &str, each: &mut impl FnMut(&str)) {
    const NO_FILES: &[&str] = &["study", "report", "kind", "pattern", "preset", "name"];
    let last = key.rsplit('.').next().unwrap_or(key);
    if NO_FILES.contains(&last) {
        return;
    }
    match &value.kind {
        Kind::String(text) => each(text),
        Kind::Array(values) => values.iter().for_each(|value| each_text(value, key, each)),
        Kind::Table(table) => {
            for (key, value) in table.iter() {
                each_text(value, &key.name, each);
            }
        }
        _ => {}
    }
}

impl Plan {
    /// Reads a study and makes sure that every point of it can be built.
    ///
    /// # Errors
    /// Everything that is wrong, each at its place.
    pub fn new(
        source: Source,
        document: &Value,
        workshop: Workshop,
        scope: Scope,
        default_name: &str,
    ) -> Result<Self, (Source, Vec<Diagnostic>)> {
        let how = Reading {
            scope,
            builds: true,
        };
        Self::read(source, document, workshop, how, default_name)
    }

    /// The same for a study that somebody else has planned: nothing is built before it is asked for.
    ///
    /// # Errors
    /// As [`new`](Self::new), as far as it takes no building.
    pub fn again(
        source: Source,
        document: &Value,
        workshop: Workshop,
        scope: Scope,
        default_name: &str,
    ) -> Result<Self, (Source, Vec<Diagnostic>)> {
        let how = Reading {
            scope,
            builds: false,
        };
        Self::read(source, document, workshop, how, default_name)
    }

    fn read(
        source: Source,
        document: &Value,
        workshop: Workshop,
        how: Reading,
        default_name: &str,
    ) -> Result<Self, (Source, Vec<Diagnostic>)> {
        let understood = scaled(&source, document).and_then(|document| {
            let meaning = read(&document, &workshop, how)?;
            let elsewhere = mistakes_elsewhere(&source, &document, how.scope);
            match elsewhere.is_empty() {
                true => Ok((document, meaning)),
                false => Err(elsewhere),
            }
        });
        match understood {
            Ok((document, (study, report, first, units, points))) => Ok(Self {
                source,
                name: study
                    .name
                    .clone()
                    .unwrap_or_else(|| default_name.to_owned()),
                keys: points.sweep.keys().map(str::to_owned).collect(),
                provenance: Provenance::of_text(&document.canonical(), study.seed),
                study,
                report,
                first,
                units,
                points,
                workshop,
            }),
            Err(errors) => {
                let advised = |error| misplaced::advise(error, document);
                Err((source, errors.into_iter().map(advised).collect()))
            }
        }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.hashes.len()
    }

    /// Whether there are no points; a study that could be read has some.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Point number `index`, if there are so many.
    pub fn point(&self, index: usize) -> Option<PlannedPoint> {
        Some(PlannedPoint {
            point: self.points.sweep.point(index)?,
            id: self.id(index)?,
        })
    }

    /// All points in order, each made when its turn comes.
    pub fn points(&self) -> impl Iterator<Item = PlannedPoint> {
        (0..self.len()).filter_map(|index| self.point(index))
    }

    /// What the stored result of a point is found by.
    pub fn id(&self, index: usize) -> Option<PointId> {
        let Points { sweep, shared, .. } = &self.points;
        let file = match self.points.files.is_empty() {
            true => None,
            false => Some(sweep.number(&shared.sources, index)),
        };
        Some(PointId {
            hash: *self.points.hashes.get(index)?,
            file: file.and_then(|number| self.points.files.get(&number).copied()),
        })
    }

    /// The first point of each distinct network, routing and router, in order.
    pub fn routings(&self) -> impl Iterator<Item = PlannedPoint> {
        let indices = self.points.routings.iter();
        indices.filter_map(|&index| self.point(index))
    }

    /// The first point of each distinct network, in order.
    pub fn networks(&self) -> impl Iterator<Item = PlannedPoint> {
        let mut seen = BTreeSet::new();
        let table = |planned: &PlannedPoint| {
            let table = planned.point.document.at_path("network");
            table.map(Value::canonical)
        };
        self.routings()
            .filter(move |planned| seen.insert(table(planned)))
    }

    /// A number for a point's network, routing and router: equal numbers, equal verdicts.
    pub fn routing(&self, index: usize) -> usize {
        let Points { sweep, shared, .. } = &self.points;
        sweep.number(&shared.routings, index)
    }

    /// Is any value that a point sweeps a whole table?
    pub fn sweeps_tables(&self, index: usize) -> bool {
        let value = |key: &String| self.points.sweep.value(key, index);
        let mut values = self.keys.iter().filter_map(value);
        values.any(|value| value.table().is_some())
    }

    /// A number for everything about a point but its load, its `[simulation]` and its repetition:
    /// equal numbers, equal networks, routings, routers and patterns.
    pub fn setting(&self, index: usize) -> usize {
        let Points { sweep, shared, .. } = &self.points;
        sweep.number(&shared.settings, index)
    }

    /// A number for a point's `[simulation]`.
    pub fn phases(&self, index: usize) -> usize {
        let Points { sweep, shared, .. } = &self.points;
        sweep.number(&shared.phases, index)
    }

    /// `[simulation]` of a point.
    pub fn simulation(&self, index: usize) -> &SimulationTable {
        &self.points.simulations[self.phases(index)]
    }

    /// Is a point a program, or several, whose ranks keep journals?
    pub fn is_program(&self, index: usize) -> bool {
        self.points.traits[self.setting(index)].is_program
    }

    /// Does the load change while a point is simulated?
    pub fn changes_load(&self, index: usize) -> bool {
        self.points.traits[self.setting(index)].changes_load
    }

    /// What a point has at a path, in cycles and flits, unless fields inside it are swept on their own.
    pub fn value(&self, path: &str, index: usize) -> Option<&Value> {
        self.points.sweep.value(path, index)
    }

    /// Packets that each terminal is to send in the window, at least, where they come evenly.
    pub(crate) fn due_packets(&self, index: usize) -> f64 {
        let traits = self.points.traits[self.setting(index)];
        if traits.in_bursts || traits.changes_load {
            return 0.0;
        }
        let cycles = self.simulation(index).measure_cycles as f64;
        let load = self.load(index).unwrap_or(0.0);
        load * cycles / f64::from(traits.longest_packet.max(1))
    }

    /// The load of a point.
    pub fn load(&self, index: usize) -> Option<f64> {
        self.value("traffic.load", index)?.as_f64()
    }

    /// The columns that rows of some point have beside those of every study.
    pub fn columns(&self) -> Vec<Column> {
        let Had { further, parts } = self.points.had;
        let measured = further.columns().copied().map(Column::measured);
        let parts = PART_COLUMNS.into_iter().zip(parts);
        let parts = parts.filter(|(_, are_had)| *are_had);
        let parts = parts.map(|(name, _)| self.units.column_of_parts(name));
        let is_had = |column: &Column| {
            let all = COLUMNS.iter().chain(further.columns());
            all.copied().any(|name| name == column.from())
        };
        let in_units = self.units.columns().into_iter().filter(is_had);
        measured.chain(parts).chain(in_units).collect()
    }

    /// What a folder has of the plan's points, and what adds to it if any is missing; `number` is this process's among those
    /// that do. Nothing of all that without a folder.
    ///
    /// # Errors
    /// A store that cannot be read or written.
    pub fn open(
        &self,
        folder: Option<&Path>,
        number: u32,
    ) -> Result<(Results, Option<Writer>), StoreError> {
        let Some(folder) = folder else {
            return Ok((Results::new(), None));
        };
        let results = self.results(folder)?;
        let is_complete = self.missing(&results).next().is_none();
        let writer = (!is_complete).then(|| Writer::open(folder, number));
        Ok((results, writer.transpose()?))
    }

    /// The stored results of the plan's points in a folder.
    ///
    /// # Errors
    /// A store that cannot be read or is damaged.
    pub fn results(&self, folder: &Path) -> Result<Results, StoreError> {
        let ids = (0..self.len()).filter_map(|index| self.id(index));
        let mut ids: Vec<PointId> = ids.collect();
        ids.sort_unstable();
        read_all(folder, &|id| ids.binary_search(id).is_ok())
    }

    /// What results are of, as (name, value), for people.
    pub fn provenance_of(&self, results: &Results) -> Vec<(String, String)> {
        let mut rows = self.provenance.rows();
        let others = results.others();
        let others = others.map(|(revision, count)| format!("{count} of revision {revision}"));
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            rows.push(("found results".to_owned(), others.join(", ")));
        }
        rows
    }

    /// The numbers of points by what their results are found by.
    pub fn numbers(&self) -> BTreeMap<PointId, usize> {
        let numbers = (0..self.len()).filter_map(|index| Some((self.id(index)?, index)));
        numbers.collect()
    }

    /// The points that have no result yet.
    pub fn missing<'a>(&'a self, results: &'a Results) -> impl Iterator<Item = usize> + 'a {
        let has_none = |index: &usize| self.id(*index).is_some_and(|id| !results.contains_key(&id));
        (0..self.len()).filter(has_none)
    }

    /// A point's result.
    ///
    /// It may have been computed for a study that sweeps other fields, so what it says of its
    /// point is put into this plan's terms.
    pub fn row(&self, results: &Results, index: usize) -> Option<Row> {
        let mut row = results.get(&self.id(index)?)?;
        let point = self.points.sweep.point(index)?;
        row.point = point_fields(&point, self.is_repeated());
        Some(row)
    }

    /// All results there are, in the order of the points.
    pub fn rows<'a>(&'a self, results: &'a Results) -> impl Iterator<Item = Row> + 'a {
        self.numbered_rows(results).map(|(_, row)| row)
    }

    /// The same, each with its point's number.
    pub fn numbered_rows<'a>(
        &'a self,
        results: &'a Results,
    ) -> impl Iterator<Item = (usize, Row)> + 'a {
        (0..self.len()).filter_map(|index| Some((index, self.row(results, index)?)))
    }

    /// All files that the study names, as they are now.
    ///
    /// # Errors
    /// A file that is there no more.
    pub fn files(&self) -> Result<Contents, Unread> {
        self.workshop.files()
    }

    /// Where those of them are that lie in the study's folder, in the order of their names; and whatever else is there of what the study
    /// names, because not everybody reads all of it.
    pub fn places_of_files(&self) -> Vec<PathBuf> {
        let mut document = self.source.file(&mut Vec::new());
        self.source.put_overrides(&mut document, &mut Vec::new());
        let mut places = self.workshop.places_of_files();
        each_text(&document, "", &mut |text| {
            let place = self.workshop.place_of_file(text);
            places.extend(place.is_file().then_some(place));
        });
        places.sort();
        places.dedup();
        places
    }

    /// Values with units that were rounded up, in the order of the text.
    pub fn rounded(&self) -> &[Rounded] {
        self.points.sweep.rounded()
    }

    /// Is every point repeated?
    pub fn is_repeated(&self) -> bool {
        self.study.repeat > 1
    }

    /// A point's experiment, at its own load or another one.
    ///
    /// # Errors
    /// None that planning has not seen, unless files have changed since.
    pub fn experiment(
        &self,
        planned: &PlannedPoint,
        load: Option<f64>,
    ) -> Result<Experiment, Diagnostic> {
        let mut document = planned.point.document.clone();
        if let Some(load) = load {
            let span = document.span;
            let value = Value::new(span, Kind::Float(load));
            document
                .set_path("traffic.load", span, value)
                .map_err(|invalid| invalid.locate(&planned.point.document))?;
        }
        let specification = Specification::read_again(&document, Scope::Simulation)?;
        self.workshop
            .experiment(&specification, &document, planned.point.repeat)
    }

    /// What is strange about what terminals do in a point.
    ///
    /// # Errors
    /// As [`experiment`](Self::experiment).
    pub(crate) fn remarks(&self, planned: &PlannedPoint) -> Result<Vec<String>, Diagnostic> {
        let document = &planned.point.document;
        let specification = Specification::read_again(document, Scope::Simulation)?;
        self.workshop.remarks(&specification, document)
    }

    /// A point's network and routing.
    ///
    /// # Errors
    /// As [`experiment`](Self::experiment).
    pub fn routed(&self, planned: &PlannedPoint) -> Result<(Routed, Specification), Diagnostic> {
        self.routed_as(&planned.point.document)
    }

    /// The network and routing of a point that may have been changed since.
    pub(crate) fn routed_as(
        &self,
        document: &Value,
    ) -> Result<(Routed, Specification), Diagnostic> {
        let specification = Specification::read_again(document, Scope::Routing)?;
        let routed = self.workshop.routed(&specification, document)?;
        Ok((routed, specification))
    }

    /// A point's network alone.
    ///
    /// # Errors
    /// As [`experiment`](Self::experiment).
    pub fn network(
        &self,
        planned: &PlannedPoint,
    ) -> Result<std::sync::Arc<turnwise_network::Network>, Diagnostic> {
        let document = &planned.point.document;
        let specification = Specification::read_again(document, Scope::Network)?;
        self.workshop.network(&specification, document)
    }
}
