//! Strongly connected components, where all cycles are.
//!
//! Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Computing 1(2), 1972;
//! without recursion, because dependency chains are longer than stacks.

const UNSEEN: u32 = u32::MAX;

/// The components of more than one vertex among those reachable from `roots`, each in
/// ascending order. O(vertices + edges).
///
/// `successor(vertex, n)` is the n-th successor of a vertex, `None` past the last.
pub(crate) fn nontrivial(
    vertices: usize,
    roots: &[u32],
    successor: impl Fn(u32, usize) -> Option<u32>,
) -> Vec<Vec<u32>> {
    let mut order = vec![UNSEEN; vertices];
    let mut low = vec![0; vertices];
    let mut open = vec![false; vertices];
    let mut stack = Vec::new();
    let mut path: Vec<(u32, usize)> = Vec::new();
    let mut seen = 0;
    let mut components = Vec::new();
    for &root in roots {
        if order[root as usize] == UNSEEN {
            path.push((root, 0));
        }
        while let Some((vertex, tried)) = path.last_mut() {
            let here = *vertex as usize;
            if *tried == 0 && order[here] == UNSEEN {
                order[here] = seen;
                low[here] = seen;
                seen += 1;
                open[here] = true;
                stack.push(*vertex);
            }
            if let Some(next) = successor(*vertex, *tried) {
                *tried += 1;
                let there = next as usize;
                if order[there] == UNSEEN {
                    path.push((next, 0));
                } else if open[there] {
                    low[here] = low[here].min(order[there]);
                }
                continue;
            }
            path.pop();
            if let Some(&(above, _)) = path.last() {
                low[above as usize] = low[above as usize].min(low[here]);
            }
            if low[here] == order[here] {
                let from = stack
                    .iter()
                    .rposition(|&member| member as usize == here)
                    .unwrap_or(0);
                let mut component = stack.split_off(from);
                for &member in &component {
                    open[member as usize] = false;
                }
                if component.len() > 1 {
                    component.sort_unstable();
                    components.push(component);
                }
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components_of(edges: &[&[u32]]) -> Vec<Vec<u32>> {
        let roots: Vec<u32> = (0..edges.len() as u32).collect();
        nontrivial(edges.len(), &roots, |vertex, n| {
            edges[vertex as usize].get(n).copied()
        })
    }

    #[test]
    fn two_cycles_joined_one_way_are_two_components() {
        let edges: &[&[u32]] = &[&[1], &[2], &[0, 3], &[4], &[3, 5], &[]];
        assert_eq!(components_of(edges), [vec![3, 4], vec![0, 1, 2]]);
    }

    #[test]
    fn an_acyclic_graph_has_none() {
        assert!(components_of(&[&[1, 2], &[3], &[3], &[]]).is_empty());
    }
}
