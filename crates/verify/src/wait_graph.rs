//! The dependency graph as it is judged: rings that the flow control excuses are one vertex.
//!
//! An excused ring is contracted, not removed. Deleting the dependencies inside it would
//! lose real deadlocks: a packet may enter the ring at one channel and wait at another for a
//! channel outside, which in turn waits to enter the ring at a third. The bubble keeps the
//! ring turning, but turning does not help a packet that wants to leave. Contracted,
//! everything that waits to enter the ring waits for everything the ring waits for.
//!
//! Where packets may change the virtual channel along a ring but need not, these dependencies are
//! [left out](crate::optional) if they would close a circle.

use crate::dependencies::{Dependencies, Vertex};
use crate::rings::rings;
use turnwise_network::FlowControl;
use turnwise_network::Network;

/// A dependency between two classes of vertices, with one real dependency behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    /// The class waited for.
    pub(crate) class: u32,
    /// The dependency: what is held and what is wanted.
    pub(crate) dependency: (Vertex, Vertex),
}

/// Dependencies between classes; a class is an excused ring or a single vertex, and is named
/// by the lowest vertex in it.
#[derive(Clone, Debug)]
pub(crate) struct WaitGraph {
    class_of: Vec<u32>,
    offsets: Vec<usize>,
    waits: Vec<Wait>,
    /// The excused rings, in the order packets travel.
    pub(crate) rings: Vec<Vec<Vertex>>,
    /// What packets may wait for but need not, ascending: left out.
    pub(crate) optional: Vec<(Vertex, Vertex)>,
}

impl WaitGraph {
    /// O(vertices + dependencies log dependencies).
    pub(crate) fn new(
        network: &Network,
        dependencies: &Dependencies,
        flow_control: FlowControl,
    ) -> Self {
        let rings = match flow_control {
            FlowControl::Wormhole | FlowControl::VirtualCutThrough | FlowControl::Pause => {
                Vec::new()
            }
            FlowControl::Bubble => turning_rings(network, dependencies),
        };
        Self::of(dependencies.vertex_count(), &dependencies.sorted(), rings)
    }

    /// The graph of these dependencies, ascending, with these rings excused.
    pub(crate) fn of(
        vertices: usize,
        dependencies: &[(Vertex, Vertex)],
        rings: Vec<Vec<Vertex>>,
    ) -> Self {
        let mut class_of: Vec<u32> = (0..vertices as u32).collect();
        let mut is_excused = vec![false; vertices];
        for ring in &rings {
            let name = ring.iter().copied().min().unwrap_or_default();
            is_excused[name as usize] = true;
            for &vertex in ring {
                class_of[vertex as usize] = name;
            }
        }
        let mut waits: Vec<(u32, Wait)> = dependencies
            .iter()
            .map(|&(held, wanted)| {
                let wait = Wait {
                    class: class_of[wanted as usize],
                    dependency: (held, wanted),
                };
                (class_of[held as usize], wait)
            })
            // A virtual channel of no ring that waits for itself is a cycle.
            .filter(|(class, wait)| *class != wait.class || !is_excused[*class as usize])
            .collect();
        waits.sort_by_key(|&(class, _)| class);
        let mut offsets = vec![0; vertices + 1];
        for &(class, _) in &waits {
            offsets[class as usize + 1] += 1;
        }
        for class in 0..vertices {
            offsets[class + 1] += offsets[class];
        }
        let waits = waits.into_iter().map(|(_, wait)| wait).collect();
        Self {
            class_of,
            offsets,
            waits,
            rings,
            optional: Vec::new(),
        }
    }

    /// The same without these dependencies, ascending, that no packet needs.
    pub(crate) fn without(
        &self,
        optional: Vec<(Vertex, Vertex)>,
        dependencies: &Dependencies,
    ) -> Self {
        let needed = without(dependencies.sorted(), &optional);
        let graph = Self::of(dependencies.vertex_count(), &needed, self.rings.clone());
        Self { optional, ..graph }
    }

