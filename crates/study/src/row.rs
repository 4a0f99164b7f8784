//! One row of results: what `run --format json` prints, the store keeps and the report reads.

mod cell;
mod groups;
mod numbers;

pub use self::cell::Cell;
use self::groups::GROUPS;
pub use self::groups::{
    COLUMNS, ETHERNET_COLUMNS, HERDING_COLUMNS, MESSAGE_COLUMNS, PART_COLUMNS, SWITCH_COLUMNS,
    WORKLOAD_COLUMNS,
};
pub(crate) use self::groups::{Further, all_columns};
pub(crate) use self::numbers::exact;
pub use self::numbers::{exactly, figure, number, to_json};
use crate::columns::{Kind, about};
use crate::saturation::is_saturated;
use crate::settling::settling;
use crate::steadiness::is_steady;
use crate::sweep::Point;
use crate::workload::SeatedJob;
use crate::workshop::Experiment;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;
use turnwise_sim::{ClassMeasurement, Ending, Outcome, Schedule};

/// A row: where it is in the study, a cell for each of [`COLUMNS`], and what only some rows have.
///
/// Written as a JSON object; in memory it holds no names, for there may be very many rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The swept fields of its point.
    pub point: Map<String, Json>,
    /// Those of [`COLUMNS`], and then those of the further columns.
    pub(crate) cells: Box<[Cell]>,
    further: Further,
    /// What was measured of each class of traffic, an array; `None` if there is but one.
    pub classes: Option<Box<Json>>,
    /// What was measured of each job, an array; `None` where ranks are where workloads have them anyway.
    pub jobs: Option<Box<Json>>,
    /// What was proved of its routing; `None` in rows that say nothing of it.
    pub verdict: Option<Cell>,
}

/// The type of what a column holds, if it was measured.
fn type_name(column: &str) -> &'static str {
    match about(column).map(|about| about.kind) {
        Some(Kind::Flag) => "truth value",
        Some(Kind::Word) => "text",
        Some(Kind::Count | Kind::Figure) | None => "number",
    }
}

impl Row {
    /// A row that says nothing.
    pub(crate) fn nothing() -> Self {
        Self {
            point: Map::new(),
            cells: vec![Cell::Nothing; COLUMNS.len()].into(),
            further: Further::default(),
            classes: None,
            jobs: None,
            verdict: None,
        }
    }

    /// Which columns the row has after [`COLUMNS`], as a number.
    pub(crate) fn kind(&self) -> usize {
        self.further.0
    }

    /// Does it have what only traffic that switches has?
    pub(crate) fn switches(&self) -> bool {
        self.further
            .columns()
            .any(|column| SWITCH_COLUMNS.contains(column))
    }

    /// A row of these cells, of which its [kind](Self::kind) says what they are.
    pub(crate) fn unpacked(
        kind: usize,
        cells: Box<[Cell]>,
        [classes, jobs]: [Option<Box<Json>>; 2],
    ) -> Self {
        Self {
            cells,
            further: Further(kind),
            classes,
            jobs,
            ..Self::nothing()
        }
    }

