//! The route of a pair, where there is but one.

use turnwise_network::{
    End, Header, Hop, Invalid, Network, Port, RouterId, Routing, TerminalId, Vc,
};

/// One hop of a route: at a router, from a port to another one, on a virtual channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) at: RouterId,
    pub(super) from: Port,
    pub(super) to: Port,
    pub(super) vc: Vc,
}

/// Appends the hops between routers of a pair's route, and returns the class its packets set out with; `None` if it has none.
///
/// Where several virtual channels may be taken it is the lowest, which is one that was proved.
///
/// # Errors
/// A router that has a choice, a route that does not end.
pub(super) fn follow(
    network: &Network,
    routing: &dyn Routing,
    (source, destination): (TerminalId, TerminalId),
    steps: &mut Vec<Step>,
) -> Result<Option<u16>, Invalid> {
    let Some(start) = routing.start(source, destination) else {
        return Ok(None);
    };
    let class = start.header.class;
    let (mut at, mut header) = (network.router_of(source), start.header);
    let mut from = network.terminal_port(source);
    for _ in 0..=2 * network.router_count() {
        let Hop {
            port,
            vcs,
            header: next,
        } = match routing.settled(at, header) {
            Some(hop) => hop,
            None => only(network, routing, (at, header), (source, destination))?,
        };
        let channel = network.out_channel(at, port);
        let Some(router) = network.next_router(at, port) else {
            let arrives = channel == Some(network.ejection_channel(destination));
            return Ok(arrives.then_some(class));
        };
        steps.push(Step {
            at,
            from,
            to: port,
            vc: vcs.iter().next().unwrap_or(0),
        });
        from = channel.map_or(0, |channel| match network.channel(channel).target {
            End::Router(_, port) => port,
            End::Terminal(_) => 0,
        });
        (at, header) = (router, next);
    }
    let [a, b] = [source, destination].map(|terminal| network.terminal_label(terminal));
    Err(Invalid::new(
        "",
        format!("the route from {a} to {b} does not end"),
    ))
}

/// The only way on of a routing that does not know at once that it is the only one.
fn only(
    network: &Network,
    routing: &dyn Routing,
    (at, header): (RouterId, Header),
    (source, destination): (TerminalId, TerminalId),
) -> Result<Hop, Invalid> {
    let mut options = Vec::new();
    routing.options(at, header, &mut options);
    let Some(&first) = options.first() else {
        let [a, b] = [source, destination].map(|terminal| network.terminal_label(terminal));
        let message = format!(
            "packets from {a} to {b} are lost at {}",
            network.router_label(at)
        );
        return Err(Invalid::new("", message));
    };
    let is_same = |hop: &Hop| hop.port == first.port && hop.header == first.header;
    if options.iter().all(is_same) {
        return Ok(first);
    }
    let message = format!(
        "at {} packets to {} may go several ways; a switch of a subnet knows one",
        network.router_label(at),
        network.terminal_label(destination)
    );
    Err(Invalid::new("", message).with_help("take a routing with fixed routes, as `turnwise` is"))
}
