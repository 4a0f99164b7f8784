//! What a run records, in integers, and what is told of it afterwards.

use crate::channel_course::ChannelCourse;
use crate::classes::ClassMeasurement;
use crate::frames::EthernetMeasurement;
use crate::histogram::Histogram;
use crate::series::Series;
use crate::statistics::{Estimate, Trend, batch_means, correlated_means, merged, trend};
use serde::{Deserialize, Serialize};

/// Batches the measurement window is cut into; neighbours are merged later.
const BATCHES: usize = 64;
/// So many of them are one batch of the backlog's growth. What is under way at the end of a batch
/// is accepted in the next one, which is noise in short batches and evens out in long ones.
const GROWTH_BATCHES: usize = 4;

/// What one terminal sent and received in the window, in flits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalFlits {
    /// Of packets that it created.
    pub injected: u64,
    /// Of its packets that arrived, wherever that was.
    pub accepted: u64,
    /// Of packets that arrived at it.
    pub received: u64,
}

/// What a run measured in its window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    /// Length of the window in cycles; shorter than asked for if the run ended early.
    pub window: u64,
    /// Flits per living terminal and cycle of packets created in the window: exact, whether or not
    /// the packets have left their sources.
    pub injected_load: f64,
    /// Flits per living terminal and cycle that arrived in the window.
    pub accepted_load: Estimate,
    /// By how much more was injected than accepted, in flits per living terminal and cycle: the
    /// rate at which the packets under way, and waiting at their sources, became more. Not counted
    /// is the time in which a network that was empty fills: twice the network latency from cycle 0
    /// on, but three quarters of the window at most. Of infinite width if nothing arrived.
    pub backlog_growth: Estimate,
    /// Creation to the tail's arrival, in cycles.
    pub packet_latency: Estimate,
    /// How the packet latency changed through the window; `None` if too few packets can tell.
    pub latency_trend: Option<Trend>,
    /// The head's leaving its source to the tail's arrival, in cycles.
    pub network_latency: f64,
    /// Packet latencies of recorded packets.
    pub latencies: Histogram,
    /// Routers visited by a recorded packet, the last one included.
    pub mean_routers: f64,
    /// Router-to-router channels crossed by a recorded packet.
    pub mean_hops: f64,
    /// Share of recorded packets that took more channels than necessary; `None` if nobody said what is necessary.
    pub nonminimal_share: Option<f64>,
    /// Recorded packets, that is, created in the window, that were delivered.
    pub packets: u64,
    /// Recorded packets that were still under way, or waiting at their sources, at the end.
    pub undelivered: u64,
    /// The share of the window's cycles in which a flit occupied it, for every router-to-router channel. Flits count
    /// when they set out, so a slow channel may come to a little more than 1: by less than its interval.
    pub utilisation: Vec<f64>,
    /// The variance, over windows of the length asked for, of the share of cycles in which a channel between groups is occupied,
    /// in the mean over these; `None` if nobody asked, the window is shorter than two of them, or there are no such channels.
    pub herding: Option<f64>,
    /// What channels passed on over time, if that was asked for.
    pub channel_course: Option<ChannelCourse>,
    /// What every terminal sent and received in the window.
    pub terminals: Vec<TerminalFlits>,
    /// The course of warm-up and window.
    pub series: Series,
    /// Each class of traffic; empty if there is only one.
    pub classes: Vec<ClassMeasurement>,
    /// What agents have completed in the window; or, where agents send nothing, messages of several packets that were created in the
    /// window and have arrived.
    pub transactions: Transactions,
    /// What only runs of Ethernet measure.
    pub ethernet: Option<EthernetMeasurement>,
}

/// Transactions that agents completed in the window, such as requests with their replies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transactions {
    /// How many.
    pub completed: u64,
    /// Cycles from the beginning to the end of one, on average; 0 if there were none.
    pub mean_time: f64,
    /// How long they took, in cycles.
    pub times: Histogram,
}

impl Measurement {
    /// Accepted flits per cycle of every terminal that created packets in the window.
    pub fn terminal_loads(&self) -> impl Iterator<Item = f64> + '_ {
        let cycles = self.window.max(1) as f64;
        let sending = self.terminals.iter().filter(|flits| flits.injected > 0);
        sending.map(move |flits| flits.accepted as f64 / cycles)
    }

    /// Jain's index of the shares of their flits that terminals got accepted: 1 if all shares are
    /// equal, `1 / n` if one of `n` sending terminals gets everything; `None` if nothing arrived.
    ///
    /// Source: Jain, Chiu, Hawe, DEC Research Report TR-301, 1984.
    pub fn fairness(&self) -> Option<f64> {
        let sending = self.terminals.iter().filter(|flits| flits.injected > 0);
        let shares = sending.map(|flits| flits.accepted as f64 / flits.injected as f64);
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for share in shares {
            count += 1.0;
            sum += share;
            squares += share * share;
        }
        (squares > 0.0).then(|| sum * sum / (count * squares))
    }
}

