//! What topology a network is of which only the wiring is known, as one has been read from a file, whatever its routers are called and
//! though some links are missing.
//!
//! Each topology has a file; what it finds is checked link by link, so that nothing false is said. `wiring` is what all of them look at.
//! At most a tenth of the routers and of the links of the whole may be missing.
//!
//! ```
//! use turnwise_network::recognition::recognise;
//! use turnwise_network::topologies::{Dragonfly, Topology};
//!
//! let network = Dragonfly::default().build(None)?;
//! let found = recognise(&network).map(|found| found.to_string());
//! assert_eq!(
//!     found.as_deref(),
//!     Some("dragonfly: groups = 9, routers_per_group = 4, terminals_per_router = 2, global_ports_per_router = 2")
//! );
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

mod fat_tree;
mod grid;
mod groups;
mod hyperx;
mod whole_groups;
mod wiring;

pub use fat_tree::Tree;
pub use grid::Lattice;
pub use groups::Groups;
pub use hyperx::Coordinates;
pub use wiring::Missing;

use crate::network::Network;
use grid::Built;
use std::fmt::{self, Display, Formatter};
use wiring::Wiring;

/// A topology, where every router is in it, and what is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The topology.
    pub structure: Structure,
    /// What is missing of it.
    pub missing: Missing,
    /// Terminals at a router, the most there are.
    pub terminals_per_router: u32,
    /// How many fewer the others have; of topologies some of whose routers have none, among those that have any.
    pub missing_terminals: u64,
    /// Links side by side between any two neighbours; of groups, whose links between one another may be several, 1.
    pub copies: u32,
}

/// A topology, and where every router is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Mesh, torus or hypercube.
    Grid(Lattice),
    /// HyperX or full mesh.
    HyperX(Coordinates),
    /// Extended generalised fat tree.
    FatTree(Tree),
    /// Dragonfly.
    Dragonfly(Groups),
    /// Megafly (dragonfly+).
    Megafly(Groups),
}

/// The topology that a network is, if it is one of those that are known.
///
/// O(links x squared degree) at most, as for grids of many dimensions.
pub fn recognise(network: &Network) -> Option<Recognised> {
    let wiring = Wiring::of(network)?;
    let terminals = wiring.terminals.iter().copied();
    let terminals_per_router = terminals.max().unwrap_or(0);
    let found = |(structure, missing)| Recognised {
        missing,
        terminals_per_router,
        missing_terminals: {
            let living = wiring.living.iter();
            let of_living = living.map(|&router| wiring.terminals[router as usize]);
            let may_be_bare = matches!(structure, Structure::FatTree(_) | Structure::Megafly(_));
            let counted = of_living.filter(|&terminals| terminals > 0 || !may_be_bare);
            let missing = counted.map(|terminals| u64::from(terminals_per_router - terminals));
            missing.sum()
        },
        copies: match structure {
            Structure::Dragonfly(_) | Structure::Megafly(_) => 1,
            _ => wiring.copies(),
        },
        structure,
    };
    let without_terminals = |&router: &u32| wiring.terminals[router as usize] == 0;
    if terminals_per_router > 0 && wiring.living.iter().any(without_terminals) {
        let tree = Tree::of(&wiring).map(|(tree, missing)| (Structure::FatTree(tree), missing));
        let megafly = || {
            let (groups, missing) = groups::megafly(&wiring)?;
            Some((Structure::Megafly(groups), missing))
        };
        if let Some(whole) = tree.or_else(megafly) {
            return Some(found(whole));
        }
    }
    let grid = Lattice::of(&wiring).map(|(grid, missing)| (Structure::Grid(grid), missing));
    let hyperx = || {
        let (places, missing) = Coordinates::of(&wiring)?;
        Some((Structure::HyperX(places), missing))
    };
    let dragonfly = || {
        let (groups, missing) = groups::dragonfly(&wiring)?;
        Some((Structure::Dragonfly(groups), missing))
    };
    grid.or_else(hyperx).or_else(dragonfly).map(found)
}

/// The grid that a network is, if it is one.
pub fn lattice(network: &Network) -> Option<Lattice> {
    let (lattice, _) = Lattice::of(&Wiring::of(network)?)?;
    Some(lattice)
}

impl Recognised {
    /// The topology's name and its fields, as studies write them.
    pub fn kind_and_fields(&self) -> (&'static str, String) {
        let terminals = self.terminals_per_router;
        let sized = |kind: &'static str, sizes: &[u32]| {
            let mut sizes = sizes.to_vec();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            let fields = format!("sizes = {sizes:?}, terminals_per_router = {terminals}");
            (kind, fields)
        };
        match &self.structure {
            Structure::Grid(lattice) => match lattice.as_built() {
                Built::Hypercube(dimensions) => {
                    let same = match dimensions % 2 == 0 && dimensions > 2 {
                        true => format!(
                            ", the same as a torus with sizes = {:?}",
                            vec![4; dimensions / 2]
                        ),
                        false => String::new(),
                    };
                    let fields = format!(
                        "dimensions = {dimensions}, terminals_per_router = {terminals}{same}"
                    );
                    ("hypercube", fields)
                }
                Built::Torus(sizes) => sized("torus", &sizes),
                Built::Mesh(sizes) => sized("mesh", &sizes),
                Built::Mixed(rings, lines) => {
                    let fields = format!(
                        "rings of {rings:?}, lines of {lines:?}, terminals_per_router = {terminals}"
                    );
                    ("grid", fields)
                }
            },
            Structure::HyperX(places) => match places.sizes[..] {
                [routers] => {
                    let fields = format!("routers = {routers}, terminals_per_router = {terminals}");
                    ("full-mesh", fields)
                }
                _ => sized("hyperx", &places.sizes),
            },
            Structure::FatTree(tree) => ("xgft", format!("m = {:?}, w = {:?}", tree.m, tree.w)),
            Structure::Dragonfly(groups) => {
                let fields = format!(
                    "groups = {}, routers_per_group = {}, terminals_per_router = {terminals}, global_ports_per_router = {}",
                    groups.count, groups.routers[0], groups.global_ports_per_router
                );
                ("dragonfly", fields)
            }
            Structure::Megafly(groups) => {
                let [leaves, spines] = groups.routers;
                let globals = groups.global_ports_per_router;
                let fields = match leaves == spines && leaves == terminals && leaves == globals {
                    true => format!("half_radix = {leaves}, groups = {}", groups.count),
                    false => format!(
                        "groups = {} of {leaves} leaves and {spines} spines, {terminals} terminals a leaf, {globals} global ports a spine",
                        groups.count
                    ),
                };
                ("megafly", fields)
            }
        }
    }
}

/// As studies write it, and what is missing.
impl Display for Recognised {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let (kind, fields) = self.kind_and_fields();
        write!(formatter, "{kind}: {fields}")?;
        if self.copies > 1 {
            write!(formatter, "; each link {} times", self.copies)?;
        }
        let Missing { routers, links } = self.missing;
        let lost = [
            (routers, "routers"),
            (links, "links"),
            (self.missing_terminals, "terminals"),
        ];
        let lost = lost.into_iter().filter(|&(count, _)| count > 0);
        let lost: Vec<String> = lost
            .map(|(count, what)| format!("{count} of its {what}"))
            .collect();
        match lost.as_slice() {
            [] => Ok(()),
            [one] => write!(formatter, "; without {one}"),
            [first @ .., last] => write!(formatter, "; without {} and {last}", first.join(", ")),
        }
    }
}
