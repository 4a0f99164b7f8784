//! Routes from a file: somebody else's, or ours after they were edited.
//!
//! The file is what `turnwise route --paths FILE` writes, a row for every hop of every pair of terminals:
//!
//! ```csv
//! source,destination,hop,router,port,next_router,vc
//! 0,5,0,0,2,1,0
//! 0,5,1,1,1,5,1
//! ```
//!
//! Columns may stand in any order and others are passed over; `router`, `next_router` and `hop` may be missing, and are checked where they
//! are there: rows of a pair follow each other. Routes are taken as they are: whether they can deadlock is for the verifier to find
//! out. Pairs without a row are not routed, unless both terminals share a router.
//!
//! Source: none; source routing in general is in Dally and Towles, "Principles and Practices of Interconnection Networks",
//! 2004, section 11.1.1.
//!
//! Complexity: O(rows) to read; 3 bytes a hop and 4 a pair of terminals.

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::endpoints::{ejection, live};
use crate::common::only_way::{OnlyWay, Rule};
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::Flaw;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::tables::next_of;
use turnwise_network::{
    Header, Hop, Invalid, Network, Port, RouterId, Routing, Shape, Start, TerminalId, Vc, VcSet,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Any network: a route for each pair of terminals, from a file",
        source: "Dally and Towles, Principles and Practices of Interconnection Networks, section 11.1.1",
        example: "file = \"paths.csv\"",
        schema: schema_of::<Paths>,
        parse: |table, errors| Some(Box::new(parse_as::<Paths, dyn Algorithm>(table, errors)?)),
    },
    fits: |_| true,
};

const NAME: &str = "paths";

/// Routes read from a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Paths {
    /// The file, relative to the study.
    pub file: String,
}

impl Algorithm for Paths {
    fn files(&self) -> Vec<(&'static str, &str)> {
        vec![("file", &self.file)]
    }

    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::NewRules
    }

    fn is_free_of_deadlock(&self, _: &Shape) -> bool {
        false
    }

    fn table_bytes(&self, network: &Network, context: &Context<'_>) -> u64 {
        // A line is a hop.
        let lines = |text: &String| text.matches('\n').count() as u64 + 1;
        let hops: u64 = context.files.iter().map(lines).sum();
        let of_hop = (size_of::<Port>() + size_of::<Vc>()) as u64;
        size_of::<u32>() as u64 * (network.terminal_count() as u64).pow(2) + of_hop * hops
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let text = context.files.first().map_or("", String::as_str);
        let mut arena = Arena::new(network);
        arena
            .read(text)
            .map_err(|flaw| flaw.in_file(&self.file, text))?;
        let used = arena.highest + 1;
        let total = context
            .router_virtual_channels
            .unwrap_or(used.min(VcSet::CAPACITY));
        if used > total {
            let message = format!("a route takes virtual channel {}, of {total}", used - 1);
            return Err(Flaw::at(arena.highest_at, message).in_file(&self.file, text));
        }
        arena.plan = VcPlan { used, total };
        Ok(Box::new(OnlyWay(arena)))
    }
}

/// Hops of all routes, one route behind the other. `Header::via` is where the next hop stands.
struct Arena {
    network: Arc<Network>,
    plan: VcPlan,
    /// By pair of terminals: where its route begins and, beyond all hops, that there is none.
    begins: Vec<u32>,
    ports: Vec<Port>,
    vcs: Vec<Vc>,
    highest: Vc,
    /// Where that stands.
    highest_at: usize,
}

/// No route.
const NONE: u32 = u32::MAX;

/// Where the columns are.
struct Columns {
    needed: [usize; 4],
    hop: Option<usize>,
    router: Option<usize>,
    next_router: Option<usize>,
}

impl Columns {
    fn read(line: &str) -> Result<Self, Flaw> {
        let names: Vec<&str> = line.split(',').map(str::trim).collect();
        let find = |wanted: &str| names.iter().position(|name| *name == wanted);
        let need = |wanted: &str| {
            find(wanted).ok_or_else(|| {
                let message = format!("expected a header with a column `{wanted}`");
                Flaw::at(0, message).with_help("the columns are those of `turnwise route --paths`")
            })
        };
        Ok(Self {
            needed: [
                need("source")?,
                need("destination")?,
                need("port")?,
                need("vc")?,
            ],
            hop: find("hop"),
            router: find("router"),
            next_router: find("next_router"),
        })
    }
}

/// A pair whose rows are being read.
struct Open {
    pair: (TerminalId, TerminalId),
    at: RouterId,
    hops: u32,
    /// Of its last row.
    offset: usize,
}

impl Arena {
    fn new(network: &Arc<Network>) -> Self {
        Self {
            network: network.clone(),
            plan: VcPlan { used: 1, total: 1 },
            begins: vec![NONE; network.terminal_count().pow(2)],
            ports: Vec::new(),
            vcs: Vec::new(),
            highest: 0,
            highest_at: 0,
        }
    }

    fn pair(&self, (source, destination): (TerminalId, TerminalId)) -> usize {
        source.index() * self.network.terminal_count() + destination.index()
    }

