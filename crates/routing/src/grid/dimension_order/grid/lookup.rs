//! Where to go next in a healthy grid, looked up, because every packet asks at every router.
//!
//! In a small grid by pair of routers, 2 bytes each. In a larger one that table would leave the
//! caches. There a router's coordinates are packed into one word in the order in which dimensions
//! are taken, so that the lowest differing bit of two words tells the dimension to move along. The
//! rest is a table of one dimension: by coordinate here and there. 8 bytes a router and 2 bytes for
//! each pair of coordinates of a dimension.

use super::{Dimension, Step};
use turnwise_network::{Port, RouterId};

pub(super) struct Lookup {
    routers: usize,
    /// By router and destination router, if there are few.
    pairs: Vec<Entry>,
    /// By router.
    places: Vec<u64>,
    /// Binary logarithm of the bits of a coordinate.
    width: u32,
    /// By dimension, in the order they are taken.
    tables: Vec<Table>,
    /// By dimension, coordinate here and coordinate there.
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Table {
    first: u32,
    size: u32,
}

/// What there is to do.
pub(super) enum Next {
    /// The destination's router is reached.
    Arrived,
    Hop(Entry),
}

/// A port and flags.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(u16);

/// Of the destination itself.
const ARRIVED: Entry = Entry(u16::MAX);

/// Lower bits: the port; of the way up if both ways are equally long.
const PORT: u16 = 0xff;
const DATELINE: u16 = 0x100;
const UPPER_CLASS: u16 = 0x200;
const LAST: u16 = 0x400;
const TIE: u16 = 0x800;

/// Beyond so many routers there is no table by pairs of them.
const MOST_ROUTERS: usize = 1024;
/// Beyond so many entries the table of dimensions would not stay in a cache and take long to fill.
const MOST_ENTRIES: u64 = 1 << 20;

impl Entry {
    fn new(dimension: &Dimension, step: &Step) -> Self {
        let flag = |on: bool, flag: u16| if on { flag } else { 0 };
        let positive = step.positive;
        Self(
            dimension.port(positive)
                | flag(step.is_tie(), TIE)
                | flag(dimension.dateline, DATELINE)
                | flag(step.upper_class(positive), UPPER_CLASS)
                | flag(step.is_last(dimension, positive), LAST),
        )
    }

    #[inline]
    pub(super) fn port(self) -> Port {
        self.0 & PORT
    }

    /// Does the dimension have dateline classes?
    #[inline]
    pub(super) fn dateline(self) -> bool {
        self.0 & DATELINE != 0
    }

    /// Does a packet that enters the dimension here take the upper class?
    #[inline]
    pub(super) fn upper_class(self) -> bool {
        self.0 & UPPER_CLASS != 0
    }

    /// Does this hop end the packet's way along the dimension?
    #[inline]
    pub(super) fn last(self) -> bool {
        self.0 & LAST != 0
    }

    /// Is there a hop, and only one?
    #[inline]
    pub(super) fn is_settled(self) -> bool {
        // At the destination all flags are set.
        !self.tie()
    }

    /// Is the way down, by the next port, as long as the way up?
    #[inline]
    pub(super) fn tie(self) -> bool {
        self.0 & TIE != 0
    }
}

impl Lookup {
    /// `None` for grids whose tables would be too large, or whose ports or coordinates have no room.
    pub(super) fn new(
        dimensions: &[Dimension],
        coordinates: &[u32],
        step: impl Fn(&Dimension, u32, u32) -> Step,
    ) -> Option<Self> {
        let width = 64usize.checked_div(dimensions.len())?.checked_ilog2()?;
        let size = |dimension: &Dimension| u64::from(dimension.size);
        let fits = |dimension: &Dimension| {
            dimension.port(false) <= PORT && (size(dimension) - 1) >> (1 << width).min(63) == 0
        };
        let entries: u64 = dimensions.iter().map(|d| size(d) * size(d)).sum();
        if entries > MOST_ENTRIES || !dimensions.iter().all(fits) {
            return None;
        }
        let pack = |coordinates: &[u32]| {
            let places = dimensions.iter().enumerate();
            let digits = places.map(|(place, dimension)| {
                u64::from(coordinates[dimension.index]) << (place << width)
            });
            digits.fold(0, |word, digit| word | digit)
        };
        let mut tables = Vec::new();
        let mut entries = Vec::new();
        for dimension in dimensions {
            tables.push(Table {
                first: entries.len() as u32,
                size: dimension.size,
            });
            let pairs = (0..dimension.size)
                .flat_map(|here| (0..dimension.size).map(move |there| (here, there)));
            entries.extend(
                pairs.map(|(here, there)| Entry::new(dimension, &step(dimension, here, there))),
            );
        }
        let places: Vec<u64> = coordinates.chunks(dimensions.len()).map(pack).collect();
        let mut lookup = Self {
            routers: places.len(),
            pairs: Vec::new(),
            places,
            width,
            tables,
            entries,
        };
        if lookup.routers <= MOST_ROUTERS {
            let routers = (0..lookup.routers).map(RouterId::from);
            let pairs = routers
                .clone()
                .flat_map(|at| routers.clone().map(move |to| (at, to)));
            let entry = |(at, to)| match lookup.by_dimension(at, to) {
                Next::Hop(entry) => entry,
                Next::Arrived => ARRIVED,
            };
            lookup.pairs = pairs.map(entry).collect();
        }
        Some(lookup)
    }

    /// What the table of pairs says, if there is one.
    #[inline(always)]
    pub(super) fn by_pair(&self, at: RouterId, to: RouterId) -> Option<Entry> {
        let pair = at.index() * self.routers + to.index();
        self.pairs.get(pair).copied()
    }

    /// The next hop.
    #[inline]
    pub(super) fn get(&self, at: RouterId, to: RouterId) -> Next {
        match self.by_pair(at, to) {
            Some(ARRIVED) => Next::Arrived,
            Some(entry) => Next::Hop(entry),
            None => self.by_dimension(at, to),
        }
    }

    #[inline]
    fn by_dimension(&self, at: RouterId, to: RouterId) -> Next {
        let (here, there) = (self.places[at.index()], self.places[to.index()]);
        let different = here ^ there;
        if different == 0 {
            return Next::Arrived;
        }
        let place = different.trailing_zeros() >> self.width;
        let shift = place << self.width;
        // All higher dimensions are cut off, all lower ones are equal.
        let mask = u64::MAX >> (64 - (1 << self.width));
        let coordinate = |word: u64| (word >> shift & mask) as u32;
        let table = self.tables[place as usize];
        let entry = table.first + coordinate(here) * table.size + coordinate(there);
        Next::Hop(self.entries[entry as usize])
    }
}
