//! Things that are made on several threads and told in turn, so that how many threads there were leaves no trace.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How long one waits for the next thing before it is said that there is none yet.
const PATIENCE: Duration = Duration::from_millis(100);

/// Has the things of numbers below `count` made, each by whichever of the `makers` is free, on a thread for each of these. `tell` is told
/// them by ascending numbers, `None` now and then while there is none to tell, and says whether to go on.
pub(crate) fn in_turn<T: Send>(
    count: usize,
    makers: Vec<impl FnMut(usize) -> T + Send>,
    tell: &mut dyn FnMut(Option<T>) -> bool,
) {
    let (next, (send, made)) = (AtomicUsize::new(0), mpsc::channel());
    std::thread::scope(|scope| {
        for mut maker in makers {
            let (next, send) = (&next, send.clone());
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    // Nobody listens any more where that is enough.
                    if number >= count || send.send((number, maker(number))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let (mut early, mut due) = (BTreeMap::new(), 0);
        loop {
            match made.recv_timeout(PATIENCE) {
                Ok((number, thing)) => drop(early.insert(number, thing)),
                Err(RecvTimeoutError::Timeout) if tell(None) => continue,
                Err(_) => return,
            }
            while let Some(thing) = early.remove(&due) {
                due += 1;
                if !tell(Some(thing)) {
                    return;
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(count: usize, threads: usize, most: usize) -> Vec<usize> {
        let makers = vec![|number: usize| number * number; threads];
        let mut told = Vec::new();
        in_turn(count, makers, &mut |thing| {
            told.extend(thing);
            told.len() < most
        });
        told
    }

    #[test]
    fn everything_is_told_in_turn_until_it_is_enough() {
        let all: Vec<usize> = (0..200).map(|number| number * number).collect();
        for threads in [1, 3, 8] {
            assert_eq!(told(200, threads, usize::MAX), all);
            assert_eq!(told(200, threads, 7), all[..7]);
            assert!(told(0, threads, 1).is_empty());
        }
    }
}
