//! The ways of packets to one destination while its entries change.

use super::dependencies::{Dependencies, Dependency};
use crate::irregular::by_destination::{Graph, NONE};
use turnwise_network::TerminalId;

/// Instead of an arc: the destination's own port.
pub(super) const HERE: u32 = NONE - 1;

/// By router, the entries of a destination: what stands there, what shall, and who comes by.
pub(super) struct Column {
    pub(super) destination: TerminalId,
    now: Vec<u32>,
    goal: Vec<u32>,
    /// May its packets meet either of the two?
    is_either: Vec<bool>,
    /// Lanes on which packets set out.
    starts: Vec<u16>,
    /// Lanes of packets that come by or set out.
    lanes: Vec<u16>,
    /// Routers that still have to change, those first that are nearest on the new ways.
    pub(super) left: Vec<u32>,
}

/// What becomes of a packet, whichever entries it meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Arrives,
    MayBeLost,
    MayCircle,
}

impl Column {
    pub(super) fn new(
        destination: TerminalId,
        [now, goal]: [Vec<u32>; 2],
        starts: Vec<u16>,
        graph: &Graph,
    ) -> Self {
        let routers = now.len();
        let mut left: Vec<u32> = (0..routers as u32)
            .filter(|&at| now[at as usize] != goal[at as usize])
            .collect();
        left.sort_by_cached_key(|&at| length(&goal, at, graph).unwrap_or(usize::MAX));
        Self {
            destination,
            now,
            goal,
            is_either: vec![false; routers],
            starts,
            lanes: vec![0; routers],
            left,
        }
    }

    /// Do packets set out somewhere that arrive now and would not in the end?
    pub(super) fn loses(&self, graph: &Graph) -> bool {
        let mut sources = (0..self.now.len() as u32).filter(|&at| self.starts[at as usize] != 0);
        sources.any(|at| {
            let [now, goal] = [&self.now, &self.goal].map(|ways| length(ways, at, graph));
            now.is_some() && goal.is_none()
        })
    }

    fn options(&self, at: u32) -> impl Iterator<Item = u32> + use<> {
        let at = at as usize;
        let goal = self.is_either[at].then_some(self.goal[at]);
        std::iter::once(self.now[at]).chain(goal)
    }

    fn arcs(&self, at: u32) -> impl Iterator<Item = u32> + use<> {
        self.options(at).filter(|&way| way < HERE)
    }

    /// Takes in what packets do by the present entries; `false` if a circle closes.
    pub(super) fn take_in(&mut self, dependencies: &mut Dependencies<'_>, graph: &Graph) -> bool {
        self.lanes.fill(0);
        let mut log = Log::default();
        (0..self.now.len() as u32).all(|at| {
            let fresh = self.starts[at as usize] & !self.lanes[at as usize];
            self.come_by(at, fresh, &mut log);
            self.flow(&mut log, dependencies, graph)
        })
    }

    /// Takes back what packets do, whichever entries they meet.
    fn take_back(&self, dependencies: &mut Dependencies<'_>, graph: &Graph) {
        for at in 0..self.now.len() as u32 {
            let lanes = self.lanes[at as usize];
            for from in self.arcs(at) {
                for to in self.arcs(graph.to(from)) {
                    for lane in each(lanes) {
                        dependencies.remove(Dependency { lane, from, to });
                    }
                }
            }
        }
    }

    /// Lets packets meet a router's new entry as well as the present one, if whoever arrives still does, and no circle closes.
    pub(super) fn enter(
        &mut self,
        at: u32,
        dependencies: &mut Dependencies<'_>,
        graph: &Graph,
    ) -> bool {
        self.is_either[at as usize] = true;
        let lanes = self.lanes[at as usize];
        if lanes == 0 {
            return true;
        }
        let is_lost_anyway = || length(&self.now, at, graph).is_none();
        let is_safe = match self.fate(at, graph) {
            Fate::Arrives => true,
            Fate::MayBeLost => is_lost_anyway(),
            Fate::MayCircle => false,
        };
        if is_safe && self.open(at, dependencies, graph) {
            return true;
        }
        self.is_either[at as usize] = false;
        false
    }

