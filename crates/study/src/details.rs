//! What a row is too small for: the latency histogram of a point, its course in time, what every
//! terminal and every channel carried, and the time line of a program.
//!
//! Details lie beside the rows in the store, are read one point at a time, and are never held in
//! memory with the rows. All figures are whole numbers, so they are kept as such, seven bits a byte
//! (LEB128): about 3 kB for a small network, 1 MB for one of 80,000 terminals.

mod coding;
pub mod jobs;
pub mod timeline;

use self::coding::{Decoder, Encoder};
use self::jobs::Jobs;
use crate::export::quoted;
use crate::journals::Clock;
use crate::row::Row;
use crate::workshop::Experiment;
use std::fmt::Write;
use turnwise_application::journal::Timeline;
use turnwise_network::{ChannelId, Network, Vc};
use turnwise_sim::{
    ChannelCourse, Ending, Interval, Measurement, Outcome, TerminalFlits, WaitingChannel,
};

/// Bins of a histogram, at most.
const MOST_BINS: usize = 200;
/// Terminals and channels whose figures are kept unless the study says otherwise.
const USUAL: usize = 1_000_000;
/// What encoded details begin with: their version.
const VERSION: u64 = 2;
/// The version of details with what few have behind them: channels over time, time lines, deadlocks.
const WITH_MORE: u64 = 4;

/// Packets whose latency lies in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The least latency of the bin, in cycles.
    pub from: u64,
    /// The largest.
    pub to: u64,
    /// How many recorded packets had a latency from one to the other.
    pub packets: u64,
}

/// Details of one point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// When the window opened, in cycles.
    pub window_start: u64,
    /// Cycles of the window.
    pub window: u64,
    /// Bins that are not empty, in ascending order.
    pub histogram: Vec<Bin>,
    /// The cycles in which the traffic switched, in ascending order.
    pub switches: Vec<u64>,
    /// Cycles of an interval.
    pub interval_cycles: u64,
    /// Warm-up and window, from cycle 0 on.
    pub intervals: Vec<Interval>,
    /// By terminal.
    pub terminals: Vec<TerminalFlits>,
    /// Cycles of the window in which flits occupied each router-to-router channel: as many as it took flits, or a
    /// multiple of that on a slow channel.
    pub channels: Vec<u64>,
    /// Flits of each channel in intervals of the window, if the study asked for these.
    pub channel_course: Option<ChannelCourse>,
    /// What the ranks of a program did, if that was asked for.
    pub timeline: Option<Timeline>,
    /// The virtual channels that waited for each other where the run deadlocked, each for the next.
    pub deadlock: Vec<WaitingChannel>,
}

/// Are the details of a point kept, if the study says nothing?
pub fn are_kept(network: &Network) -> bool {
    network.terminal_count() + network.channel_count() <= USUAL
}

/// One bin a latency as long as there are few; then ever wider ones, each by the same share.
fn bins(measured: &Measurement) -> Vec<Bin> {
    let largest = measured.latencies.max().unwrap_or(0);
    let growth = ((largest + 1) as f64).powf(1.0 / (MOST_BINS as f64 / 2.0));
    let mut bins: Vec<Bin> = Vec::new();
    let (mut from, mut to) = (0, 0);
    for (latency, packets) in measured.latencies.counts() {
        while latency > to {
            from = to + 1;
            to = ((from as f64 * growth) as u64).max(from);
        }
        match bins.last_mut().filter(|bin| bin.from == from) {
            Some(bin) => bin.packets += packets,
            None => bins.push(Bin { from, to, packets }),
        }
    }
    bins
}