    /// The row of a finished simulation; `seconds` is its wall-clock time.
    pub fn new(
        point: &Point,
        repeated: bool,
        experiment: &Experiment,
        outcome: &Outcome,
        seconds: f64,
    ) -> Self {
        let measured = &outcome.measurement;
        let quantile = |share| measured.latencies.quantile(share).into();
        let deadlocked = matches!(outcome.ending, Ending::Deadlocked(_));
        // The last flit or frame of the window may occupy its channel beyond the end.
        let busiest = measured.utilisation.iter().copied().fold(0.0, f64::max);
        let busiest = busiest.min(1.0);
        let latency = |value: f64| Cell::from((measured.packets > 0).then_some(value));
        let saturated = is_saturated(experiment, outcome);
        let terminal_load =
            |pick: fn(f64, f64) -> f64| Cell::from(measured.terminal_loads().reduce(pick));
        // The latency of a saturated run grows for as long as the run lasts, whatever the warm-up; and what is
        // measured from its first cycle to its last has none.
        let has_warm_up = matches!(experiment.schedule(), Schedule::Window(_));
        // Nor is it level where the traffic itself is not.
        let switches = experiment.demand.switches();
        let is_one = !switches.iter().any(|&at| at > experiment.phases.warmup);
        let trend = measured.latency_trend;
        let trend = trend.filter(|_| has_warm_up && is_one && saturated == Some(false));
        let cells = [
            experiment.demand.load().into(),
            measured.injected_load.into(),
            measured.accepted_load.mean.into(),
            measured.accepted_load.half_width.into(),
            latency(measured.packet_latency.mean),
            latency(measured.packet_latency.half_width),
            latency(measured.network_latency),
            quantile(0.5),
            quantile(0.99),
            quantile(0.999),
            measured.latencies.max().into(),
            latency(measured.mean_hops),
            latency(measured.mean_routers),
            measured.nonminimal_share.map(latency).into(),
            busiest.into(),
            measured.fairness().into(),
            terminal_load(f64::min),
            terminal_load(f64::max),
            trend.and_then(is_steady).into(),
            trend.map(|trend| trend.change).into(),
            saturated.into(),
            deadlocked.into(),
            ending_name(&outcome.ending).into(),
            Cell::Nothing,
            Cell::Nothing,
            measured.undelivered.into(),
            outcome.cycles.into(),
            outcome.flit_hops.into(),
            outcome.packets.into(),
            format!("{:016x}", outcome.fingerprint).as_str().into(),
            seconds.into(),
        ];
        let has_classes = !measured.classes.is_empty();
        let mut cells = Vec::from(cells);
        let mut further = Further::default();
        if experiment.demand.is_closed() {
            let transactions = &measured.transactions;
            let time = |value: f64| Cell::from((transactions.completed > 0).then_some(value));
            cells.extend([
                outcome.makespan.into(),
                transactions.completed.into(),
                time(transactions.mean_time),
                transactions.times.quantile(0.99).into(),
            ]);
            further = further.with(WORKLOAD_COLUMNS);
        }
        if experiment.demand.cutting().is_some() {
            let messages = &measured.transactions;
            let part = |share: f64| Cell::from(messages.times.quantile(share));
            cells.extend([
                messages.completed.into(),
                (messages.completed > 0)
                    .then_some(messages.mean_time)
                    .into(),
                part(0.5),
                part(0.99),
                part(0.999),
            ]);
            further = further.with(MESSAGE_COLUMNS);
        }
        if let Some(&switch) = switches.last() {
            let settled = settling(outcome, switch).filter(|_| saturated == Some(false));
            cells.extend([
                settled.and_then(|settled| settled.cycles).into(),
                settled.map(|settled| settled.latency).into(),
            ]);
            further = further.with(SWITCH_COLUMNS);
        }
        if experiment.herding.is_some() {
            cells.push(measured.herding.into());
            further = further.with(HERDING_COLUMNS);
        }
        if let Some(ethernet) = &measured.ethernet {
            cells.extend([
                ethernet.pauses.into(),
                ethernet.paused_share.into(),
                ethernet.notifications.into(),
                ethernet.absorbed.into(),
                ethernet.heeded.into(),
                u64::from(ethernet.longest_queue).into(),
                u64::from(ethernet.most_held).into(),
                ethernet.reordered_share.into(),
                ethernet.resequencing_delay.into(),
                ethernet.resequencing_flits.into(),
                ethernet.mean_resequencing_flits.into(),
            ]);
            further = further.with(ETHERNET_COLUMNS);
        }
        Self {
            point: point_fields(point, repeated),
            cells: cells.into(),
            further,
            classes: has_classes.then(|| Box::new(classes(experiment, &measured.classes))),
            jobs: jobs(experiment.demand.jobs(), outcome).map(Box::new),
            verdict: None,
        }
    }

    /// A row from its JSON object.
    ///
    /// # Errors
    /// What keeps it from being one, such as "has no `cycles`".
    pub fn from_object(mut object: Map<String, Json>) -> Result<Self, String> {
        let Some(Json::Object(point)) = object.remove("point") else {
            return Err("has no `point`".into());
        };
        let has = |columns: &&[&str]| columns.iter().any(|&column| object.contains_key(column));
        let groups = GROUPS.into_iter().filter(has);
        let further = groups.fold(Further::default(), Further::with);
        let cell = |column: &&str| {
            let value = object
                .remove(*column)
                .ok_or_else(|| format!("has no `{column}`"))?;
            let expected = type_name(column);
            let cell: Option<Cell> = serde_json::from_value(value).ok();
            let cell = cell.filter(|cell| *cell == Cell::Nothing || cell.type_name() == expected);
            cell.ok_or_else(|| format!("has something else than a {expected} for `{column}`"))
        };
        let columns = COLUMNS.iter().chain(further.columns());
        Ok(Self {
            point,
            cells: columns.map(cell).collect::<Result<_, _>>()?,
            further,
            classes: object.remove("classes").map(Box::new),
            jobs: object.remove("jobs").map(Box::new),
            verdict: None,
        })
    }

    /// The row as a JSON object.
    pub fn into_object(self) -> Map<String, Json> {
        let mut object = Map::new();
        object.insert("point".into(), self.point.into());
        let columns = COLUMNS.iter().chain(self.further.columns()).copied();
        let cells = self.cells.into_iter().map(Json::from);
        object.extend(columns.map(str::to_owned).zip(cells));
        object.extend(self.classes.map(|classes| ("classes".into(), *classes)));
        object.extend(self.jobs.map(|jobs| ("jobs".into(), *jobs)));
        object.extend(
            self.verdict
                .map(|verdict| ("verdict".into(), verdict.into())),
        );
        object
    }

