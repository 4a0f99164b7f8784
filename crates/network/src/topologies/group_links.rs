//! The links between groups of a dragonfly or a megafly.

use crate::random::{Purpose, Random};

/// Both ends of a link, group and global port of the group, the lower group's first.
pub(super) type GroupLink = [(u32, u32); 2];

/// Those of so many groups with so many global ports each, where a fixed rule says where ports lead.
pub(super) fn by_rule(
    groups: u32,
    ports: u32,
    peer: impl Fn(u32, u32) -> Option<(u32, u32)>,
) -> Vec<GroupLink> {
    let all = (0..groups).flat_map(|group| (0..ports).map(move |q| (group, q)));
    let both = all.filter_map(|(group, q)| Some([(group, q), peer(group, q)?]));
    both.filter(|[near, far]| near.0 < far.0).collect()
}

/// So many random ones between each pair of groups.
///
/// Every group hands its shuffled ports to the other groups in turn, so that each pair of groups gets its links between ports
/// drawn uniformly at both ends.
pub(super) fn random(groups: u32, ports: u32, links_per_pair: u32, seed: u64) -> Vec<GroupLink> {
    let m = links_per_pair;
    let shuffled: Vec<Vec<u32>> = (0..groups)
        .map(|group| {
            let mut ports: Vec<u32> = (0..ports).collect();
            Random::new(seed, Purpose::Topology, group, 0).shuffle(&mut ports);
            ports
        })
        .collect();
    let port = |group: u32, other: u32, link: u32| {
        let turn = if other < group { other } else { other - 1 };
        (group, shuffled[group as usize][(turn * m + link) as usize])
    };
    let mut links = Vec::new();
    for near in 0..groups {
        for far in near + 1..groups {
            links.extend((0..m).map(|link| [port(near, far, link), port(far, near, link)]));
        }
    }
    links
}
