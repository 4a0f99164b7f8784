//! `[ethernet]` as written, and the switches and adapters that it means; whether they fit what else a point has is told by
//! `switches`.
//!
//! Standards speak of bytes, times and rates, so what is not said is known in these: a study with `[ethernet]` says what a cycle
//! and a flit are.

use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::{Kind, Table, Value};
use turnwise_config::units::{self, Measure};
use turnwise_network::Vc;
use turnwise_sim::{EthernetModel, NotificationModel, ReactionModel};
use turnwise_workload::FLIT_BYTES;

/// The `[ethernet]` table: switches of lossless Ethernet in the place of routers. What is not said is as the standards have it,
/// on links of any rate.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EthernetTable {
    /// Priorities that have queues and pauses of their own; as many as the routing has virtual channels if not given. The standard has
    /// eight; routings that need more can be studied.
    #[schemars(range(min = 1, max = EthernetModel::MOST_PRIORITIES))]
    pub priorities: Option<u8>,
    /// Cycles from a frame's arrival at a switch to its being in an output queue; 500 ns if not given.
    #[schemars(range(max = EthernetModel::MOST_DELAY), transform = units::cycles)]
    pub switch_delay: Option<u32>,
    /// What a switch can hold of one priority of what comes by one port, in flits; 128 KiB if not given.
    #[schemars(range(min = 1, max = EthernetModel::MOST_BUFFER_FLITS), transform = units::flits)]
    pub buffer_flits: Option<u32>,
    /// The sender is paused when more flits than these are held; if not given, when there is just room for what may still come.
    #[schemars(range(max = EthernetModel::MOST_BUFFER_FLITS), transform = units::flits)]
    pub pause_above_flits: Option<u32>,
    /// It may go on when no more flits than these are held; if not given, two of the longest frames less.
    #[schemars(range(max = EthernetModel::MOST_BUFFER_FLITS), transform = units::flits)]
    pub resume_at_flits: Option<u32>,
    /// Length of pause frames and of notifications, in flits; 64 B if not given.
    #[schemars(range(min = 1), transform = units::flits)]
    pub control_flits: Option<u16>,
    /// What receivers do with a frame that comes before one that was sent earlier.
    pub early_frames: EarlyFrames,
    /// Do output queues that grow too long notify the sources of what makes them grow (802.1Qau)? If not given: if the routing takes
    /// notice of it.
    pub notifications: Option<bool>,
    /// When queues notify, and what sources do about it.
    pub congestion: CongestionTable,
    /// Nanoseconds of a cycle; as `study.clock` says if not given.
    #[schemars(range(min = 0.000_001))]
    pub cycle_ns: Option<f64>,
    /// Bytes of a flit; as `study.flit_size` says if not given.
    #[schemars(range(min = 1), transform = units::bytes)]
    pub flit_bytes: Option<u32>,
}

/// Bytes of the frames that programs send, if they do not say otherwise.
const FRAME_BYTES: u64 = 1500;

/// A workload whose programs send frames of the usual length, where they say nothing of `host.packet_flits`.
pub(crate) fn with_frames(workload: &Value) -> Value {
    let mut workload = workload.clone();
    frame(&mut workload);
    let jobs = workload.table_mut().and_then(|table| table.get_mut("jobs"));
    if let Some(Kind::Array(jobs)) = jobs.map(|jobs| &mut jobs.kind) {
        jobs.iter_mut().for_each(frame);
    }
    workload
}

fn frame(program: &mut Value) {
    let span = program.span;
    let counted = program.at_path(FLIT_BYTES).map(|bytes| &bytes.kind);
    let Some(&Kind::Integer(flit_bytes @ 1..)) = counted else {
        return;
    };
    let flits = FRAME_BYTES.div_ceil(flit_bytes.unsigned_abs()) as i64;
    let Some(table) = program.table_mut() else {
        return;
    };
    if table.get("host").is_none() {
        let kind = Kind::Table(Table::default());
        table.insert("host", Value { kind, span });
    }
    let host = table.get_mut("host").and_then(Value::table_mut);
    if let Some(host) = host.filter(|host| host.get("packet_flits").is_none()) {
        let kind = Kind::Integer(flits);
        host.insert("packet_flits", Value { kind, span });
    }
}

/// What receivers do with a frame that comes too early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EarlyFrames {
    /// They hold it back until those before it have come.
    #[default]
    Hold,
    /// They take it up at once, and place it where it belongs (RDMA).
    Place,
}

/// What a source slows down when it is notified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateLimits {
    /// What it sends to the destination of the frame that was sampled.
    #[default]
    Flow,
    /// All that it sends.
    Source,
}

