//! Pairs with several minimal routes, grouped by turns, length and source.

use crate::angara::{Route, Rules, System};

/// Pairs with their candidates, in the order in which they get their routes.
pub(super) struct Groups {
    /// By turns and length, as in [`key`]; in each source by source, as in [`in_turn`].
    classes: Vec<Class>,
}

/// Pairs with the same turns and the same length. They lie in memory as they are used: to gather
/// them from all over the system takes longer than to route them.
#[derive(Clone, Default)]
struct Class {
    pairs: Vec<Pair>,
    routes: Vec<Route>,
}

#[derive(Clone, Copy)]
struct Pair {
    source: u32,
    target: u32,
    offset: u32,
    /// Where its candidates end; they begin where those of the pair before end.
    end: u32,
}

/// One target of a group.
#[derive(Clone, Copy)]
pub(super) struct Choice<'a> {
    pub(super) target: u32,
    pub(super) candidates: &'a [Route],
    /// Where the target lies, seen from the source; see [`offset`].
    offset: u32,
}

impl Groups {
    /// Collects all pairs with a choice; those with a single route are handed to `unique` if that is wanted.
    pub(super) fn new(
        rules: &Rules,
        unique_first: bool,
        mut unique: impl FnMut(u32, u32, Route),
    ) -> Self {
        let (directions, is_whole) = (rules.system().directions(), rules.system().is_whole());
        let mut classes: Vec<Class> = Vec::new();
        let mut scratch = Default::default();
        for source in in_turn(rules.system()) {
            rules.each_destination(source, &mut scratch, |target, routes| match routes {
                [] => {}
                &[route] if unique_first => unique(source, target, route),
                _ => {
                    // Where nothing has failed the first is regular, and none has fewer turns.
                    let judged = if is_whole { &routes[..1] } else { routes };
                    let turns = judged.iter().map(|route| route.turns(directions)).min();
                    let key = key(turns.unwrap_or(0), routes[0].len());
                    if key >= classes.len() {
                        classes.resize_with(key + 1, Class::default);
                    }
                    let class = &mut classes[key];
                    class.routes.extend_from_slice(routes);
                    class.pairs.push(Pair {
                        source,
                        target,
                        offset: offset(rules.system(), source, target),
                        end: class.routes.len() as u32,
                    });
                }
            });
        }
        Self { classes }
    }

    /// Calls `group` with the source and the targets of every group, these ascending by offset.
    pub(super) fn each<'a>(&'a self, mut group: impl FnMut(u32, &[Choice<'a>])) {
        let mut choices = Vec::new();
        for class in &self.classes {
            let mut first = 0;
            for pairs in class.pairs.chunk_by(|a, b| a.source == b.source) {
                choices.clear();
                for pair in pairs {
                    let end = pair.end as usize;
                    choices.push(Choice {
                        target: pair.target,
                        candidates: &class.routes[first..end],
                        offset: pair.offset,
                    });
                    first = end;
                }
                choices.sort_unstable_by_key(|choice| choice.offset);
                group(pairs[0].source, &choices);
            }
        }
    }
}

/// Ascending by turns, then length. Routes have at most 255 hops in each of four dimensions, and two steps.
fn key(turns: u32, length: u32) -> usize {
    (turns << 11 | length) as usize
}

/// All sources as on a chessboard: first those whose coordinates add up to an odd number, then the
/// others, so that the second half levels what the first has left uneven.
fn in_turn(system: &System) -> Vec<u32> {
    let mut sources = system.members().to_vec();
    let is_even =
        |&source: &u32| system.coordinates(source).iter().fold(0, |sum, c| sum ^ c) & 1 == 0;
    sources.sort_by_key(is_even);
    sources
}

/// Hops up every dimension from source to target, as digits of a number, those along X the lowest.
fn offset(system: &System, source: u32, target: u32) -> u32 {
    let (from, to) = (system.coordinates(source), system.coordinates(target));
    let mut offset = 0;
    for (dimension, &size) in system.sizes().iter().enumerate().rev() {
        let (here, there) = (u32::from(from[dimension]), u32::from(to[dimension]));
        let up = if there < here {
            there + size - here
        } else {
            there - here
        };
        offset = offset * size + up;
    }
    offset
}
