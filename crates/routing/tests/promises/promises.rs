//! All promises, and who of a registry breaks which of them.

mod arrival;
mod choices;
mod classes_apart;
mod deadlock;
#[path = "../../../network/tests/common/examples.rs"]
pub(crate) mod examples;
mod faults;
mod files;
mod graph;
mod memory;
mod notices;
mod order;
mod phases;
pub(crate) mod relations;
mod starts;
pub(crate) mod subjects;
mod subnets;
mod terminals;
mod variants;
mod virtual_channels;
#[path = "../../../network/tests/common/written.rs"]
mod written;

use examples::examples;
use relations::Relations;
use std::collections::BTreeMap;
use subjects::{Subject, each};
use turnwise_routing::AlgorithmEntry;

/// One promise: what it is called, and the first proof that a subject breaks it.
type Promise = (&'static str, fn(&Subject<'_>) -> Result<(), String>);

/// By promise: who breaks it, and how.
pub(crate) type Broken = BTreeMap<&'static str, Vec<String>>;

/// All that is promised by whoever is in the registry.
const PROMISES: &[Promise] = &[
    ("arrival", arrival::check),
    ("choices", choices::check),
    ("settled", choices::check_settled),
    ("asking again", choices::check_again),
    ("starts", starts::check),
    ("classes apart", classes_apart::check),
    ("virtual channels", virtual_channels::check),
    ("faults", faults::check),
    ("deadlock", deadlock::check),
    ("order", order::check),
    ("terminals", terminals::check),
    ("notices", notices::check),
    ("subnets", subnets::check),
    ("memory", memory::check),
    ("phases", phases::check),
];

/// Who of a registry breaks which promise, and how; being built counts as a promise too.
pub(crate) fn broken(entries: &[AlgorithmEntry]) -> Broken {
    let entries: Vec<_> = entries.iter().collect();
    broken_and(&entries, &mut Relations::default(), |_, _| {})
}

/// The same; takes note of what is said of relations, and shows each of them around.
pub(crate) fn broken_and(
    entries: &[&AlgorithmEntry],
    relations: &mut Relations,
    mut look: impl FnMut(&str, &Subject<'_>),
) -> Broken {
    let mut broken = Broken::new();
    let examples = examples();
    let mut breaks = |promise, message| broken.entry(promise).or_default().push(message);
    each(entries, &examples, |name, subject| match subject {
        Err(message) => breaks("building", format!("{name}: {message}")),
        Ok(subject) => {
            look(name, subject);
            for (promise, check) in PROMISES {
                if let Err(message) = check(subject) {
                    breaks(promise, format!("{name}: {message}"));
                }
            }
            if let Err(message) = relations.note(name, subject) {
                breaks("relations", message);
            }
        }
    });
    if let Err(message) = relations.note_examples(entries, &examples) {
        breaks("relations", message);
    }
    broken
}