/// Integer counters filled by the engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Recorder {
    start: u64,
    /// Cycles of the window.
    length: u64,
    batch_cycles: u64,
    batches: Vec<Batch>,
    terminals: Vec<TerminalFlits>,
    series: Series,
    latencies: Histogram,
    network_latency: u64,
    routers: u64,
    nonminimal: u64,
    created: u64,
    delivered: u64,
    transaction_time: u64,
    transactions: Histogram,
    /// Does the window become longer when the run does? Then cycles before this one can be recorded.
    grows: bool,
    covered: u64,
}

/// What belongs to one batch of the window.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Batch {
    /// Of packets created in it, in flits.
    created: u64,
    /// Flits that arrived in it.
    accepted: u64,
    /// Delivered packets that were created in it, and the sum of their latencies.
    packets: u64,
    latency: u64,
}

impl Batch {
    fn add(&mut self, other: &Self) {
        self.created += other.created;
        self.accepted += other.accepted;
        self.packets += other.packets;
        self.latency += other.latency;
    }
}

/// One delivered packet, as the recorder sees it.
pub(crate) struct Delivery {
    pub(crate) source: u32,
    pub(crate) destination: u32,
    pub(crate) flits: u16,
    pub(crate) created: u64,
    pub(crate) injected: u64,
    pub(crate) arrived: u64,
    pub(crate) routers: u16,
    pub(crate) nonminimal: bool,
}

impl Recorder {
    /// `interval`: how long those of the series are, if that was asked for.
    pub(crate) fn new(start: u64, measure: u64, terminals: usize, interval: Option<u64>) -> Self {
        let batches = (measure as usize).clamp(1, BATCHES);
        Self {
            start,
            length: measure,
            batch_cycles: measure.div_ceil(batches as u64).max(1),
            batches: vec![Batch::default(); batches],
            terminals: vec![TerminalFlits::default(); terminals],
            series: Series::until(start + measure, interval),
            latencies: Histogram::default(),
            network_latency: 0,
            routers: 0,
            nonminimal: 0,
            created: 0,
            delivered: 0,
            transaction_time: 0,
            transactions: Histogram::default(),
            grows: false,
            covered: 0,
        }
    }

    /// For a run that ends when everything is done, all of which is measured. Whatever is recorded must be
    /// [covered](Self::cover) before. A run that is cut off at a limit has nothing beyond it.
    pub(crate) fn to_completion(limit: u64, terminals: usize, interval: Option<u64>) -> Self {
        Self {
            series: Series::open_ended(interval),
            grows: true,
            length: limit,
            ..Self::new(0, BATCHES as u64, terminals, None)
        }
    }

    /// Two batches become one, so that twice as much time can be recorded.
    fn lengthen(&mut self) {
        let pairs = self.batches.chunks(2).map(|pair| {
            let mut both = pair[0];
            pair[1..].iter().for_each(|second| both.add(second));
            both
        });
        self.batches = pairs.collect();
        self.batches.resize(BATCHES, Batch::default());
        self.batch_cycles *= 2;
    }

    /// The cycle after the window.
    fn end(&self) -> u64 {
        self.start + self.length
    }

    #[inline]
    pub(crate) fn in_window(&self, cycle: u64) -> bool {
        cycle.wrapping_sub(self.start) < self.length
    }

    /// What began in one cycle has been completed in another.
    pub(crate) fn transaction(&mut self, since: u64, now: u64) {
        if self.in_window(now) {
            let time = now.saturating_sub(since);
            self.transaction_time += time;
            self.transactions.record(time);
        }
    }

    /// All packets of a message have arrived.
    pub(crate) fn message_delivered(&mut self, created: u64, arrived: u64) {
        if self.in_window(created) {
            self.transaction_time += arrived - created;
            self.transactions.record(arrived - created);
        }
    }

    /// The batch of a cycle; `None` outside the window.
    #[inline]
    fn batch(&mut self, cycle: u64) -> Option<&mut Batch> {
        let offset = cycle.wrapping_sub(self.start);
        match offset < self.length {
            true => self.batches.get_mut((offset / self.batch_cycles) as usize),
            false => None,
        }
    }

