//! What of the runs of other simulators every test run repeats, always the same. All of them take minutes, and `make soak` has the time.

use std::collections::BTreeMap;

/// Of families of points one in so many.
pub(crate) struct OneIn {
    pub(crate) below_saturation: usize,
    /// Where a point takes longest.
    pub(crate) beyond: usize,
}

/// Of one family in so many the point with the highest load below saturation, and of one in so many the one with the highest load beyond
/// it; all of them, in their order, if `TURNWISE_SOAK_REFERENCES` is set. What a family is called comes with whether the point is beyond.
pub(crate) fn sampled<Point>(
    points: Vec<Point>,
    one_in: &OneIn,
    family: impl Fn(&Point) -> (String, bool),
    load: impl Fn(&Point) -> f64,
) -> Vec<Point> {
    if std::env::var_os("TURNWISE_SOAK_REFERENCES").is_some() {
        return points;
    }
    let mut highest: BTreeMap<(String, bool), usize> = BTreeMap::new();
    for (index, point) in points.iter().enumerate() {
        let known = highest.entry(family(point)).or_insert(index);
        if load(point) > load(&points[*known]) {
            *known = index;
        }
    }
    let (beyond, below): (Vec<_>, Vec<_>) =
        (highest.into_iter()).partition(|((_, beyond), _)| *beyond);
    let below = below.into_iter().step_by(one_in.below_saturation);
    let chosen = below.chain(beyond.into_iter().step_by(one_in.beyond));
    let chosen: Vec<usize> = chosen.map(|(_, index)| index).collect();
    let numbered = points.into_iter().enumerate();
    let chosen = numbered.filter(|(index, _)| chosen.contains(index));
    chosen.map(|(_, point)| point).collect()
}
