//! A congestion point: when an output queue notifies a source, and how bad it says it is.
//!
//! A queue is sampled whenever enough has joined it: `Fb = -(q - Qeq + W (q - Qold))`, where `q` is its length and `Qold` that of the
//! sample before. If that is negative, the sender of the frame that was sampled is notified. The worse it is, the sooner the next
//! sample. Sources: IEEE 802.1Qau, clause 30.2.1 and 32.8; the sampling intervals are those of the QCN pseudo-code 2.x.

use super::model::NotificationModel;
use turnwise_network::random::Random;

/// Of an eighth of all severities each: the share of the usual interval after which the next sample is taken.
const INTERVALS: [f64; 8] = [
    1.0,
    0.5,
    1.0 / 3.0,
    0.25,
    0.2,
    1.0 / 6.0,
    0.143_333,
    0.123_333,
];
/// Intervals vary by so much of themselves, at random.
const JITTER: f64 = 0.15;

/// The state of one queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CongestionPoint {
    /// Flits that have yet to join before the next sample.
    left: i64,
    /// Length at the last sample.
    old: u32,
    /// Samples taken.
    samples: u32,
}

impl CongestionPoint {
    /// A queue that is sampled for the first time after one interval.
    pub(super) fn new(model: &NotificationModel) -> Self {
        Self {
            left: model.sample_flits.into(),
            ..Self::default()
        }
    }

    /// So many flits have joined the queue, which is now of this length. If that is sampled the severity, 1 to 63 if a source is to be notified, or else 0.
    pub(super) fn joined(
        &mut self,
        flits: u16,
        length: u32,
        model: &NotificationModel,
        random: impl FnOnce(u32) -> Random,
    ) -> Option<u8> {
        self.left -= i64::from(flits);
        if self.left > 0 {
            return None;
        }
        let severity = severity(length, self.old, model);
        self.old = length;
        let interval = f64::from(model.sample_flits) * INTERVALS[usize::from(severity / 8)];
        self.left = jittered(interval, random(self.samples)) as i64;
        self.samples = self.samples.wrapping_add(1);
        Some(severity)
    }
}

/// Quantised feedback: 0 if nothing is congested.
fn severity(length: u32, old: u32, model: &NotificationModel) -> u8 {
    let [length, old, set_point] = [length, old, model.set_point].map(f64::from);
    let feedback = (length - set_point) + model.weight * (length - old);
    let most = (1.0 + 2.0 * model.weight) * set_point;
    let share = feedback.clamp(0.0, most) / most;
    // Whatever is congested at all is at least the first step.
    let step = (share * NotificationModel::STEPS).floor() as u8;
    step.max(u8::from(feedback > 0.0))
}

/// An interval with its jitter, at least 1.
pub(super) fn jittered(interval: f64, mut random: Random) -> u64 {
    let unit = random.next_u32() as f64 / f64::from(u32::MAX);
    (interval * (1.0 + JITTER * (2.0 * unit - 1.0)))
        .round()
        .max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::random::Purpose;

    fn model() -> NotificationModel {
        NotificationModel {
            set_point: 26_000,
            weight: 2.0,
            sample_flits: 150_000,
            positive_feedback: false,
            reaction: None,
        }
    }

    /// `q = floor(-Fb * 63 / ((1 + 2W) Qeq))`, by hand.
    #[test]
    fn severities_are_those_of_the_standard() {
        let model = model();
        // Below the set point and shrinking: nothing.
        assert_eq!(severity(20_000, 25_000, &model), 0);
        // -Fb = 26000 + 2 * 52000 = 130000, which is the most there is.
        assert_eq!(severity(52_000, 0, &model), 63);
        assert_eq!(severity(200_000, 0, &model), 63);
        // -Fb = 13000 + 0: a tenth of 63.
        assert_eq!(severity(39_000, 39_000, &model), 6);
        // Below the set point, but growing fast: -Fb = -1000 + 2 * 25000.
        assert_eq!(severity(25_000, 0, &model), 23);
    }

    #[test]
    fn samples_come_sooner_where_it_is_worse() {
        let model = model();
        let mean = |length: u32| {
            let mut point = CongestionPoint::new(&model);
            let (mut joined, mut samples) = (0u64, 0);
            while samples < 200 {
                joined += 1500;
                let random = |n| Random::new(1, Purpose::Notification, 0, n);
                let before = point.samples;
                point.joined(1500, length, &model, random);
                samples += u32::from(point.samples != before);
            }
            joined as f64 / 200.0
        };
        let (calm, busy) = (mean(0), mean(130_000 + 26_000));
        assert!((145_000.0..156_000.0).contains(&calm), "{calm}");
        assert!((18_000.0..21_000.0).contains(&busy), "{busy}");
    }
}
