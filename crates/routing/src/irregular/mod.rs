//! Any network: algorithms that ask for no structure.
//!
//! Most take shortest paths, `search` finds them and `ways` says what counts as a path where that depends on what a packet has
//! done. `orientation` says which end of a link is up, `root` where that begins, `layers` what may follow
//! in one or more layers of virtual channels. `acyclic` keeps dependencies free of circles, `lanes` knows whether there are enough
//! virtual lanes. Who routes by destination alone, as switches of InfiniBand do, grows trees, for which `by_destination` has the parts; ours is in
//! `turnwise`, with more of its own.

pub(crate) mod acyclic;
pub(crate) mod by_destination;
pub(crate) mod dfsssp;
pub(crate) mod dl;
pub(crate) mod found_first;
pub(crate) mod ftree;
pub(crate) mod lanes;
pub(crate) mod lash;
pub(crate) mod layers;
pub(crate) mod min_hop;
pub(crate) mod next_hops;
pub(crate) mod nue;
pub(crate) mod orientation;
pub(crate) mod paths;
pub(crate) mod root;
pub(crate) mod sbp;
pub(crate) mod search;
pub(crate) mod segment;
pub(crate) mod shortest_path;
pub(crate) mod sssp;
pub(crate) mod table;
pub(crate) mod tor;
pub(crate) mod torus_2qos;
pub(crate) mod turnwise;
pub(crate) mod two_legs;
pub(crate) mod up_down;
pub(crate) mod ways;

pub use dfsssp::Dfsssp;
pub use dl::{Dl, StartLayer};
pub use ftree::Ftree;
pub use lash::{Lash, PathOrder};
pub use min_hop::MinHop;
pub use next_hops::NextHops;
pub use nue::Nue;
pub use paths::Paths;
pub use root::{Root, RootPolicy};
pub use sbp::Sbp;
pub use search::TieBreak;
pub use segment::Segment;
pub use shortest_path::{Metric, PathClasses, PathTies, ShortestPath};
pub use sssp::Sssp;
pub use tor::Tor;
pub use torus_2qos::Torus2Qos;
pub use turnwise::{Deployment, Turnwise};
pub use up_down::{RoutesPer, UpDown};

use turnwise_network::Shape;

/// Do all links of a network of this shape carry both ways?
pub(crate) fn carries_both_ways(shape: &Shape) -> bool {
    !matches!(shape, Shape::Butterfly(_))
}