/// `[ethernet.congestion]`: the constants of 802.1Qau, by default those of its management objects.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CongestionTable {
    /// The length that output queues should have, in flits; 26,000 B if not given.
    #[schemars(range(min = 1, max = EthernetModel::MOST_BUFFER_FLITS), transform = units::flits)]
    pub set_point_flits: Option<u32>,
    /// What the growth of a queue counts for, beside its length.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub weight: f64,
    /// Flits that join a queue between two samples where nothing is congested; 150,000 B if not given.
    #[schemars(range(min = 1, max = EthernetModel::MOST_BUFFER_FLITS), transform = units::flits)]
    pub sample_flits: Option<u32>,
    /// Does a queue that was congested send another notification to a flow that it had notified, once it is not congested any more? Switches
    /// forget then what they had noted, and need not wait for a time to pass.
    pub positive_feedback: bool,
    /// Do sources slow down?
    pub rate_limiting: bool,
    /// What a source slows down when it is notified.
    pub rate_limits: RateLimits,
    /// By how much of itself a rate decreases for each of 63 steps of severity.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gain: f64,
    /// By how much of itself at most.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub most_decrease: f64,
    /// Flits of a flow sent between two increases of its rate; 150,000 B if not given.
    #[schemars(range(min = 1, max = EthernetModel::MOST_BUFFER_FLITS), transform = units::flits)]
    pub increase_flits: Option<u32>,
    /// Cycles between two increases; 15 ms if not given.
    #[schemars(range(min = 1), transform = units::cycles)]
    pub increase_cycles: Option<u64>,
    /// Do rates increase with time, too?
    pub timer: bool,
    /// The number of the increase, of either kind, with which a rate begins to aim higher than it was: the threshold of the standard.
    pub fast_recoveries: u32,
    /// By how much it aims higher then, in flits per cycle; 5 Mb/s if not given.
    #[schemars(range(min = 0.0, max = 1.0), transform = units::load)]
    pub active_increase: Option<f64>,
    /// By how much, and ever more, when both kinds have come so far; 50 Mb/s if not given.
    #[schemars(range(min = 0.0, max = 1.0), transform = units::load)]
    pub hyper_increase: Option<f64>,
    /// Does it aim ever higher?
    pub hyper: bool,
    /// The lowest rate of a flow, in flits per cycle; 5 Mb/s if not given.
    #[schemars(range(min = 0.0, max = 1.0), transform = units::load)]
    pub least_rate: Option<f64>,
}

impl Default for CongestionTable {
    fn default() -> Self {
        Self {
            set_point_flits: None,
            weight: 2.0,
            sample_flits: None,
            positive_feedback: false,
            rate_limiting: true,
            rate_limits: RateLimits::Flow,
            gain: 1.0 / 128.0,
            most_decrease: 0.5,
            increase_flits: None,
            increase_cycles: None,
            timer: true,
            fast_recoveries: 5,
            active_increase: None,
            hyper_increase: None,
            hyper: true,
            least_rate: None,
        }
    }
}

impl EthernetTable {
    /// Switches and adapters, for a routing that needs so many virtual channels and takes notice of notifications or not.
    ///
    /// # Errors
    /// What is missing or makes no sense, on a field of the table.
    pub fn model(
        &self,
        needed: Vc,
        snoops: bool,
        longest_frame: u16,
    ) -> Result<EthernetModel, Invalid> {
        let measure = self.measure()?;
        let priorities = self.priorities.unwrap_or(needed.max(1));
        if priorities < needed {
            let message = format!(
                "the routing needs {needed} virtual channels, a priority for each; found {priorities}"
            );
            return Err(Invalid::new("priorities", message));
        }
        if snoops && self.notifications == Some(false) {
            let message = "the routing takes notice of notifications, and nobody sends any";
            let help = "leave `notifications` out, or choose a routing that does without";
            return Err(Invalid::new("notifications", message).with_help(help));
        }
        let notifies = self.notifications.unwrap_or(snoops);
        // What is written has to make sense, whether or not this point heeds it; what is not makes sense with these units.
        let congestion = CongestionTable {
            rate_limiting: true,
            hyper: true,
            ..self.congestion.clone()
        };
        let usual = Measure {
            cycle_ns: 1.0,
            flit_bytes: 1.0,
        };
        let checked = congestion.model(usual).check();
        checked.map_err(|(field, message)| Invalid::new(field_of(field), message))?;
        Ok(EthernetModel {
            priorities,
            switch_delay: self.switch_delay.unwrap_or(measure.cycles(500.0) as u32),
            buffer_flits: self.buffer_flits.unwrap_or(measure.flits(131_072.0)),
            pause_above: self.pause_above_flits,
            resume_at: self.resume_at_flits,
            control_flits: self.control_flits.unwrap_or(measure.flits(64.0) as u16),
            longest_frame,
            in_order: self.early_frames == EarlyFrames::Hold,
            notifications: notifies.then(|| self.congestion.model(measure)),
        })
    }

