//! What a report says, as plain values.
//!
//! Everything here is public data, nearly without behaviour: whoever ran the study fills it
//! in, and the rest of the module only turns it into text. A figure that was not
//! measured is `f64::NAN`; it is printed as a dash and left out of charts.

use super::beside::Units;
use super::detailed::PointDetails;
use super::jobs::Jobs;
use super::transients::Transient;

/// One report: everything the page and the stand-alone plots are made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Heading of the page.
    pub title: String,
    /// One or two sentences below the heading; may be empty.
    pub description: String,
    /// Fingerprint of the results, shown beside the heading; may be empty.
    pub fingerprint: String,
    /// The most important sentences, best first; up to five read well.
    pub summary: Vec<String>,
    /// The (network, routing) pairs that were verified and measured against bounds.
    pub combinations: Vec<Combination>,
    /// Groups of load-latency curves, one group per network and traffic pattern.
    pub panels: Vec<Panel>,
    /// What curves did where the traffic switched.
    pub transients: Vec<Transient>,
    /// Which loads these are, where that is not all; may be empty.
    pub transients_note: String,
    /// Single points beyond their rows.
    pub details: Vec<PointDetails>,
    /// Which points these are, in a sentence or two; may be empty.
    pub details_note: String,
    /// Jobs that ran side by side.
    pub jobs: Vec<Jobs>,
    /// What else there is to say of them; may be empty.
    pub jobs_note: String,
    /// The full results, one row per point.
    pub table: Table,
    /// File name of the study, such as `propagation-ratio.toml`.
    pub study_name: String,
    /// The study file, word for word.
    pub study_text: String,
    /// Where the numbers come from: (name, value), shown in this order.
    pub provenance: Vec<(String, String)>,
    /// What went wrong, one sentence each; shown before anything else.
    pub failures: Vec<String>,
    /// What is allowed and probably not meant, one sentence each.
    pub advice: Vec<String>,
    /// Set if the study still runs and the page is served, so that it can ask for news.
    pub live: Option<Live>,
}

/// A page of something that is not finished.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Live {
    /// What the page shows, in a word; another one if there is more to be shown.
    pub state: String,
    /// How far it is, for people.
    pub words: String,
}

/// One routing on one network: proof, quality and picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Combination {
    /// Short name of the network, such as `dragonfly 33x8x4`.
    pub network: String,
    /// One line about the network; may be empty.
    pub network_description: String,
    /// Name of the routing, with its parameters where they matter.
    pub routing: String,
    /// Size of the network.
    pub facts: Facts,
    /// What the verifier found.
    pub verdict: Verdict,
    /// Further findings of the verifier, one sentence each.
    pub notes: Vec<String>,
    /// Static quality of the routes.
    pub quality: Option<Quality>,
    /// The network coloured by the load of its channels.
    pub picture: Option<Picture>,
}

/// Size of a network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Number of routers.
    pub routers: u64,
    /// Number of terminals.
    pub terminals: u64,
    /// Number of directed channels between routers.
    pub channels: u64,
    /// Channels of the longest route that the routing may take; `None` when unknown.
    pub longest_route: Option<u32>,
}

/// What the verifier found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Verdict {
    /// The dependency graph has a numbering along which every dependency increases.
    DeadlockFree {
        /// Numbered (channel, virtual channel) pairs.
        vertices: u64,
        /// Dependencies the numbering was checked against.
        dependencies: u64,
    },
    /// The dependency graph has a cycle.
    Cyclic {
        /// The cycle, one dependency per line.
        cycle: Vec<String>,
    },
    /// Some pairs of terminals have no route.
    Unreachable {
        /// Number of ordered pairs without a route.
        pairs: u64,
        /// Some of them, one per line.
        examples: Vec<String>,
    },
    /// Nothing was verified.
    #[default]
    NotVerified,
}

