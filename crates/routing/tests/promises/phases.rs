//! Two phases: who promises to have them has the same first phase whatever the destination, and the second one of a packet that sets out where
//! the first one ends.

use super::subjects::{Built, Subject};
use rustc_hash::FxHashMap;
use turnwise_network::{Header, Hop, RouterId, TerminalId, TwoPhases};

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    subject.all().try_for_each(|built| {
        let phases = built.routing.two_phases();
        phases.map_or(Ok(()), |phases| Promise { built, phases }.check())
    })
}

/// A promise of one routing.
struct Promise<'a> {
    built: &'a Built,
    phases: &'a dyn TwoPhases,
}

/// What may be done in a first phase, but for the destination.
type First = FxHashMap<(RouterId, Header), Vec<Hop>>;

impl Promise<'_> {
    fn check(&self) -> Result<(), String> {
        let intermediates = self.phases.intermediates();
        let mut first = First::default();
        let ways = self.built.graph.ways.iter();
        let starts = ways.filter_map(|&((source, destination, class), ref ways)| {
            let &(start, _) = ways.first().filter(|_| class == 0)?;
            Some((source, destination, start))
        });
        for (source, destination, start) in starts {
            let [at, to] = [source, destination].map(|terminal| self.router_of(terminal));
            let [here, there] = [at, to].map(|router| self.phases.kind(router));
            if here == there {
                continue;
            }
            let mut all = self.options(at, start.header);
            let direct = self.phases.direct(start.header);
            let direct = direct.map_or_else(Vec::new, |header| self.options(at, header));
            if !all.starts_with(&direct) {
                return Err(format!(
                    "{all:?} from {at} to {destination}, and directly {direct:?}"
                ));
            }
            all.drain(..direct.len());
            let by = intermediates.iter().copied().filter(|&by| {
                let excluded = [here, there].map(|kind| kind == self.phases.kind(by));
                let [source, destination] = self.phases.excludes();
                !(source && excluded[0] || destination && excluded[1])
            });
            let by: Vec<RouterId> = by.collect();
            let each = all.len() / by.len().max(1);
            for by in by {
                let header = self.phases.by(at, start.header, by);
                let those = self.options(at, header);
                let rest = all.split_off(each.min(all.len()));
                let these = std::mem::replace(&mut all, rest);
                let count = |hop| these.iter().filter(|&other| other == hop).count();
                let is_there = |hop| count(hop) * those.len() == each;
                if each == 0 || !those.iter().all(is_there) {
                    return Err(format!(
                        "{these:?} from {at} to {destination} by {by}, and not {those:?}"
                    ));
                }
                if by != at {
                    self.follow(&mut first, (at, header), by)?;
                }
            }
            if !all.is_empty() {
                return Err(format!("{all:?} from {at} to {destination} by nobody"));
            }
        }
        Ok(())
    }

    /// Follows a first phase to its end.
    fn follow(
        &self,
        first: &mut First,
        from: (RouterId, Header),
        by: RouterId,
    ) -> Result<(), String> {
        let mut work = vec![from];
        let mut seen = Vec::new();
        while let Some((at, header)) = work.pop() {
            if seen.contains(&(at, header)) {
                continue;
            }
            seen.push((at, header));
            if at == by {
                let destination = header.destination;
                let own = self.built.network.living_terminals_of(by).next();
                let start = own.and_then(|own| self.built.routing.start(own, destination));
                match start.map(|start| self.phases.by(by, start.header, by)) {
                    Some(expected) if expected != header => {
                        return Err(format!("{header:?} arrives at {by}, and not {expected:?}"));
                    }
                    _ => continue,
                }
            }
            let without = |header: Header| Header {
                destination: TerminalId(0),
                ..header
            };
            let options = self.options(at, header);
            let bare = options.iter().map(|hop| Hop {
                header: without(hop.header),
                ..*hop
            });
            let bare: Vec<Hop> = bare.collect();
            let known = first
                .entry((at, without(header)))
                .or_insert_with(|| bare.clone());
            if *known != bare {
                return Err(format!(
                    "{bare:?} at {at} with {header:?}, and otherwise {known:?}"
                ));
            }
            let next = options.iter().filter_map(|hop| {
                Some((self.built.network.next_router(at, hop.port)?, hop.header))
            });
            work.extend(next);
        }
        Ok(())
    }

    fn options(&self, at: RouterId, header: Header) -> Vec<Hop> {
        let mut options = Vec::new();
        self.built.routing.options(at, header, &mut options);
        options
    }

    fn router_of(&self, terminal: TerminalId) -> RouterId {
        self.built.network.router_of(terminal)
    }
}
