//! The sets of routers worth cutting off, from what the topology remembers of itself, or is recognised to be by its wiring, and,
//! for any graph, balls around routers in breadth-first order.

use super::Bound;
use super::everywhere::{behind_bridges, every_set};
use super::sweep::{Parts, Sweep};
use std::collections::BTreeMap;
use turnwise_network::recognition::{Structure, recognise};
use turnwise_network::shape::{FatTree, dimension_name};
use turnwise_network::{Network, RouterId, Shape};

/// Breadth-first balls are grown around at most so many routers.
const BALL_CENTRES: usize = 64;

pub(super) fn best_cut(network: &Network) -> Option<Bound> {
    let parts = Parts::of(network);
    let mut sweep = Sweep::new(&parts);
    single_routers(network, &mut sweep);
    let shape = network.shape();
    groups(network, |router| shape.group(router), &mut sweep);
    match shape {
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
        Shape::FatTree(tree) => subtrees_of(network, tree, &mut sweep),
        Shape::Graph => of_what_it_is_like(network, &mut sweep),
        Shape::Dragonfly(_) | Shape::Megafly(_) | Shape::Butterfly(_) => {}
    }
    balls(network, &parts, &mut sweep);
    behind_bridges(network, &parts, &mut sweep);
    every_set(network, &mut sweep);
    sweep.into_best()
}

fn single_routers(network: &Network, sweep: &mut Sweep<'_>) {
    for router in network.routers() {
        sweep.clear();
        sweep.add(router.0);
        sweep.consider(|| network.router_label(router));
    }
}

/// The sets of the structure that a network is recognised to have, where nothing but its wiring is known.
fn of_what_it_is_like(network: &Network, sweep: &mut Sweep<'_>) {
    match recognise(network).map(|found| found.structure) {
        Some(Structure::Grid(lattice)) => slabs(
            network,
            &lattice.sizes,
            |router| lattice.place(RouterId(router)).to_vec(),
            sweep,
        ),
        Some(Structure::HyperX(places)) => slabs(
            network,
            &places.sizes,
            |router| places.place(router).to_vec(),
            sweep,
        ),
        Some(Structure::FatTree(tree)) => {
            let level = |router: RouterId| tree.levels[router.index()] as usize;
            for top in 1..tree.height() {
                let subtree = |router| {
                    let is_in = (1..=top).contains(&level(router));
                    is_in.then(|| tree.below[top - 1][router.index()])
                };
                subtrees(network, top, subtree, sweep);
            }
        }
        Some(Structure::Dragonfly(found) | Structure::Megafly(found)) => {
            let living = |router: &RouterId| network.is_alive(*router);
            let group = |router: RouterId| Some(router).filter(living).map(|at| found.group(at.0));
            groups(network, group, sweep);
        }
        None => {}
    }
}

fn groups(network: &Network, group: impl Fn(RouterId) -> Option<u32>, sweep: &mut Sweep<'_>) {
    let name = |_: usize, group: &u32| format!("group {group}");
    alike(network, group, name, sweep);
}

/// The routers of which the same is said, for all that is said of any; sets are named by their number and that.
fn alike<K: Ord>(
    network: &Network,
    said: impl Fn(RouterId) -> Option<K>,
    name: impl Fn(usize, &K) -> String,
    sweep: &mut Sweep<'_>,
) {
    let mut sets: BTreeMap<K, Vec<u32>> = BTreeMap::new();
    for router in network.routers() {
        if let Some(said) = said(router) {
            sets.entry(said).or_default().push(router.0);
        }
    }
    for (number, (said, members)) in sets.iter().enumerate() {
        sweep.clear();
        members.iter().for_each(|&router| sweep.add(router));
        sweep.consider(|| name(number, said));
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
fn subtrees_of(network: &Network, tree: &FatTree, sweep: &mut Sweep<'_>) {
    for top in 1..tree.height() {
        let subtree = |router: RouterId| {
            let (level, index) = tree.level_and_index(router.0);
            (level <= top).then(|| tree.label(level, index).split_off(top))
        };
        subtrees(network, top, subtree, sweep);
    }
}

fn subtrees<K: Ord>(
    network: &Network,
    top: usize,
    subtree: impl Fn(RouterId) -> Option<K>,
    sweep: &mut Sweep<'_>,
) {
    let name = |number: usize, _: &K| format!("subtree {number} of level {top}");
    alike(network, subtree, name, sweep);
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
