//! What a run records, in integers, and what is told of it afterwards.

use crate::statistics::{Estimate, batch_means};

/// Batches the measurement window is cut into; merged later if they turn out correlated.
const BATCHES: usize = 64;

/// Exact counts of integer latencies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    beyond: Vec<u64>,
    total: u64,
}

impl Histogram {
    /// Latencies below this are counted in an array, the rest kept one by one.
    const DENSE: u64 = 1 << 16;

    /// Adds one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.total += 1;
        if value < self.counts.len() as u64 {
            self.counts[value as usize] += 1;
        } else if value < Self::DENSE {
            self.counts
                .resize((value as usize + 1).next_power_of_two(), 0);
            self.counts[value as usize] += 1;
        } else {
            self.beyond.push(value);
        }
    }

    /// Adds all values of another one.
    pub fn add(&mut self, other: Self) {
        self.total += other.total;
        self.beyond.extend(other.beyond);
        // In an order that does not depend on who counted what.
        self.beyond.sort_unstable();
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (ours, theirs) in self.counts.iter_mut().zip(other.counts) {
            *ours += theirs;
        }
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The smallest value that at least this share of all values does not exceed; `None` if there are none.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let rank = ((self.total as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        for (value, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Some(value as u64);
            }
        }
        let mut beyond = self.beyond.clone();
        beyond.sort_unstable();
        beyond
            .get((rank - seen) as usize - 1)
            .or(beyond.last())
            .copied()
    }

    /// The largest value.
    pub fn max(&self) -> Option<u64> {
        let dense = self
            .counts
            .iter()
            .rposition(|&count| count > 0)
            .map(|value| value as u64);
        self.beyond.iter().copied().max().or(dense)
    }
}

/// What a run measured in its window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    /// Length of the window in cycles; shorter than asked for if the run ended early.
    pub window: u64,
    /// Flits per living terminal and cycle that packets created in the window ask for.
    pub offered_load: f64,
    /// Flits per living terminal and cycle that arrived in the window.
    pub accepted_load: Estimate,
    /// Creation to the tail's arrival, in cycles.
    pub packet_latency: Estimate,
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
    /// Flits per cycle of the window, for every router-to-router channel.
    pub utilisation: Vec<f64>,
}

/// Integer counters filled by the engine.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    start: u64,
    end: u64,
    batch_cycles: u64,
    latency_batches: Vec<(u64, u64)>,
    accepted_batches: Vec<u64>,
    latencies: Histogram,
    network_latency: u64,
    routers: u64,
    nonminimal: u64,
    created_flits: u64,
    created: u64,
    delivered: u64,
}

/// One delivered packet, as the recorder sees it.
pub(crate) struct Delivery {
    pub(crate) created: u64,
    pub(crate) injected: u64,
    pub(crate) arrived: u64,
    pub(crate) routers: u16,
    pub(crate) nonminimal: bool,
}

impl Recorder {
    pub(crate) fn new(start: u64, measure: u64) -> Self {
        let batches = (measure as usize).clamp(1, BATCHES);
        Self {
            start,
            end: start + measure,
            batch_cycles: measure.div_ceil(batches as u64).max(1),
            latency_batches: vec![(0, 0); batches],
            accepted_batches: vec![0; batches],
            latencies: Histogram::default(),
            network_latency: 0,
            routers: 0,
            nonminimal: 0,
            created_flits: 0,
            created: 0,
            delivered: 0,
        }
    }

    #[inline]
    pub(crate) fn in_window(&self, cycle: u64) -> bool {
        cycle >= self.start && cycle < self.end
    }

    #[inline]
    fn batch(&self, cycle: u64) -> usize {
        ((cycle - self.start) / self.batch_cycles) as usize
    }

    #[inline]
    pub(crate) fn flit_arrived(&mut self, cycle: u64) {
        if self.in_window(cycle) {
            let batch = self.batch(cycle);
            self.accepted_batches[batch] += 1;
        }
    }

    #[inline]
    pub(crate) fn packet_created(&mut self, cycle: u64, flits: u16) {
        if self.in_window(cycle) {
            self.created += 1;
            self.created_flits += u64::from(flits);
        }
    }

