//! NAS parallel benchmarks as they communicate: what each rank calls in the timed region, with the nominal time of
//! its computing in between, for any class and any number of ranks that the programs take.
//!
//! Equal, call by call, to traces of the real programs (NPB 3.4-MPI). Source: Bailey et al., "The NAS parallel benchmarks 2.0",
//! NAS-95-020, and the programs.

mod bt;
mod cg;
mod class;
mod ft;
mod is;
mod lu;
mod mg;

pub use class::Class;

use crate::calls::{Call, Caller, Calling};
use crate::collectives::{Collective, Kind};
use crate::group::Group;
use crate::task::Message;
use turnwise_config::diagnostic::Invalid;

/// A benchmark.
pub struct Benchmark {
    /// What it is called.
    pub name: &'static str,
    /// In a sentence.
    pub summary: &'static str,
    build: fn(&Options) -> Result<Box<dyn Calling>, Invalid>,
}

/// All benchmarks.
pub const BENCHMARKS: &[Benchmark] = &[cg::CG, ft::FT, is::IS, mg::MG, lu::LU, bt::BT];

/// How a benchmark is run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How large its problem is.
    pub class: Class,
    /// How many ranks run it.
    pub ranks: u32,
    /// So many iterations instead of the class's.
    pub iterations: Option<u32>,
    /// How fast a rank computes: 1 as fast as a core of 2022 did, 0 for no time at all.
    pub computing: f64,
}

impl Benchmark {
    /// The benchmark of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        BENCHMARKS.iter().find(|benchmark| benchmark.name == name)
    }

    /// The program.
    ///
    /// # Errors
    /// A number of ranks that the benchmark does not take, on `ranks`.
    pub fn build(&self, options: &Options) -> Result<Box<dyn Calling>, Invalid> {
        (self.build)(options)
    }
}

/// A benchmark whose ranks are told by a function: the calls of an iteration, and whether it is the last.
struct Skeleton<P> {
    ranks: u32,
    plan: P,
}

/// What a benchmark knows of one of its ranks.
trait Plan: Clone + Send + Sync + 'static {
    /// What a rank needs to know.
    type Own: Send + 'static;

    fn own(&self, rank: u32) -> Self::Own;

    /// How many iterations there are.
    fn iterations(&self) -> u32;

    /// An iteration's calls; part 0 is the first. Is it the last?
    fn iterate(&self, own: &Self::Own, part: u32, calls: &mut Calls<'_>) -> bool;
}

impl<P: Plan> Calling for Skeleton<P> {
    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn parts(&self) -> u32 {
        self.plan.iterations()
    }

    fn caller(&self, rank: u32) -> Box<dyn Caller> {
        Box::new(Player {
            own: self.plan.own(rank),
            plan: self.plan.clone(),
        })
    }
}

struct Player<P: Plan> {
    plan: P,
    own: P::Own,
}

impl<P: Plan> Caller for Player<P> {
    fn calls(&mut self, part: u32, calls: &mut Vec<Call>) -> bool {
        self.plan.iterate(&self.own, part, &mut Calls(calls))
    }
}

/// Calls that are being told.
struct Calls<'a>(&'a mut Vec<Call>);

impl Calls<'_> {
    fn compute(&mut self, picoseconds: f64) {
        if picoseconds >= 1.0 {
            self.0.push(Call::Compute(picoseconds as u64));
        }
    }

    fn send(&mut self, to: u32, bytes: u64, tag: u32) {
        self.0.push(Call::Send(Message::new(to, bytes, tag)));
    }

    fn recv(&mut self, from: u32, bytes: u64, tag: u32) {
        self.0.push(Call::Recv(Message::new(from, bytes, tag)));
    }

    fn isend(&mut self, to: u32, bytes: u64, tag: u32, request: u32) {
        let message = Message::new(to, bytes, tag);
        self.0.push(Call::Isend(message, request));
    }

    fn irecv(&mut self, from: u32, bytes: u64, tag: u32, request: u32) {
        let message = Message::new(from, bytes, tag);
        self.0.push(Call::Irecv(message, request));
    }

    fn wait(&mut self, request: u32) {
        self.0.push(Call::Wait(request));
    }

    fn collective(&mut self, kind: Kind, bytes: u64, group: Group) {
        let collective = Collective::new(kind, bytes);
        self.0.push(Call::Collective(collective, group));
    }
}

/// Picoseconds of a rank for so many operations of all ranks, at so many in a second.
fn share(options: &Options, operations: f64, per_second: f64) -> f64 {
    if options.computing <= 0.0 {
        return 0.0;
    }
    operations / f64::from(options.ranks) / per_second / options.computing * 1e12
}

fn power_of_two(benchmark: &str, ranks: u32) -> Result<(), Invalid> {
    if ranks.is_power_of_two() {
        return Ok(());
    }
    let below = 1_u32 << ranks.max(1).ilog2();
    let message = format!("{benchmark} runs on a power of two of ranks, found {ranks}");
    let help = format!("for example {below} or {}", u64::from(below) * 2);
    Err(Invalid::new("ranks", message).with_help(help))
}

fn too_many(benchmark: &str, options: &Options, why: &str) -> Invalid {
    let Options { class, ranks, .. } = options;
    let message = format!("{benchmark} of class {class} does not run on {ranks} ranks: {why}");
    Invalid::new("ranks", message).with_help("take fewer ranks, or a larger class")
}
