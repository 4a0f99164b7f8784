//! A reaction point: the rate of one flow, which notifications lower and time raises again.
//!
//! Source: IEEE 802.1Qau, clause 31 and the QCN pseudo-code 2.x; that the target falls to an eighth where it is more than ten
//! times the rate, and the multiplier of hyper-active increase, are from memory of that code (reconstructed).

use super::congestion_point::jittered;
use super::model::ReactionModel;
use turnwise_network::random::Random;

/// The rate of a flow, as a share of its channel's.
#[derive(Clone, Debug)]
pub(super) struct ReactionPoint {
    rate: f64,
    target: f64,
    /// Increases since the last notification, by what was sent and by time.
    by_flits: u32,
    by_time: u32,
    /// Flits to be sent before the next increase.
    left: i64,
    /// Intervals drawn so far.
    drawn: u32,
    /// Its timer's number, which tells it from those that were set before the last notification; 0 before the first.
    pub(super) timer: u32,
}

impl ReactionPoint {
    /// A flow at full rate, about to be slowed down; its intervals are drawn from a number on.
    pub(super) fn new(drawn: u32) -> Self {
        Self {
            rate: 1.0,
            target: 1.0,
            by_flits: 0,
            by_time: 0,
            left: 0,
            drawn,
            timer: 0,
        }
    }

    /// The rate, as a share of the channel's.
    pub(super) fn rate(&self) -> f64 {
        self.rate
    }

    /// A notification has come; its timer has a number of its own, from 1 on.
    pub(super) fn slow_down(
        &mut self,
        severity: u8,
        timer: u32,
        model: &ReactionModel,
        random: impl Fn(u32) -> Random,
    ) {
        if self.by_flits > 0 || self.timer == 0 {
            self.target = self.rate;
        }
        (self.by_flits, self.by_time) = (0, 0);
        let decrease = (f64::from(severity) * model.gain).min(model.most_decrease);
        self.rate = (self.rate * (1.0 - decrease)).max(model.least_rate);
        self.left = self.draw(f64::from(model.increase_flits), &random) as i64;
        self.timer = timer;
    }

    /// Flits of the flow have left. Is it at full rate again?
    pub(super) fn sent(
        &mut self,
        flits: u16,
        model: &ReactionModel,
        random: impl Fn(u32) -> Random,
    ) -> bool {
        self.left -= i64::from(flits);
        if self.left > 0 {
            return false;
        }
        self.by_flits += 1;
        self.increase(model);
        let interval = f64::from(model.increase_flits) / self.haste(self.by_flits, model);
        self.left = self.draw(interval, &random) as i64;
        self.is_free()
    }

    /// The timer has rung. Is the flow at full rate again?
    pub(super) fn rung(&mut self, model: &ReactionModel) -> bool {
        self.by_time += 1;
        self.increase(model);
        self.is_free()
    }

    /// Cycles until the timer rings next; `None` without a timer.
    pub(super) fn next_timer(
        &mut self,
        model: &ReactionModel,
        random: impl Fn(u32) -> Random,
    ) -> Option<u64> {
        let interval = model.increase_cycles? as f64 / self.haste(self.by_time, model);
        Some(self.draw(interval, &random))
    }

    /// Intervals are halved once the rate aims higher.
    fn haste(&self, stage: u32, model: &ReactionModel) -> f64 {
        match stage >= model.fast_recoveries {
            true => 2.0,
            false => 1.0,
        }
    }

    fn draw(&mut self, interval: f64, random: &impl Fn(u32) -> Random) -> u64 {
        self.drawn = self.drawn.wrapping_add(1);
        jittered(interval, random(self.drawn))
    }

    fn is_free(&self) -> bool {
        self.rate >= 1.0
    }

    fn increase(&mut self, model: &ReactionModel) {
        let (least, most) = (
            self.by_flits.min(self.by_time),
            self.by_flits.max(self.by_time),
        );
        if most >= model.fast_recoveries {
            self.target += match model.hyper_increase {
                Some(hyper) if least >= model.fast_recoveries => {
                    hyper * f64::from(least - model.fast_recoveries + 1)
                }
                _ => model.active_increase,
            };
        }
        if (self.by_flits == 1 || self.by_time == 1) && self.target > 10.0 * self.rate {
            self.target /= 8.0;
        }
        self.target = self.target.min(1.0);
        self.rate = (self.rate + self.target) / 2.0;
        // Halving the rest would never end.
        if self.target >= 1.0 && self.rate > 0.999 {
            self.rate = 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::random::Purpose;

    const MODEL: ReactionModel = ReactionModel {
        per_source: false,
        gain: 1.0 / 128.0,
        most_decrease: 0.5,
        increase_flits: 150_000,
        increase_cycles: Some(18_750_000),
        fast_recoveries: 5,
        active_increase: 0.0005,
        hyper_increase: Some(0.005),
        least_rate: 0.0005,
    };

    fn random(number: u32) -> Random {
        Random::new(1, Purpose::Notification, 0, number)
    }

    #[test]
    fn notifications_lower_the_rate_and_five_increases_bring_it_nearly_back() {
        let mut point = ReactionPoint::new(0);
        point.slow_down(63, 1, &MODEL, random);
        assert!((point.rate - (1.0 - 63.0 / 128.0)).abs() < 1e-12);
        let mut gap = 1.0 - point.rate;
        for _ in 0..4 {
            assert!(!point.rung(&MODEL));
            gap /= 2.0;
            assert!((1.0 - point.rate - gap).abs() < 1e-12);
        }
    }

    #[test]
    fn a_second_notification_in_a_row_keeps_the_target() {
        let mut point = ReactionPoint::new(0);
        point.slow_down(32, 2, &MODEL, random);
        point.slow_down(32, 3, &MODEL, random);
        assert_eq!((point.rate, point.target), (0.75 * 0.75, 1.0));
        point.sent(u16::MAX, &MODEL, random);
        point.sent(u16::MAX, &MODEL, random);
        point.sent(u16::MAX, &MODEL, random);
        let rate = point.rate;
        assert!(rate > 0.75);
        point.slow_down(32, 4, &MODEL, random);
        assert_eq!((point.rate, point.target), (rate * 0.75, rate));
    }

    #[test]
    fn the_rate_is_never_below_the_least_and_is_whole_again_some_day() {
        let mut point = ReactionPoint::new(0);
        for _ in 0..100 {
            point.slow_down(63, 5, &MODEL, random);
        }
        assert_eq!(point.rate, MODEL.least_rate);
        let rings = (0..10_000).take_while(|_| !point.rung(&MODEL)).count();
        assert!((100..5_000).contains(&rings), "{rings}");
        assert_eq!(point.rate(), 1.0);
    }
}
