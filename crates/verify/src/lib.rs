//! Is a routing safe, and how good is it? Deadlock proofs, counterexamples, loads, bounds.
//!
//! [`analyse`] explores every state packets can ever be in, whatever an algorithm chooses, and
//! answers three questions from one pass:
//!
//! * [`Verdict`]: can packets wait for each other in a circle? Either a [`Certificate`], which
//!   can be checked without trusting this code, or a shortest [`Cycle`] with the packets
//!   that cause it. Where packets may but need not, an [escape](turnwise_network::Routing::escape)
//!   can still be the proof.
//! * [`Reachability`]: does every packet arrive, or may some be lost or wander for ever?
//! * [`Quality`]: expected channel loads and path lengths.
//!
//! With a [`Protocol`], messages that wait at terminals for others to be sent are part of the proof.
//!
//! [`lower_bound`] tells how low the largest load can be at all, for any routing.
//!
//! This crate knows no routing algorithm, only the trait [`Routing`](turnwise_network::Routing), so
//! that a proof never leans on the code it judges. It is pure: values in, values out, the
//! same every time.
//!
//! # Example
//! Four routers in a ring, every packet goes clockwise: with one virtual channel the four
//! channels wait for each other, unless bubble flow control keeps the ring turning.
//!
//! ```
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_network::{Header, Hop, RouterId, Routing, Start, TerminalId, Vc, VcSet};
//! use turnwise_network::FlowControl;
//! use turnwise_verify::{Verdict, analyse, lower_bound};
//!
//! /// Terminal and router numbers agree; port 0 is the terminal's, port 1 leads clockwise.
//! struct Clockwise;
//!
//! impl Routing for Clockwise {
//!     fn virtual_channels(&self) -> Vc {
//!         1
//!     }
//!     fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
//!         Some(Start { header: Header::to(destination), vcs: VcSet::one(0) })
//!     }
//!     fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
//!         let port = if at.0 == header.destination.0 { 0 } else { 1 };
//!         options.push(Hop { port, vcs: VcSet::one(0), header });
//!     }
//! }
//!
//! let ring = Torus { sizes: vec![4], ..Torus::default() }.build(None)?;
//! let analysis = analyse(&ring, &Clockwise, FlowControl::Wormhole);
//! let Verdict::Cyclic(cycle) = &analysis.verdict else { panic!("it cannot be free") };
//! assert_eq!(cycle.render(&ring)[0], "(0) -> (1) [+x] VC 0, held by packets 0 -> 2");
//! assert_eq!(cycle.waiting.len(), 4);
//!
//! assert_eq!(analysis.quality.edge_forwarding_index, 6.0); // 1 + 2 + 3 channels, 4 ways round
//! assert_eq!(lower_bound(&ring).ceil(), 2);
//!
//! let analysis = analyse(&ring, &Clockwise, FlowControl::Bubble);
//! assert!(analysis.is_sound());
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

pub mod bounds;
pub mod explore;

mod analysis;
mod assumptions;
mod certificate;
mod components;
mod cycle;
mod dependencies;
mod endpoints;
mod escape;
mod fate;
mod loads;
mod optional;
mod phases;
mod protocol;
mod quality;
mod reachability;
mod rings;
mod survey;
mod system;
mod terminals;
mod verdict;
mod wait_graph;
mod witness;

pub use analysis::{Analysis, analyse, analyse_with, prove};
pub use assumptions::Assumptions;
pub use bounds::{Bound, BoundReason, Width, lower_bound};
pub use certificate::{
    Certificate, FORMAT, FORMAT_VERSION, FORMAT_VERSION_WITH_ANSWERS, FORMAT_VERSION_WITH_OPTIONAL,
};
pub use dependencies::{Dependencies, Vertex};
pub use endpoints::{Destination, Source, destinations};
pub use explore::{DeadEnd, TooManyStates, most_states_within};
pub use phases::PhaseSurvey;
pub use protocol::Protocol;
pub use quality::Quality;
pub use reachability::{EXAMPLES, Failure, Failures, Reachability, Reason};
pub use rings::rings;
pub use survey::Survey;
pub use system::System;
pub use terminals::Exchange;
pub use verdict::Verdict;
pub use witness::{Cycle, Waiting};