    /// Sees to it that a cycle can be recorded, in a window that grows.
    #[inline]
    pub(crate) fn cover(&mut self, cycle: u64) {
        if self.grows && cycle >= self.covered {
            self.series.cover(cycle);
            while cycle >= self.batch_cycles * BATCHES as u64 {
                self.lengthen();
            }
            self.covered = self.batch_cycles * BATCHES as u64;
        }
    }

    #[inline]
    pub(crate) fn flit_arrived(&mut self, cycle: u64) {
        if let Some(batch) = self.batch(cycle) {
            batch.accepted += 1;
        }
    }

    /// All flits of a packet have arrived.
    #[inline]
    pub(crate) fn flits_arrived(&mut self, cycle: u64, flits: u16) {
        if let Some(batch) = self.batch(cycle) {
            batch.accepted += u64::from(flits);
        }
    }

    #[inline]
    pub(crate) fn packet_created(&mut self, terminal: u32, cycle: u64, flits: u16) {
        self.series.created(cycle, flits);
        if let Some(batch) = self.batch(cycle) {
            batch.created += u64::from(flits);
            self.created += 1;
            self.terminals[terminal as usize].injected += u64::from(flits);
        }
    }

    /// Takes back a packet that was announced, but is created after the end.
    pub(crate) fn packet_not_created(&mut self, terminal: u32, cycle: u64, flits: u16) {
        self.series.not_created(cycle, flits);
        if let Some(batch) = self.batch(cycle) {
            batch.created -= u64::from(flits);
            self.created -= 1;
            self.terminals[terminal as usize].injected -= u64::from(flits);
        }
    }

    #[inline(always)]
    pub(crate) fn packet_delivered(&mut self, delivery: &Delivery) {
        let latency = delivery.arrived - delivery.created;
        self.series.delivered(delivery, latency);
        if self.in_window(delivery.arrived) {
            let flits = u64::from(delivery.flits);
            self.terminals[delivery.source as usize].accepted += flits;
            self.terminals[delivery.destination as usize].received += flits;
        }
        let Some(batch) = self.batch(delivery.created) else {
            return;
        };
        batch.packets += 1;
        batch.latency += latency;
        self.latencies.record(latency);
        self.network_latency += delivery.arrived - delivery.injected;
        self.routers += u64::from(delivery.routers);
        self.nonminimal += u64::from(delivery.nonminimal);
        self.delivered += 1;
    }

    /// Recorded packets created so far less those delivered; below zero where packets only arrive.
    pub(crate) fn outstanding(&self) -> i64 {
        self.created as i64 - self.delivered as i64
    }

    /// Adds what another part of the network has seen of the same run.
    pub(crate) fn add(&mut self, other: Self) {
        while self.batch_cycles < other.batch_cycles {
            self.lengthen();
        }
        let together = (self.batch_cycles / other.batch_cycles) as usize;
        for (index, theirs) in other.batches.iter().enumerate() {
            self.batches[index / together].add(theirs);
        }
        for (ours, theirs) in self.terminals.iter_mut().zip(other.terminals) {
            ours.injected += theirs.injected;
            ours.accepted += theirs.accepted;
            ours.received += theirs.received;
        }
        self.series.add(&other.series);
        self.latencies.add(other.latencies);
        self.network_latency += other.network_latency;
        self.routers += other.routers;
        self.nonminimal += other.nonminimal;
        self.created += other.created;
        self.delivered += other.delivered;
        self.transaction_time += other.transaction_time;
        self.transactions.add(other.transactions);
    }

