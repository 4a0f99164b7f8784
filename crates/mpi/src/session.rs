//! Processes that `mpirun`, `srun` or their like have started together.
//!
//! Messages are sent without waiting, then received in the order of ranks, each after a look at how long it is. MPI
//! makes no copies that way where messages are large, and nobody waits for anybody but those that have to send.

use super::NoMpi;
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Equivalence, Source};
use signal_hook::consts::SIGTERM;
use signal_hook::iterator::Signals;
use turnwise_sim::{Machine, Processes};

/// The part that this process has in a run of several.
pub struct Session {
    // Ends MPI when it goes.
    _universe: Universe,
    rank: usize,
    count: usize,
    machine: Machine,
}

impl Session {
    /// Joins the other processes. If this one panics later, all are ended. If this one is ended, because another one
    /// has died or somebody wants it, it calls `ended` in its last moments, and its exit code is 130.
    ///
    /// # Errors
    /// MPI that does not start, or cannot be called from the threads of a simulation one at a time.
    pub fn start(ended: impl Fn() + Send + 'static) -> Result<Self, NoMpi> {
        let (universe, threading) =
            mpi::initialize_with_threading(Threading::Serialized).ok_or(NoMpi::NotStarted)?;
        if threading < Threading::Serialized {
            return Err(NoMpi::NotStarted);
        }
        let world = universe.world();
        let mut signals = Signals::new([SIGTERM]).map_err(|_| NoMpi::NotStarted)?;
        std::thread::spawn(move || {
            if signals.forever().next().is_some() {
                ended();
                std::process::exit(130);
            }
        });
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            before(panic);
            // The others would wait for this one for ever.
            SimpleCommunicator::world().abort(101);
        }));
        let beside = world.split_shared(world.rank());
        Ok(Self {
            rank: world.rank() as usize,
            count: world.size() as usize,
            machine: Machine {
                processes: beside.size() as usize,
                is_first: beside.rank() == 0,
            },
            _universe: universe,
        })
    }
}

impl Processes for Session {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn machine(&self) -> Machine {
        self.machine
    }

    fn exchange(&self, outgoing: &[Vec<u8>], incoming: &mut [Vec<u8>]) {
        let world = SimpleCommunicator::world();
        mpi::request::multiple_scope(self.count, |scope, sending| {
            for other in self.others() {
                let process = world.process_at_rank(other as i32);
                sending.add(process.immediate_send(scope, &outgoing[other][..]));
            }
            for other in self.others() {
                let process = world.process_at_rank(other as i32);
                let (message, status) = process.matched_probe();
                let length = status.count(u8::equivalent_datatype()) as usize;
                incoming[other].resize(length, 0);
                message.matched_receive_into(&mut incoming[other][..]);
            }
            sending.wait_all(&mut Vec::new());
        });
    }
}