    /// Takes back a packet that was announced, but is created after the end.
    pub(crate) fn packet_not_created(&mut self, cycle: u64, flits: u16) {
        if self.in_window(cycle) {
            self.created -= 1;
            self.created_flits -= u64::from(flits);
        }
    }

    #[inline]
    pub(crate) fn packet_delivered(&mut self, delivery: &Delivery) {
        if !self.in_window(delivery.created) {
            return;
        }
        let latency = delivery.arrived - delivery.created;
        let batch = self.batch(delivery.created);
        self.latency_batches[batch].0 += latency;
        self.latency_batches[batch].1 += 1;
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
        let pairs = self.latency_batches.iter_mut().zip(other.latency_batches);
        pairs.for_each(|(ours, theirs)| *ours = (ours.0 + theirs.0, ours.1 + theirs.1));
        let pairs = self.accepted_batches.iter_mut().zip(other.accepted_batches);
        pairs.for_each(|(ours, theirs)| *ours += theirs);
        self.latencies.add(other.latencies);
        self.network_latency += other.network_latency;
        self.routers += other.routers;
        self.nonminimal += other.nonminimal;
        self.created_flits += other.created_flits;
        self.created += other.created;
        self.delivered += other.delivered;
    }

    /// The window closes when the run does, or when it was meant to.
    pub(crate) fn finish(
        self,
        now: u64,
        terminals: usize,
        knows_minimal: bool,
        channel_flits: &[u32],
    ) -> Measurement {
        let window = now.min(self.end).saturating_sub(self.start);
        let packets = self.delivered as f64;
        let per_packet = |sum: u64| {
            if self.delivered == 0 {
                0.0
            } else {
                sum as f64 / packets
            }
        };
        let per_terminal = |flits: f64, cycles: f64| match terminals as f64 * cycles {
            0.0 => 0.0,
            capacity => flits / capacity,
        };
        let batches = self
            .accepted_batches
            .iter()
            .enumerate()
            .map(|(index, &flits)| {
                let from = self.start + index as u64 * self.batch_cycles;
                let cycles = now
                    .min(self.end)
                    .min(from + self.batch_cycles)
                    .saturating_sub(from);
                (flits as f64, cycles as f64 * terminals as f64)
            });
        let latency: Vec<(f64, f64)> = self
            .latency_batches
            .iter()
            .map(|&(sum, count)| (sum as f64, count as f64))
            .collect();
        Measurement {
            window,
            offered_load: per_terminal(self.created_flits as f64, window as f64),
            accepted_load: batch_means(&batches.collect::<Vec<_>>()),
            packet_latency: batch_means(&latency),
            network_latency: per_packet(self.network_latency),
            mean_routers: per_packet(self.routers),
            mean_hops: per_packet(self.routers - self.delivered),
            nonminimal_share: knows_minimal.then(|| per_packet(self.nonminimal)),
            packets: self.delivered,
            undelivered: self.created - self.delivered,
            utilisation: channel_flits
                .iter()
                .map(|&flits| f64::from(flits) / window.max(1) as f64)
                .collect(),
            latencies: self.latencies,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_exact() {
        let mut histogram = Histogram::default();
        assert_eq!((histogram.quantile(0.5), histogram.max()), (None, None));
        for value in 1..=1000 {
            histogram.record(value);
        }
        assert_eq!(histogram.quantile(0.5), Some(500));
        assert_eq!(histogram.quantile(0.99), Some(990));
        assert_eq!(histogram.quantile(0.999), Some(999));
        assert_eq!(histogram.max(), Some(1000));
        histogram.record(1 << 40);
        assert_eq!(
            (histogram.quantile(1.0), histogram.max()),
            (Some(1 << 40), Some(1 << 40))
        );
    }

    #[test]
    fn only_packets_created_in_the_window_count() {
        let mut recorder = Recorder::new(100, 50);
        for created in [99, 100, 149, 150] {
            recorder.packet_created(created, 2);
            let delivery = Delivery {
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
        assert_eq!(measured.offered_load, 0.04);
        assert_eq!(measured.accepted_load.mean, 0.02);
        assert_eq!(measured.utilisation, [0.5]);
    }
}