    /// All dependencies but those that no packet needs, ascending.
    pub(crate) fn needed(&self, dependencies: &Dependencies) -> Vec<(Vertex, Vertex)> {
        without(dependencies.sorted(), &self.optional)
    }

    /// The class a vertex belongs to.
    pub(crate) fn class_of(&self, vertex: Vertex) -> u32 {
        self.class_of[vertex as usize]
    }

    /// One more than the highest possible class.
    pub(crate) fn class_bound(&self) -> usize {
        self.class_of.len()
    }

    /// What members of a class wait for, outside it if it is a ring.
    #[inline]
    pub(crate) fn waits(&self, class: u32) -> &[Wait] {
        &self.waits[self.offsets[class as usize]..self.offsets[class as usize + 1]]
    }

    /// For every class the length of the longest chain of dependencies that ends there.
    ///
    /// # Errors
    /// The classes on or behind a cycle, if there is one.
    pub(crate) fn longest_chains(&self) -> Result<Vec<u32>, Vec<u32>> {
        let mut pending = vec![0u32; self.class_bound()];
        for wait in &self.waits {
            pending[wait.class as usize] += 1;
        }
        let mut numbers = vec![0; self.class_bound()];
        let classes = 0..self.class_bound() as u32;
        let mut queue: Vec<u32> = classes
            .clone()
            .filter(|&class| pending[class as usize] == 0)
            .collect();
        let mut done = 0;
        while let Some(&class) = queue.get(done) {
            done += 1;
            for wait in self.waits(class) {
                let next = wait.class as usize;
                numbers[next] = numbers[next].max(numbers[class as usize] + 1);
                pending[next] -= 1;
                if pending[next] == 0 {
                    queue.push(wait.class);
                }
            }
        }
        match queue.len() == self.class_bound() {
            true => Ok(numbers),
            false => Err(classes
                .filter(|&class| pending[class as usize] > 0)
                .collect()),
        }
    }
}

/// Dependencies without some of them, which ascend.
fn without(
    mut dependencies: Vec<(Vertex, Vertex)>,
    some: &[(Vertex, Vertex)],
) -> Vec<(Vertex, Vertex)> {
    dependencies.retain(|dependency| some.binary_search(dependency).is_err());
    dependencies
}

/// The rings whose own dependencies close.
///
/// A ring that no packets go all the way round has no cycle to excuse, and contracting it
/// would only invent dependencies between channels that never wait for each other.
fn turning_rings(network: &Network, dependencies: &Dependencies) -> Vec<Vec<Vertex>> {
    let mut turning = Vec::new();
    for ring in rings(network) {
        for vc in 0..dependencies.virtual_channels() {
            let vertices: Vec<Vertex> = ring
                .iter()
                .map(|&channel| dependencies.vertex(channel, vc))
                .collect();
            let next = vertices.iter().cycle().skip(1);
            if vertices
                .iter()
                .zip(next)
                .all(|(&held, &wanted)| dependencies.contains(held, wanted))
            {
                turning.push(vertices);
            }
        }
    }
    turning
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It was once taken for a ring of one, which is excused.
    #[test]
    fn what_waits_for_itself_is_a_cycle() {
        let chains = |dependencies: &[(Vertex, Vertex)], rings| {
            WaitGraph::of(4, dependencies, rings).longest_chains()
        };
        let chain = [(0, 1), (1, 2)];
        assert_eq!(chains(&chain, Vec::new()), Ok(vec![0, 1, 2, 0]));
        let itself = [(0, 1), (1, 1), (1, 2)];
        assert_eq!(chains(&itself, Vec::new()), Err(vec![1, 2]));
        let ring = [(0, 1), (1, 2), (2, 1), (2, 3)];
        assert_eq!(chains(&ring, vec![vec![1, 2]]), Ok(vec![0, 1, 0, 2]));
    }
}
