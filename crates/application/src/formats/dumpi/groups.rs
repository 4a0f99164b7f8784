//! Groups of ranks as a rank makes them, which nobody else knows of until a communicator is made of one.

use super::communicators::Event;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The number of the group of nobody.
const EMPTY: i32 = 2;

/// By the numbers that they have at a rank.
pub(super) struct Groups(FxHashMap<i32, Arc<[u32]>>);

impl Default for Groups {
    fn default() -> Self {
        Self(FxHashMap::from_iter([(EMPTY, Arc::default())]))
    }
}

impl Groups {
    pub(super) fn of(&self, number: i32) -> Result<&Arc<[u32]>, String> {
        let group = self.0.get(&number);
        group.ok_or_else(|| format!("there is no group {number}"))
    }

    /// What a call makes, if it makes a group; of a communicator are these members.
    pub(super) fn make(
        &mut self,
        event: &Event,
        members: Option<Arc<[u32]>>,
    ) -> Result<(), String> {
        let values = &event.values;
        let group: Arc<[u32]> = match (event.name, members) {
            (_, Some(members)) => members,
            ("Group_union" | "Group_intersection" | "Group_difference", _) => {
                let (first, second) = (self.of(values[0])?, self.of(values[1])?);
                let [among_first, among_second] = [first, second].map(|group| set_of(group));
                let is_in = |other: &u32| among_second.contains(other);
                let of_first = first.iter().copied();
                match event.name {
                    "Group_intersection" => of_first.filter(is_in).collect(),
                    "Group_difference" => of_first.filter(|other| !is_in(other)).collect(),
                    _ => {
                        let others = second.iter().filter(|other| !among_first.contains(other));
                        of_first.chain(others.copied()).collect()
                    }
                }
            }
            ("Group_incl" | "Group_range_incl", _) => {
                let group = self.of(values[0])?;
                let places = places(event, group.len())?;
                places.into_iter().map(|place| group[place]).collect()
            }
            ("Group_excl" | "Group_range_excl", _) => {
                let group = self.of(values[0])?;
                let places: FxHashSet<usize> = places(event, group.len())?.into_iter().collect();
                let kept = (0..group.len()).filter(|place| !places.contains(place));
                kept.map(|place| group[place]).collect()
            }
            _ => return Ok(()),
        };
        self.0.insert(event.number(), group);
        Ok(())
    }
}

fn set_of(group: &[u32]) -> FxHashSet<u32> {
    group.iter().copied().collect()
}

/// Members of a group that are named one by one, or by first, last and step.
fn places(event: &Event, count: usize) -> Result<Vec<usize>, String> {
    let mut places = Vec::new();
    let mut add = |place: i64| match usize::try_from(place).ok().filter(|&place| place < count) {
        Some(place) => {
            places.push(place);
            Ok(())
        }
        None => Err(format!("the group has no member {place}")),
    };
    if !event.name.contains("range") {
        event.list.iter().try_for_each(|&place| add(place.into()))?;
        return Ok(places);
    }
    for range in event.list.as_chunks::<3>().0 {
        let [mut place, last, step] = range.map(i64::from);
        if step == 0 {
            return Err("a range's step is 0".to_owned());
        }
        while (step > 0 && place <= last) || (step < 0 && place >= last) {
            add(place)?;
            place += step;
        }
    }
    Ok(places)
}