    fn read(&mut self, text: &str) -> Result<(), Flaw> {
        let mut start = 0;
        let mut lines = text.split_inclusive('\n').map(|line| {
            let offset = start;
            start += line.len();
            (line.trim_end(), offset)
        });
        let (header, _) = lines.next().unwrap_or_default();
        let columns = Columns::read(header)?;
        let mut open: Option<Open> = None;
        for (line, offset) in lines.filter(|(line, _)| !line.is_empty()) {
            self.row(&columns, line, offset, &mut open)?;
        }
        self.close(open)
    }

    fn row(
        &mut self,
        columns: &Columns,
        line: &str,
        offset: usize,
        open: &mut Option<Open>,
    ) -> Result<(), Flaw> {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |column: usize| {
            let cell = cells.get(column).copied().unwrap_or_default();
            let place = match cells.get(column) {
                Some(cell) => offset + (cell.as_ptr() as usize - line.as_ptr() as usize),
                None => offset + line.len(),
            };
            let number: Result<u32, _> = cell.trim().parse();
            let number =
                number.map_err(|_| Flaw::at(place, format!("expected a number, found `{cell}`")));
            Ok::<_, Flaw>((number?, place))
        };
        let ends = [columns.needed[0], columns.needed[1]].map(|column| {
            let (terminal, place) = number(column)?;
            match (terminal as usize) < self.network.terminal_count() {
                true => Ok(TerminalId(terminal)),
                false => Err(Flaw::at(place, format!("there is no terminal {terminal}"))),
            }
        });
        let [source, destination] = ends;
        let pair = (source?, destination?);
        if open.as_ref().is_none_or(|open| open.pair != pair) {
            self.close(open.take())?;
            let entry = self.pair(pair);
            if self.begins[entry] != NONE {
                let message = format!(
                    "rows of the route from {} to {} stand elsewhere already",
                    pair.0, pair.1
                );
                return Err(Flaw::at(offset, message));
            }
            let begin = u32::try_from(self.ports.len())
                .ok()
                .filter(|&begin| begin != NONE);
            self.begins[entry] =
                begin.ok_or_else(|| Flaw::at(offset, "there are more than 2^32 hops"))?;
            *open = Some(Open {
                pair,
                at: self.network.router_of(pair.0),
                hops: 0,
                offset,
            });
        }
        let Some(route) = open else { return Ok(()) };
        let says =
            |column: Option<usize>, truth: u32, what: &str| match column.map(number).transpose()? {
                Some((said, place)) if said != truth => {
                    let message = format!("the route is at {what} {truth} here, not {said}");
                    Err(Flaw::at(place, message))
                }
                _ => Ok(()),
            };
        if route.at == self.network.router_of(pair.1) {
            let message = format!(
                "the route from {} to {} goes on behind its end",
                pair.0, pair.1
            );
            return Err(Flaw::at(offset, message));
        }
        says(columns.hop, route.hops, "hop")?;
        says(columns.router, route.at.0, "router")?;
        let (port, place) = number(columns.needed[2])?;
        let next = Port::try_from(port).ok();
        let next = next.and_then(|port| self.network.next_router(route.at, port));
        let Some(next) = next else {
            let message = format!(
                "port {port} of {} leads to no router",
                self.network.router_label(route.at)
            );
            return Err(Flaw::at(place, message));
        };
        says(columns.next_router, next.0, "router")?;
        let (vc, place) = number(columns.needed[3])?;
        if vc >= VcSet::CAPACITY.into() {
            let message = format!("a channel has at most {} virtual channels", VcSet::CAPACITY);
            return Err(Flaw::at(place, message));
        }
        self.ports.push(port as Port);
        self.vcs.push(vc as Vc);
        if vc > self.highest.into() {
            (self.highest, self.highest_at) = (vc as Vc, place);
        }
        *route = Open {
            at: next,
            hops: route.hops + 1,
            offset,
            ..*route
        };
        Ok(())
    }

    /// Refuses a route that ends elsewhere.
    fn close(&self, open: Option<Open>) -> Result<(), Flaw> {
        let Some(Open {
            pair, at, offset, ..
        }) = open
        else {
            return Ok(());
        };
        if at == self.network.router_of(pair.1) {
            return Ok(());
        }
        let message = format!(
            "the route from {} to {} ends at {}",
            pair.0,
            pair.1,
            self.network.router_label(at)
        );
        Err(Flaw::at(offset, message))
    }
}

impl Rule for Arena {
    fn plan(&self) -> &VcPlan {
        &self.plan
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let [from, to] = [source, destination].map(|terminal| self.network.router_of(terminal));
        let begin = self.begins[self.pair((source, destination))];
        if !live(&self.network, source, destination) || (begin == NONE && from != to) {
            return None;
        }
        let via = if from == to { 0 } else { begin };
        Some(Start {
            header: Header {
                via,
                ..Header::to(destination)
            },
            vcs: self.plan.all(),
        })
    }

    fn hop(&self, router: RouterId, header: Header) -> Option<Hop> {
        let destination = self.network.router_of(header.destination);
        if router == destination {
            return Some(ejection(&self.network, header, self.plan.all()));
        }
        next_of(&self.network, router, header, (&self.ports, &self.vcs))
    }

    fn distinguishes_terminals(&self) -> bool {
        true
    }

    fn memory_bytes(&self) -> u64 {
        (4 * self.begins.len() + 3 * self.ports.len()) as u64
    }
}
