//! Stencil: processes on a grid exchange packets with their neighbours.
//!
//! | `points` | neighbours |
//! |---|---|
//! | `"2d5"` | the 4 next ones in two dimensions |
//! | `"2d9"` | and the 4 diagonal ones |
//! | `"3d7"` | the 6 next ones in three dimensions |
//! | `"3d27"` | and the 20 diagonal ones |
//!
//! Each packet goes to a random neighbour. The grid is periodic unless said otherwise;
//! where it is only one or two processes wide, neighbours coincide and count once. Processes
//! are numbered row-major and placed on the living terminals, in order or at random.
//!
//! Source: Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3; the
//! halo exchanges of the LLNL and Sandia mini-apps.
//!
//! Complexity: O(1) a packet, memory O(terminals x neighbours).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_workload::patterns::Stencil;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let torus = Torus::default().build(None)?;
//! let pattern = Stencil::default().build(&torus, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! // 16 processes as 4x4: the neighbours of number 5 are 1, 4, 6 and 9.
//! let destination = pattern.destination(TerminalId(5), &mut rng).expect("everybody has neighbours");
//! assert!([1, 4, 6, 9].contains(&destination.0));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::choice::Choice;
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Invalid, Network, TerminalId};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: "stencil",
    aliases: &["halo"],
    summary: "Processes on a grid send to their neighbours",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3",
    example: "points = \"3d7\"\nsizes = [4, 2, 2]\nperiodic = false\nmapping = \"random\"",
    schema: schema_of::<Stencil>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Stencil, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

/// Parameters of stencil traffic.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Stencil {
    /// Dimensions and points of the stencil, the middle included.
    pub points: Points,
    /// Processes in each dimension; by default all living terminals in as square a grid as possible.
    pub sizes: Option<Vec<u32>>,
    /// Does the grid close around its ends?
    pub periodic: bool,
    /// Where processes run.
    pub mapping: Mapping,
}

/// Which processes are neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Points {
    /// Two dimensions, 4 neighbours.
    #[default]
    #[serde(rename = "2d5")]
    Flat5,
    /// Two dimensions, 8 neighbours.
    #[serde(rename = "2d9")]
    Flat9,
    /// Three dimensions, 6 neighbours.
    #[serde(rename = "3d7")]
    Solid7,
    /// Three dimensions, 26 neighbours.
    #[serde(rename = "3d27")]
    Solid27,
}

/// Where processes run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mapping {
    /// On the living terminals in order.
    #[default]
    Linear,
    /// On random living terminals, drawn from the study's seed.
    Random,
}

impl Default for Stencil {
    fn default() -> Self {
        Self {
            points: Points::Flat5,
            sizes: None,
            periodic: true,
            mapping: Mapping::Linear,
        }
    }
}

impl PatternParameters for Stencil {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let mut places: Vec<TerminalId> = network.living_terminals().collect();
        let sizes = self.grid(places.len())?;
        if self.mapping == Mapping::Random {
            Random::new(context.seed, Purpose::Permutation, 2, 0).shuffle(&mut places);
        }
        let processes: u32 = sizes.iter().product();
        let mut process_of = vec![None; network.terminal_count()];
        for (process, terminal) in (0..processes).zip(&places) {
            process_of[terminal.index()] = Some(process);
        }
        let (mut offsets, mut neighbours) = (vec![0], Vec::new());
        for process in process_of {
            let others = process.map_or(Vec::new(), |process| self.neighbours(process, sizes));
            neighbours.extend(others.into_iter().map(|other| places[other as usize]));
            offsets.push(neighbours.len() as u32);
        }
        Ok(Box::new(Neighbours {
            offsets,
            neighbours,
        }))
    }
}

impl Stencil {
    fn dimensions(&self) -> usize {
        if matches!(self.points, Points::Flat5 | Points::Flat9) {
            2
        } else {
            3
        }
    }

    /// The sizes, with a third of one process in two dimensions.
    fn grid(&self, terminals: usize) -> Result<[u32; 3], Invalid> {
        let dimensions = self.dimensions();
        let Some(written) = &self.sizes else {
            return Ok(squarest(terminals as u32, dimensions));
        };
        let wrong = |message: String| Err(Invalid::new("sizes", message));
        if written.len() != dimensions {
            return wrong(format!(
                "the stencil has {dimensions} dimensions, found {} sizes",
                written.len()
            ));
        }
        let processes = written
            .iter()
            .map(|&size| u64::from(size))
            .fold(1, u64::saturating_mul);
        if processes == 0 || processes > terminals as u64 {
            return wrong(format!(
                "{processes} processes do not fit {terminals} living terminals"
            ));
        }
        Ok([written[0], written[1], written.get(2).copied().unwrap_or(1)])
    }

