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

/// The shortest interval that all but one in ten have at most; `None` of nothing.
pub fn usual_interval(mut intervals: Vec<u32>) -> Option<u32> {
    intervals.sort_unstable();
    let last = intervals.len().checked_sub(1 + intervals.len() / MANY)?;
    intervals.get(last).copied()
}

fn few_slow(network: &Network, which: &str, cables: Vec<ChannelId>) -> Option<String> {
    let interval = |&cable: &ChannelId| network.channel(cable).interval;
    let usual = usual_interval(cables.iter().map(interval).collect())?;
    let few = cables
        .iter()
        .filter(|cable| interval(cable) > usual)
        .count();
    // Of equals the first one of the file.
    let slowest = *cables
        .iter()
        .min_by_key(|cable| std::cmp::Reverse(interval(cable)))?;
    (few > 0).then(|| {
        let (verb, example) = match few {
            1 => ("is", ""),
            _ => ("are", "for example "),
        };
        let (name, there) = (network.channel_label(slowest), interval(&slowest));
        format!(
            "{few} of {} cables {which} {verb} slower than the others, {example}{name}: a flit takes {there} cycles there, and at most {usual} on others",
            cables.len(),
        )
    })
}
