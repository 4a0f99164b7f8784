//! What of the runs of other simulators every test run repeats. All of them take minutes, and `make soak` has the time.

use std::collections::BTreeMap;

/// Beyond saturation, where a point takes longest, one family in so many.
const BEYOND: usize = 3;

/// Of each family of points the one with the highest load below saturation, and of some the one with the highest load beyond it; all
/// of them, in their order, if `TURNWISE_SOAK_REFERENCES` is set. What a family is called comes with whether the point is beyond.
pub(crate) fn sampled<Point>(
    points: Vec<Point>,
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
    let chosen = below.into_iter().chain(beyond.into_iter().step_by(BEYOND));
    let chosen: Vec<usize> = chosen.map(|(_, index)| index).collect();
    let numbered = points.into_iter().enumerate();
    let chosen = numbered.filter(|(index, _)| chosen.contains(index));
    chosen.map(|(_, point)| point).collect()
}
