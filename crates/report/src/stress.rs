//! Drawing of an irregular graph: distances on paper follow distances in hops.
//!
//! Stress majorisation (Gansner, Koren and North, "Graph drawing by stress
//! majorization", GD 2004), one router at a time, from a few fixed starts of which the
//! best is kept. O(n^2) per round. Nothing is random, so the picture is always the same.

use std::collections::VecDeque;
use std::f64::consts::TAU;

const ROUNDS: usize = 150;
const STARTS: usize = 4;

/// Places the routers of a graph; edges that name no router are ignored.
pub(super) fn layout(routers: usize, edges: &[(u32, u32)]) -> Vec<(f64, f64)> {
    let distances = hop_distances(routers, edges);
    let mut best: Option<(f64, Vec<(f64, f64)>)> = None;
    for start in 0..STARTS {
        let mut places = starting_places(routers, start);
        for _ in 0..ROUNDS {
            if improve(&mut places, &distances) < 1e-3 {
                break;
            }
        }
        let stress = stress(&places, &distances);
        if best.as_ref().is_none_or(|(least, _)| stress < *least) {
            best = Some((stress, places));
        }
    }
    let mut places = best.map(|b| b.1).unwrap_or_default();
    lay_down(&mut places);
    places
}

/// Hops between all routers, row by row; parts that are not connected stand a little
/// further apart than the longest distance.
fn hop_distances(routers: usize, edges: &[(u32, u32)]) -> Vec<f64> {
    let mut neighbours = vec![Vec::new(); routers];
    for (a, b) in edges.iter().map(|(a, b)| (*a as usize, *b as usize)) {
        if a < routers && b < routers && a != b {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
    }
    let mut distances = vec![f64::INFINITY; routers * routers];
    let mut queue = VecDeque::new();
    for (source, row) in distances.chunks_exact_mut(routers.max(1)).enumerate() {
        row[source] = 0.0;
        queue.push_back(source);
        while let Some(at) = queue.pop_front() {
            for next in &neighbours[at] {
                if row[*next].is_infinite() {
                    row[*next] = row[at] + 1.0;
                    queue.push_back(*next);
                }
            }
        }
    }
    let longest = distances
        .iter()
        .copied()
        .filter(|d| d.is_finite())
        .fold(1.0, f64::max);
    for distance in &mut distances {
        if distance.is_infinite() {
            *distance = longest + 1.0;
        }
    }
    distances
}

/// Rings walked with different strides: each stride mixes the numbers differently.
fn starting_places(routers: usize, start: usize) -> Vec<(f64, f64)> {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let turn = [
        1.0 / routers.max(1) as f64,
        GOLDEN,
        GOLDEN * GOLDEN,
        0.414_213_562,
    ][start % STARTS];
    let place = |i: usize| {
        let angle = TAU * turn * i as f64;
        let radius = 1.0 + 0.5 * (i as f64 * GOLDEN).fract();
        (radius * angle.cos(), radius * angle.sin())
    };
    (0..routers).map(place).collect()
}

/// Moves every router to where the others want it; gives the longest move.
fn improve(places: &mut [(f64, f64)], distances: &[f64]) -> f64 {
    let routers = places.len();
    let mut longest: f64 = 0.0;
    for i in 0..routers {
        let (mut x, mut y, mut weights) = (0.0, 0.0, 0.0);
        for j in (0..routers).filter(|j| *j != i) {
            let wanted = distances[i * routers + j];
            let (dx, dy) = (places[i].0 - places[j].0, places[i].1 - places[j].1);
            let now = dx.hypot(dy).max(1e-9);
            let weight = 1.0 / (wanted * wanted);
            x += weight * (places[j].0 + wanted * dx / now);
            y += weight * (places[j].1 + wanted * dy / now);
            weights += weight;
        }
        if weights > 0.0 {
            let to = (x / weights, y / weights);
            longest = longest.max((to.0 - places[i].0).hypot(to.1 - places[i].1));
            places[i] = to;
        }
    }
    longest
}

fn stress(places: &[(f64, f64)], distances: &[f64]) -> f64 {
    let routers = places.len();
    let mut sum = 0.0;
    for i in 0..routers {
        for j in 0..i {
            let wanted = distances[i * routers + j];
            let now = (places[i].0 - places[j].0).hypot(places[i].1 - places[j].1);
            sum += (now / wanted - 1.0).powi(2);
        }
    }
    sum
}

/// Turns the drawing so that its longest extent lies across the page.
fn lay_down(places: &mut [(f64, f64)]) {
    let n = places.len().max(1) as f64;
    let (mx, my) = (
        places.iter().map(|p| p.0).sum::<f64>() / n,
        places.iter().map(|p| p.1).sum::<f64>() / n,
    );
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in places.iter().map(|p| (p.0 - mx, p.1 - my)) {
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let (sin, cos) = angle.sin_cos();
    for place in places {
        let (x, y) = (place.0 - mx, place.1 - my);
        *place = (x * cos + y * sin, y * cos - x * sin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_drawn_as_a_line() {
        let places = layout(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
        for (i, pair) in places.windows(2).enumerate() {
            let step = (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
            assert!((step - 1.0).abs() < 0.05, "{i}: {step}");
        }
        assert!(places.iter().all(|p| p.1.abs() < 0.2));
    }

    #[test]
    fn parts_that_are_not_connected_stay_apart() {
        let places = layout(4, &[(0, 1), (2, 3)]);
        assert!((places[0].0 - places[2].0).hypot(places[0].1 - places[2].1) > 1.0);
    }
}
