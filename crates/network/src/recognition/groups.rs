//! Dragonfly and megafly: groups, and links between every two of them.
//!
//! A whole dragonfly is found by how many links there are ([`whole`]). The routers of a damaged one's group are connected by triangles; some
//! global links make triangles as well, but not those of every router. A megafly's leaves are known by their terminals, and linked to spines of their own group only.
//!
//! Complexity: O(links x degree) for a dragonfly, O(links) for a megafly.

use super::whole_groups::whole;
use super::wiring::{Missing, NONE, Wiring};
use std::collections::{BTreeMap, BTreeSet};

/// Groups of routers, and as many links between each pair of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Number of groups.
    pub count: u32,
    /// Routers of a group that have terminals, and of a megafly its spines.
    pub routers: [u32; 2],
    /// Terminals at a router that has some.
    pub terminals_per_router: u32,
    /// Links to other groups, of a router that has some.
    pub global_ports_per_router: u32,
    /// Links between each pair of groups.
    pub links_per_pair: u32,
    /// By router: its group; [`u32::MAX`] for dead ones.
    pub groups: Vec<u32>,
}

/// A dragonfly.
pub(super) fn dragonfly(wiring: &Wiring) -> Option<(Groups, Missing)> {
    let of_whole = whole(wiring).and_then(|(groups, count)| {
        let found = Groups::new(wiring, groups, count, |_| true)?;
        found.with_missing(wiring, complete)
    });
    of_whole.or_else(|| by_triangles(wiring))
}

/// The links inside of a dragonfly's group of so many routers.
fn complete([routers, _]: [u64; 2]) -> u64 {
    routers * (routers - 1) / 2
}

/// A dragonfly of which some links may be missing.
fn by_triangles(wiring: &Wiring) -> Option<(Groups, Missing)> {
    let cliques = Cliques::of(wiring);
    let mut sizes: Vec<usize> = cliques.members.iter().map(Vec::len).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let sizes = sizes.into_iter().rev().filter(|&size| size > 2);
    let mut found = sizes.filter_map(|size| {
        let (groups, count) = cliques.partition(wiring, size)?;
        let found = Groups::new(wiring, groups, count, |_| true)?;
        found.with_missing(wiring, complete)
    });
    found.next()
}

/// Routers that are connected by triangles, as those of a group are. Some routers of different groups may be as well.
struct Cliques {
    members: Vec<Vec<u32>>,
    /// By router: the cliques it is in.
    of: Vec<Vec<usize>>,
}

impl Cliques {
    fn of(wiring: &Wiring) -> Self {
        let classes = wiring.by_triangles();
        let mut members: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (class, &link) in classes.iter().zip(&wiring.ends) {
            members.entry(*class).or_default().extend(link);
        }
        let members: Vec<Vec<u32>> = members
            .into_values()
            .map(|members| members.into_iter().collect())
            .collect();
        let mut of = vec![Vec::new(); wiring.routers()];
        for (clique, members) in members.iter().enumerate() {
            for &router in members {
                of[router as usize].push(clique);
            }
        }
        Self { members, of }
    }

    /// A clique of about this size for every router, none of them with a router in common: by router its number, and how many there
    /// are. Who is in one only tells about the others.
    fn partition(&self, wiring: &Wiring, size: usize) -> Option<(Vec<u32>, u32)> {
        let about = size - size / 4..=size;
        let mut is_possible: Vec<bool> = self
            .members
            .iter()
            .map(|members| about.contains(&members.len()))
            .collect();
        let mut groups = vec![NONE; self.of.len()];
        let mut count = 0;
        let mut asked = wiring.living.clone();
        while let Some(router) = asked.pop() {
            if groups[router as usize] != NONE {
                continue;
            }
            let cliques = self.of[router as usize].iter().copied();
            let mut possible = cliques.filter(|&clique| is_possible[clique]);
            let (Some(clique), None) = (possible.next(), possible.next()) else {
                continue;
            };
            for &member in &self.members[clique] {
                groups[member as usize] = count;
                for &other in &self.of[member as usize] {
                    if other != clique && is_possible[other] {
                        is_possible[other] = false;
                        asked.extend(&self.members[other]);
                    }
                }
            }
            is_possible[clique] = false;
            count += 1;
        }
        let is_whole = wiring.living.iter().all(|&at| groups[at as usize] != NONE);
        is_whole.then_some((groups, count))
    }
}

