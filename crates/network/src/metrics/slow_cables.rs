//! Cables of a fabric that are slower than those beside them: they may have trained badly.

use crate::ids::ChannelId;
use crate::network::Network;

/// Of so many cables one may be slower without anybody having meant it.
const MANY: usize = 10;

/// What is to be said of few living cables of a fabric that are slower than all others, if there are any: how many, and the slowest by
/// name. Networks that are no fabric are as their study wants them. O(channels log channels).
pub fn slow_cables(network: &Network) -> Option<String> {
    network.identities()?;
    let switches: Vec<ChannelId> = network.links().collect();
    let adapters = network.living_terminals();
    let adapters: Vec<ChannelId> = adapters.map(|of| network.injection_channel(of)).collect();
    let kinds = [("between switches", switches), ("of adapters", adapters)];
    let said = kinds
        .into_iter()
        .filter_map(|(which, cables)| few_slow(network, which, cables));
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("; "))
}

fn few_slow(network: &Network, which: &str, mut cables: Vec<ChannelId>) -> Option<String> {
    let interval = |cable: ChannelId| network.channel(cable).interval;
    // The slowest first; of equals in the order of the file.
    cables.sort_by_key(|&cable| std::cmp::Reverse(interval(cable)));
    let kinds = cables.chunk_by(|&one, &other| interval(one) == interval(other));
    let mut few = 0;
    let mut usual = None;
    for kind in kinds {
        if (few + kind.len()) * MANY > cables.len() {
            usual = kind.first();
            break;
        }
        few += kind.len();
    }
    let (slowest, usual) = (*cables.first()?, interval(*usual?));
    (few > 0).then(|| {
        let (verb, example) = match few {
            1 => ("is", ""),
            _ => ("are", "for example "),
        };
        let (name, there) = (network.channel_label(slowest), interval(slowest));
        format!(
            "{few} of {} cables {which} {verb} slower than the others, {example}{name}: a flit takes {there} cycles there, and at most {usual} on others",
            cables.len(),
        )
    })
}
