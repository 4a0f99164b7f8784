//! What several domains have to know of each other: whether all are done, and how long nobody has anything to do.

use super::domain::{Domain, Until};
use super::outbox::Outbox;

/// What is known of some domains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outlook {
    /// What is left over there, see [`Domain::left_over`].
    pub(super) left_over: i64,
    /// The first cycle in which anything can happen there, or wherever they send what they have for others.
    pub(super) due: u64,
}

impl Outlook {
    /// Of no domain.
    pub(super) const NOTHING: Self = Self {
        left_over: 0,
        due: u64::MAX,
    };

    /// Of these and others.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            left_over: self.left_over + other.left_over,
            due: self.due.min(other.due),
        }
    }
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// As far as this domain knows, before it sends what it has for others.
    pub(super) fn outlook(&self, until: Until) -> Outlook {
        let due = match self.outboxes.iter().all(Outbox::is_empty) {
            true => self.next_due().unwrap_or(u64::MAX),
            false => self.now,
        };
        Outlook {
            left_over: self.left_over(until),
            due,
        }
    }
}
