//! What heads that ask again may take, as far as it is known.

/// So many times a head is asked again before anybody looks for all that it may take: most have left by then.
pub(super) const SOON: u32 = 6;

/// The output virtual channels of everything that a head may do, as bits of the only mask word.
#[derive(Clone, Copy)]
pub(super) enum MayTake {
    /// The head has been asked again so many times.
    Unknown {
        asked: u32,
    },
    Known(u64),
}

impl Default for MayTake {
    fn default() -> Self {
        Self::Unknown { asked: 0 }
    }
}