    fn neighbours(&self, process: u32, sizes: [u32; 3]) -> Vec<u32> {
        let here = [
            process / (sizes[1] * sizes[2]),
            process / sizes[2] % sizes[1],
            process % sizes[2],
        ];
        let straight = matches!(self.points, Points::Flat5 | Points::Solid7);
        let depth = if self.dimensions() == 2 {
            0..=0
        } else {
            -1..=1
        };
        let mut found = Vec::new();
        for (x, y) in (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y))) {
            for z in depth.clone() {
                let step: [i64; 3] = [x, y, z];
                if straight && step.iter().filter(|&&step| step != 0).count() > 1 {
                    continue;
                }
                let moved = |dimension: usize| {
                    let (size, to) = (
                        i64::from(sizes[dimension]),
                        i64::from(here[dimension]) + step[dimension],
                    );
                    (self.periodic || (0..size).contains(&to)).then(|| to.rem_euclid(size) as u32)
                };
                if let (Some(x), Some(y), Some(z)) = (moved(0), moved(1), moved(2)) {
                    found.push((x * sizes[1] + y) * sizes[2] + z);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|&other| other != process);
        found
    }
}

/// So many processes as a grid whose longest side, then whose sum of sides, is as short as
/// possible; the longest first.
fn squarest(processes: u32, dimensions: usize) -> [u32; 3] {
    let mut best = [processes, 1, 1];
    let divisors = |number: u32| {
        (1..)
            .take_while(move |d| d * d <= number)
            .filter(move |d| number.is_multiple_of(*d))
    };
    for small in if dimensions == 2 {
        1..2
    } else {
        1..processes.max(1) + 1
    } {
        if u64::from(small).pow(3) > u64::from(processes) {
            break;
        }
        if !processes.is_multiple_of(small) {
            continue;
        }
        for middle in divisors(processes / small).filter(|&middle| middle >= small) {
            let sizes = [processes / small / middle, middle, small];
            let key = |sizes: [u32; 3]| (sizes[0], sizes[0] + sizes[1] + sizes[2]);
            if key(sizes) < key(best) {
                best = sizes;
            }
        }
    }
    best
}

struct Neighbours {
    offsets: Vec<u32>,
    neighbours: Vec<TerminalId>,
}

impl Neighbours {
    fn of(&self, source: TerminalId) -> Choice<'_> {
        let range =
            self.offsets[source.index()] as usize..self.offsets[source.index() + 1] as usize;
        Choice::any_of(&self.neighbours[range], None)
    }
}

impl Pattern for Neighbours {
    fn destination(&self, source: TerminalId, rng: &mut Random) -> Option<TerminalId> {
        self.of(source).draw(rng)
    }

    fn choice(&self, source: TerminalId) -> Option<Choice<'_>> {
        Some(self.of(source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_as_square_as_they_can_be() {
        assert_eq!(squarest(16, 2), [4, 4, 1]);
        assert_eq!(squarest(72, 2), [9, 8, 1]);
        assert_eq!(squarest(72, 3), [6, 4, 3]);
        assert_eq!(squarest(13, 3), [13, 1, 1]);
        assert_eq!(squarest(64, 3), [4, 4, 4]);
    }

    #[test]
    fn stencils_have_as_many_neighbours_as_points() {
        let count = |points, periodic, process, sizes| {
            Stencil {
                points,
                periodic,
                ..Stencil::default()
            }
            .neighbours(process, sizes)
            .len()
        };
        assert_eq!(count(Points::Flat5, true, 0, [4, 4, 1]), 4);
        assert_eq!(count(Points::Flat9, true, 0, [4, 4, 1]), 8);
        assert_eq!(count(Points::Flat5, false, 0, [4, 4, 1]), 2);
        assert_eq!(count(Points::Flat9, false, 5, [4, 4, 1]), 8);
        assert_eq!(count(Points::Solid7, true, 0, [3, 3, 3]), 6);
        assert_eq!(count(Points::Solid27, true, 0, [3, 3, 3]), 26);
        assert_eq!(count(Points::Solid27, false, 0, [3, 3, 3]), 7);
        assert_eq!(count(Points::Flat5, true, 0, [2, 2, 1]), 2);
        assert_eq!(count(Points::Flat5, true, 0, [1, 1, 1]), 0);
    }
}