    /// The window closes when the run does, or when it was meant to.
    pub(crate) fn finish(
        mut self,
        now: u64,
        terminals: usize,
        knows_minimal: bool,
        occupied: &[u64],
    ) -> Measurement {
        let end = now.min(self.end());
        // Where nothing happens at the end of a run, nobody has covered it, and it counts all the same.
        self.cover(end.saturating_sub(1));
        self.series.end(end);
        let window = end.saturating_sub(self.start);
        let packets = self.delivered as f64;
        let per_packet = |sum: u64| {
            if self.delivered == 0 {
                0.0
            } else {
                sum as f64 / packets
            }
        };
        // A batch and the terminals' cycles that it lasted; the last ones of a run that ended early are short.
        let batches = |flits: &dyn Fn(&Batch) -> f64| -> Vec<(f64, f64)> {
            let starts = (self.start..).step_by(self.batch_cycles as usize);
            let batches = self.batches.iter().zip(starts).map(|(batch, from)| {
                let cycles = end.min(from + self.batch_cycles).saturating_sub(from);
                (flits(batch), cycles as f64 * terminals as f64)
            });
            batches.collect()
        };
        let accepted_batches = batches(&|batch| batch.accepted as f64);
        let growth = batches(&|batch| batch.created as f64 - batch.accepted as f64);
        let filled = 2.0 * per_packet(self.network_latency) - self.start as f64;
        let filling = (filled / self.batch_cycles as f64).ceil().max(0.0) as usize;
        let filled: &[_] = match self.batches.iter().all(|batch| batch.accepted == 0) {
            true => &[],
            false => {
                // Short windows have fewer batches than there is room for.
                let measured = growth.iter().filter(|(_, cycles)| *cycles > 0.0);
                &growth[filling.min(measured.count() / 4 * 3)..]
            }
        };
        let created_flits: u64 = self.batches.iter().map(|batch| batch.created).sum();
        let terminal_cycles = (terminals as f64 * window as f64).max(1.0);
        let latency: Vec<(f64, f64)> = self
            .batches
            .iter()
            .map(|batch| (batch.latency as f64, batch.packets as f64))
            .collect();
        // What is measured from beginning to end is no sample of anything longer.
        let sampled = |batches: &[(f64, f64)]| match correlated_means(batches) {
            Estimate { mean, .. } if self.grows => Estimate {
                mean,
                half_width: f64::INFINITY,
            },
            estimate => estimate,
        };
        Measurement {
            window,
            injected_load: created_flits as f64 / terminal_cycles,
            accepted_load: sampled(&accepted_batches),
            backlog_growth: batch_means(&merged(filled, GROWTH_BATCHES)),
            latency_trend: trend(&latency),
            packet_latency: sampled(&latency),
            network_latency: per_packet(self.network_latency),
            mean_routers: per_packet(self.routers),
            mean_hops: per_packet(self.routers - self.delivered),
            nonminimal_share: knows_minimal.then(|| per_packet(self.nonminimal)),
            packets: self.delivered,
            undelivered: self.created - self.delivered,
            utilisation: occupied
                .iter()
                .map(|&cycles| cycles as f64 / window.max(1) as f64)
                .collect(),
            latencies: self.latencies.finished(),
            herding: None,
            channel_course: None,
            terminals: self.terminals,
            series: self.series,
            classes: Vec::new(),
            ethernet: None,
            transactions: Transactions {
                completed: self.transactions.count(),
                mean_time: self.transaction_time as f64 / self.transactions.count().max(1) as f64,
                times: self.transactions.finished(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packets_created_in_the_window_count() {
        let mut recorder = Recorder::new(100, 50, 2, None);
        for created in [99, 100, 149, 150] {
            recorder.packet_created(0, created, 2);
            let delivery = Delivery {
                source: 0,
                destination: 1,
                flits: 2,
                created,
                injected: created + 1,
                arrived: created + 10,
                routers: 3,
                nonminimal: false,
            };
            recorder.packet_delivered(&delivery);
            recorder.flit_arrived(created + 10);
        }
        let measured = recorder.finish(200, 2, false, &[25]);
        assert_eq!(
            (measured.packets, measured.undelivered, measured.window),
            (2, 0, 50)
        );
        assert_eq!(measured.packet_latency.mean, 10.0);
        assert_eq!(measured.mean_hops, 2.0);
        assert_eq!(measured.injected_load, 0.04);
        assert_eq!(measured.accepted_load.mean, 0.02);
        assert_eq!(measured.utilisation, [0.5]);
    }
    /// What happens seldom has covered little of a run that is cut off, and all of it counts.
    #[test]
    fn cycles_in_which_nothing_happens_count_in_a_run_that_is_cut_off() {
        let mut recorder = Recorder::to_completion(1_000_000, 2, None);
        recorder.cover(80);
        recorder.packet_created(0, 10, 8);
        for cycle in 73..=80 {
            recorder.flit_arrived(cycle);
        }
        // What is still on its way when the run ends has not arrived.
        recorder.flit_arrived(1_000_000);
        let measured = recorder.finish(1_000_000, 2, false, &[]);
        assert_eq!(measured.window, 1_000_000);
        assert_eq!(measured.injected_load, 4e-6);
        assert_eq!(measured.accepted_load.mean, 4e-6);
        assert!(measured.backlog_growth.mean.abs() < 1e-12);
        let recorded = measured.series.intervals().len() as u64;
        let interval = measured.series.interval_cycles();
        assert_eq!(recorded, 1_000_000_u64.div_ceil(interval));
    }
}
