//! Files that algorithms read, for any network: routes that others have found.

use std::fmt::Write;
use std::sync::Arc;
use turnwise_network::{
    FlowControl, Header, Invalid, Network, RouterId, Routing, Shape, TerminalId,
};
use turnwise_routing::angara::{Directions, RouteTable, System};
use turnwise_routing::subnet::Programme;
use turnwise_routing::{Context, REGISTRY};

/// The text of a file that a field of an algorithm names.
pub(crate) fn written(field: &str, file: &str, network: &Arc<Network>) -> String {
    match (field, file) {
        ("lft", "repair") => tables_to_keep(network),
        ("lft" | "before.lft" | "after.lft", _) => forwarding_tables(network),
        ("service_levels", _) => programme(network, |programme| programme.policy()),
        ("sl2vl", _) => programme(network, |programme| {
            programme.switches().map(|at| programme.lanes(at)).collect()
        }),
        (_, "paths") => paths(network),
        (_, "next-hops") => next_hops(network),
        _ => source_routes(network),
    }
}

fn built(kind: &str, flow_control: FlowControl, network: &Arc<Network>) -> Box<dyn Routing> {
    built_with(kind, "", flow_control, network).unwrap()
}

fn built_with(
    kind: &str,
    fields: &str,
    flow_control: FlowControl,
    network: &Arc<Network>,
) -> Result<Box<dyn Routing>, Invalid> {
    let entry = REGISTRY.iter().find(|entry| entry.name == kind).unwrap();
    let table = super::written::read(fields);
    let algorithm = (entry.parse)(&table, &mut Vec::new()).unwrap();
    let context = Context {
        flow_control,
        ..Context::default()
    };
    algorithm.build(network, &context)
}

fn programme(network: &Arc<Network>, text: impl Fn(&Programme<'_>) -> String) -> String {
    let routing = built("shortest-path", FlowControl::Wormhole, network);
    text(&Programme::of(network, &*routing).unwrap())
}

/// Tables that cannot deadlock on one lane.
fn tables_to_keep(network: &Arc<Network>) -> String {
    let wormhole = FlowControl::Wormhole;
    match built_with("turnwise", "virtual_lanes = 1", wormhole, network) {
        Ok(routing) => {
            let programme = Programme::of(network, &*routing).unwrap();
            let switches = programme.switches();
            switches.map(|at| programme.forwarding_table(at)).collect()
        }
        // Where links carry one way only that may be too few, and shortest paths do.
        Err(_) => forwarding_tables(network),
    }
}

fn forwarding_tables(network: &Arc<Network>) -> String {
    programme(network, |programme| {
        let switches = programme.switches();
        switches.map(|at| programme.forwarding_table(at)).collect()
    })
}

/// Shortest routes.
fn paths(network: &Arc<Network>) -> String {
    let routing = built("shortest-path", FlowControl::Wormhole, network);
    let mut text = "source,destination,hop,router,port,next_router,vc\n".to_owned();
    for source in network.living_terminals() {
        for destination in network.living_terminals() {
            let Some(start) = routing.start(source, destination) else {
                continue;
            };
            let (mut at, mut header, mut number) = (network.router_of(source), start.header, 0);
            while let Some(hop) = routing.settled(at, header) {
                let Some(next) = network.next_router(at, hop.port) else {
                    break;
                };
                let vc = hop.vcs.iter().next().unwrap();
                let port = hop.port;
                writeln!(
                    text,
                    "{source},{destination},{number},{at},{port},{next},{vc}"
                )
                .unwrap();
                (at, header, number) = (next, hop.header, number + 1);
            }
        }
    }
    text
}

/// Shortest routes, towards terminals if there are several at a router.
fn next_hops(network: &Arc<Network>) -> String {
    let routing = built("shortest-path", FlowControl::Wormhole, network);
    let next = |at: RouterId, terminal: TerminalId| {
        let hop = routing.settled(at, Header::to(terminal))?;
        network.next_router(at, hop.port)
    };
    let cell = |next: Option<RouterId>| next.map_or("-1".to_owned(), |next| next.to_string());
    let row = |at: RouterId| {
        let by_router = |to| network.living_terminals_of(to).next();
        let cells: Vec<String> = match network.terminal_count() > network.router_count() {
            true => network.terminals().map(|to| cell(next(at, to))).collect(),
            false => network
                .routers()
                .map(|to| cell(by_router(to).and_then(|terminal| next(at, terminal))))
                .collect(),
        };
        cells.join(",") + "\n"
    };
    network.routers().map(row).collect()
}

/// Routes of direction order.
fn source_routes(network: &Arc<Network>) -> String {
    let routing = built("angara-dor", FlowControl::Bubble, network);
    let Shape::Grid(grid) = network.shape() else {
        panic!("only grids have source routes")
    };
    let directions = Directions::new(grid.sizes.len(), None).unwrap();
    let system = System::new(network, grid, directions);
    let table = RouteTable::of(network, &*routing, &system);
    table.ok().unwrap().write(grid.sizes.len())
}
