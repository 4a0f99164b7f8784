//! Herding: how much the load of global channels swings from window to window.
//!
//! Where routers go by old news of queues, all of them choose the same empty channel, and leave it together when they
//! hear that it is full. Each channel is then busy and idle by turns, which its mean utilisation does not show. So
//! the measurement window is cut into windows of equal length, and what is told is the variance, over windows, of the share of
//! cycles in which a channel is occupied, in the mean over all channels between groups.
//!
//! A channel that is always as busy has 0, however much busier than others it is; one that is idle in every second window
//! and full in the others 1/4. Chance alone makes about `s u / W` of packets of `s` flits that occupy a share `u` of windows of `W`
//! cycles.
//!
//! Source: Mitzenmacher, "How useful is old information?", IEEE TPDS 11(1), 2000, which calls it so.
//!
//! Complexity: nothing in a cycle, O(channels) a window, for nothing is counted but what is counted anyway: how
//! many flits each channel has passed on.

use crate::model::Phases;
use turnwise_network::{ChannelClass, Network};

/// Sums over windows.
pub(crate) struct Herding {
    window: u64,
    from: u64,
    to: u64,
    /// The global channels, and how many cycles a flit occupies each for.
    channels: Vec<(usize, u32)>,
    /// Flits that each had passed on when the last window ended.
    before: Vec<u32>,
    windows: u64,
    sums: Vec<u64>,
    squares: Vec<u128>,
}

impl Herding {
    /// In windows of so many cycles, as many as fit into the measurement window.
    pub(crate) fn new(network: &Network, phases: &Phases, window: u64) -> Self {
        let channels = network.channels();
        let global = channels.filter(|(_, channel)| channel.class == ChannelClass::Global);
        let channels: Vec<(usize, u32)> = global
            .map(|(id, channel)| (id.index(), channel.interval))
            .collect();
        Self {
            window: window.max(1),
            from: phases.warmup,
            to: phases.warmup.saturating_add(phases.measure),
            before: vec![0; channels.len()],
            windows: 0,
            sums: vec![0; channels.len()],
            squares: vec![0; channels.len()],
            channels,
        }
    }

    /// The first cycle after this one in which a window begins or ends, if there is one.
    pub(crate) fn next(&self, now: u64) -> Option<u64> {
        let next = match now.checked_sub(self.from) {
            None => self.from,
            Some(since) => now + self.window - since % self.window,
        };
        (next <= self.to).then_some(next)
    }

    /// It is a cycle in which something may begin or end; `passed` says how many flits each channel has passed on.
    pub(crate) fn look(&mut self, now: u64, passed: impl FnOnce() -> Vec<u32>) {
        let Some(since) = now.checked_sub(self.from) else {
            return;
        };
        let ended = since / self.window;
        if !since.is_multiple_of(self.window) || now > self.to || ended < self.windows {
            return;
        }
        let passed = passed();
        for (place, &(channel, _)) in self.channels.iter().enumerate() {
            let flits = passed[channel].wrapping_sub(self.before[place]);
            self.before[place] = passed[channel];
            if ended > self.windows {
                self.sums[place] += u64::from(flits);
                self.squares[place] += u128::from(flits) * u128::from(flits);
            }
        }
        self.windows = ended;
    }

    /// The figure; `None` of fewer than two windows, or of no channel between groups.
    pub(crate) fn finish(self) -> Option<f64> {
        if self.windows < 2 || self.channels.is_empty() {
            return None;
        }
        let (windows, cycles) = (u128::from(self.windows), self.window as f64);
        let sums = self.sums.iter().zip(&self.squares).zip(&self.channels);
        let variances = sums.map(|((&sum, &squares), &(_, interval))| {
            let sum = u128::from(sum);
            let spread = windows * squares - sum * sum;
            let flits = spread as f64 / (windows * (windows - 1)) as f64;
            let share = f64::from(interval) / cycles;
            flits * share * share
        });
        Some(variances.sum::<f64>() / self.channels.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::topologies::{Dragonfly, Topology};

    const PHASES: Phases = Phases {
        warmup: 100,
        measure: 45,
        drain: false,
        limit: 1_000,
    };

    fn network() -> Network {
        Dragonfly {
            groups: 2,
            routers_per_group: 1,
            ..Dragonfly::default()
        }
        .build(None)
        .unwrap()
    }

    /// The figure of a network whose every channel passes on so many flits in each cycle.
    fn of(flits: impl Fn(u64) -> u32) -> Option<f64> {
        let network = network();
        let mut herding = Herding::new(&network, &PHASES, 10);
        let (mut now, mut passed) = (0, 0);
        while now < 200 {
            herding.look(now, || vec![passed; network.channel_count()]);
            let next = herding.next(now).unwrap_or(200);
            passed += (now..next).map(&flits).sum::<u32>();
            now = next;
        }
        herding.finish()
    }

    #[test]
    fn what_is_always_the_same_does_not_swing() {
        assert_eq!(of(|_| 0), Some(0.0));
        assert_eq!(of(|_| 1), Some(0.0));
    }

    /// Four windows of ten cycles fit: full, idle, full, idle. The sample variance of 1, 0, 1, 0 is 1/3.
    #[test]
    fn who_is_full_and_idle_by_turns_swings_most() {
        let found = of(|cycle| u32::from(cycle < 100 || cycle / 10 % 2 == 0));
        assert!((found.unwrap() - 1.0 / 3.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn a_look_in_between_changes_nothing() {
        let network = network();
        let mut herding = Herding::new(&network, &PHASES, 20);
        for now in [0, 100, 100, 103, 120, 120, 131, 140, 140, 150] {
            let flits = if now < 120 { 0 } else { 10 };
            herding.look(now, || vec![flits; network.channel_count()]);
        }
        // Shares of 1/2 and 0: a variance of 1/8.
        assert!((herding.finish().unwrap() - 0.125).abs() < 1e-12);
    }

    #[test]
    fn one_window_says_nothing() {
        let herding = Herding::new(&network(), &PHASES, 30);
        assert_eq!((herding.next(0), herding.next(100)), (Some(100), Some(130)));
        assert_eq!(herding.next(130), None);
        assert_eq!(herding.finish(), None);
    }
}
