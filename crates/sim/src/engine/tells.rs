//! What routers tell each other, as what their [cycle](super::router) is compiled for.

/// Nothing.
pub(super) const NOTHING: u8 = 0;
/// Queues of flits that have left, [in steps](super::signals), and nothing else.
pub(super) const FLITS: u8 = 1;
/// Whatever they see.
pub(super) const ANYTHING: u8 = 2;