impl Details {
    /// What a run measured, and what it ended with.
    pub fn new(experiment: &Experiment, outcome: &Outcome) -> Self {
        let measured = &outcome.measurement;
        // As in the row, no channel is used for more than the window.
        let cycles = |share: &f64| (share.min(1.0) * measured.window as f64).round() as u64;
        Self {
            window_start: experiment.phases.warmup,
            window: measured.window,
            histogram: bins(measured),
            switches: experiment.demand.switches().to_vec(),
            interval_cycles: measured.series.interval_cycles(),
            intervals: measured.series.intervals().to_vec(),
            terminals: measured.terminals.clone(),
            channels: measured.utilisation.iter().map(cycles).collect(),
            channel_course: measured.channel_course.clone(),
            timeline: None,
            deadlock: match &outcome.ending {
                Ending::Deadlocked(waiting) => waiting.clone(),
                _ => Vec::new(),
            },
        }
    }

    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder(Vec::new());
        let has_more =
            self.channel_course.is_some() || self.timeline.is_some() || !self.deadlock.is_empty();
        let version = if has_more { WITH_MORE } else { VERSION };
        out.all([
            version,
            self.window_start,
            self.window,
            self.interval_cycles,
        ]);
        out.all([self.histogram.len() as u64]);
        for bin in &self.histogram {
            out.all([bin.from, bin.to - bin.from, bin.packets]);
        }
        out.all([self.switches.len() as u64]);
        out.all(self.switches.iter().copied());
        out.all([self.intervals.len() as u64]);
        for at in &self.intervals {
            out.all([at.injected_flits, at.accepted_flits]);
            out.all([at.arrived_packets, at.arrived_latency]);
            out.all([at.packets, at.latency, at.nonminimal]);
        }
        out.all([self.terminals.len() as u64]);
        for flits in &self.terminals {
            out.all([flits.injected, flits.accepted, flits.received].map(u64::from));
        }
        out.all([self.channels.len() as u64]);
        out.all(self.channels.iter().copied());
        if version == WITH_MORE {
            out.all([u64::from(self.channel_course.is_some())]);
        }
        if let Some(course) = &self.channel_course {
            out.all([course.from, course.interval, course.flits.len() as u64]);
            for flits in &course.flits {
                out.all([flits.len() as u64]);
                out.all(flits.iter().copied().map(u64::from));
            }
        }
        if version == WITH_MORE {
            out.all([u64::from(self.timeline.is_some())]);
        }
        if let Some(timeline) = &self.timeline {
            timeline::encode(timeline, &mut out);
        }
        if version == WITH_MORE {
            out.all([self.deadlock.len() as u64]);
            for at in &self.deadlock {
                out.all([u64::from(at.channel.0), at.vc.into()]);
            }
        }
        out.0
    }

    /// From bytes; `None` if they are damaged or of another version.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut input = Decoder(bytes);
        let version = input.number()?;
        if ![VERSION, WITH_MORE].contains(&version) {
            return None;
        }
        let (window_start, window, interval_cycles) =
            (input.number()?, input.number()?, input.number()?);
        let histogram = input.list(|input| {
            let (from, width, packets) = (input.number()?, input.number()?, input.number()?);
            let to = from.checked_add(width)?;
            Some(Bin { from, to, packets })
        })?;
        let switches = input.list(Decoder::number)?;
        let intervals = input.list(|input| {
            Some(Interval {
                injected_flits: input.number()?,
                accepted_flits: input.number()?,
                arrived_packets: input.number()?,
                arrived_latency: input.number()?,
                packets: input.number()?,
                latency: input.number()?,
                nonminimal: input.number()?,
            })
        })?;
        let terminals = input.list(|input| {
            Some(TerminalFlits {
                injected: input.number()?,
                accepted: input.number()?,
                received: input.number()?,
            })
        })?;
        let channels = input.list(Decoder::number)?;
        let has_next = |input: &mut Decoder<'_>| match version {
            WITH_MORE => Some(input.number()? != 0),
            _ => Some(false),
        };
        let channel_course = match has_next(&mut input)? {
            true => Some(ChannelCourse {
                from: input.number()?,
                interval: input.number()?,
                flits: input
                    .list(|input| input.list(|input| u32::try_from(input.number()?).ok()))?,
            }),
            false => None,
        };
        let timeline = match has_next(&mut input)? {
            true => Some(timeline::decode(&mut input)?),
            false => None,
        };
        let deadlock = match version {
            WITH_MORE => input.list(|input| {
                Some(WaitingChannel {
                    channel: ChannelId(u32::try_from(input.number()?).ok()?),
                    vc: Vc::try_from(input.number()?).ok()?,
                })
            })?,
            _ => Vec::new(),
        };
        input.0.is_empty().then_some(Self {
            window_start,
            window,
            histogram,
            switches,
            interval_cycles,
            intervals,
            terminals,
            channels,
            channel_course,
            timeline,
            deadlock,
        })
    }

    /// Whatever [`files`](Self::files) may be called.
    pub const FILES: [&str; 7] = [
        "histogram.csv",
        "time.csv",
        "terminals.csv",
        "channels.csv",
        "ranks.csv",
        "critical-path.csv",
        "deadlock.csv",
    ];

    /// Files for other programs: name and content. `network` and `row` are the point's own.
    ///
    /// All names are among [`FILES`](Self::FILES).
    pub fn files(&self, network: &Network, row: &Row) -> Vec<(&'static str, String)> {
        let mut files = Vec::new();
        // Where no details were wanted there may still be a time line.
        if !self.terminals.is_empty() {
            files.extend([
                ("histogram.csv", self.histogram_csv()),
                ("time.csv", self.time_csv(row.figure("cycles"))),
                ("terminals.csv", self.terminals_csv(network)),
                ("channels.csv", self.channels_csv(network)),
            ]);
        }
        if let Some(timeline) = &self.timeline {
            let (jobs, clock) = (Jobs::of(row), Clock::CYCLES);
            let ranks = timeline::ranks_csv(timeline, &jobs, clock);
            files.push(("ranks.csv", ranks));
            let path = timeline::path_csv(timeline, &jobs, clock);
            files.push(("critical-path.csv", path));
        }
        if !self.deadlock.is_empty() {
            files.push(("deadlock.csv", self.deadlock_csv(network)));
        }
        debug_assert!(files.iter().all(|(name, _)| Self::FILES.contains(name)));
        files
    }

    fn deadlock_csv(&self, network: &Network) -> String {
        let mut text = String::from("channel,name,vc\n");
        for &WaitingChannel { channel, vc } in &self.deadlock {
            let name = quoted(&network.channel_label(channel));
            let _ = writeln!(text, "{channel},{name},{vc}");
        }
        text
    }

    fn histogram_csv(&self) -> String {
        let mut text = String::from("latency_from,latency_to,packets\n");
        for Bin { from, to, packets } in &self.histogram {
            let _ = writeln!(text, "{from},{to},{packets}");
        }
        text
    }

    /// `cycles` are those of the whole run.
    fn time_csv(&self, cycles: Option<f64>) -> String {
        let mut text = String::from(
            "cycle_from,cycle_to,phase,in_window,injected_flits,accepted_flits,packets,mean_packet_latency,nonminimal_packets,\
             arrived_packets,mean_arrived_latency\n",
        );
        let end = self.window_start + self.window;
        // The last interval is filled as long as the run goes on, which may be less long than the interval.
        let recorded = cycles.map_or(end, |cycles| end.max(cycles as u64));
        let mean = |sum: u64, packets: u64| match packets {
            0 => String::new(),
            packets => format!("{:.3}", sum as f64 / packets as f64),
        };
        for (index, at) in self.intervals.iter().enumerate() {
            let from = index as u64 * self.interval_cycles;
            let to = (from + self.interval_cycles).min(recorded).max(from + 1) - 1;
            let _ = writeln!(
                text,
                "{from},{to},{},{},{},{},{},{},{},{},{}",
                self.phase(from, to),
                from >= self.window_start && to < end,
                at.injected_flits,
                at.accepted_flits,
                at.packets,
                mean(at.latency, at.packets),
                at.nonminimal,
                at.arrived_packets,
                mean(at.arrived_latency, at.arrived_packets)
            );
        }
        text
    }

    /// The phase of the traffic that most of these cycles belong to, the earlier one of two with as many.
    fn phase(&self, from: u64, to: u64) -> usize {
        let before = |cycle| self.switches.partition_point(|&switch| switch <= cycle);
        let cycles = |phase: &usize| {
            let begins = phase.checked_sub(1).map_or(0, |last| self.switches[last]);
            let next = self.switches.get(*phase).copied();
            next.unwrap_or(u64::MAX).min(to + 1) - begins.max(from)
        };
        // Of equals the last one is taken.
        let phases = (before(from)..=before(to)).rev();
        phases.max_by_key(cycles).unwrap_or(0)
    }

    fn terminals_csv(&self, network: &Network) -> String {
        let mut text = String::from("terminal,router,injected_load,accepted_load,received_load\n");
        for (terminal, flits) in network.terminals().zip(&self.terminals) {
            let router = quoted(&network.router_label(network.router_of(terminal)));
            let loads = [flits.injected, flits.accepted, flits.received];
            let [injected, accepted, received] = loads.map(|flits| self.load(flits));
            let _ = writeln!(text, "{terminal},{router},{injected},{accepted},{received}");
        }
        text
    }

    fn channels_csv(&self, network: &Network) -> String {
        let mut text = String::from("channel,source_router,destination_router,flits,utilisation\n");
        for ((id, channel), &occupied) in network.channels().zip(&self.channels) {
            let flits = occupied / u64::from(channel.interval);
            let Some((a, b)) = network.ends(id) else {
                continue;
            };
            let [a, b] = [a, b].map(|router| quoted(&network.router_label(router)));
            let _ = writeln!(text, "{id},{a},{b},{flits},{}", self.load(occupied));
        }
        text
    }

    fn load(&self, flits: u64) -> String {
        let load = flits as f64 / self.window.max(1) as f64;
        format!("{load:.6}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_application::journal::{Line, Pair, Stretch};
    use turnwise_sim::Histogram;

    fn example() -> Details {
        Details {
            window_start: 3_000,
            window: 1 << 40,
            histogram: vec![
                Bin {
                    from: 17,
                    to: 17,
                    packets: 3,
                },
                Bin {
                    from: 200,
                    to: 210,
                    packets: u64::MAX,
                },
            ],
            switches: vec![5_000, 1 << 39],
            interval_cycles: 256,
            intervals: vec![
                Interval {
                    injected_flits: 300,
                    packets: 7,
                    ..Interval::default()
                };
                3
            ],
            terminals: vec![
                TerminalFlits {
                    injected: u64::MAX,
                    accepted: 0,
                    received: 128
                };
                2
            ],
            channels: vec![0, 127, 128, 1 << 35],
            channel_course: None,
            timeline: None,
            deadlock: Vec::new(),
        }
    }

    /// The same with what waited for what.
    fn deadlocked(details: Details) -> Details {
        let waiting = |(channel, vc)| WaitingChannel {
            channel: ChannelId(channel),
            vc,
        };
        Details {
            deadlock: [(3, 0), (u32::MAX, 31)].map(waiting).to_vec(),
            ..details
        }
    }

    /// The same with channels over time.
    fn over_time(details: Details) -> Details {
        let course = ChannelCourse {
            from: 3_000,
            interval: 64,
            flits: vec![vec![0, 1, u32::MAX], vec![], vec![7; 3]],
        };
        Details {
            channel_course: Some(course),
            ..details
        }
    }

    /// The same of a program.
    fn of_program() -> Details {
        let line = |rank, ranks| Line {
            rank,
            ranks,
            columns: vec![[1, 2, 0, 1 << 30, 5]; 4],
            critical: 9,
        };
        let stretch = |peer| Stretch {
            from: 3,
            to: 1 << 33,
            rank: 7,
            peer,
            bytes: 12,
            steps: 2,
            kinds: [1, 2, 3, 4, 5, 6],
        };
        let timeline = Timeline {
            end: 1 << 40,
            column: 300,
            lines: vec![line(0, 1), line(3, 1)],
            others: Some(line(1, 2)),
            path: vec![stretch(None), stretch(Some(0))],
            steps: 4,
            pairs: vec![Pair {
                from: 1,
                to: 2,
                steps: 3,
                time: 4,
            }],
            awaited: vec![(2, 1 << 50)],
        };
        Details {
            timeline: Some(timeline),
            ..example()
        }
    }

    #[test]
    fn details_survive_as_bytes_and_damage_is_seen() {
        let all = [
            example(),
            of_program(),
            over_time(example()),
            over_time(of_program()),
            deadlocked(over_time(example())),
            deadlocked(example()),
        ];
        for details in all {
            let bytes = details.encode();
            assert_eq!(Details::decode(&bytes), Some(details));
            for length in 0..bytes.len() {
                assert_eq!(Details::decode(&bytes[..length]), None, "{length}");
            }
            assert_eq!(Details::decode(&[&bytes[..], &[0]].concat()), None);
        }
        assert_eq!(Details::decode(&[0xff; 30]), None);
    }

    /// The cycles of each line, its phase and whether it lies in the window.
    fn lines(details: &Details, cycles: u64) -> Vec<String> {
        let text = details.time_csv(Some(cycles as f64));
        let lines = text.lines().skip(1);
        let words = |line: &str| line.split(',').take(4).collect::<Vec<_>>().join(" ");
        lines.map(words).collect()
    }

    /// The window of 26 cycles ends within an interval, which is told to end with what was recorded in it.
    #[test]
    fn lines_of_time_end_with_what_they_count() {
        let details = Details {
            window_start: 24,
            window: 26,
            interval_cycles: 16,
            intervals: vec![Interval::default(); 4],
            ..Details::default()
        };
        let first = ["0 15 0 false", "16 31 0 false", "32 47 0 true"];
        for (cycles, last) in [
            (50, "48 49 0 true"),
            (53, "48 52 0 false"),
            (64, "48 63 0 false"),
            (900, "48 63 0 false"),
            // It came to a halt, and counted nothing later.
            (20, "48 49 0 true"),
        ] {
            let lines = lines(&details, cycles);
            assert_eq!(lines[..3], first, "{cycles}");
            assert_eq!(lines[3..], [last], "{cycles}");
        }
    }

    #[test]
    fn a_line_of_time_has_the_phase_of_most_of_its_cycles() {
        let phases = |switches: &[u64]| -> Vec<String> {
            let details = Details {
                window: 64,
                interval_cycles: 16,
                intervals: vec![Interval::default(); 4],
                switches: switches.to_vec(),
                ..Details::default()
            };
            let lines = lines(&details, 64);
            let phase = |line: &String| line.split(' ').nth(2).unwrap().to_owned();
            lines.iter().map(phase).collect()
        };
        assert_eq!(phases(&[]), ["0", "0", "0", "0"]);
        assert_eq!(phases(&[16]), ["0", "1", "1", "1"]);
        assert_eq!(phases(&[21]), ["0", "1", "1", "1"], "11 of 16 cycles");
        assert_eq!(phases(&[24]), ["0", "0", "1", "1"], "8 of 16 cycles");
        assert_eq!(phases(&[27]), ["0", "0", "1", "1"], "5 of 16 cycles");
        assert_eq!(phases(&[18, 20, 30, 40]), ["0", "2", "3", "4"]);
    }

    #[test]
    fn histograms_are_short_and_lose_no_packet() {
        for largest in [0, 1, 30, 5_000, 1 << 30] {
            let mut latencies = Histogram::default();
            for step in 0..=1_000 {
                latencies.record(largest * step / 1_000);
            }
            let measured = Measurement {
                latencies,
                ..Measurement::default()
            };
            let bins = bins(&measured);
            assert!(bins.len() <= MOST_BINS, "{largest}: {}", bins.len());
            assert_eq!(bins.iter().map(|bin| bin.packets).sum::<u64>(), 1_001);
            assert!(bins.iter().all(|bin| bin.from <= bin.to));
            assert!(bins.windows(2).all(|pair| pair[0].to < pair[1].from));
            assert!(bins.last().unwrap().to >= largest);
        }
    }
}
