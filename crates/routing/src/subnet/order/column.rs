//! The entries of one destination while they change, as far as the change concerns them.

use super::super::columns::HERE;
use super::super::dependencies::{Dependencies, Dependency};
use super::region::{Arrival, Origin, Region, Way};
use crate::irregular::by_destination::NONE;
use turnwise_network::RouterId;

/// By member of a region: what stands there, what shall, and who comes by.
pub(super) struct Column<'a> {
    pub(super) region: &'a Region,
    now: Vec<Way>,
    goal: Vec<Way>,
    /// May its packets meet either of the two?
    is_either: Vec<bool>,
    /// Lanes on which packets set out.
    starts: Vec<u16>,
    /// Lanes of packets that come by or set out.
    lanes: Vec<u16>,
    /// Members that still have to change, those first that are nearest on the new ways.
    pub(super) left: Vec<u32>,
}

/// What becomes of a packet, whichever entries it meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Arrives,
    MayBeLost,
    MayCircle,
}

impl<'a> Column<'a> {
    /// The entries change from those of one table to those of another one, packets setting out at the service levels of these.
    pub(super) fn new(region: &'a Region, tables: [usize; 2], levels: &[usize]) -> Self {
        let members = &region.members;
        let ways = |tables: usize| members.iter().map(move |member| member.ways[tables]);
        let [now, goal] = tables.map(|tables| Vec::from_iter(ways(tables)));
        let starts = members.iter().map(|member| {
            let starts = levels.iter().map(|&tables| member.starts[tables]);
            starts.fold(0, |all, starts| all | starts)
        });
        let mut left: Vec<u32> = (0..members.len() as u32)
            .filter(|&at| now[at as usize] != goal[at as usize])
            .collect();
        left.sort_by_cached_key(|&at| length(&goal, at).unwrap_or(usize::MAX));
        Self {
            starts: starts.collect(),
            is_either: vec![false; members.len()],
            lanes: vec![0; members.len()],
            region,
            now,
            goal,
            left,
        }
    }

    pub(super) fn router(&self, at: u32) -> RouterId {
        RouterId(self.region.members[at as usize].router)
    }

    /// Do packets set out somewhere that arrive now and would not in the end?
    pub(super) fn loses(&self) -> bool {
        let has_packets = |&at: &u32| {
            self.starts[at as usize] != 0
                || self
                    .arrivals(at)
                    .iter()
                    .any(|arrival| matches!(arrival.from, Origin::Elsewhere(lanes) if lanes != 0))
        };
        (0..self.now.len() as u32).filter(has_packets).any(|at| {
            let [now, goal] = [&self.now, &self.goal].map(|ways| length(ways, at));
            now.is_some() && goal.is_none()
        })
    }

