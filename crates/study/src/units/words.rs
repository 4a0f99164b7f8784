//! What a study's units are, and what they made of its values, in words.

use super::Rounded;
use crate::row::figure;
use turnwise_config::units::Scale;

/// A cycle, a flit and a channel: names and what there is to say of them.
pub(super) fn facts(scale: &Scale) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    if let Some(ns) = scale.nanoseconds() {
        let words = format!("{} GHz, {} ns a cycle", figure(1.0 / ns), figure(ns));
        facts.push(("clock".to_owned(), words));
    }
    if let Some(size) = scale.flit_size {
        facts.push(("flit size".to_owned(), bits(size.bits())));
    }
    if let Some(gigabits) = scale.gigabits() {
        let words = format!(
            "{} Gb/s if they take a flit in every cycle",
            figure(gigabits)
        );
        facts.push(("channels".to_owned(), words));
    }
    facts
}

/// Whole bytes as such.
fn bits(bits: u64) -> String {
    match bits % 8 {
        0 => format!("{} B", bits / 8),
        _ => format!("{bits} bit"),
    }
}

/// One value that was rounded up.
pub(super) fn rounded(rounded: &Rounded) -> String {
    let counted = rounded.quantity.unit();
    let Rounded {
        field,
        written,
        exactly,
        became,
        ..
    } = rounded;
    format!(
        "{field} = \"{written}\" is {} {counted} and became {became}",
        figure(*exactly)
    )
}