    /// What a cycle and a flit are.
    ///
    /// # Errors
    /// If that is not said, or makes no sense.
    pub(crate) fn measure(&self) -> Result<Measure, Invalid> {
        let missing = |field: &str, words: &str, example: &str| {
            let message = format!("Ethernet counts {words}");
            let table = "if the study has no table [ethernet], write an empty one";
            Invalid::new(field, message).with_help(format!("say {example}; {table}"))
        };
        let cycle_ns = self.cycle_ns.ok_or_else(|| {
            missing(
                "cycle_ns",
                "time, not cycles",
                "study.clock = \"1.25 GHz\", for bytes at 10 Gb/s",
            )
        })?;
        let flit_bytes = self.flit_bytes.ok_or_else(|| {
            missing(
                "flit_bytes",
                "bytes, not flits",
                "study.flit_size = \"1 B\", for example",
            )
        })?;
        if !(0.000_001..=1e9).contains(&cycle_ns) {
            let message = format!("expected 0.000001 to 10^9 ns, found {cycle_ns}");
            return Err(Invalid::new("cycle_ns", message));
        }
        if !(1..=1 << 20).contains(&flit_bytes) {
            let message = format!("expected 1 to 1048576 bytes, found {flit_bytes}");
            return Err(Invalid::new("flit_bytes", message));
        }
        Ok(Measure {
            cycle_ns,
            flit_bytes: flit_bytes.into(),
        })
    }
}

impl CongestionTable {
    fn model(&self, measure: Measure) -> NotificationModel {
        let share = |given: Option<f64>, usual: f64| given.unwrap_or(measure.share(usual));
        let cycles = self.increase_cycles.unwrap_or(measure.cycles(15e6));
        let reaction = self.rate_limiting.then(|| ReactionModel {
            per_source: self.rate_limits == RateLimits::Source,
            gain: self.gain,
            most_decrease: self.most_decrease,
            increase_flits: self.increase_flits.unwrap_or(measure.flits(150e3)),
            increase_cycles: self.timer.then_some(cycles.max(1)),
            fast_recoveries: self.fast_recoveries,
            active_increase: share(self.active_increase, 5.0),
            hyper_increase: self.hyper.then(|| share(self.hyper_increase, 50.0)),
            least_rate: share(self.least_rate, 5.0),
        });
        NotificationModel {
            set_point: self.set_point_flits.unwrap_or(measure.flits(26e3)),
            weight: self.weight,
            sample_flits: self.sample_flits.unwrap_or(measure.flits(150e3)),
            positive_feedback: self.positive_feedback,
            reaction,
        }
    }
}

/// The field of the table that a complaint of the model is about.
pub(crate) fn field_of(name: &str) -> String {
    const OF_CONGESTION: [&str; 9] = [
        "set_point_flits",
        "weight",
        "sample_flits",
        "gain",
        "most_decrease",
        "increase_flits",
        "active_increase",
        "hyper_increase",
        "least_rate",
    ];
    match OF_CONGESTION.contains(&name) {
        true => format!("congestion.{name}"),
        false => name.to_owned(),
    }
}

/// Refuses priorities that there cannot be: routings are told of them before there are switches.
pub(crate) fn check_priorities(
    table: &EthernetTable,
    document: &Value,
    errors: &mut Vec<Diagnostic>,
) {
    let most = EthernetModel::MOST_PRIORITIES;
    let wrong = table.priorities.filter(|all| !(1..=most).contains(all));
    if let (Some(all), Some(table)) = (wrong, document.at_path("ethernet")) {
        let message = format!("expected 1 to {most}, found {all}");
        errors.push(Invalid::new("priorities", message).locate(table));
    }
}

/// What does not go together with Ethernet, whatever the network.
pub(crate) fn check(document: &Value, errors: &mut Vec<Diagnostic>) {
    let Some(root) = document.table() else { return };
    if let (Some((router, _)), Some(_)) = (root.entry("router"), root.get("ethernet")) {
        let message = "a study has [router], whose routers pass on flits, or [ethernet], whose switches pass on frames";
        let help = "remove one of the two; priorities of Ethernet are [ethernet] priorities";
        errors.push(Diagnostic::at(router.span, message).with_help(help));
    }
}