/// A megafly, dragonfly+.
pub(super) fn megafly(wiring: &Wiring) -> Option<(Groups, Missing)> {
    let is_leaf = |router: u32| wiring.terminals[router as usize] > 0;
    let is_local = |link: u32| {
        let [a, b] = wiring.ends[link as usize];
        is_leaf(a) != is_leaf(b)
    };
    if wiring.ends.iter().any(|&[a, b]| is_leaf(a) && is_leaf(b)) {
        return None;
    }
    let (groups, count) = wiring.parts(|_| true, is_local);
    let found = Groups::new(wiring, groups, count, is_leaf)?;
    // Spines of one group are not linked to each other.
    let global = |&&[a, b]: &&[u32; 2]| !is_leaf(a) && !is_leaf(b);
    let mut globals = wiring.ends.iter().filter(global);
    let group = |router: u32| found.groups[router as usize];
    if found.routers[1] == 0 || globals.any(|&[a, b]| group(a) == group(b)) {
        return None;
    }
    found.with_missing(wiring, |[leaves, spines]| leaves * spines)
}

impl Groups {
    /// The group of a router.
    pub fn group(&self, router: u32) -> u32 {
        self.groups[router as usize]
    }

    fn new(
        wiring: &Wiring,
        groups: Vec<u32>,
        count: u32,
        has_terminals: impl Fn(u32) -> bool,
    ) -> Option<Self> {
        let group = |router: u32| groups[router as usize];
        let mut sizes = vec![[0u32; 2]; count as usize];
        for &router in &wiring.living {
            sizes[group(router) as usize][usize::from(!has_terminals(router))] += 1;
        }
        let mut pairs: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let mut global = vec![0; wiring.routers()];
        for (&[a, b], &copies) in wiring.ends.iter().zip(&wiring.copies) {
            let [one, other] = [group(a), group(b)];
            if one != other {
                *pairs.entry([one.min(other), one.max(other)]).or_default() += copies;
                global[a as usize] += copies;
                global[b as usize] += copies;
            }
        }
        let most = |of: &[u32]| of.iter().copied().max();
        let size = |kind: usize| sizes.iter().map(|sizes| sizes[kind]).max();
        let routers = [size(0)?, size(1)?];
        let [links_per_pair, global_ports_per_router] = whole_global(
            count,
            routers,
            pairs.values().copied().max()?,
            most(&global)?,
        )?;
        Some(Self {
            count,
            routers,
            terminals_per_router: most(&wiring.terminals)?,
            global_ports_per_router,
            links_per_pair,
            groups,
        })
    }

    /// The same, and what is missing, if whole groups have so many links.
    fn with_missing(
        self,
        wiring: &Wiring,
        local: impl Fn([u64; 2]) -> u64,
    ) -> Option<(Self, Missing)> {
        let count = u64::from(self.count);
        let routers = self.routers.map(u64::from);
        let (size, local) = (routers.iter().sum(), local(routers));
        let global = (count * count.checked_sub(1)? / 2).checked_mul(self.links_per_pair.into())?;
        let missing = wiring.missing(
            count.checked_mul(size)?,
            count.checked_mul(local)?.checked_add(global)?,
        )?;
        // Local links are single, and every group is among those whose sizes were taken.
        let is_placed = |&router: &u32| self.group(router) != NONE;
        let group = |router: u32| self.group(router);
        let mut links = wiring.ends.iter().zip(&wiring.copies);
        let is_true = wiring.living.iter().all(is_placed)
            && links.all(|(&[a, b], &copies)| group(a) != group(b) || copies == 1);
        is_true.then_some((self, missing))
    }
}

/// The links of each pair of groups, and the global ports of a router, of a whole of which so many of both have been found at most: there are
/// as many links as ports are enough for, and no fewer ports than links take.
fn whole_global(count: u32, routers: [u32; 2], links: u32, ports: u32) -> Option<[u32; 2]> {
    let others = u64::from(count.checked_sub(1)?);
    // Global ports are those of spines, where there are any.
    let linked = u64::from(match routers {
        [all, 0] => all,
        [_, spines] => spines,
    });
    let ports = u64::from(ports).max((u64::from(links) * others).div_ceil(linked));
    let links = linked * ports / others;
    Some([links.try_into().ok()?, ports.try_into().ok()?])
}
