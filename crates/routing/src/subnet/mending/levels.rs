//! Service levels for routes that have changed.

use super::super::columns::{Columns, HERE};
use super::{Broken, Mending, route};
use turnwise_network::{Invalid, RouterId, TerminalId};

impl Mending<'_> {
    /// Gives changed routes a service level at which they close no circle, their own if they can keep it after all.
    ///
    /// # Errors
    /// There is none.
    pub(in crate::subnet) fn tell_levels(&mut self, column: &Broken) -> Result<(), Invalid> {
        let network = self.network;
        let all = 0..column.ways.len() as u32;
        let untold = all.filter(|&at| column.is_untold && self.arrives(column, at));
        let unsettled = column.unsettled.iter().copied();
        let at = unsettled.filter(|_| !column.is_untold).chain(untold);
        let sources = at.flat_map(|at| network.living_terminals_of(RouterId(at)));
        let known = sources.filter(|source| !self.is_new[source.index()]);
        for source in known.collect::<Vec<_>>() {
            self.tell_level(column, source)?;
        }
        Ok(())
    }

    /// Has a router a way over others that does not go in circles? Who goes in circles has no route, at whatever level.
    fn arrives(&self, column: &Broken, at: u32) -> bool {
        let first = column.ways[at as usize];
        let most = self.graph.routers();
        first < HERE && route(self.graph, &column.ways, first).nth(most).is_none()
    }

    /// Gives packets of a terminal to a destination a service level at which they close no circle, that of their pair if they can keep it.
    ///
    /// # Errors
    /// There is none.
    fn tell_level(&mut self, column: &Broken, source: TerminalId) -> Result<(), Invalid> {
        let first = column.ways[self.network.router_of(source).index()];
        let own = self.old.service_level(source, column.destination);
        let others = (0..self.lanes).filter(|&level| level != own);
        let fits = std::iter::once(own)
            .chain(others)
            .find(|&level| self.fits(column, first, level, &mut Vec::new()));
        match fits {
            Some(level) if level == own => {}
            Some(level) => self.levels.push((source, column.destination, level)),
            None => return Err(self.too_few((source, column.destination))),
        }
        Ok(())
    }

    /// The same for all packets of terminals that are new, along ways that stay and those that have been mended, which are in the order of
    /// their destinations.
    ///
    /// # Errors
    /// As for others.
    pub(super) fn tell_levels_of_new(&mut self, mended: &[Broken]) -> Result<(), Invalid> {
        let network = self.network;
        let is_new = |at: &TerminalId| self.is_new[at.index()];
        let new: Vec<TerminalId> = network.living_terminals().filter(is_new).collect();
        if new.is_empty() {
            return Ok(());
        }
        let columns = Columns::new(network, self.old, self.turns, Default::default());
        for destination in network.living_terminals() {
            let known = mended.binary_search_by_key(&destination, |column| column.destination);
            let stays;
            let column = match known {
                Ok(at) => &mended[at],
                Err(_) => {
                    stays = Broken {
                        destination,
                        ways: columns.ways(destination),
                        lost: Vec::new(),
                        unsettled: Vec::new(),
                        is_untold: false,
                    };
                    &stays
                }
            };
            for &source in new.iter().filter(|&&source| source != destination) {
                if self.arrives(column, network.router_of(source).0) {
                    self.tell_level(column, source)?;
                }
            }
        }
        Ok(())
    }
}
