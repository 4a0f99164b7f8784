//! What is measured for each class of traffic, where there are several.

use crate::histogram::Histogram;
use serde::{Deserialize, Serialize};

/// What a run measured of one class of traffic in its window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassMeasurement {
    /// Flits per living terminal and cycle that packets created in the window ask for.
    pub injected_load: f64,
    /// Flits per living terminal and cycle of packets whose tails arrived in the window.
    pub accepted_load: f64,
    /// Creation to the tail's arrival in cycles, on average; 0 if no recorded packet arrived.
    pub packet_latency: f64,
    /// Packet latencies of recorded packets.
    pub latencies: Histogram,
    /// Recorded packets, that is, created in the window, that were delivered.
    pub packets: u64,
    /// Recorded packets that were not delivered.
    pub undelivered: u64,
}

/// Counters of each class; none if there is only one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ClassRecorder(Vec<Counters>);

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Counters {
    created: u64,
    created_flits: u64,
    delivered: u64,
    latency: u64,
    latencies: Histogram,
    accepted_flits: u64,
}

impl ClassRecorder {
    /// For so many classes.
    pub(crate) fn new(classes: usize) -> Self {
        match classes {
            0 | 1 => Self::default(),
            several => Self(vec![Counters::default(); several]),
        }
    }

    /// Are classes told apart?
    #[inline(always)]
    pub(crate) fn is_used(&self) -> bool {
        !self.0.is_empty()
    }

    /// A packet is created in the window.
    pub(crate) fn created(&mut self, class: usize, flits: u16) {
        self.0[class].created += 1;
        self.0[class].created_flits += u64::from(flits);
    }

    /// Takes back a packet that was announced, but is created after the end.
    pub(crate) fn not_created(&mut self, class: usize, flits: u16) {
        self.0[class].created -= 1;
        self.0[class].created_flits -= u64::from(flits);
    }

    /// A packet that was created in the window is delivered.
    pub(crate) fn delivered(&mut self, class: usize, latency: u64) {
        let counters = &mut self.0[class];
        counters.delivered += 1;
        counters.latency += latency;
        counters.latencies.record(latency);
    }

    /// A packet is delivered in the window.
    pub(crate) fn accepted(&mut self, class: usize, flits: u16) {
        self.0[class].accepted_flits += u64::from(flits);
    }

    /// Adds what another part of the network has seen of the same run.
    pub(crate) fn add(&mut self, other: Self) {
        for (ours, theirs) in self.0.iter_mut().zip(other.0) {
            ours.created += theirs.created;
            ours.created_flits += theirs.created_flits;
            ours.delivered += theirs.delivered;
            ours.latency += theirs.latency;
            ours.latencies.add(theirs.latencies);
            ours.accepted_flits += theirs.accepted_flits;
        }
    }

    /// What was measured, for a window of so many cycles and so many living terminals.
    pub(crate) fn finish(self, window: u64, terminals: usize) -> Vec<ClassMeasurement> {
        let capacity = (window * terminals as u64).max(1) as f64;
        let classes = self.0.into_iter().map(|counters| ClassMeasurement {
            injected_load: counters.created_flits as f64 / capacity,
            accepted_load: counters.accepted_flits as f64 / capacity,
            packet_latency: counters.latency as f64 / counters.delivered.max(1) as f64,
            latencies: counters.latencies.finished(),
            packets: counters.delivered,
            undelivered: counters.created - counters.delivered,
        });
        classes.collect()
    }
}
