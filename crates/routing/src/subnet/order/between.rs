//! The search for steps: entries are asked, one destination after the other, until all have changed.

use super::column::{Column, HERE};
use super::dependencies::Dependencies;
use super::{EntryOf, Step, Stuck};
use crate::irregular::by_destination::{Graph, NONE, Turns};
use turnwise_network::tables::SERVICE_LEVELS;
use turnwise_network::{End, Forwards, Network, RouterId, TerminalId};

/// Two tables on their network, as the search wants them.
pub(super) struct Between<'a> {
    pub(super) network: &'a Network,
    pub(super) tables: [&'a dyn Forwards; 2],
    pub(super) graph: &'a Graph,
    pub(super) turns: &'a Turns<'a>,
    pub(super) by_port: &'a [u32],
}

impl<'a> Between<'a> {
    fn dependencies(&self) -> Dependencies<'a> {
        let tables = self.tables.iter();
        let lanes = tables.flat_map(|tables| (0..SERVICE_LEVELS).map(|level| tables.lane(level)));
        let highest = lanes.max().unwrap_or(0);
        Dependencies::new(self.turns, usize::from(highest) + 1)
    }

    /// By router, where packets to a terminal go.
    fn ways(&self, tables: usize, to: TerminalId) -> Vec<u32> {
        let network = self.network;
        let way = |at: RouterId| {
            let port = self.tables[tables].entry(at, to)?;
            let channel = network.out_channel(at, port)?;
            match network.channel(channel).target {
                End::Terminal(terminal) => (terminal == to).then_some(HERE),
                End::Router(..) => {
                    let arc = self.by_port[network.port_range(at).start + usize::from(port)];
                    (arc != NONE).then_some(arc)
                }
            }
        };
        network
            .routers()
            .map(|at| way(at).unwrap_or(NONE))
            .collect()
    }

    /// By router, the lanes on which packets to a terminal set out at the service levels of these tables.
    pub(super) fn starts(&self, levels: &[usize], to: TerminalId) -> Vec<u16> {
        let mut starts = vec![0; self.network.router_count()];
        for source in self
            .network
            .living_terminals()
            .filter(|&source| source != to)
        {
            for &tables in levels {
                let tables = self.tables[tables];
                let lane = tables.lane(tables.service_level(source, to));
                starts[self.network.router_of(source).index()] |= 1 << lane;
            }
        }
        starts
    }

    /// The entries to a terminal that change from some tables to others, packets setting out at these levels, and whose of them have been
    /// emptied.
    fn column(
        &self,
        tables: [usize; 2],
        levels: &[usize],
        to: TerminalId,
        empties: bool,
    ) -> (Column, Vec<EntryOf>) {
        let ways = tables.map(|tables| self.ways(tables, to));
        let mut column = Column::new(to, ways, self.starts(levels, to), self.graph);
        let emptied = if empties {
            column.empty(self.graph)
        } else {
            Vec::new()
        };
        let emptied = emptied.into_iter().map(|at| (RouterId(at), to));
        (column, emptied.collect())
    }

    /// Do the first of these tables close no circle with these service levels?
    pub(super) fn is_free(&self, tables: [usize; 2], levels: &[usize], are_emptied: bool) -> bool {
        let mut dependencies = self.dependencies();
        self.network.living_terminals().all(|to| {
            let (mut column, _) = self.column(tables, levels, to, are_emptied);
            column.take_in(&mut dependencies, self.graph)
        })
    }

    /// The steps of all entries that change, packets setting out at the service levels of these tables; a first one may empty some.
    pub(super) fn steps(&self, levels: &[usize], empties: bool) -> Result<Vec<Step>, Stuck> {
        let mut dependencies = self.dependencies();
        let (mut columns, mut all_emptied) = (Vec::new(), Vec::new());
        let mut is_free = true;
        for to in self.network.living_terminals() {
            let (mut column, emptied) = self.column([0, 1], levels, to, empties);
            if column.loses(self.graph) {
                return Err(Stuck::Loses(to));
            }
            is_free = is_free && column.take_in(&mut dependencies, self.graph);
            all_emptied.extend(emptied);
            // What does not change is taken in, and needs no memory.
            if !column.left.is_empty() {
                columns.push(column);
            }
        }
        let mut steps = Vec::new();
        if !all_emptied.is_empty() {
            steps.push(Step {
                entries: all_emptied,
                are_emptied: true,
            });
        }
        // Also where no entry changes, and service levels alone do.
        if !is_free {
            let left = columns.iter().map(|column| column.left.len()).sum();
            return Err(Stuck::Circle { steps, left });
        }
        while !columns.is_empty() {
            let mut entries = Vec::new();
            for column in &mut columns {
                for at in std::mem::take(&mut column.left) {
                    match column.enter(at, &mut dependencies, self.graph) {
                        true => entries.push((RouterId(at), column.destination)),
                        false => column.left.push(at),
                    }
                }
            }
            if entries.is_empty() {
                let left = columns.iter().map(|column| column.left.len()).sum();
                return Err(Stuck::Circle { steps, left });
            }
            for column in &mut columns {
                column.settle(&mut dependencies, self.graph);
            }
            columns.retain(|column| !column.left.is_empty());
            steps.push(Step {
                entries,
                are_emptied: false,
            });
        }
        Ok(steps)
    }
}
