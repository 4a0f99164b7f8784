//! The groups of a whole dragonfly, also where its links between groups make as many triangles as those inside of one.
//!
//! How many links there are says how many each pair of groups has, if groups are so large. Two routers of a group have all others of it as
//! common neighbours; links whose ends have fewer lead elsewhere, and the fewer there are left, the more are found. Where some routers still
//! have a choice, groups are tried out, one with the least choice first, and given up as soon as two have another number of links.
//!
//! Complexity: O(links x degree) for each size that groups may have, and a limited number of trials.

use super::wiring::{NONE, Wiring};

/// Links that are looked at for one size while groups are tried out; networks with more choice are not told apart from others.
const MOST_LOOKS: u64 = 20_000_000;
/// Routers of groups that are tried out at once.
const MOST_DEPTH: u32 = 500;

/// By router its group, and how many there are.
pub(super) fn whole(wiring: &Wiring) -> Option<(Vec<u32>, u32)> {
    let routers = wiring.living.len() as u64;
    let links: u64 = wiring.copies.iter().map(|&copies| u64::from(copies)).sum();
    let degrees = wiring.living.iter().map(|&at| wiring.neighbours(at).len());
    let largest = degrees.min()? as u64 + 1;
    let sizes = (2..=largest.min(routers / 2)).rev();
    let mut found = sizes
        .filter(|size| routers.is_multiple_of(*size))
        .filter_map(|size| {
            let count = routers / size;
            let between = links.checked_sub(routers * (size - 1) / 2)?;
            let pairs = count * (count - 1) / 2;
            if between == 0 || !between.is_multiple_of(pairs) {
                return None;
            }
            let mut search = Search::new(wiring, size as usize, between / pairs)?;
            search.fill().then_some((search.groups, count as u32))
        });
    found.next()
}

/// Groups that are being found.
struct Search<'a> {
    wiring: &'a Wiring,
    size: usize,
    links_per_pair: u64,
    /// By link: may it be inside of a group?
    is_local: Vec<bool>,
    /// By router.
    groups: Vec<u32>,
    members: Vec<Vec<u32>>,
    looks: u64,
    depth: u32,
}

impl<'a> Search<'a> {
    /// `None` if some router has too few links that may be inside of a group.
    fn new(wiring: &'a Wiring, size: usize, links_per_pair: u64) -> Option<Self> {
        let mut search = Self {
            wiring,
            size,
            links_per_pair,
            is_local: wiring.copies.iter().map(|&copies| copies == 1).collect(),
            groups: vec![NONE; wiring.routers()],
            members: Vec::new(),
            looks: MOST_LOOKS,
            depth: 0,
        };
        search.strike_out();
        let has_enough = |&router: &u32| search.choice(router).count() + 1 >= size;
        wiring.living.iter().all(has_enough).then_some(search)
    }

    /// Links whose ends have too few common neighbours are between groups, one after the other.
    fn strike_out(&mut self) {
        let wiring = self.wiring;
        let triangles = |link: u32, is_local: &[bool]| {
            let [a, b] = wiring.ends[link as usize];
            let sides = wiring.common(a, b).map(|(_, sides)| sides);
            let inside =
                move |[one, other]: &[u32; 2]| is_local[*one as usize] && is_local[*other as usize];
            sides.filter(inside).collect::<Vec<[u32; 2]>>()
        };
        let mut asked: Vec<u32> = (0..wiring.ends.len() as u32).collect();
        while let Some(link) = asked.pop() {
            if !self.is_local[link as usize] {
                continue;
            }
            let sides = triangles(link, &self.is_local);
            if sides.len() + 2 < self.size {
                self.is_local[link as usize] = false;
                asked.extend(sides.iter().flatten());
            }
        }
    }

    /// Neighbours without a group that may be of the same one.
    fn choice(&self, router: u32) -> impl Iterator<Item = u32> {
        let neighbours = self.wiring.neighbours(router).iter();
        neighbours
            .filter(|&&(next, link)| {
                self.is_local[link as usize] && self.groups[next as usize] == NONE
            })
            .map(|&(next, _)| next)
    }

