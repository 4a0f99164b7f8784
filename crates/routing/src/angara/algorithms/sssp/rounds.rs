//! The routes of one group, round by round.

use super::groups::Choice;
use super::lines::{Lines, Span};
use crate::angara::{Route, RouteTable, Rules};

/// The loads of all routes so far, and memory that is used again from group to group.
pub(super) struct Rounds<'a> {
    rules: &'a Rules,
    lines: Lines<'a>,
    /// Spans of all candidates of a group, one candidate after the other.
    spans: Vec<Span>,
    candidates: Vec<Candidate>,
    left: Vec<Target>,
    accepted: Vec<Candidate>,
}

#[derive(Clone, Copy)]
struct Candidate {
    route: Route,
    /// Its first hop's direction, a mask with the bit of its rank.
    exit: u8,
    /// Its spans.
    first: u32,
    end: u32,
}

/// A target that has no route yet.
#[derive(Clone, Copy)]
struct Target {
    node: u32,
    /// Its candidates.
    first: u32,
    end: u32,
    /// Directions in which they leave the source, one bit a rank.
    exits: u8,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(rules: &'a Rules) -> Self {
        Self {
            rules,
            lines: Lines::new(rules),
            spans: Vec::new(),
            candidates: Vec::new(),
            left: Vec::new(),
            accepted: Vec::new(),
        }
    }

    /// Adds a route.
    pub(super) fn load(&mut self, source: u32, route: Route) {
        self.lines.add(source, route);
    }

    /// Routes all targets of a group.
    pub(super) fn run(&mut self, source: u32, choices: &[Choice<'_>], table: &mut RouteTable) {
        self.lay_out(source, choices);
        // From odd coordinates down, from even ones up.
        let coordinates = self.rules.system().coordinates(source);
        let odd = coordinates.iter().rev();
        let preferred = odd.fold(0, |bits, coordinate| bits << 1 | coordinate & 1);
        let mut left = std::mem::take(&mut self.left);
        while !left.is_empty() {
            let mut used_exits = 0;
            left.retain(|target| {
                // Whatever it would choose shares its first channel with a route of this round.
                if target.exits & !used_exits == 0 {
                    return true;
                }
                let best = self.best(target, preferred);
                let spans = &self.spans[best.first as usize..best.end as usize];
                if !self.lines.take(spans) {
                    return true;
                }
                used_exits |= best.exit;
                table.set(source, target.node, best.route);
                self.accepted.push(best);
                false
            });
            // All of a round choose under the loads it began with.
            for Candidate { first, end, .. } in self.accepted.drain(..) {
                self.lines.settle(&self.spans[first as usize..end as usize]);
            }
        }
        self.left = left;
    }

    fn lay_out(&mut self, source: u32, choices: &[Choice<'_>]) {
        self.spans.clear();
        self.candidates.clear();
        self.left.clear();
        for choice in choices {
            let begin = self.candidates.len();
            for &route in choice.candidates {
                let first = self.spans.len() as u32;
                let spans = &mut self.spans;
                self.lines.each_span(source, route, |span| spans.push(span));
                self.candidates.push(Candidate {
                    route,
                    exit: 1 << self.lines.rank(&self.spans[first as usize]),
                    first,
                    end: self.spans.len() as u32,
                });
            }
            let exits = self.candidates[begin..].iter().map(|c| c.exit);
            self.left.push(Target {
                node: choice.target,
                first: begin as u32,
                end: self.candidates.len() as u32,
                exits: exits.fold(0, |mask, exit| mask | exit),
            });
        }
    }

    /// The candidate with the least load in sum; of several, the one whose most loaded channel has the
    /// least, then one with a first or last step, then the one with the most preferred direction bits.
    fn best(&self, target: &Target, preferred: u8) -> Candidate {
        let candidates = &self.candidates[target.first as usize..target.end as usize];
        let spans =
            |candidate: &Candidate| &self.spans[candidate.first as usize..candidate.end as usize];
        let tie = |candidate: &Candidate| {
            let strange = (candidate.route.down ^ preferred).count_ones();
            let plain = candidate.route.first().or(candidate.route.last()).is_none();
            (self.lines.most(spans(candidate)), plain, strange)
        };
        let mut best = candidates[0];
        let mut least = self.lines.sum(spans(&best));
        for candidate in &candidates[1..] {
            let sum = self.lines.sum(spans(candidate));
            if sum < least || sum == least && tie(candidate) < tie(&best) {
                (best, least) = (*candidate, sum);
            }
        }
        best
    }
}
