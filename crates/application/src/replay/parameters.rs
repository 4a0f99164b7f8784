//! The parameters of the LogGOPS model.

use crate::task::Task;

/// What a message costs, in picoseconds and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogGops {
    /// `L`: how long a message is on its way.
    pub latency: u64,
    /// `o`: how long a processor is busy at each end.
    pub overhead: u64,
    /// `g`: how long an interface is busy with a message.
    pub gap: u64,
    /// `G`: how much longer for each byte but the first.
    pub gap_per_byte: u64,
    /// `O`: how much longer a processor is for each byte but the first.
    pub overhead_per_byte: u64,
    /// `S`: messages of more bytes wait until their receive is posted.
    pub eager: u64,
}

impl Default for LogGops {
    /// Those of LogGOPSim: a cluster with InfiniBand of 2010.
    fn default() -> Self {
        Self {
            latency: 2_500_000,
            overhead: 1_500_000,
            gap: 1_000_000,
            gap_per_byte: 6_000,
            overhead_per_byte: 0,
            eager: 65_535,
        }
    }
}

impl LogGops {
    /// What a task pays: processors are not asked where interfaces do it by themselves.
    pub(crate) fn of(&self, task: &Task) -> Self {
        match task.is_offloaded {
            false => *self,
            true => Self {
                overhead: 0,
                overhead_per_byte: 0,
                ..*self
            },
        }
    }

    /// How long the sender's processor and interface are busy.
    pub(crate) fn sending(&self, bytes: u64) -> (u64, u64) {
        let more = bytes.saturating_sub(1);
        (
            line(self.overhead, self.overhead_per_byte, more),
            line(self.gap, self.gap_per_byte, more),
        )
    }

    /// How long the receiver's processor and interface are busy. What is offloaded has a processor of its own, which that keeps.
    pub(crate) fn receiving(&self, bytes: u64) -> (u64, u64) {
        let more = bytes.saturating_sub(1);
        let per_byte = self.overhead_per_byte.max(self.gap_per_byte);
        (
            line(self.overhead, per_byte, more),
            line(self.gap, self.gap_per_byte, more),
        )
    }
}

fn line(start: u64, slope: u64, count: u64) -> u64 {
    start.saturating_add(slope.saturating_mul(count))
}
