//! Collective operations and the algorithms that make messages of them, one file for each operation.
//!
//! An algorithm goes by rounds: in each a rank posts some receives, sends some messages, and waits for all of them. What goes
//! up a tree and what goes down again are strands, whose rounds do not wait for each other's.
//! A new algorithm is a function for its rounds and a line of its file's list.
//!
//! Sources: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 19(1),
//! 2005, for most of them; each says where another is from.

mod all_gather;
mod all_reduce;
mod all_to_all;
mod barrier;
mod broadcast;
mod chain;
mod double_tree;
mod gather;
mod nccl;
mod nomial;
mod open_mpi;
mod reduce;
mod reduce_scatter;
mod scatter;
mod selection;
mod tree;

pub use selection::{Preset, Selection, UnknownAlgorithm};

use std::sync::Arc;

/// What a group of ranks does together.
#[derive(Clone, Debug, PartialEq)]
pub struct Collective {
    /// What.
    pub kind: Kind,
    /// Bytes: of the vector; all-to-all, all-gather, gather and scatter: of what one rank has for another, or
    /// contributes. With lengths of their own, the mean of these.
    pub bytes: u64,
    /// The member that begins or ends it, where there is one.
    pub root: u32,
    /// All-to-all, gather and scatter with lengths of their own: bytes from one member to another.
    pub lengths: Option<Lengths>,
}

/// How many bytes one member sends to another.
#[derive(Clone)]
pub struct Lengths(pub Arc<dyn Fn(u32, u32) -> u64 + Send + Sync>);

impl std::fmt::Debug for Lengths {
    fn fmt(&self, text: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        text.write_str("Lengths")
    }
}

impl PartialEq for Lengths {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A collective operation.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// All wait for all.
    Barrier,
    /// One has a vector, all get it.
    Broadcast,
    /// All have a vector, one gets the sum.
    Reduce,
    /// All have a vector, all get the sum.
    AllReduce,
    /// All have a block, all get all blocks.
    AllGather,
    /// All have a block for each, each gets its own.
    AllToAll,
    /// All have a vector, each gets its part of the sum.
    ReduceScatter,
    /// All have a block, one gets all blocks.
    Gather,
    /// One has a block for each, each gets its own.
    Scatter,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Barrier,
        Self::Broadcast,
        Self::Reduce,
        Self::AllReduce,
        Self::AllGather,
        Self::AllToAll,
        Self::ReduceScatter,
        Self::Gather,
        Self::Scatter,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Broadcast => "broadcast",
            Self::Reduce => "reduce",
            Self::AllReduce => "all-reduce",
            Self::AllGather => "all-gather",
            Self::AllToAll => "all-to-all",
            Self::ReduceScatter => "reduce-scatter",
            Self::Gather => "gather",
            Self::Scatter => "scatter",
        }
    }

    /// Does one member begin or end it?
    pub fn has_root(self) -> bool {
        matches!(
            self,
            Self::Broadcast | Self::Reduce | Self::Gather | Self::Scatter
        )
    }

    /// Its algorithms.
    pub fn algorithms(self) -> &'static [Algorithm] {
        match self {
            Self::Barrier => barrier::ALGORITHMS,
            Self::Broadcast => broadcast::ALGORITHMS,
            Self::Reduce => reduce::ALGORITHMS,
            Self::AllReduce => all_reduce::ALGORITHMS,
            Self::AllGather => all_gather::ALGORITHMS,
            Self::AllToAll => all_to_all::ALGORITHMS,
            Self::ReduceScatter => reduce_scatter::ALGORITHMS,
            Self::Gather => gather::ALGORITHMS,
            Self::Scatter => scatter::ALGORITHMS,
        }
    }
}

/// How a collective operation is done.
#[derive(Debug)]
pub struct Algorithm {
    /// What it is called.
    pub name: &'static str,
    /// In a sentence.
    pub summary: &'static str,
    /// Does it need a power of two of ranks?
    pub needs_power_of_two: bool,
    /// Does it need an even number of ranks?
    pub needs_even: bool,
    /// Does it need blocks of one length? Whoever passes on what is for others must know how much that is.
    pub needs_equal_blocks: bool,
    /// Is it done by network interfaces or switches, without the ranks' processors?
    pub is_offloaded: bool,
    /// The [radix](Tuning::radix) that it has unless another is asked for.
    pub radix: u32,
    /// Whose rounds are whose: rounds belong to these strands in turn, of which each goes on by itself. One strand is what
    /// nearly all have.
    pub strands: fn(&Part) -> &'static [usize],
    /// How many rounds a member has.
    pub rounds: fn(&Part) -> u32,
    /// A member's round, from 0 on.
    pub round: fn(&Part, u32, &mut Round),
}

