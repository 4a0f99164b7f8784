//! Pairs with several minimal routes, grouped by turns, length and source.

use crate::angara::{Route, Rules};

/// Pairs with their candidates, in the order in which they get their routes.
pub(super) struct Groups {
    /// By turns and length, as in [`key`]; in each source by source, targets ascending.
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
    /// Where its candidates end; they begin where those of the pair before end.
    end: u32,
}

impl Groups {
    /// Collects all pairs with a choice; those with a single route are handed to `unique` if that is wanted.
    pub(super) fn new(
        rules: &Rules,
        unique_first: bool,
        mut unique: impl FnMut(u32, u32, Route),
    ) -> Self {
        let directions = rules.system().directions();
        let mut classes: Vec<Class> = Vec::new();
        let mut scratch = Default::default();
        for &source in rules.system().members() {
            rules.each_destination(source, &mut scratch, |target, routes| match routes {
                [] => {}
                &[route] if unique_first => unique(source, target, route),
                _ => {
                    let turns = routes.iter().map(|route| route.turns(directions)).min();
                    let key = key(turns.unwrap_or(0), routes[0].len());
                    if key >= classes.len() {
                        classes.resize_with(key + 1, Class::default);
                    }
                    let class = &mut classes[key];
                    class.routes.extend_from_slice(routes);
                    class.pairs.push(Pair {
                        source,
                        target,
                        end: class.routes.len() as u32,
                    });
                }
            });
        }
        Self { classes }
    }

    /// Calls `group` with a source and the targets of every group, each with its candidates.
    pub(super) fn each<'a>(&'a self, mut group: impl FnMut(u32, &[(u32, &'a [Route])])) {
        let mut targets = Vec::new();
        for class in &self.classes {
            let mut first = 0;
            for pairs in class.pairs.chunk_by(|a, b| a.source == b.source) {
                targets.clear();
                for pair in pairs {
                    let end = pair.end as usize;
                    targets.push((pair.target, &class.routes[first..end]));
                    first = end;
                }
                group(pairs[0].source, &targets);
            }
        }
    }
}

/// Ascending by turns, then length. Routes have at most 255 hops in each of four dimensions, and two steps.
fn key(turns: u32, length: u32) -> usize {
    (turns << 11 | length) as usize
}
