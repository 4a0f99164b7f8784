//! Searches for saturation that several points share.
//!
//! Points that differ in their load alone ask for the same search, and it takes far longer than a point. The first of them to come makes
//! it, and others that come meanwhile wait.

use crate::plan::{Plan, PlannedPoint};
use crate::saturation::Searched;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What a search depends on: the setting, the phases and the repetition.
type Key = (usize, usize, u32);

/// What has been found so far, or is being looked for.
#[derive(Default)]
pub struct Searches(Mutex<BTreeMap<Key, Arc<Mutex<Option<Searched>>>>>);

impl Searches {
    /// What a point's search finds, made unless it was made before.
    ///
    /// # Errors
    /// Those of the search, which the next one to ask makes again.
    pub(crate) fn of(
        &self,
        plan: &Plan,
        planned: &PlannedPoint,
        search: impl FnOnce() -> Result<Searched, String>,
    ) -> Result<Searched, String> {
        let index = planned.point.index;
        let key = (
            plan.setting(index),
            plan.phases(index),
            planned.point.repeat,
        );
        let place = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(key).or_default())
        };
        let mut found = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = *found {
            return Ok(found);
        }
        let searched = search()?;
        if searched != Searched::Stopped {
            *found = Some(searched);
        }
        Ok(searched)
    }
}
