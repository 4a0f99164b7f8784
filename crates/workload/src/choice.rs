//! What the destinations of a terminal's packets are drawn from.

use turnwise_network::TerminalId;
use turnwise_network::random::{Random, scaled};

/// The destinations that a terminal's packets are drawn from, where these are the same for all packets
/// and one random number decides. Then several packets can be drawn at once.
///
/// ```
/// use turnwise_network::TerminalId;
/// use turnwise_network::random::{Purpose, Random};
/// use turnwise_workload::Choice;
///
/// let mut rng = Random::new(1, Purpose::Injection, 0, 0);
/// let others = Choice::any(3, Some(1));
/// assert!((0..100).all(|_| matches!(others.draw(&mut rng), Some(TerminalId(0 | 2)))));
/// assert_eq!(Choice::any(1, Some(0)).draw(&mut rng), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<'a> {
    /// The terminal sends nothing.
    Nobody,
    /// Every packet goes there; nothing is drawn.
    Always(TerminalId),
    /// One of several, each with the same probability; 64 bits are drawn.
    Any(Lot<'a>),
}

/// At least one terminal to choose from, see [`Choice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lot<'a> {
    among: u32,
    /// Drawn numbers from this one on are raised by one, which leaves one terminal out.
    skip: u32,
    /// The terminal at each place; without a list, place `n` is terminal `n`.
    list: Option<&'a [TerminalId]>,
}

impl<'a> Choice<'a> {
    /// That terminal, or none.
    pub fn only(terminal: Option<TerminalId>) -> Self {
        terminal.map_or(Self::Nobody, Self::Always)
    }

    /// Any of the first `count` terminals, except one of them.
    pub fn any(count: u32, except: Option<u32>) -> Self {
        Self::among(count, except, None)
    }

    /// Any of a list, except the one at a place.
    pub fn any_of(list: &'a [TerminalId], except: Option<u32>) -> Self {
        Self::among(list.len() as u32, except, Some(list))
    }

    fn among(count: u32, except: Option<u32>, list: Option<&'a [TerminalId]>) -> Self {
        match count.saturating_sub(u32::from(except.is_some())) {
            0 => Self::Nobody,
            among => Self::Any(Lot {
                among,
                skip: except.unwrap_or(u32::MAX),
                list,
            }),
        }
    }

    /// The destination of one packet; `None` if there never is any.
    #[inline]
    pub fn draw(self, rng: &mut Random) -> Option<TerminalId> {
        match self {
            Self::Nobody => None,
            Self::Always(terminal) => Some(terminal),
            Self::Any(lot) => Some(lot.pick(rng.next_u64())),
        }
    }
}

impl Lot<'_> {
    /// The terminal that these 64 random bits select.
    #[inline]
    pub fn pick(self, bits: u64) -> TerminalId {
        let drawn = scaled(bits, self.among);
        let place = drawn + u32::from(drawn >= self.skip);
        match self.list {
            None => TerminalId(place),
            Some(list) => list[place as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lowest and highest bits that mean a place, and all between: nothing is left out.
    #[test]
    fn everybody_but_the_exception_is_chosen_equally_often() {
        let names = [7, 5, 3, 1].map(TerminalId);
        let part = u64::MAX / 3 + 1;
        for except in 0..4 {
            let mut listed = names.to_vec();
            listed.remove(except);
            for (index, &terminal) in listed.iter().enumerate() {
                let (Choice::Any(any), Choice::Any(any_of)) = (
                    Choice::any(4, Some(except as u32)),
                    Choice::any_of(&names, Some(except as u32)),
                ) else {
                    panic!("there are three others");
                };
                for bits in [part * index as u64 + 2, part * index as u64 + part / 2] {
                    assert_eq!(any_of.pick(bits), terminal);
                    assert_eq!(names[any.pick(bits).index()], terminal);
                }
            }
        }
        assert_eq!(Choice::any_of(&[], None), Choice::Nobody);
        assert_eq!(Choice::any_of(&names[..1], Some(0)), Choice::Nobody);
    }
}
