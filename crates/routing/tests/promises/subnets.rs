//! What is written for the switches of a subnet is read back as the same routes on the same lanes, or nothing is written.

use super::subjects::{Built, Subject};
use turnwise_network::{Network, Port, Routing, TerminalId, Vc};
use turnwise_routing::algorithms::Forwarding;
use turnwise_routing::subnet::Programme;
use turnwise_routing::{Algorithm, Context};

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    comes_back(&subject.healthy)?;
    // Of two words at once there is no second damage: files are not written of these again.
    subject.damaged.get(1).map_or(Ok(()), comes_back)
}

fn comes_back(built: &Built) -> Result<(), String> {
    let (network, routing) = (&built.network, &*built.routing);
    // Who is refused is told why; who it is that must not be is for others to test.
    let Ok(programme) = Programme::of(network, routing) else {
        return Ok(());
    };
    let switches = || programme.switches();
    let files = [
        switches()
            .map(|at| programme.forwarding_table(at))
            .collect(),
        programme.policy(),
        switches().map(|at| programme.lanes(at)).collect(),
    ];
    let names = |name: &str| name.to_owned();
    let forwarding = Forwarding {
        lft: names("lft"),
        service_levels: Some(names("levels")),
        sl2vl: Some(names("lanes")),
        virtual_lanes: None,
    };
    let context = Context {
        files: &files,
        ..Context::default()
    };
    let read = forwarding.build(network, &context);
    let read = match read {
        Ok(read) => read,
        Err(_) if network.channel_count() == 0 || network.living_terminals().count() < 2 => {
            return Ok(());
        }
        Err(why) => return Err(format!("what was written is not read: {why}")),
    };
    for source in network.living_terminals() {
        for destination in network.living_terminals().filter(|&other| other != source) {
            let [ours, theirs] =
                [routing, &*read].map(|routing| route(network, routing, (source, destination)));
            if ours != theirs {
                return Err(format!(
                    "{source} to {destination} goes {theirs:?} when it is read again, not {ours:?}"
                ));
            }
        }
    }
    Ok(())
}

/// Ports and lowest virtual channels up to the last router; nothing if the pair has no route.
fn route(
    network: &Network,
    routing: &dyn Routing,
    (source, destination): (TerminalId, TerminalId),
) -> Option<Vec<(Port, Vc)>> {
    let start = routing.start(source, destination)?;
    let (mut at, mut header) = (network.router_of(source), start.header);
    let mut hops = Vec::new();
    loop {
        let mut options = Vec::new();
        routing.options(at, header, &mut options);
        let hop = options.first()?;
        let Some(next) = network.next_router(at, hop.port) else {
            let ejection = network.ejection_channel(destination);
            return (network.out_channel(at, hop.port) == Some(ejection)).then_some(hops);
        };
        hops.push((hop.port, hop.vcs.iter().next()?));
        (at, header) = (next, hop.header);
    }
}