    /// Empties the entries that have to change and lose their packets anyway; returns whose they are.
    pub(super) fn empty(&mut self, graph: &Graph) -> Vec<u32> {
        let leads_astray =
            |&at: &u32| self.now[at as usize] != NONE && length(&self.now, at, graph).is_none();
        let left = self.left.iter().copied();
        let emptied: Vec<u32> = left.filter(leads_astray).collect();
        for &at in &emptied {
            self.now[at as usize] = NONE;
        }
        let (now, goal) = (&self.now, &self.goal);
        self.left
            .retain(|&at| now[at as usize] != goal[at as usize]);
        emptied
    }

    /// Takes in what packets do that meet a router's new entry; nothing has changed if that closes a circle.
    fn open(&mut self, at: u32, dependencies: &mut Dependencies<'_>, graph: &Graph) -> bool {
        let goal = self.goal[at as usize];
        if goal >= HERE {
            return true;
        }
        let mut log = Log::default();
        let arrives = graph.arriving(at).all(|from| {
            let before = graph.from(from);
            let comes = self.arcs(before).any(|arc| arc == from);
            let lanes = if comes {
                self.lanes[before as usize]
            } else {
                0
            };
            log.depend(lanes, [from, goal], dependencies)
        });
        log.growing.push((goal, self.lanes[at as usize]));
        let fits = arrives && self.flow(&mut log, dependencies, graph);
        if !fits {
            for dependency in log.added {
                dependencies.remove(dependency);
            }
            for (router, lanes) in log.before.into_iter().rev() {
                self.lanes[router as usize] = lanes;
            }
        }
        fits
    }

    /// Packets come to a router on further lanes, and go on from there.
    fn come_by(&mut self, at: u32, fresh: u16, log: &mut Log) {
        if fresh != 0 {
            log.before.push((at, self.lanes[at as usize]));
            self.lanes[at as usize] |= fresh;
            log.growing.extend(self.arcs(at).map(|arc| (arc, fresh)));
        }
    }

    /// Follows packets on lanes that they had not taken.
    fn flow(&mut self, log: &mut Log, dependencies: &mut Dependencies<'_>, graph: &Graph) -> bool {
        while let Some((arc, lanes)) = log.growing.pop() {
            let at = graph.to(arc);
            let mut onwards = self.arcs(at);
            if !onwards.all(|next| log.depend(lanes, [arc, next], dependencies)) {
                return false;
            }
            self.come_by(at, lanes & !self.lanes[at as usize], log);
        }
        true
    }

    /// The present step is over: entries that may have changed have.
    pub(super) fn settle(&mut self, dependencies: &mut Dependencies<'_>, graph: &Graph) {
        self.take_back(dependencies, graph);
        for at in 0..self.now.len() {
            if std::mem::take(&mut self.is_either[at]) {
                self.now[at] = self.goal[at];
            }
        }
        // It closes no circle, as a part of what there was.
        self.take_in(dependencies, graph);
    }

    /// What becomes of packets that come to a router, whichever entries they meet.
    fn fate(&self, from: u32, graph: &Graph) -> Fate {
        // Routers on the present way, each with its options that have not been followed; those that are done with.
        let mut way = vec![(from, self.options(from).collect::<Vec<u32>>())];
        let mut done = Vec::new();
        let mut fate = Fate::Arrives;
        while let Some((at, options)) = way.last_mut() {
            match options.pop() {
                None => {
                    done.push(*at);
                    way.pop();
                }
                Some(HERE) => {}
                Some(NONE) => fate = Fate::MayBeLost,
                Some(arc) => {
                    let next = graph.to(arc);
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
    /// Routers, each with the lanes it had.
    before: Vec<(u32, u16)>,
    /// Arcs that packets take on further lanes, which are still to be followed.
    growing: Vec<(u32, u16)>,
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
}

fn each(lanes: u16) -> impl Iterator<Item = usize> {
    (0..16).filter(move |lane| lanes >> lane & 1 == 1)
}

/// Hops from a router to the destination; `None` if its packets do not get there.
fn length(ways: &[u32], from: u32, graph: &Graph) -> Option<usize> {
    let mut at = from;
    for hops in 0..=ways.len() {
        match ways[at as usize] {
            HERE => return Some(hops),
            NONE => return None,
            arc => at = graph.to(arc),
        }
    }
    None
}
