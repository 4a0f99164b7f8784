//! What of the runs of other simulators every test run repeats. All of them take minutes, and `make soak` has the time.

use std::collections::BTreeMap;

/// Of each family of points the one with the highest load, apart for those beyond saturation; all of them, in their order, if
/// `TURNWISE_SOAK_REFERENCES` is set.
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
    let chosen: Vec<usize> = highest.into_values().collect();
    let numbered = points.into_iter().enumerate();
    let chosen = numbered.filter(|(index, _)| chosen.contains(index));
    chosen.map(|(_, point)| point).collect()
}