    fn arrivals(&self, at: u32) -> &'a [Arrival] {
        let end = |at: u32| self.region.members[at as usize].arrivals;
        let first = at.checked_sub(1).map_or(0, end);
        &self.region.arrivals[first..end(at)]
    }

    /// The lanes of packets that come by an arc.
    fn arriving(&self, arrival: &Arrival) -> u16 {
        match arrival.from {
            Origin::Elsewhere(lanes) => lanes,
            Origin::Member(from) if self.arcs(from).any(|way| way.arc == arrival.arc) => {
                self.lanes[from as usize]
            }
            Origin::Member(_) => 0,
        }
    }

    fn options(&self, at: u32) -> impl Iterator<Item = Way> + use<> {
        let at = at as usize;
        let goal = self.is_either[at].then_some(self.goal[at]);
        std::iter::once(self.now[at]).chain(goal)
    }

    fn arcs(&self, at: u32) -> impl Iterator<Item = Way> + use<> {
        self.options(at).filter(|way| way.leads_on())
    }

    /// Takes in what packets do by the present entries; `false`, and nothing is, if a circle closes.
    pub(super) fn take_in(&mut self, dependencies: &mut Dependencies<'_>) -> bool {
        self.lanes.fill(0);
        let mut log = Log::default();
        let fits = (0..self.now.len() as u32).all(|at| {
            let mut fresh = self.starts[at as usize];
            let comes = self.arrivals(at).iter().all(|arrival| match arrival.from {
                Origin::Elsewhere(lanes) => {
                    fresh |= lanes;
                    let mut onwards = self.arcs(at);
                    onwards.all(|way| log.depend(lanes, [arrival.arc, way.arc], dependencies))
                }
                Origin::Member(_) => true,
            });
            self.come_by(at, fresh & !self.lanes[at as usize], &mut log);
            comes && self.flow(&mut log, dependencies)
        });
        if !fits {
            log.take_back(dependencies);
        }
        fits
    }

    /// Takes back what packets do, whichever entries they meet.
    pub(super) fn take_back(&self, dependencies: &mut Dependencies<'_>) {
        for at in 0..self.now.len() as u32 {
            for arrival in self.arrivals(at) {
                for lane in each(self.arriving(arrival)) {
                    for to in self.arcs(at).map(|way| way.arc) {
                        let from = arrival.arc;
                        dependencies.remove(Dependency { lane, from, to });
                    }
                }
            }
        }
    }

    /// Lets packets meet a router's new entry as well as the present one, if whoever arrives still does, and no circle closes.
    pub(super) fn enter(&mut self, at: u32, dependencies: &mut Dependencies<'_>) -> bool {
        self.is_either[at as usize] = true;
        if self.lanes[at as usize] == 0 {
            return true;
        }
        let is_lost_anyway = || length(&self.now, at).is_none();
        let is_safe = match self.fate(at) {
            Fate::Arrives => true,
            Fate::MayBeLost => is_lost_anyway(),
            Fate::MayCircle => false,
        };
        if is_safe && self.open(at, dependencies) {
            return true;
        }
        self.is_either[at as usize] = false;
        false
    }

    /// Empties the entries that have to change and lose their packets anyway; returns whose they are.
    pub(super) fn empty(&mut self) -> Vec<RouterId> {
        let leads_astray =
            |&at: &u32| self.now[at as usize].arc != NONE && length(&self.now, at).is_none();
        let left = self.left.iter().copied();
        let emptied: Vec<u32> = left.filter(leads_astray).collect();
        for &at in &emptied {
            self.now[at as usize] = Way::NOWHERE;
        }
        let (now, goal) = (&self.now, &self.goal);
        self.left
            .retain(|&at| now[at as usize] != goal[at as usize]);
        emptied.into_iter().map(|at| self.router(at)).collect()
    }

    /// Takes in what packets do that meet a router's new entry; nothing has changed if that closes a circle.
    fn open(&mut self, at: u32, dependencies: &mut Dependencies<'_>) -> bool {
        let goal = self.goal[at as usize];
        if !goal.leads_on() {
            return true;
        }
        let mut log = Log::default();
        let arrives = self.arrivals(at).iter().all(|arrival| {
            let lanes = self.arriving(arrival);
            log.depend(lanes, [arrival.arc, goal.arc], dependencies)
        });
        log.growing.push((goal, self.lanes[at as usize]));
        let fits = arrives && self.flow(&mut log, dependencies);
        if !fits {
            for (at, lanes) in log.take_back(dependencies).into_iter().rev() {
                self.lanes[at as usize] = lanes;
            }
        }
        fits
    }

    /// Packets come to a router on further lanes, and go on from there.
    fn come_by(&mut self, at: u32, fresh: u16, log: &mut Log) {
        if fresh != 0 {
            log.before.push((at, self.lanes[at as usize]));
            self.lanes[at as usize] |= fresh;
            log.growing.extend(self.arcs(at).map(|way| (way, fresh)));
        }
    }

    /// Follows packets on lanes that they had not taken.
    fn flow(&mut self, log: &mut Log, dependencies: &mut Dependencies<'_>) -> bool {
        while let Some((way, lanes)) = log.growing.pop() {
            let mut onwards = self.arcs(way.next);
            if !onwards.all(|next| log.depend(lanes, [way.arc, next.arc], dependencies)) {
                return false;
            }
            self.come_by(way.next, lanes & !self.lanes[way.next as usize], log);
        }
        true
    }

    /// The present step is over: entries that may have changed have.
    pub(super) fn settle(&mut self, dependencies: &mut Dependencies<'_>) {
        if !self.is_either.contains(&true) {
            return;
        }
        self.take_back(dependencies);
        for at in 0..self.now.len() {
            if std::mem::take(&mut self.is_either[at]) {
                self.now[at] = self.goal[at];
            }
        }
        // It closes no circle, as a part of what there was.
        self.take_in(dependencies);
    }

    /// What becomes of packets that come to a router, whichever entries they meet.
    fn fate(&self, from: u32) -> Fate {
        // Routers on the present way, each with its options that have not been followed; those that are done with.
        let mut way = vec![(from, self.options(from).collect::<Vec<Way>>())];
        let mut done = Vec::new();
        let mut fate = Fate::Arrives;
        while let Some((at, options)) = way.last_mut() {
            match options.pop() {
                None => {
                    done.push(*at);
                    way.pop();
                }
                Some(Way { arc: HERE, .. }) => {}
                Some(Way { arc: NONE, .. }) => fate = Fate::MayBeLost,
                Some(Way { next, .. }) => {
                    if way.iter().any(|&(at, _)| at == next) {
                        return Fate::MayCircle;
                    }
                    if !done.contains(&next) {
                        way.push((next, self.options(next).collect()));
                    }
                }
            }
        }
        fate
    }
}

/// What has been taken in, to be taken back if the rest does not fit.
#[derive(Default)]
struct Log {
    added: Vec<Dependency>,
    /// Members, each with the lanes it had.
    before: Vec<(u32, u16)>,
    /// Ways that packets take on further lanes, which are still to be followed.
    growing: Vec<(Way, u16)>,
}

impl Log {
    fn depend(
        &mut self,
        lanes: u16,
        [from, to]: [u32; 2],
        dependencies: &mut Dependencies<'_>,
    ) -> bool {
        each(lanes).all(|lane| {
            let dependency = Dependency { lane, from, to };
            let fits = dependencies.add(dependency);
            if fits {
                self.added.push(dependency);
            }
            fits
        })
    }

    /// Takes all dependencies back; returns members with the lanes they had before, the first ones first.
    fn take_back(self, dependencies: &mut Dependencies<'_>) -> Vec<(u32, u16)> {
        for dependency in self.added {
            dependencies.remove(dependency);
        }
        self.before
    }
}

fn each(lanes: u16) -> impl Iterator<Item = usize> {
    let one = |left: u16| (left != 0).then_some(left);
    let all = std::iter::successors(one(lanes), move |&left| one(left & (left - 1)));
    all.map(|left| left.trailing_zeros() as usize)
}

/// Hops from a member to the destination; `None` if its packets do not get there.
fn length(ways: &[Way], from: u32) -> Option<usize> {
    let mut at = from;
    for hops in 0..=ways.len() {
        match ways[at as usize] {
            Way { arc: HERE, .. } => return Some(hops),
            Way { arc: NONE, .. } => return None,
            Way { next, .. } => at = next,
        }
    }
    None
}
