//! Writes a network in the language of `ibnetdiscover`, which `ibsim` reads too.

use super::rate::Words;
use crate::identities::Identities;
use crate::ids::{Port, RouterId, TerminalId};
use crate::network::{End, Network};
use std::collections::BTreeMap;
use std::fmt::Write;
use turnwise_config::diagnostic::Invalid;

/// The living part of a network; [`read`](super::read) gives it back, but for latencies and speeds that have [no words](tells_speeds).
///
/// Adapters come first, since `ibsim` lets whoever asks sit at the first node. A network that was not read from a fabric gets
/// [identities](Identities::made_up) of its own.
///
/// # Errors
/// What no fabric can be: a switch with too many ports, more parts than there are LIDs, one-way channels.
pub fn write(network: &Network) -> Result<String, Invalid> {
    let known = network.identities_or_made_up()?;
    let words = words(network);
    let mut text = format!("# Written by Turnwise: {}\n", network.description());
    let mut adapters: BTreeMap<u64, Vec<TerminalId>> = BTreeMap::new();
    let mut order = Vec::new();
    for terminal in network.living_terminals() {
        let ports = adapters.entry(known.adapters[terminal.index()].node_guid);
        let ports = ports.or_insert_with(|| {
            order.push(known.adapters[terminal.index()].node_guid);
            Vec::new()
        });
        ports.push(terminal);
    }
    for guid in order {
        let ports = &mut adapters.get_mut(&guid).map_or(Vec::new(), std::mem::take);
        ports.sort_by_key(|terminal| known.adapters[terminal.index()].port);
        adapter(network, (&known, &words), guid, ports, &mut text);
    }
    for router in network.routers().filter(|&router| network.is_alive(router)) {
        switch(network, (&known, &words), router, &mut text)?;
    }
    Ok(text)
}

/// Are all cables read again as fast as they are?
pub fn tells_speeds(network: &Network) -> bool {
    let alike = |id| {
        let back = network
            .reverse(id)
            .map(|back| network.channel(back).interval);
        back.is_none_or(|back| back == network.channel(id).interval)
    };
    words(network).is_exact && network.channels().all(|(id, _)| alike(id))
}

fn words(network: &Network) -> Words {
    let between = network.channels().map(|(id, _)| id);
    let living = network.living_terminals();
    let of_terminals = living.map(|terminal| network.injection_channel(terminal));
    let all = between.chain(of_terminals);
    Words::of(&all.map(|id| network.channel(id).interval).collect())
}

// Writing into a string cannot fail.

fn adapter(
    network: &Network,
    (known, words): (&Identities, &Words),
    node: u64,
    ports: &[TerminalId],
    text: &mut String,
) {
    let last = ports.last().map(|port| &known.adapters[port.index()]);
    let (name, count) = last.map_or(("", 1), |last| (last.name.as_str(), last.port));
    let _ = write!(
        text,
        "\nvendid=0x2c9\ndevid=0x5a44\nsysimgguid={node:#018x}\ncaguid={node:#018x}\n\
         Ca\t{count} \"H-{node:016x}\"\t\t# \"{name}\"\n"
    );
    for &terminal in ports {
        let own = &known.adapters[terminal.index()];
        let router = network.router_of(terminal);
        let switch = &known.switches[router.index()];
        let port = known.port(network, router, network.terminal_port(terminal));
        let channel = network.channel(network.injection_channel(terminal));
        let speed = words.of_interval(channel.interval);
        let _ = writeln!(
            text,
            "[{}]({:016x}) \t\"S-{:016x}\"[{port}]\t\t# lid {} lmc {} \"{}\" lid {} {speed}",
            own.port, own.guid, switch.guid, own.lid, own.lmc, switch.name, switch.lid
        );
    }
}

fn switch(
    network: &Network,
    (known, words): (&Identities, &Words),
    router: RouterId,
    text: &mut String,
) -> Result<(), Invalid> {
    let own = &known.switches[router.index()];
    let (guid, port_guid) = (own.guid, own.port_guid);
    let (name, lid) = (&own.name, own.lid);
    let radix = network.radix(router);
    let _ = write!(
        text,
        "\nvendid=0x2c9\ndevid=0xbd36\nsysimgguid={guid:#018x}\nswitchguid={guid:#018x}({port_guid:016x})\n\
         Switch\t{radix} \"S-{guid:016x}\"\t\t# \"{name}\" base port 0 lid {lid} lmc 0\n"
    );
    let mut ports: Vec<(u8, Port)> = (0..radix as Port)
        .map(|port| (known.port(network, router, port), port))
        .collect();
    ports.sort_unstable();
    for (number, port) in ports {
        let Some(channel) = network.out_channel(router, port) else {
            continue;
        };
        if network.reverse(channel).is_none() {
            let message = format!(
                "{} leads one way; cables of a fabric lead both ways",
                network.channel_label(channel)
            );
            return Err(Invalid::new("", message));
        }
        let channel = network.channel(channel);
        let speed = words.of_interval(channel.interval);
        let _ = match channel.target {
            End::Router(other, at) => {
                let at = known.port(network, other, at);
                let other = &known.switches[other.index()];
                writeln!(
                    text,
                    "[{number}]\t\"S-{:016x}\"[{at}]\t\t# \"{}\" lid {} {speed}",
                    other.guid, other.name, other.lid
                )
            }
            End::Terminal(terminal) => {
                let other = &known.adapters[terminal.index()];
                writeln!(
                    text,
                    "[{number}]\t\"H-{:016x}\"[{}]({:016x}) \t\t# \"{}\" lid {} {speed}",
                    other.node_guid, other.port, other.guid, other.name, other.lid
                )
            }
        };
    }
    Ok(())
}
