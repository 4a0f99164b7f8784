//! The directions of a torus and the order in which routes take them.

use turnwise_network::Invalid;

/// One way along one dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Direction {
    /// Dimension, 0 is X.
    pub dimension: u8,
    /// Towards higher coordinates?
    pub positive: bool,
}

impl Direction {
    /// As it is written: `+X`, `-W`.
    pub fn name(self) -> String {
        let sign = if self.positive { '+' } else { '-' };
        format!("{sign}{}", Directions::LETTERS[usize::from(self.dimension)])
    }

    /// Reads what [`name`](Self::name) writes, in either case.
    pub fn parse(text: &str) -> Option<Self> {
        let mut characters = text.chars();
        let positive = match characters.next()? {
            '+' => true,
            '-' => false,
            _ => return None,
        };
        let letter = characters.next()?.to_ascii_uppercase();
        let letter = if letter == 'K' { 'W' } else { letter };
        let dimension = Directions::LETTERS
            .iter()
            .position(|&known| known == letter)?;
        characters.next().is_none().then_some(Self {
            dimension: dimension as u8,
            positive,
        })
    }
}

/// All directions of a torus by *rank*: their place in the order in which routes take them.
///
/// The hardware's order is `+X < +Y < +Z < +W < -X < -Y < -Z < -W`. Sets of directions are
/// masks with one bit a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directions {
    by_rank: Vec<Direction>,
    /// By dimension, positive and negative.
    ranks: Vec<[u8; 2]>,
}

impl Directions {
    /// Names of the dimensions; the fourth is also called K.
    pub const LETTERS: [char; 4] = ['X', 'Y', 'Z', 'W'];
    /// Dimensions a route's encoding has room for.
    pub const MOST_DIMENSIONS: usize = 4;

    /// The hardware's order: positive directions before negative ones.
    pub fn positive_first(dimensions: usize) -> Self {
        let all = [true, false].into_iter().flat_map(|positive| {
            (0..dimensions as u8).map(move |dimension| Direction {
                dimension,
                positive,
            })
        });
        Self::from_order(all.collect(), dimensions)
    }

    /// The order a study gives, direction by direction.
    ///
    /// # Errors
    /// Anything but a permutation of all directions of these dimensions (field `order`).
    pub fn new(dimensions: usize, order: Option<&[String]>) -> Result<Self, Invalid> {
        let standard = Self::positive_first(dimensions);
        let Some(order) = order else {
            return Ok(standard);
        };
        let expected = || {
            let names: Vec<String> = standard.by_rank.iter().map(|d| d.name()).collect();
            format!("every one of {} once", names.join(", "))
        };
        let mut found = Vec::new();
        for (index, name) in order.iter().enumerate() {
            let known = Direction::parse(name).filter(|&d| usize::from(d.dimension) < dimensions);
            match known {
                Some(direction) if !found.contains(&direction) => found.push(direction),
                _ => {
                    let message = format!("expected {}, found {name:?}", expected());
                    return Err(Invalid::new(format!("order[{index}]"), message));
                }
            }
        }
        if found.len() != standard.by_rank.len() {
            let message = format!("expected {}, found {} of them", expected(), found.len());
            return Err(Invalid::new("order", message));
        }
        Ok(Self::from_order(found, dimensions))
    }

    fn from_order(by_rank: Vec<Direction>, dimensions: usize) -> Self {
        let mut ranks = vec![[0; 2]; dimensions];
        for (rank, direction) in by_rank.iter().enumerate() {
            ranks[usize::from(direction.dimension)][usize::from(!direction.positive)] = rank as u8;
        }
        Self { by_rank, ranks }
    }

    /// Number of directions: twice the dimensions.
    #[inline]
    pub fn count(&self) -> usize {
        self.by_rank.len()
    }

    /// Number of dimensions.
    #[inline]
    pub fn dimensions(&self) -> usize {
        self.ranks.len()
    }

    /// The direction of a rank.
    #[inline]
    pub fn at(&self, rank: usize) -> Direction {
        self.by_rank[rank]
    }

    /// The rank of a direction.
    #[inline]
    pub fn rank(&self, dimension: usize, positive: bool) -> usize {
        usize::from(self.ranks[dimension][usize::from(!positive)])
    }

    /// The rank of the other direction of the same dimension.
    #[inline]
    pub fn opposite(&self, rank: usize) -> usize {
        let Direction {
            dimension,
            positive,
        } = self.by_rank[rank];
        self.rank(usize::from(dimension), !positive)
    }

    /// What a packet may do after a hop by order alone: the same direction or a later one,
    /// but never straight back.
    pub fn base_turns(&self, rank: usize) -> u8 {
        let all = ((1u16 << self.count()) - 1) as u8;
        (all & (u8::MAX << rank)) & !(1 << self.opposite(rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hardware_takes_positive_directions_first() {
        let directions = Directions::positive_first(4);
        let names: Vec<String> = (0..8).map(|rank| directions.at(rank).name()).collect();
        assert_eq!(names, ["+X", "+Y", "+Z", "+W", "-X", "-Y", "-Z", "-W"]);
        assert_eq!(directions.opposite(1), 5);
        assert_eq!(directions.base_turns(2), 0b1011_1100);
    }

    #[test]
    fn an_order_is_a_permutation_of_all_directions() {
        let order = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.to_owned())
                .collect::<Vec<_>>()
        };
        let new = |names| Directions::new(2, Some(&order(names)));
        assert_eq!(new(&["+X", "-X", "+Y", "-Y"]).unwrap().rank(1, false), 3);
        for (wrong, place) in [
            (&["+X", "-X", "+Y"][..], "order"),
            (&["+X", "-X", "+Y", "+Y"], "order[3]"),
            (&["+X", "+Z", "-X", "+Y"], "order[1]"),
            (&["north", "+X", "-X", "+Y"], "order[0]"),
        ] {
            assert_eq!(new(wrong).unwrap_err().place, place);
        }
    }
}
