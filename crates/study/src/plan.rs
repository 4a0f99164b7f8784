//! From a study as written to a plan as meant: every point read, everything distinct built once to see that it can be.

use crate::provenance::{Provenance, digest};
use crate::row::point_fields;
use crate::source::Source;
use crate::specification::{Scope, Specification, StudyTable, read_threads};
use crate::store::{Results, StoreError, read_all};
use crate::sweep::{Point, Sweep};
use crate::workshop::{Experiment, Routed, Workshop};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use turnwise_network::diagnostic::Diagnostic;
use turnwise_network::document::{Kind, Value, deserialize};

/// A point of a plan.
pub struct PlannedPoint {
    /// The point.
    pub point: Point,
    /// What its stored result is found by.
    pub id: String,
}

/// A study that has been understood and can be run.
pub struct Plan {
    /// The study's texts.
    pub source: Source,
    /// The study's name.
    pub name: String,
    /// Swept fields, in order.
    pub keys: Vec<String>,
    /// All points, in order.
    pub points: Vec<PlannedPoint>,
    /// Where results come from.
    pub provenance: Provenance,
    /// `[study]`.
    pub study: StudyTable,
    /// What the first point asks for; what is common to all can be read here.
    pub first: Specification,
    workshop: Workshop,
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
        match Self::read(document, &workshop, scope) {
            Ok(Meaning {
                keys,
                points,
                study,
                first,
            }) => {
                let name = study
                    .name
                    .clone()
                    .unwrap_or_else(|| default_name.to_owned());
                let provenance = Provenance::of_text(&document.canonical(), study.seed);
                Ok(Self {
                    source,
                    name,
                    keys,
                    points,
                    provenance,
                    study,
                    first,
                    workshop,
                })
            }
            Err(errors) => Err((source, errors)),
        }
    }

    fn read(
        document: &Value,
        workshop: &Workshop,
        scope: Scope,
    ) -> Result<Meaning, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let study = match document.at_path("study") {
            Some(table) => deserialize(table, &mut errors),
            None => Some(StudyTable::default()),
        };
        let threads = read_threads(document, &mut errors);
        let sweep = match Sweep::read(document) {
            Ok(sweep) => sweep,
            Err(more) => {
                errors.extend(more);
                // Without points there is still the study as it stands to be looked at.
                errors.extend(
                    Specification::read(document, scope)
                        .err()
                        .unwrap_or_default(),
                );
                return Err(distinct(errors));
            }
        };
        // Distinct documents, and what their points' names have to say of files they read.
        let mut seen: BTreeMap<u64, String> = BTreeMap::new();
        let mut points = Vec::with_capacity(sweep.len());
        let mut first = None;
        for point in sweep.iter() {
            let key = digest(point.document.canonical().as_bytes());
            // Points that differ in their repetition, or in nothing that is built, need no second look.
            let file = match seen.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => match look_at(&point, workshop, scope) {
                    Ok((specification, file)) => {
                        first = first.or(Some(specification));
                        unknown.insert(file)
                    }
                    Err(found) => {
                        errors.extend(found);
                        // Hundreds of points tend to be wrong for the same reason.
                        if errors.len() > 50 {
                            break;
                        }
                        unknown.insert(String::new())
                    }
                },
            };
            let id = format!(
                "{:032x}{file}-{}",
                point.identity(),
                env!("CARGO_PKG_VERSION")
            );
            points.push(PlannedPoint { point, id });
        }
        let keys = sweep.keys().map(str::to_owned).collect();
        match (first, study) {
            (Some(mut first), Some(study)) if errors.is_empty() => {
                first.simulation.threads = threads;
                Ok(Meaning {
                    keys,
                    points,
                    study,
                    first,
                })
            }
            _ => Err(distinct(errors)),
        }
    }

    /// The stored results of a folder, by point identity.
    ///
    /// A point may have been computed for a study that sweeps other fields, so what a row says
    /// of its point is put into this plan's terms.
    ///
    /// # Errors
    /// A store that cannot be read or is damaged.
    pub fn results(&self, folder: &Path) -> Result<Results, StoreError> {
        let mut results = read_all(folder)?;
        for planned in &self.points {
            if let Some(row) = results.get_mut(&planned.id) {
                row.0.insert(
                    "point".into(),
                    point_fields(&planned.point, self.is_repeated()).into(),
                );
            }
        }
        Ok(results)
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
        let specification =
            Specification::read(&document, Scope::Simulation).map_err(|errors| {
                errors
                    .into_iter()
                    .next()
                    .unwrap_or_else(|| Diagnostic::general("unreadable"))
            })?;
        self.workshop
            .experiment(&specification, &document, planned.point.repeat)
    }

    /// A point's network and routing.
    ///
    /// # Errors
    /// As [`experiment`](Self::experiment).
    pub fn routed(&self, planned: &PlannedPoint) -> Result<(Routed, Specification), Diagnostic> {
        let document = &planned.point.document;
        let specification = Specification::read(document, Scope::Routing).map_err(|errors| {
            errors
                .into_iter()
                .next()
                .unwrap_or_else(|| Diagnostic::general("unreadable"))
        })?;
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
        let specification = Specification::read(document, Scope::Network).map_err(|errors| {
            errors
                .into_iter()
                .next()
                .unwrap_or_else(|| Diagnostic::general("unreadable"))
        })?;
        self.workshop.network(&specification, document)
    }
}

struct Meaning {
    keys: Vec<String>,
    points: Vec<PlannedPoint>,
    study: StudyTable,
    first: Specification,
}

/// Every error once, in the order of the text; what has no place comes last.
/// Reads a point and builds everything it needs once, to see that it can be built. The text
/// names the state of the file its network is read from.
fn look_at(
    point: &Point,
    workshop: &Workshop,
    scope: Scope,
) -> Result<(Specification, String), Vec<Diagnostic>> {
    let one = |error| vec![error];
    let specification = Specification::read(&point.document, scope)?;
    let file = workshop
        .file_digest(&specification, &point.document)
        .map_err(one)?;
    build(workshop, &specification, point, scope).map_err(one)?;
    Ok((
        specification,
        file.map_or(String::new(), |digest| format!("-{digest:016x}")),
    ))
}

fn distinct(errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut distinct = Vec::new();
    for error in errors {
        if !distinct.contains(&error) {
            distinct.push(error);
        }
    }
    distinct.sort_by_key(|error| match error.span {
        Some(span) => (0, span.source, span.start),
        None => (1, 0, 0),
    });
    distinct
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