    /// What is in a column of [`COLUMNS`] or of the further ones that it has, or the `verdict`; nothing in any other.
    pub fn cell(&self, column: &str) -> &Cell {
        let cell = match self.place(column) {
            Some(at) => self.cells.get(at),
            None => self.verdict.as_ref().filter(|_| column == "verdict"),
        };
        cell.unwrap_or(&Cell::Nothing)
    }

    /// What was measured of each class or job, one of [`PART_COLUMNS`]; nothing of any other column.
    pub(crate) fn parts(&self, column: &str) -> Option<&Json> {
        match column {
            "classes" => self.classes.as_deref(),
            "jobs" => self.jobs.as_deref(),
            _ => None,
        }
    }

    /// Sets a column that the row has.
    pub(crate) fn set(&mut self, column: &str, value: impl Into<Cell>) {
        if let Some(cell) = self.place(column).and_then(|at| self.cells.get_mut(at)) {
            *cell = value.into();
        }
    }

    /// Where a column is.
    fn place(&self, column: &str) -> Option<usize> {
        let mut columns = COLUMNS.iter().chain(self.further.columns());
        columns.position(|name| *name == column)
    }

    /// A figure of the row, `None` if it was not measured.
    pub fn figure(&self, column: &str) -> Option<f64> {
        match self.cell(column) {
            Cell::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    /// Is a yes-or-no column yes?
    pub fn flag(&self, column: &str) -> bool {
        *self.cell(column) == Cell::Flag(true)
    }

    /// A column of words.
    pub fn text(&self, column: &str) -> Option<&str> {
        match self.cell(column) {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Did its run end at `simulation.cycles_limit`, before all was done?
    pub fn reached_limit(&self) -> bool {
        self.text("ending") == Some("limit-reached")
    }
}

/// What was measured of each class of traffic; rows of studies without classes have no such column.
fn classes(experiment: &Experiment, measured: &[ClassMeasurement]) -> Json {
    let classes = experiment
        .class_names
        .iter()
        .zip(measured)
        .map(|(name, class)| {
            let latency = match class.packets {
                0 => Json::Null,
                _ => number(class.packet_latency),
            };
            let quantile = class.latencies.quantile(0.99);
            json!({
                "name": name,
                "injected_load": number(class.injected_load),
                "accepted_load": number(class.accepted_load),
                "mean_packet_latency": latency,
                "latency_p99": quantile.map_or(Json::Null, Json::from),
                "packets": class.packets,
                "undelivered_packets": class.undelivered,
            })
        });
    classes.collect()
}

/// What was measured of each job; nothing where there are none.
fn jobs(jobs: &[SeatedJob], outcome: &Outcome) -> Option<Json> {
    let job = |job: &SeatedJob| {
        // Ranks may share a terminal.
        let terminals: BTreeSet<_> = job.seats.terminals.iter().collect();
        let terminals = || terminals.iter().map(|at| at.index());
        let last = terminals().filter_map(|at| outcome.last_events.get(at));
        // They send only to each other, so nothing of the job is open where that adds up to nothing.
        let open = terminals().filter_map(|at| outcome.unsettled.get(at));
        let last = last.max().filter(|_| open.sum::<i64>() == 0);
        let mut fields = json!({
            "name": job.name,
            "ranks": job.seats.terminals.len(),
            "start_cycles": job.start,
            "makespan": last.map(|last| last.saturating_sub(job.start)),
        });
        if let Some(gain) = job.seats.gain {
            fields["largest_channel_bytes"] = number(gain.largest);
            fields["largest_channel_bytes_linear"] = number(gain.of_linear);
        }
        fields
    };
    (!jobs.is_empty()).then(|| jobs.iter().map(job).collect())
}

fn ending_name(ending: &Ending) -> &'static str {
    match ending {
        Ending::Completed => "completed",
        Ending::Deadlocked(_) => "deadlocked",
        Ending::Stalled(_) => "stalled",
        Ending::LimitReached => "limit-reached",
        Ending::Interrupted => "interrupted",
        Ending::Lost { .. } => "lost",
    }
}

/// The swept fields as a JSON object, with the repetition where there are several.
pub fn point_fields(point: &Point, repeated: bool) -> Map<String, Json> {
    let mut fields: Map<String, Json> = point
        .fields
        .iter()
        .map(|(name, value)| (name.clone(), to_json(value)))
        .collect();
    if repeated {
        fields.insert("repeat".into(), point.repeat.into());
    }
    fields
}
