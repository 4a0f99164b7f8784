//! What happens then: a flit-level simulation engine, and one of lossless Ethernet that goes packet by packet.
//!
//! Virtual-channel routers with credit flow control, queues at the inputs or at both sides, simulated
//! cycle by cycle where something happens and not at all where nothing does. The engine knows neither
//! routing algorithms nor traffic patterns: it sees [`Routing`](turnwise_network::Routing)
//! and [`Injector`](turnwise_network::Injector) or [`Workload`](turnwise_network::Workload), and reads no clock, file or environment.
//!
//! * [`RouterModel`]: the microarchitecture as data; the default is BookSim2's input-queued router.
//! * [`Demand`]: what terminals send, whatever arrives or in answer to it.
//! * [`Schedule`], [`Phases`]: warm-up, measurement, drain, or everything to the end of all work.
//! * [`Processes`]: others that simulate parts of the same network.
//! * [`Simulation`]: one run; [`Ethernet`]: one with an [`EthernetModel`] in the place of routers; [`Outcome`] says how it ended and what was measured.
//!
//! ```
//! use turnwise_network::topologies::{FullMesh, Topology};
//! use turnwise_network::{Header, Hop, Injector, Invalid, Network, PacketRequest, RouterId, Routing, Start, TerminalId, Vc, VcSet};
//! use turnwise_sim::{Demand, Phases, RouterModel, Schedule, Setup, Simulation};
//!
//! /// From any router to any other one.
//! struct Straight<'a>(&'a Network);
//!
//! impl Routing for Straight<'_> {
//!     fn virtual_channels(&self) -> Vc {
//!         1
//!     }
//!
//!     fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
//!         Some(Start { header: Header::to(destination), vcs: VcSet::all(1) })
//!     }
//!
//!     fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
//!         let to = self.0.router_of(header.destination);
//!         let port = match at == to {
//!             true => Some(self.0.terminal_port(header.destination)),
//!             false => self.0.neighbours(at).find(|next| next.router == to).map(|next| next.port),
//!         };
//!         options.extend(port.map(|port| Hop { port, vcs: VcSet::all(1), header }));
//!     }
//! }
//!
//! /// Every 20 cycles four flits to the next terminal.
//! struct Steady(u32);
//!
//! impl Injector for Steady {
//!     fn next(&self, terminal: TerminalId, _: u32, after: Option<u64>) -> Option<PacketRequest> {
//!         Some(PacketRequest {
//!             created: after.map_or(0, |after| after + 20),
//!             destination: TerminalId((terminal.0 + 1) % self.0),
//!             flits: 4,
//!         })
//!     }
//!
//!     fn longest_packet(&self) -> u16 {
//!         4
//!     }
//! }
//!
//! let network = FullMesh { routers: 5, ..FullMesh::default() }.build(None)?;
//! let model = RouterModel::default();
//! // A model is checked before it is simulated, alone and on its network.
//! assert!(model.check().is_ok() && model.check_on(&network).is_ok());
//! let outcome = Simulation::new(Setup {
//!     network: &network,
//!     routing: &Straight(&network),
//!     demand: Demand::Open(&Steady(5)),
//!     model: &model,
//!     schedule: Schedule::Window(Phases { warmup: 200, measure: 1_000, drain: true, limit: 10_000 }),
//!     seed: 1,
//!     minimal: None,
//!     interval: None,
//!     check: true,
//!     threads: 1,
//! })
//! .run()
//! .expect("the routing keeps to its options");
//! // Flits a terminal and cycle, and cycles.
//! assert!((outcome.measurement.accepted_load.mean - 0.2).abs() < 1e-9);
//! assert_eq!(outcome.measurement.packet_latency.mean, 15.0);
//! # Ok::<(), Invalid>(())
//! ```

mod buffers;
mod channel_course;
mod classes;
mod engine;
mod ethernet;
mod frames;
mod herding;
mod histogram;
mod measure;
mod memory;
mod messages;
mod model;
mod outcome;
mod processes;
mod series;
mod statistics;

pub use buffers::Depth;
pub use channel_course::ChannelCourse;
pub use classes::ClassMeasurement;
pub use engine::{Demand, MinimalHops, Setup, Simulation};
pub use ethernet::{Ethernet, EthernetModel, NotificationModel, ReactionModel, ethernet_bytes};
pub use frames::EthernetMeasurement;
pub use histogram::Histogram;
pub use measure::{Measurement, TerminalFlits, Transactions};
pub use memory::{Channels, Crew, Dimensions, News, Traffic, memory_bytes};
pub use model::{Allocator, Phases, RouterKind, RouterModel, Schedule, Stages};
pub use outcome::{Ending, Outcome, Stalled, Violation, WaitingChannel};
pub use processes::{Machine, Pipes, Processes};
pub use series::{Interval, Series};
pub use statistics::{Estimate, Trend, batch_means, trend};
