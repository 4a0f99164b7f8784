//! Groups of ranks that do something together: communicators.

use std::sync::Arc;

/// Ranks in an order of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What sets its messages apart from those of other groups; 0 is the world.
    pub context: u32,
    members: Members,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Members {
    Line { first: u32, stride: u32, count: u32 },
    Listed(Arc<[u32]>),
}

impl Group {
    /// All ranks.
    pub fn world(ranks: u32) -> Self {
        Self::line(0, 0, 1, ranks)
    }

    /// Ranks at equal distances.
    pub fn line(context: u32, first: u32, stride: u32, count: u32) -> Self {
        let members = Members::Line {
            first,
            stride,
            count,
        };
        Self { context, members }
    }

    /// These ranks.
    pub fn listed(context: u32, ranks: impl Into<Arc<[u32]>>) -> Self {
        let members = Members::Listed(ranks.into());
        Self { context, members }
    }

    /// These ranks, kept as a line if they are at equal distances in ascending order.
    pub fn of(context: u32, ranks: &[u32]) -> Self {
        let [first, rest @ ..] = ranks else {
            return Self::listed(context, ranks);
        };
        let stride = rest.first().and_then(|second| second.checked_sub(*first));
        let stride = stride.unwrap_or(1).max(1);
        let expected = (0..).map(|member| u64::from(*first) + member * u64::from(stride));
        match expected
            .zip(ranks)
            .all(|(place, &rank)| place == u64::from(rank))
        {
            true => Self::line(context, *first, stride, ranks.len() as u32),
            false => Self::listed(context, ranks),
        }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        match &self.members {
            Members::Line { count, .. } => *count,
            Members::Listed(ranks) => ranks.len() as u32,
        }
    }

    /// The rank of a member.
    pub fn rank(&self, member: u32) -> u32 {
        match &self.members {
            Members::Line { first, stride, .. } => first + member * stride,
            Members::Listed(ranks) => ranks[member as usize],
        }
    }

    /// Which member a rank is.
    ///
    /// Complexity: O(1), or O(members) if they are listed.
    pub fn member(&self, rank: u32) -> Option<u32> {
        match &self.members {
            Members::Line {
                first,
                stride,
                count,
            } => {
                let distance = rank.checked_sub(*first)?;
                let stride = (*stride).max(1);
                let member = distance / stride;
                (distance.is_multiple_of(stride) && member < *count).then_some(member)
            }
            Members::Listed(ranks) => {
                let member = ranks.iter().position(|&other| other == rank);
                member.map(|member| member as u32)
            }
        }
    }
}
