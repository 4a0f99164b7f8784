//! The search for steps: entries are asked, one destination after the other, until all have changed.

use super::super::columns::{Columns, HERE};
use super::super::dependencies::Dependencies;
use super::column::Column;
use super::region::{Region, Survey};
use super::{EntryOf, Step, Stuck};
use crate::irregular::by_destination::{Graph, Turns};
use turnwise_network::contract::forwards::differing;
use turnwise_network::{Forwards, Network, TerminalId};

/// Two tables on their network, as the search wants them: what stays, and the regions in which something changes.
pub(super) struct Between<'a> {
    dependencies: Dependencies<'a>,
    regions: Vec<Region>,
}

impl<'a> Between<'a> {
    /// `None` if what stays closes a circle.
    pub(super) fn new(
        network: &Network,
        tables: [&dyn Forwards; 2],
        turns: &'a Turns<'a>,
    ) -> Option<Self> {
        let graph: &Graph = turns.graph;
        let lanes = tables.map(|tables| std::array::from_fn(|level| tables.lane(level as u8)));
        let [mut before, after] =
            [0, 1].map(|at| Columns::new(network, tables[at], turns, lanes[at]));
        let mut survey = Survey::new(graph);
        let (mut standing, mut regions) = (vec![0; turns.count()], Vec::new());
        let differs = differing(network, tables);
        while let Some(together) = before.advance() {
            let is_alive = |to: TerminalId| network.is_terminal_alive(to);
            let stays = |to: TerminalId| is_alive(to) && !differs[to.index()];
            before.turns(stays, |turn, lanes| standing[turn] |= lanes);
            let all = together.map(TerminalId::from);
            for to in all.filter(|&to| is_alive(to) && differs[to.index()]) {
                let [old, new] = [before.ways(to), after.ways(to)];
                let [old_starts, new_starts] = [before.starts(to), after.starts(to)];
                let (ways, starts) = ([&*old, &*new], [&*old_starts, &*new_starts]);
                survey.find(ways, starts);
                let passing = before.passing(to);
                for (arc, &lanes) in old.iter().zip(&passing).filter(|(arc, _)| **arc < HERE) {
                    let at = graph.to(*arc);
                    let next = old[at as usize];
                    if next < HERE && !survey.contains(at) {
                        standing[turns.number(*arc, next)] |= lanes;
                    }
                }
                regions.extend(survey.region(to, (ways, starts), &passing));
            }
        }
        let highest = lanes.into_iter().flatten().max().unwrap_or(0);
        let dependencies = Dependencies::standing(turns, usize::from(highest) + 1, standing)?;
        Some(Self {
            dependencies,
            regions,
        })
    }

    /// Do packets set out on the same lanes by either table?
    pub(super) fn starts_are_the_same(&self) -> bool {
        let mut members = self.regions.iter().flat_map(|region| &region.members);
        members.all(|member| member.starts[0] == member.starts[1])
    }

    /// The entries that change from some tables to others, packets setting out at these levels, and those that have been emptied.
    fn columns<'r>(
        regions: &'r [Region],
        tables: [usize; 2],
        levels: &[usize],
        empties: bool,
    ) -> (Vec<Column<'r>>, Vec<EntryOf>) {
        let mut all_emptied = Vec::new();
        let columns = regions.iter().map(|region| {
            let mut column = Column::new(region, tables, levels);
            if empties {
                let emptied = column.empty().into_iter();
                all_emptied.extend(emptied.map(|at| (at, region.destination)));
            }
            column
        });
        (columns.collect(), all_emptied)
    }

    /// Do the first of these tables close no circle with these service levels?
    pub(super) fn is_free(
        &mut self,
        tables: [usize; 2],
        levels: &[usize],
        are_emptied: bool,
    ) -> bool {
        let (mut columns, _) = Self::columns(&self.regions, tables, levels, are_emptied);
        let (taken, is_free) = take_in(&mut columns, &mut self.dependencies);
        take_back(&columns[..taken], &mut self.dependencies);
        is_free
    }

    /// The steps of all entries that change, packets setting out at the service levels of these tables; a first one may empty some.
    pub(super) fn steps(&mut self, levels: &[usize], empties: bool) -> Result<Vec<Step>, Stuck> {
        let (mut columns, emptied) = Self::columns(&self.regions, [0, 1], levels, empties);
        if let Some(loser) = columns.iter().find(|column| column.loses()) {
            return Err(Stuck::Loses(loser.region.destination));
        }
        let mut steps = Vec::new();
        if !emptied.is_empty() {
            steps.push(Step {
                entries: emptied,
                are_emptied: true,
            });
        }
        let (taken, is_free) = take_in(&mut columns, &mut self.dependencies);
        let is_done = is_free && all_change(&mut columns, &mut self.dependencies, &mut steps);
        take_back(&columns[..taken], &mut self.dependencies);
        let left = columns.iter().map(|column| column.left.len()).sum();
        // Also where no entry changes, and service levels alone do.
        match is_done {
            true => Ok(steps),
            false => Err(Stuck::Circle { steps, left }),
        }
    }
}

/// Takes columns in, the first ones if a circle closes; says how many, and whether none does.
fn take_in(columns: &mut [Column<'_>], dependencies: &mut Dependencies<'_>) -> (usize, bool) {
    let closes = |column: &mut Column<'_>| !column.take_in(dependencies);
    match columns.iter_mut().position(closes) {
        Some(at) => (at, false),
        None => (columns.len(), true),
    }
}

fn take_back(columns: &[Column<'_>], dependencies: &mut Dependencies<'_>) {
    for column in columns {
        column.take_back(dependencies);
    }
}

/// Appends the steps in which entries change; are these all?
fn all_change(
    columns: &mut [Column<'_>],
    dependencies: &mut Dependencies<'_>,
    steps: &mut Vec<Step>,
) -> bool {
    while columns.iter().any(|column| !column.left.is_empty()) {
        let mut entries = Vec::new();
        for column in &mut *columns {
            for at in std::mem::take(&mut column.left) {
                match column.enter(at, dependencies) {
                    true => entries.push((column.router(at), column.region.destination)),
                    false => column.left.push(at),
                }
            }
        }
        if entries.is_empty() {
            return false;
        }
        steps.push(Step {
            entries,
            are_emptied: false,
        });
        // Behind the last step nobody asks.
        if columns.iter().any(|column| !column.left.is_empty()) {
            for column in &mut *columns {
                column.settle(dependencies);
            }
        }
    }
    true
}
