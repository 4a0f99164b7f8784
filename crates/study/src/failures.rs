//! What becomes of tables when each part of a network fails alone, on several threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use turnwise_network::{Forwards, Invalid, Network, Vc};
use turnwise_routing::subnet::failures::{Failing, Failure, Part, Whole, Wiring};

/// Tells of some parts of a network, one after the other, what becomes of its tables when each fails alone, on so many lanes; each service level
/// has the lane of its number, modulo that. `tell` says whether to go on, and is told the same on any number of threads.
///
/// # Errors
/// Tables that can deadlock as they are.
pub fn each_failing(
    (network, tables): (&Network, &dyn Forwards),
    lanes: Vc,
    parts: &[Part],
    threads: usize,
    tell: &mut dyn FnMut(Failure) -> bool,
) -> Result<(), Invalid> {
    let wiring = Wiring::of(network);
    let whole = Whole::of(network, &wiring, tables);
    let threads = threads.min(parts.len()).max(1);
    let all = (0..threads).map(|_| Failing::of(&whole, lanes));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let (next, (send, told)) = (AtomicUsize::new(0), mpsc::channel());
    std::thread::scope(|scope| {
        for mut failing in all {
            let (next, send) = (&next, send.clone());
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&part) = parts.get(number) else {
                        return;
                    };
                    // Nobody listens any more where that is enough.
                    if send.send((number, failing.fail(part))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (number, failure) in told {
            early.insert(number, failure);
            while let Some(failure) = early.remove(&due) {
                due += 1;
                if !tell(failure) {
                    return;
                }
            }
        }
    });
    Ok(())
}
