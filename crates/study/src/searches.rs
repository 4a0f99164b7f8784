//! Searches for saturation that several points share.
//!
//! Points that differ in their load alone ask for the same search, and it takes far longer than a point. The first of them to come makes
//! it, and others that come meanwhile wait.

use crate::plan::{Plan, PlannedPoint};
use crate::saturation::Searched;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// What a search depends on: the setting, the phases and the repetition.
type Key = (usize, usize, u32);

fn key(plan: &Plan, planned: &PlannedPoint) -> Key {
    let index = planned.point.index;
    (
        plan.setting(index),
        plan.phases(index),
        planned.point.repeat,
    )
}

/// What has been found so far, or is being looked for.
#[derive(Default)]
pub struct Searches(Mutex<BTreeMap<Key, Arc<Mutex<Option<Searched>>>>>);

impl Searches {
    /// What a point's search finds, made unless it was made before, and how long another's was waited for.
    ///
    /// # Errors
    /// Those of the search, which the next one to ask makes again.
    pub(crate) fn of(
        &self,
        plan: &Plan,
        planned: &PlannedPoint,
        stopped: &dyn Fn() -> bool,
        search: impl FnOnce() -> Result<Searched, String>,
    ) -> Result<(Searched, Duration), String> {
        let place = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(key(plan, planned)).or_default())
        };
        let begin = Instant::now();
        let Some(mut found) = taken(&place, stopped) else {
            return Ok((Searched::Stopped, begin.elapsed()));
        };
        let waited = begin.elapsed();
        if let Some(found) = *found {
            return Ok((found, waited));
        }
        let searched = search()?;
        if searched != Searched::Stopped {
            *found = Some(searched);
        }
        Ok((searched, waited))
    }
}

/// How long to sleep before asking again whether another's search is over.
const NAP: Duration = Duration::from_millis(10);

/// What is locked, once it is free; `None` if that was stopped meanwhile.
fn taken<'a, T>(place: &'a Mutex<T>, stopped: &dyn Fn() -> bool) -> Option<MutexGuard<'a, T>> {
    loop {
        match place.try_lock() {
            Ok(found) => return Some(found),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if stopped() => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(NAP),
        }
    }
}

/// By setting and `[simulation]`: the points that have come so far.
#[derive(Default)]
pub(crate) struct Begun(BTreeMap<(usize, usize), u32>);

impl Begun {
    /// Is this, of points one after the other, one that searches for itself? So are as many as there are repetitions.
    pub(crate) fn begins(&mut self, plan: &Plan, index: usize) -> bool {
        let times = self.0.entry((plan.setting(index), plan.phases(index)));
        let times = times.or_default();
        *times += 1;
        *times <= plan.study.repeat
    }
}

/// Points in an order in which those that search come first, so that few wait for each other.
pub(crate) fn first(plan: &Plan, points: Vec<usize>) -> Vec<usize> {
    let mut begun = Begun::default();
    let searches =
        |index: &usize| plan.simulation(*index).find_saturation && begun.begins(plan, *index);
    let (mut first, others): (Vec<usize>, Vec<usize>) = points.into_iter().partition(searches);
    first.extend(others);
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn plan() -> Plan {
        let text = "[study]\nrepeat = 2\n[network]\nkind = 'mesh'\nsizes = [2]\n[routing]\nkind = 'dimension-order'\n[traffic]\n\
                    pattern = 'uniform'\n[simulation]\nfind_saturation = true\n[sweep]\n'router.virtual_channels' = [1, 2]\n\
                    'simulation.measure_cycles' = [500, 600]\n'traffic.load' = [0.1, 0.2, 0.3]\n";
        testing::plan(text, &[])
    }

    /// Two routers, two windows, two repetitions; loads share.
    #[test]
    fn each_search_is_made_once() {
        let (plan, searches) = (plan(), Searches::default());
        let mut made = 0;
        for _ in 0..2 {
            for index in 0..plan.len() {
                let planned = plan.point(index).unwrap();
                let search = || {
                    made += 1;
                    Ok(Searched::Unknown)
                };
                let (found, _) = searches.of(&plan, &planned, &|| false, search).unwrap();
                assert_eq!(found, Searched::Unknown);
            }
        }
        assert_eq!((plan.len(), made), (24, 8));
        let first = first(&plan, (0..plan.len()).collect());
        let mut keys: Vec<Key> = first[..8]
            .iter()
            .map(|&index| key(&plan, &plan.point(index).unwrap()))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 8);
    }

    #[test]
    fn what_did_not_end_is_made_again() {
        let (plan, searches) = (plan(), Searches::default());
        let planned = plan.point(0).unwrap();
        let of = |search: Result<Searched, String>| {
            let found = searches.of(&plan, &planned, &|| false, || search);
            found.map(|(found, _)| found)
        };
        assert_eq!(of(Err("no".to_owned())), Err("no".to_owned()));
        assert_eq!(of(Ok(Searched::Stopped)), Ok(Searched::Stopped));
        assert_eq!(of(Ok(Searched::Unknown)), Ok(Searched::Unknown));
        assert_eq!(of(Ok(Searched::Stopped)), Ok(Searched::Unknown));
    }
}
