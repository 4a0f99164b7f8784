//! What `[simulation]` asks for: how long, and what to measure.

use crate::saturation::SHORTEST_WINDOW;
use crate::workload::WorkloadSpecification;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::{Value, deserialize};
use turnwise_config::units;
use turnwise_sim::{ChannelCourse, Phases};

/// No simulation is longer than this many cycles.
pub(crate) const MOST_CYCLES: u64 = 1_000_000_000_000;

/// No interval of the course in time is longer.
const LONGEST_INTERVAL: u64 = 1_000_000;

/// Intervals of warm-up and window that can be asked for: more would be no picture any more, and take memory.
const MOST_INTERVALS: u64 = 10_000;

/// Intervals where the traffic switches and nobody has said how long they are, at most.
const USUAL_OF_SWITCHES: u64 = 400;

/// No more threads than this can be asked for.
const MOST_THREADS: u32 = 1024;

/// The `[simulation]` table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SimulationTable {
    /// Cycles before anything is recorded. A workload with an end is measured from the first cycle to the last.
    #[schemars(range(max = MOST_CYCLES), transform = units::cycles)]
    pub warmup_cycles: u64,
    /// Cycles of the measurement window; packets created in it are recorded.
    #[schemars(range(min = 1, max = MOST_CYCLES), transform = units::cycles)]
    pub measure_cycles: u64,
    /// Keep the load up until every recorded packet has arrived?
    pub drain: bool,
    /// Threads that work on the study's points, several on one if there are fewer points; all cores if not given.
    #[schemars(range(min = 1, max = MOST_THREADS))]
    pub threads: Option<u32>,
    /// The run ends here at the latest, though not inside the window; four windows after the
    /// warm-up if not given. A workload with an end runs to that unless a limit is given.
    #[schemars(range(min = 1, max = MOST_CYCLES), transform = units::cycles)]
    pub cycles_limit: Option<u64>,
    /// Also search for the highest load that the network keeps up with, to half a percent and the noise.
    pub find_saturation: bool,
    /// Keep each point's latency histogram, course in time, and figures of terminals and channels;
    /// unless said otherwise, up to a million terminals and channels.
    pub details: Option<bool>,
    /// Keep the time line of each rank of a program, and the critical path through them; the report shows them.
    pub timeline: bool,
    /// How long intervals of the course in time are at most; the largest power of two is taken. If not given, there
    /// are 50 to 100 intervals from the first cycle to the end of the window, and up to 400 where the traffic switches.
    #[schemars(range(min = 1, max = LONGEST_INTERVAL), transform = units::cycles)]
    pub interval_cycles: Option<u64>,
    /// Windows of so many cycles over which the load of channels between groups is compared: how much it swings is told in the
    /// column `herding`.
    #[schemars(range(min = 1, max = LONGEST_INTERVAL), transform = units::cycles)]
    pub herding_cycles: Option<u64>,
    /// Also keep, among the details, what each channel carries in intervals of so many cycles of the measurement
    /// window, 256 at most; the report shows it with a slider. A workload with an end has longer intervals if it needs more.
    #[schemars(range(min = 1, max = LONGEST_INTERVAL), transform = units::cycles)]
    pub channel_interval_cycles: Option<u64>,
    /// Check every routing decision and all invariants of the engine while it runs.
    pub check: bool,
}

impl Default for SimulationTable {
    fn default() -> Self {
        Self {
            warmup_cycles: 3_000,
            measure_cycles: 10_000,
            drain: true,
            threads: None,
            cycles_limit: None,
            find_saturation: false,
            details: None,
            timeline: false,
            interval_cycles: None,
            herding_cycles: None,
            channel_interval_cycles: None,
            check: false,
        }
    }
}

impl SimulationTable {
    /// When to measure what has no end.
    pub fn phases(&self) -> Phases {
        let (warmup, window) = (self.warmup_cycles, self.measure_cycles);
        Phases {
            warmup,
            measure: window,
            drain: self.drain,
            limit: self.cycles_limit.unwrap_or(warmup + 4 * window),
        }
    }

    /// How long an interval of the course in time is, if the study says so or its traffic switches.
    pub fn interval(&self, switches: bool) -> Option<u64> {
        let end = self.warmup_cycles.saturating_add(self.measure_cycles);
        let fine = || end.div_ceil(USUAL_OF_SWITCHES).next_power_of_two();
        self.interval_cycles.or_else(|| switches.then(fine))
    }

    /// The same for what has an end: everything is measured.
    pub fn phases_to_completion(&self) -> Phases {
        let limit = self.cycles_limit.unwrap_or(MOST_CYCLES);
        Phases {
            warmup: 0,
            measure: limit,
            drain: false,
            limit,
        }
    }
}

/// `simulation.threads` as written in a study. Points do not know it, because it does not
/// change their answers.
pub fn read_threads(document: &Value, errors: &mut Vec<Diagnostic>) -> Option<u32> {
    let written = document.at_path("simulation.threads")?;
    let threads: u32 = deserialize(written, errors)?;
    if (1..=MOST_THREADS).contains(&threads) {
        return Some(threads);
    }
    let message = format!("threads: expected 1 to {MOST_THREADS} threads, found {threads}");
    errors.push(Diagnostic::at(written.span, message));
    None
}

