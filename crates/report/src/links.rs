//! The course of a link on paper.
//!
//! A link whose straight line would run through another router (the wrap link of a
//! torus, the long links of a row of a HyperX) becomes a flat arc beside the row.
//! Nothing needs to know the topology for that: the drawing itself shows it.

use super::svg::px;

/// A point in pixels.
pub(super) type Point = (f64, f64);

/// The way from one router to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Course {
    Straight,
    /// A flat arc with this rise to the left of the way; negative for the right.
    Arc(f64),
    /// A curve drawn to this point.
    Towards(Point),
}

/// Above this many (link, router) pairs nobody looks for routers in the way.
const MOST_CHECKS: usize = 20_000_000;

/// The course of every link between the given places.
pub(super) fn courses(
    places: &[Point],
    links: &[(usize, usize)],
    clearance: f64,
    bundle: impl Fn(usize, usize) -> Option<Point>,
) -> Vec<Course> {
    let check = places.len().saturating_mul(links.len()) <= MOST_CHECKS;
    let length = |l: &(usize, usize)| distance(places[l.0], places[l.1]);
    let longest = links.iter().map(length).fold(1e-9, f64::max);
    let near = if check {
        nearest_neighbour(places)
    } else {
        vec![0.0; places.len()]
    };
    let twins = twins(links);
    let course = |(link, twin): (&(usize, usize), &usize)| {
        let (a, b) = *link;
        if let Some(middle) = bundle(a, b) {
            return Course::Towards(middle);
        }
        let blocked = check && blocked(places, a, b, clearance);
        if !blocked && *twin == 0 {
            return Course::Straight;
        }
        let cell = near[a].min(near[b]);
        let rise = if blocked {
            0.22 + 0.2 * length(link) / longest
        } else {
            0.0
        };
        Course::Arc(side(places[a], places[b]) * cell * (rise + 0.13 * *twin as f64))
    };
    links.iter().zip(&twins).map(course).collect()
}

/// How far arcs rise above the routers.
pub(super) fn reach(places: &[Point], links: &[(usize, usize)], clearance: f64) -> f64 {
    let rise = |course: Course| {
        if let Course::Arc(rise) = course {
            rise.abs()
        } else {
            0.0
        }
    };
    courses(places, links, clearance, |_, _| None)
        .into_iter()
        .map(rise)
        .fold(0.0, f64::max)
}

fn distance(a: Point, b: Point) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

fn nearest_neighbour(places: &[Point]) -> Vec<f64> {
    // Quadratic, but MOST_CHECKS keeps networks that large away from here.
    let nearest = |i: usize| {
        let others = places.iter().enumerate().filter(|(j, _)| *j != i);
        let least = others
            .map(|(_, p)| distance(places[i], *p))
            .fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 0.0 }
    };
    (0..places.len()).map(nearest).collect()
}

/// How many earlier links join the same two routers.
fn twins(links: &[(usize, usize)]) -> Vec<usize> {
    let key = |i: usize| (links[i].0.min(links[i].1), links[i].0.max(links[i].1));
    let mut order: Vec<usize> = (0..links.len()).collect();
    order.sort_by_key(|i| (key(*i), *i));
    let mut out = vec![0; links.len()];
    for pair in order.windows(2) {
        if key(pair[0]) == key(pair[1]) {
            out[pair[1]] = out[pair[0]] + 1;
        }
    }
    out
}

/// Whether a third router stands on the straight line.
fn blocked(places: &[Point], a: usize, b: usize, clearance: f64) -> bool {
    let (from, to) = (places[a], places[b]);
    let length = distance(from, to);
    if length < 1e-9 {
        return false;
    }
    let (ux, uy) = ((to.0 - from.0) / length, (to.1 - from.1) / length);
    places.iter().enumerate().any(|(i, p)| {
        let (dx, dy) = (p.0 - from.0, p.1 - from.1);
        let (along, aside) = (dx * ux + dy * uy, dx * uy - dy * ux);
        i != a
            && i != b
            && along > clearance
            && along < length - clearance
            && aside.abs() < clearance
    })
}

/// Arcs rise upwards, and those of a column to the left, whichever end comes first.
fn side(a: Point, b: Point) -> f64 {
    let (nx, ny) = (b.1 - a.1, a.0 - b.0);
    if ny < -1e-6 || (ny.abs() <= 1e-6 && nx < 0.0) {
        1.0
    } else {
        -1.0
    }
}

/// Path data of a link, moved sideways by `offset` to the right of the way from `a`.
pub(super) fn path(a: Point, b: Point, course: Course, offset: f64) -> String {
    let length = distance(a, b).max(1e-9);
    // Left of the way; pixels grow downwards.
    let (nx, ny) = ((b.1 - a.1) / length, (a.0 - b.0) / length);
    let moved = |p: Point, rise: f64| format!("{} {}", px(p.0 + nx * rise), px(p.1 + ny * rise));
    let start = moved(a, -offset);
    let end = moved(b, -offset);
    match course {
        Course::Straight => format!("M{start}L{end}"),
        Course::Arc(rise) => {
            let at = |part: f64| (a.0 + part * (b.0 - a.0), a.1 + part * (b.1 - a.1));
            // A cubic rises to three quarters of its control points.
            let height = rise * 4.0 / 3.0 - offset;
            format!(
                "M{start}C{} {} {end}",
                moved(at(0.1), height),
                moved(at(0.9), height)
            )
        }
        Course::Towards(middle) => format!("M{start}Q{} {end}", moved(middle, -offset)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrap_link_leaves_its_row_and_the_others_do_not() {
        let places = [(0.0, 0.0), (10.0, 0.0), (20.0, 0.0)];
        let courses = courses(&places, &[(0, 1), (1, 2), (0, 2), (1, 0)], 2.0, |_, _| None);
        assert_eq!(courses[..2], [Course::Straight, Course::Straight]);
        assert!(matches!(courses[2], Course::Arc(_)));
        assert!(
            matches!(courses[3], Course::Arc(_)),
            "a second cable between the same routers"
        );
    }

    #[test]
    fn arcs_rise_to_the_same_side_from_either_end() {
        let places = [(0.0, 50.0), (10.0, 50.0), (20.0, 50.0)];
        let there = path(
            places[0],
            places[2],
            Course::Arc(side(places[0], places[2]) * 4.0),
            0.0,
        );
        let back = path(
            places[2],
            places[0],
            Course::Arc(side(places[2], places[0]) * 4.0),
            0.0,
        );
        assert_eq!(there, "M0 50C2 44.7 18 44.7 20 50");
        assert_eq!(back, "M20 50C18 44.7 2 44.7 0 50");
    }
}
