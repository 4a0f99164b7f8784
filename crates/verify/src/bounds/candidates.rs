//! The sets of routers worth cutting off, from what the topology remembers of itself and,
//! for any graph, balls around routers in breadth-first order.

use super::Bound;
use super::sweep::{Parts, Sweep};
use std::collections::BTreeMap;
use turnwise_network::shape::{FatTree, dimension_name};
use turnwise_network::{Network, RouterId, Shape};

/// Breadth-first balls are grown around at most so many routers.
const BALL_CENTRES: usize = 64;

pub(super) fn best_cut(network: &Network) -> Option<Bound> {
    let parts = Parts::of(network);
    let mut sweep = Sweep::new(&parts);
    single_routers(network, &mut sweep);
    groups(network, &mut sweep);
    match network.shape() {
        Shape::Grid(grid) => slabs(
            network,
            &grid.sizes,
            |router| grid.coordinates(router),
            &mut sweep,
        ),
        Shape::HyperX(hyperx) => slabs(
            network,
            &hyperx.sizes,
            |router| hyperx.coordinates(router),
            &mut sweep,
        ),
        Shape::FatTree(tree) => subtrees(network, tree, &mut sweep),
        Shape::Dragonfly(_) | Shape::Megafly(_) | Shape::Butterfly(_) | Shape::Graph => {}
    }
    balls(network, &parts, &mut sweep);
    sweep.into_best()
}

fn single_routers(network: &Network, sweep: &mut Sweep<'_>) {
    for router in network.routers() {
        sweep.clear();
        sweep.add(router.0);
        sweep.consider(|| network.router_label(router));
    }
}

fn groups(network: &Network, sweep: &mut Sweep<'_>) {
    let mut groups: BTreeMap<u32, Vec<RouterId>> = BTreeMap::new();
    for router in network.routers() {
        if let Some(group) = network.shape().group(router) {
            groups.entry(group).or_default().push(router);
        }
    }
    for (group, members) in groups {
        sweep.clear();
        members.iter().for_each(|router| sweep.add(router.0));
        sweep.consider(|| format!("group {group}"));
    }
}

/// Runs of consecutive coordinates of one dimension, around the end as well: on a faulty
/// ring the best half may start anywhere.
fn slabs(
    network: &Network,
    sizes: &[u32],
    coordinates: impl Fn(u32) -> Vec<u32>,
    sweep: &mut Sweep<'_>,
) {
    for (dimension, &size) in sizes.iter().enumerate() {
        let mut layers = vec![Vec::new(); size as usize];
        for router in network.routers() {
            layers[coordinates(router.0)[dimension] as usize].push(router.0);
        }
        for first in 0..size {
            sweep.clear();
            for thickness in 1..size {
                let layer = (first + thickness - 1) % size;
                layers[layer as usize]
                    .iter()
                    .for_each(|&router| sweep.add(router));
                sweep.consider(|| slab_name(dimension, size, first, thickness));
            }
        }
    }
}

fn slab_name(dimension: usize, size: u32, first: u32, thickness: u32) -> String {
    let name = dimension_name(dimension);
    if 2 * thickness == size {
        return format!("half of dimension {name}");
    }
    match (first, (first + thickness - 1) % size) {
        (first, last) if first == last => format!("{name} = {first}"),
        (first, last) => format!("{name} = {first}..{last} of {size}"),
    }
}

/// For every level below the roots, the switches up to it that share all digits above it.
fn subtrees(network: &Network, tree: &FatTree, sweep: &mut Sweep<'_>) {
    for top in 1..tree.height() {
        let mut subtrees: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for router in network.routers() {
            let (level, index) = tree.level_and_index(router.0);
            if level <= top {
                let digits = tree.label(level, index).split_off(top);
                subtrees.entry(digits).or_default().push(router.0);
            }
        }
        for (number, members) in subtrees.values().enumerate() {
            sweep.clear();
            members.iter().for_each(|&router| sweep.add(router));
            sweep.consider(|| format!("subtree {number} of level {top}"));
        }
    }
}

/// Every prefix of the breadth-first orders around some routers.
fn balls(network: &Network, parts: &Parts, sweep: &mut Sweep<'_>) {
    let living: Vec<RouterId> = network
        .routers()
        .filter(|&router| network.is_alive(router))
        .collect();
    let centres = living.len().min(BALL_CENTRES);
    let mut seen_from = vec![usize::MAX; network.router_count()];
    for number in 0..centres {
        let centre = living[number * living.len() / centres];
        sweep.clear();
        let mut queue = vec![centre.0];
        seen_from[centre.index()] = number;
        let mut size = 0;
        while let Some(&router) = queue.get(size) {
            size += 1;
            sweep.add(router);
            sweep.consider(|| {
                format!(
                    "the {size} routers nearest to {}",
                    network.router_label(centre)
                )
            });
            for next in parts.successors(router) {
                if std::mem::replace(&mut seen_from[next as usize], number) != number {
                    queue.push(next);
                }
            }
        }
    }
}
