//! A shortest cycle of dependencies.
//!
//! Breadth-first search from every vertex of every non-trivial strongly connected component,
//! cut off at the length of the best cycle so far. Huge components get bounded effort: the
//! cycle is then the shortest that was found.

use crate::components::nontrivial;
use crate::dependencies::Vertex;
use crate::wait_graph::WaitGraph;

/// Dependencies looked at before the search settles for the shortest cycle found.
const EFFORT: u64 = 200_000_000;

/// The dependencies of a cycle, and whether none is shorter for sure.
pub(crate) type Shortest = (Vec<(Vertex, Vertex)>, bool);

/// The shortest cycle among the classes `cyclic` that passes one of those wanted; `None` if there is none.
pub(crate) fn find(
    graph: &WaitGraph,
    cyclic: &[u32],
    is_wanted: impl Fn(u32) -> bool,
) -> Option<Shortest> {
    let successor = |class, n: usize| graph.waits(class).get(n).map(|wait| wait.class);
    let mut components = nontrivial(graph.class_bound(), cyclic, successor);
    components.sort_by_key(|component| (component.len(), component[0]));
    let mut search = Search::new(graph);
    for component in &components {
        search.enter(component);
        for &class in component.iter().filter(|&&class| is_wanted(class)) {
            search.from(class);
        }
    }
    let is_shortest = search.effort < EFFORT;
    search
        .best
        .map(|best| (through_rings(graph, &best), is_shortest))
}

struct Search<'a> {
    graph: &'a WaitGraph,
    /// May a cycle through this class still be news?
    inside: Vec<bool>,
    seen_from: Vec<u32>,
    /// The dependency by which a class was reached, and the class it was reached from.
    reached_by: Vec<((Vertex, Vertex), u32)>,
    best: Option<Vec<(Vertex, Vertex)>>,
    effort: u64,
}

impl<'a> Search<'a> {
    fn new(graph: &'a WaitGraph) -> Self {
        let classes = graph.class_bound();
        Self {
            graph,
            inside: vec![false; classes],
            seen_from: vec![u32::MAX; classes],
            reached_by: vec![((0, 0), 0); classes],
            best: None,
            effort: 0,
        }
    }

    fn enter(&mut self, component: &[u32]) {
        for &class in component {
            self.inside[class as usize] = true;
        }
    }

    /// Looks for a cycle through `root` shorter than the best, then never looks at `root` again.
    fn from(&mut self, root: u32) {
        let mut queue = vec![(root, 1)];
        let mut done = 0;
        while let Some(&(class, length)) = queue.get(done) {
            done += 1;
            let too_long = self.best.as_ref().is_some_and(|best| length >= best.len());
            if too_long || (self.best.is_some() && self.effort >= EFFORT) {
                break;
            }
            for wait in self.graph.waits(class) {
                self.effort += 1;
                let next = wait.class as usize;
                if wait.class == root {
                    self.best = Some(self.path(root, class, wait.dependency));
                    self.inside[root as usize] = false;
                    return;
                }
                if self.inside[next] && self.seen_from[next] != root {
                    self.seen_from[next] = root;
                    self.reached_by[next] = (wait.dependency, class);
                    queue.push((wait.class, length + 1));
                }
            }
        }
        self.inside[root as usize] = false;
    }

    fn path(&self, root: u32, mut class: u32, last: (Vertex, Vertex)) -> Vec<(Vertex, Vertex)> {
        let mut path = vec![last];
        while class != root {
            let (dependency, before) = self.reached_by[class as usize];
            path.push(dependency);
            class = before;
        }
        path.reverse();
        path
    }
}

/// Fills in the way around an excused ring between where the cycle enters and leaves it.
fn through_rings(graph: &WaitGraph, cycle: &[(Vertex, Vertex)]) -> Vec<(Vertex, Vertex)> {
    let mut full = Vec::new();
    for (at, &(held, wanted)) in cycle.iter().enumerate() {
        full.push((held, wanted));
        let leaves = cycle[(at + 1) % cycle.len()].0;
        let ring = graph.rings.iter().find(|ring| ring.contains(&wanted));
        let Some(ring) = ring.filter(|_| wanted != leaves) else {
            continue;
        };
        let turning = ring.iter().cycle().skip_while(|&&vertex| vertex != wanted);
        let mut here = wanted;
        for &next in turning.skip(1).take(ring.len()) {
            full.push((here, next));
            here = next;
            if here == leaves {
                break;
            }
        }
    }
    full
}