    /// Finds groups for all routers that have none, or for none of them.
    fn fill(&mut self) -> bool {
        let before = self.members.len();
        if self.take_what_has_no_choice() {
            let free = self.free().map(|at| (self.choice(at).count(), at));
            let Some((_, router)) = free.min() else {
                return true;
            };
            let choice: Vec<u32> = self.choice(router).collect();
            if self.extend(&mut vec![router], &choice) {
                return true;
            }
        }
        self.take_back(before);
        false
    }

    fn free(&self) -> impl Iterator<Item = u32> {
        let living = self.wiring.living.iter().copied();
        living.filter(|&router| self.groups[router as usize] == NONE)
    }

    /// Makes groups of routers that have no more neighbours left than a group has; false if these are none, or if there are even fewer.
    fn take_what_has_no_choice(&mut self) -> bool {
        loop {
            let before = self.members.len();
            for router in self.wiring.living.iter().copied() {
                if self.groups[router as usize] != NONE {
                    continue;
                }
                let mut members: Vec<u32> = self.choice(router).collect();
                members.push(router);
                if members.len() < self.size || members.len() == self.size && !self.enter(&members)
                {
                    return false;
                }
            }
            if self.members.len() == before {
                return true;
            }
        }
    }

    /// Makes a group of these routers and some of those that are linked to all of them, and then groups of all others.
    fn extend(&mut self, members: &mut Vec<u32>, choice: &[u32]) -> bool {
        if members.len() == self.size {
            let looks = self.wiring.ends.len() as u64;
            return self.is_worth(looks) && self.enter(members) && {
                let found = self.fill();
                if !found {
                    self.take_back(self.members.len() - 1);
                }
                found
            };
        }
        self.depth += 1;
        let mut found = false;
        for (index, &next) in choice.iter().enumerate() {
            if members.len() + choice.len() - index < self.size || !self.is_worth(1) {
                break;
            }
            let linked: Vec<u32> = self.choice(next).collect();
            let later = choice[index + 1..].iter().copied();
            let is_linked = |other: &u32| linked.binary_search(other).is_ok();
            let rest: Vec<u32> = later.filter(is_linked).collect();
            members.push(next);
            found = self.extend(members, &rest);
            members.pop();
            if found {
                break;
            }
        }
        self.depth -= 1;
        found
    }

    /// Is there time for so many more links to look at, and has not too much been tried out already that is still open?
    fn is_worth(&mut self, looks: u64) -> bool {
        let left = self.looks.checked_sub(looks);
        self.looks = left.unwrap_or(0);
        left.is_some() && self.depth < MOST_DEPTH
    }

    /// Takes routers for a group if they are all linked, and have as many links as they should to each group that there is.
    fn enter(&mut self, members: &[u32]) -> bool {
        let number = self.members.len() as u32;
        for &member in members {
            self.groups[member as usize] = number;
        }
        self.members.push(members.to_vec());
        let mut links = vec![0; self.members.len()];
        let mut inside = 0;
        for &member in members {
            for &(next, link) in self.wiring.neighbours(member) {
                let group = self.groups[next as usize];
                inside += usize::from(group == number && self.is_local[link as usize]);
                if let Some(links) = links.get_mut(group as usize) {
                    *links += u64::from(self.wiring.copies[link as usize]);
                }
            }
        }
        links.pop();
        let is_one = inside == members.len() * (members.len() - 1)
            && links.iter().all(|&links| links == self.links_per_pair);
        if !is_one {
            self.take_back(self.members.len() - 1);
        }
        is_one
    }

    /// Forgets all groups but the first ones.
    fn take_back(&mut self, first: usize) {
        for member in self.members.drain(first..).flatten() {
            self.groups[member as usize] = NONE;
        }
    }
}
