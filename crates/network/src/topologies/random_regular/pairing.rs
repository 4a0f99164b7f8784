//! Random simple graphs of one degree, as links with the lower router first.

use crate::partition::Partition;
use crate::random::Random;
use rustc_hash::FxHashSet;

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// A ring of all routers in random order.
pub(super) fn ring(n: u32, random: &mut Random) -> Vec<(u32, u32)> {
    let mut routers: Vec<u32> = (0..n).collect();
    random.shuffle(&mut routers);
    let next = routers.iter().cycle().skip(1);
    routers
        .iter()
        .zip(next)
        .map(|(&a, &b)| ordered(a, b))
        .collect()
}

/// The links between different routers that are missing.
pub(super) fn complement(n: u32, missing: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let missing: FxHashSet<(u32, u32)> = missing.iter().copied().collect();
    let all = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    all.filter(|link| !missing.contains(link)).collect()
}

/// A simple `degree`-regular graph, connected or not; `None` if the switches got stuck.
pub(super) fn pair(n: u32, degree: u32, random: &mut Random) -> Option<Vec<(u32, u32)>> {
    let mut stubs: Vec<u32> = (0..n)
        .flat_map(|router| std::iter::repeat_n(router, degree as usize))
        .collect();
    random.shuffle(&mut stubs);
    let mut links = Vec::with_capacity(stubs.len() / 2);
    let mut present = FxHashSet::default();
    let mut wrong = Vec::new();
    for stub in stubs.chunks_exact(2) {
        let link = ordered(stub[0], stub[1]);
        match link.0 != link.1 && present.insert(link) {
            true => links.push(link),
            false => wrong.push(link),
        }
    }
    while let Some(link) = wrong.pop() {
        switch(link, &mut links, &mut present, random)?;
    }
    Some(links)
}

/// Adds both stubs of a wrong pair `(a, b)` by turning a good link `(c, d)` into `(a, c), (b, d)`.
fn switch(
    (a, b): (u32, u32),
    links: &mut Vec<(u32, u32)>,
    present: &mut FxHashSet<(u32, u32)>,
    random: &mut Random,
) -> Option<()> {
    const MOST_TRIES: u32 = 10_000;
    for _ in 0..MOST_TRIES {
        let at = random.below(links.len() as u32) as usize;
        let &(mut c, mut d) = links.get(at)?;
        if random.below(2) == 1 {
            (c, d) = (d, c);
        }
        let new = [ordered(a, c), ordered(b, d)];
        if a == c || b == d || new[0] == new[1] || new.iter().any(|link| present.contains(link)) {
            continue;
        }
        present.remove(&links[at]);
        present.extend(new);
        links[at] = new[0];
        links.push(new[1]);
        return Some(());
    }
    None
}

/// Can every router reach every other?
pub(super) fn is_connected(n: u32, links: &[(u32, u32)]) -> bool {
    let mut parts = Partition::new(n as usize);
    for &(a, b) in links {
        parts.unite(a, b);
    }
    parts.count <= 1
}