/// Static quality of a set of routes, beside what is provably possible.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quality {
    /// Largest number of routes over one channel.
    pub edge_forwarding_index: f64,
    /// Are channels not all as fast, so that a route counts as many times as its channel is slower than the fastest?
    pub weighs_speeds: bool,
    /// No routing can have a smaller index than this; NaN when no bound is known.
    pub lower_bound: f64,
    /// How the bound was obtained, such as `bisection cut` or `LP`; may be empty.
    pub lower_bound_source: String,
    /// Mean load of a channel.
    pub mean_load: f64,
    /// Least load of a channel.
    pub min_load: f64,
    /// Standard deviation of the loads.
    pub deviation: f64,
    /// (router-to-router channels of the route, number of ordered pairs).
    pub path_lengths: Vec<(u32, u64)>,
    /// Load of every channel, in any order.
    pub channel_loads: Vec<f64>,
}

/// A drawing of a network; build positions with [`super::layout::arrange`].
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// What the load is, such as `routes per channel` or `utilisation`.
    pub load_name: String,
    /// Unit of the load, such as `routes` or `flits/cycle`; may be empty.
    pub load_unit: String,
    /// One sentence under the picture; may be empty.
    pub caption: String,
    /// Width of the drawing over its height.
    pub aspect: f64,
    /// Links between different groups are drawn as curves towards the centre.
    pub bundled: bool,
    /// The routers, by router number.
    pub routers: Vec<PictureRouter>,
    /// The links between routers.
    pub links: Vec<PictureLink>,
    /// Their loads over time, if these were recorded.
    pub moments: Option<Moments>,
}

/// Loads of links over time, in intervals that are all as long.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moments {
    /// The cycle in which the first interval begins.
    pub from: u64,
    /// Cycles of an interval.
    pub cycles: u64,
    /// By interval and by link of the picture: forward, and backward (NaN for one-way links).
    pub loads: Vec<Vec<(f64, f64)>>,
}

impl Default for Picture {
    /// An empty square.
    fn default() -> Self {
        Self {
            load_name: String::new(),
            load_unit: String::new(),
            caption: String::new(),
            aspect: 1.0,
            bundled: false,
            routers: Vec::new(),
            links: Vec::new(),
            moments: None,
        }
    }
}

/// A router in a [`Picture`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PictureRouter {
    /// From 0 (left) to 1 (right).
    pub x: f64,
    /// From 0 (top) to 1 (bottom).
    pub y: f64,
    /// Name of the router, such as `(3, 1)` or `g4 r2`.
    pub label: String,
    /// Group for tinting, and for drawing groups instead of routers in large networks.
    pub group: Option<u32>,
}

/// A link in a [`Picture`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PictureLink {
    /// One end, as an index of [`Picture::routers`].
    pub a: u32,
    /// The other end.
    pub b: u32,
    /// Load of the channel from `a` to `b`.
    pub forward: f64,
    /// Load of the channel from `b` to `a`; NaN for a one-way link.
    pub backward: f64,
    /// Classes of these two channels, such as `local`, `global`, or `+x` there and `-x` back; may be empty.
    pub classes: [String; 2],
}

/// The load-latency curves of one network under one traffic pattern.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    /// Such as `dragonfly 33x8x4 - uniform`.
    pub title: String,
    /// One sentence about what is compared; may be empty.
    pub note: String,
    /// What the curves are drawn against.
    pub across: Across,
    /// What a cycle and a load of 1 are in other units.
    pub units: Units,
    /// The curves; the same label has the same colour on every panel.
    pub series: Vec<Series>,
}

/// What curves are drawn against.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Across {
    /// The offered load in flits per terminal and cycle.
    #[default]
    Load,
    /// A field with numbers.
    Numbers {
        /// The field's name.
        name: String,
        /// Do the values span decades?
        logarithmic: bool,
    },
    /// A field with other values; [`LoadPoint::x`] is an index of these.
    Names {
        /// The field's name.
        name: String,
        /// Its values, in order.
        values: Vec<String>,
    },
    /// Nothing: every curve is one point, and there is no load.
    Nothing,
}

impl Across {
    /// What the axis is called in a sentence.
    pub fn name(&self) -> &str {
        match self {
            Self::Load => "load",
            Self::Nothing => "",
            Self::Numbers { name, .. } | Self::Names { name, .. } => name,
        }
    }
}

impl Panel {
    /// Was a workload measured, whose load nobody asks for?
    pub fn is_workload(&self) -> bool {
        let points = self.series.iter().flat_map(|series| &series.points);
        let mut figures = points.flat_map(|point| [point.makespan, point.transaction_time]);
        figures.any(f64::is_finite)
    }