/// An algorithm of processors whose rounds follow each other.
const PLAIN: Algorithm = Algorithm {
    name: "",
    summary: "",
    needs_power_of_two: false,
    needs_even: false,
    needs_equal_blocks: false,
    is_offloaded: false,
    radix: 2,
    strands: |_| &[0],
    rounds: |_| 0,
    round: |_, _, _| {},
};

/// A member's part in a collective.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which member it is.
    pub me: u32,
    /// How many there are.
    pub ranks: u32,
    /// What they do.
    pub collective: Collective,
    /// What algorithms leave open.
    pub tuning: Tuning,
}

/// What algorithms leave open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Those that go piece by piece cut vectors into pieces of at most so many bytes.
    pub segment: u64,
    /// In trees by levels so many members are below each; dissemination multiplies its reach by it, and is told by one less
    /// in each round; the k of k-nomial trees. At least 2; a tree by levels may be a chain with 1.
    pub radix: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            segment: 128 << 10,
            radix: 2,
        }
    }
}

/// What a member does at once: members and bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// From whom it receives.
    pub receives: Vec<(u32, u64)>,
    /// To whom it sends.
    pub sends: Vec<(u32, u64)>,
}

impl Collective {
    /// An operation on so many bytes.
    pub fn new(kind: Kind, bytes: u64) -> Self {
        Self {
            kind,
            bytes,
            root: 0,
            lengths: None,
        }
    }
}

impl Round {
    /// Nothing.
    pub fn clear(&mut self) {
        self.receives.clear();
        self.sends.clear();
    }

    /// Is there nothing?
    pub fn is_empty(&self) -> bool {
        self.receives.is_empty() && self.sends.is_empty()
    }

    fn receive(&mut self, from: u32, bytes: u64) {
        self.receives.push((from, bytes));
    }

    fn send(&mut self, to: u32, bytes: u64) {
        self.sends.push((to, bytes));
    }

    /// As much to a member as from it.
    fn exchange(&mut self, with: u32, bytes: u64) {
        self.receive(with, bytes);
        self.send(with, bytes);
    }
}

impl Part {
    /// Bytes from one member to another.
    fn between(&self, from: u32, to: u32) -> u64 {
        match &self.collective.lengths {
            Some(lengths) => (lengths.0)(from, to),
            None => self.collective.bytes,
        }
    }

    /// Rounds of doubling: ceil(log2 ranks).
    fn doublings(&self) -> u32 {
        self.ranks.next_power_of_two().trailing_zeros()
    }

    /// The largest power of two that is not above the number of ranks, and how many are above it.
    fn power(&self) -> (u32, u32) {
        let power = 1 << self.ranks.ilog2();
        (power, self.ranks - power)
    }

    /// The member so many ahead, around the ring.
    fn ahead(&self, distance: u32) -> u32 {
        ((u64::from(self.me) + u64::from(distance)) % u64::from(self.ranks)) as u32
    }

    /// The member so many behind; at most as many as there are.
    fn behind(&self, distance: u32) -> u32 {
        self.ahead(self.ranks - distance % self.ranks)
    }

    /// Which member this is counted from the root.
    fn relative(&self) -> u32 {
        (self.me + self.ranks - self.collective.root) % self.ranks
    }

    /// The member with a number counted from the root.
    fn absolute(&self, relative: u32) -> u32 {
        ((u64::from(relative) + u64::from(self.collective.root)) % u64::from(self.ranks)) as u32
    }

    /// Bytes of the blocks from one to another, if the vector is cut into as many as there are ranks.
    fn blocks(&self, first: u32, count: u32) -> u64 {
        self.blocks_of(self.ranks, first, count)
    }

    /// The same if it is cut into so many blocks.
    fn blocks_of(&self, all: u32, first: u32, count: u32) -> u64 {
        let ends = |block: u32| {
            let cut = u128::from(self.collective.bytes) * u128::from(block);
            (cut / u128::from(all)) as u64
        };
        ends((first + count).min(all)) - ends(first.min(all))
    }
}