/// Are there ranks of which a time line can be kept, if one is to be?
pub(crate) fn check_timeline(
    simulation: &SimulationTable,
    workload: Option<&WorkloadSpecification>,
    document: &Value,
    errors: &mut Vec<Diagnostic>,
) {
    let has_ranks = workload.is_some_and(WorkloadSpecification::is_program);
    if simulation.timeline && !has_ranks && !is_unread(workload, document) {
        let written = document.at_path("simulation.timeline");
        let message =
            "timeline: only programs have time lines, and this study has no [workload] that is one";
        let help = "write for example kind = \"npb\" there, or remove simulation.timeline";
        let place = written.unwrap_or(document).span;
        errors.push(Diagnostic::at(place, message).with_help(help));
    }
}

/// Is there a workload that nobody knows anything of, because it is wrong in itself or nobody asks for it?
fn is_unread(workload: Option<&WorkloadSpecification>, document: &Value) -> bool {
    workload.is_none() && document.at_path("workload").is_some()
}

/// What is wrong with it, given the workload if there is one.
pub(crate) fn check(
    simulation: &SimulationTable,
    workload: Option<&WorkloadSpecification>,
    document: &Value,
    errors: &mut Vec<Diagnostic>,
) {
    let mut wrong = |field: &str, message: String| {
        let value = document.at_path(&format!("simulation.{field}"));
        let span = value
            .or(document.at_path("simulation"))
            .unwrap_or(document)
            .span;
        errors.push(Diagnostic::at(span, format!("{field}: {message}")));
    };
    if simulation.measure_cycles == 0 {
        wrong(
            "measure_cycles",
            "nothing can be measured in 0 cycles".into(),
        );
    }
    for (field, cycles) in [
        ("warmup_cycles", simulation.warmup_cycles),
        ("measure_cycles", simulation.measure_cycles),
        ("cycles_limit", simulation.cycles_limit.unwrap_or(1)),
    ] {
        if cycles > MOST_CYCLES {
            wrong(
                field,
                format!("expected at most {MOST_CYCLES} cycles, found {cycles}"),
            );
        }
    }
    let interval = simulation.interval_cycles.unwrap_or(1);
    if !(1..=LONGEST_INTERVAL).contains(&interval) {
        wrong(
            "interval_cycles",
            format!("expected 1 to {LONGEST_INTERVAL} cycles, found {interval}"),
        );
    }
    if simulation.find_saturation && workload.is_some() {
        wrong(
            "find_saturation",
            "there is no load to be raised: messages of a [workload] answer others; sweep one of its fields instead".into(),
        );
    }
    match simulation.herding_cycles {
        Some(_) if workload.is_some() => wrong(
            "herding_cycles",
            "messages of a [workload] answer others: channels are busy and idle by turns for its sake".into(),
        ),
        Some(window) if !(1..=LONGEST_INTERVAL).contains(&window) => wrong(
            "herding_cycles",
            format!("expected 1 to {LONGEST_INTERVAL} cycles, found {window}"),
        ),
        Some(window) if window > simulation.measure_cycles / 2 => wrong(
            "herding_cycles",
            format!(
                "two windows of {window} cycles do not fit into the measurement window of {}",
                simulation.measure_cycles
            ),
        ),
        _ => {}
    }
    let may_end = workload.is_some_and(WorkloadSpecification::ends);
    let ends = may_end || is_unread(workload, document);
    let least = match ends {
        true => 1,
        false => simulation
            .measure_cycles
            .div_ceil(ChannelCourse::MOST as u64),
    };
    match simulation.channel_interval_cycles {
        Some(_) if simulation.details == Some(false) => wrong(
            "channel_interval_cycles",
            "nothing is kept of channels where details = false".into(),
        ),
        Some(interval) if !(least..=LONGEST_INTERVAL).contains(&interval) => wrong(
            "channel_interval_cycles",
            format!("expected {least} to {LONGEST_INTERVAL} cycles, found {interval}"),
        ),
        _ => {}
    }
    if ends {
        if simulation.cycles_limit == Some(0) {
            wrong("cycles_limit", "nothing happens in 0 cycles".into());
        }
        return;
    }
    let warmup = simulation.warmup_cycles;
    let window_end = warmup.saturating_add(simulation.measure_cycles);
    let least = window_end.div_ceil(MOST_INTERVALS).next_power_of_two();
    if let Some(interval) = simulation.interval_cycles.filter(|&cycles| cycles < least) {
        wrong(
            "interval_cycles",
            format!(
                "warm-up and window would have more than {MOST_INTERVALS} intervals; expected at least {least} cycles, found {interval}"
            ),
        );
    }
    if simulation.find_saturation && simulation.measure_cycles < SHORTEST_WINDOW {
        wrong(
            "find_saturation",
            format!(
                "whether a network keeps up is judged in windows of {SHORTEST_WINDOW} cycles or more; measure_cycles is {}",
                simulation.measure_cycles
            ),
        );
    }
    match simulation.cycles_limit {
        Some(limit) if limit <= warmup => wrong(
            "cycles_limit",
            "the run would end before the warm-up does".into(),
        ),
        Some(limit) if limit < window_end => wrong(
            "cycles_limit",
            format!(
                "the run would end inside the measurement window; expected at least {window_end} cycles, found {limit}"
            ),
        ),
        _ => {}
    }
}
