//! How far a packet is on its detour: what `Header::phase` says.

/// At its source, before anything is drawn.
pub(crate) const SOURCE: u8 = 0;
/// On the way to the first global channel, number `via - 1`; then to the intermediate router
/// `step - 1`, if any.
pub(crate) const FIRST: u8 = 1;
/// In the intermediate group, on the way to router `step - 1`, or at it.
pub(crate) const ARRIVED: u8 = 2;
/// On the way to the second global channel, number `via - 1`, or about to draw it.
pub(crate) const SECOND: u8 = 3;
/// In the destination group.
pub(crate) const LAST: u8 = 4;
/// How many of these phases there are.
pub(crate) const COUNT: usize = 5;

/// On the local channel to the owner of the minimal way's global channel, number `via - 1`, where it decides again.
pub(crate) const AGAIN: u8 = 5;
/// As [`FIRST`], after it has decided again: on the local channel to the owner.
pub(crate) const DIVERTED: u8 = 6;
/// On the way to the global channel of a megafly's minimal way, number `via - 1`, where nothing is decided.
pub(crate) const MINIMAL: u8 = 7;

/// The phase in which a packet starts. If it needs a detour and one survives: [`SOURCE`], where the
/// detour is drawn. If it needs one and none survives: [`SECOND`], from where it goes minimally. If it
/// needs none: [`SOURCE`]. `None` if it must go minimally and cannot.
pub(crate) fn first(
    needs_detour: bool,
    has_detour: impl FnOnce() -> bool,
    goes_minimally: impl FnOnce() -> bool,
) -> Option<u8> {
    match needs_detour {
        true if has_detour() => Some(SOURCE),
        true => goes_minimally().then_some(SECOND),
        false => goes_minimally().then_some(SOURCE),
    }
}