    /// Is there one load, or none, and nothing else to draw against it?
    pub fn is_single(&self) -> bool {
        if self.across == Across::Nothing {
            return true;
        }
        let mut loads = self.series.iter().flat_map(|series| &series.points);
        let first = loads.next().map(|point| point.x);
        self.across == Across::Load && loads.all(|point| Some(point.x) == first)
    }
}

/// The curve of one configuration of which one field was swept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Such as `valiant` or `weighted-adaptive, bias 0.1`.
    pub label: String,
    /// The points, in any order.
    pub points: Vec<LoadPoint>,
    /// The highest load that is still accepted, if it was searched for.
    pub saturation_load: Option<f64>,
}

/// One simulated point of a [`Series`].
#[derive(Debug, Clone, PartialEq)]
pub struct LoadPoint {
    /// Place on the axis of [`Panel::across`]; the offered load for most.
    pub x: f64,
    /// Offered load in flits per terminal and cycle.
    pub offered_load: f64,
    /// What sources created, in flits per terminal and cycle: the offered load but for chance.
    pub injected_load: f64,
    /// Accepted load in flits per terminal and cycle.
    pub accepted_load: f64,
    /// Half-width of the 95 % confidence interval of the accepted load.
    pub accepted_half_width: f64,
    /// Mean packet latency in cycles.
    pub mean_latency: f64,
    /// Half-width of the 95 % confidence interval of the mean latency.
    pub latency_half_width: f64,
    /// Median packet latency.
    pub latency_p50: f64,
    /// 99th percentile of the packet latency.
    pub latency_p99: f64,
    /// 99.9th percentile of the packet latency.
    pub latency_p999: f64,
    /// Mean latency of messages of several packets, in cycles, if there are any.
    pub message_latency: f64,
    /// 99th percentile of the same.
    pub message_latency_p99: f64,
    /// Mean number of router-to-router channels of a packet.
    pub mean_hops: f64,
    /// The highest load that is still accepted, if it was searched for.
    pub saturation_load: f64,
    /// Cycles until everything was done, of a workload with an end.
    pub makespan: f64,
    /// Mean time of a transaction of a workload, in cycles.
    pub transaction_time: f64,
    /// 99th percentile of the same.
    pub transaction_time_p99: f64,
    /// The network could not keep up with the offered load.
    pub saturated: bool,
    /// Whether it could keep up is not known: the window was too short to tell.
    pub untold: bool,
    /// The run ended in a deadlock.
    pub deadlocked: bool,
}

impl Default for LoadPoint {
    /// A point of which nothing is known.
    fn default() -> Self {
        Self {
            x: f64::NAN,
            offered_load: f64::NAN,
            injected_load: f64::NAN,
            accepted_load: f64::NAN,
            accepted_half_width: f64::NAN,
            mean_latency: f64::NAN,
            latency_half_width: f64::NAN,
            latency_p50: f64::NAN,
            latency_p99: f64::NAN,
            latency_p999: f64::NAN,
            message_latency: f64::NAN,
            message_latency_p99: f64::NAN,
            mean_hops: f64::NAN,
            saturation_load: f64::NAN,
            makespan: f64::NAN,
            transaction_time: f64::NAN,
            transaction_time_p99: f64::NAN,
            saturated: false,
            untold: false,
            deadlocked: false,
        }
    }
}

/// A table of text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// What the columns hold.
    pub columns: Vec<TableColumn>,
    /// How many of these, from the first on, say what was asked; the others say what was found.
    pub swept: usize,
    /// The rows; short rows are filled with empty cells.
    pub rows: Vec<Vec<String>>,
    /// How many more rows there are, which are in the CSV export only.
    pub left_out: usize,
}

impl Table {
    /// A page of more rows than this is slow to open and large to keep.
    pub const MOST_ROWS: usize = 20_000;
}

/// A column of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name, as in the CSV export.
    pub name: String,
    /// The unit of its figures; empty for words and for mere numbers.
    pub unit: String,
    /// What it says, in a line; may be empty.
    pub meaning: String,
}

impl From<&str> for TableColumn {
    fn from(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }
}
