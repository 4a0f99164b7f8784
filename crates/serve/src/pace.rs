//! How often something is made anew.

use std::time::{Duration, Instant};

/// Once a second at most, and for half a per cent of the time: whoever else works on this machine must not feel it.
const LEAST: Duration = Duration::from_secs(1);
const SHARE: u32 = 200;
/// Of answers that are ready: for one per cent of the time, but nobody waits for longer than this.
const SHARE_OF_ANSWERS: u32 = 100;
const LONGEST_REST: Duration = Duration::from_millis(500);

/// For how long to rest after an answer that took so long.
pub(crate) fn rest(took: Duration) -> Duration {
    (took * SHARE_OF_ANSWERS).min(LONGEST_REST)
}

/// Something that takes work to make, and may be a little old.
pub struct Pace<T> {
    last: Option<(T, Instant)>,
}

impl<T> Default for Pace<T> {
    fn default() -> Self {
        Self { last: None }
    }
}

impl<T> Pace<T> {
    /// What there is and would not be made anew at this time.
    pub fn fresh(&self, now: Instant) -> Option<&T> {
        let last = self.last.as_ref().filter(|(_, until)| now < *until);
        last.map(|(made, _)| made)
    }

    /// What there is, made anew by `make` if it is time to; `clock` tells the time.
    ///
    /// # Errors
    /// As `make`.
    pub fn get<E>(
        &mut self,
        clock: &dyn Fn() -> Instant,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<&T, E> {
        let start = clock();
        if self.fresh(start).is_none() {
            let made = make()?;
            let end = clock();
            let rest = end.saturating_duration_since(start) * SHARE;
            self.last = Some((made, end + rest.max(LEAST)));
        }
        match &self.last {
            Some((made, _)) => Ok(made),
            None => unreachable!("it was made above"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// The seconds at which something that takes so many milliseconds is made, if it is asked for every 100 ms.
    fn made(takes: u64, until: u64) -> Vec<u64> {
        let start = Instant::now();
        let now = Cell::new(0);
        let clock = || start + Duration::from_millis(now.get());
        let mut pace = Pace::default();
        let mut times = Vec::new();
        while now.get() < until {
            let make = || {
                times.push(now.get());
                now.set(now.get() + takes);
                Ok::<u64, ()>(now.get())
            };
            pace.get(&clock, make).unwrap();
            now.set(now.get() + 100);
        }
        times
    }

    #[test]
    fn what_is_quick_is_made_once_a_second() {
        assert_eq!(made(0, 3_500), [0, 1_000, 2_000, 3_000]);
    }

    #[test]
    fn what_is_slow_is_made_for_half_a_per_cent_of_the_time() {
        assert_eq!(made(200, 85_000), [0, 40_200, 80_400]);
    }

    #[test]
    fn what_is_fresh_is_what_one_gets() {
        let start = Instant::now();
        let mut pace = Pace::default();
        assert_eq!(pace.fresh(start), None);
        assert_eq!(pace.get(&|| start, || Ok::<_, ()>(7)), Ok(&7));
        assert_eq!(pace.fresh(start + LEAST / 2), Some(&7));
        assert_eq!(pace.fresh(start + LEAST), None);
    }

    #[test]
    fn answers_are_followed_by_a_rest() {
        let rests = [0, 1, 100].map(|took| rest(Duration::from_millis(took)).as_millis());
        assert_eq!(rests, [0, 100, 500]);
    }

    #[test]
    fn what_failed_is_tried_again() {
        let mut pace = Pace::default();
        let clock = Instant::now;
        assert_eq!(pace.get(&clock, || Err::<u8, _>("no")), Err("no"));
        assert_eq!(pace.get(&clock, || Ok::<_, &str>(7)), Ok(&7));
        assert_eq!(
            pace.get(&clock, || Err("no")),
            Ok(&7),
            "seven is new enough"
        );
    }
}
