//! Work that takes long: without the interpreter's lock, with Ctrl-C and with progress.
//!
//! The work is done by a thread of its own, while the one that asked for it wakes up now and then, tells how far the work has come
//! and looks whether somebody wants it to stop.

use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long a key that was pressed may go unnoticed.
const NAP: Duration = Duration::from_millis(50);

/// What the work and those who wait for it tell each other.
#[derive(Default)]
pub(crate) struct Watch {
    /// Set if the work is to end soon.
    pub(crate) stop: AtomicBool,
    done: AtomicUsize,
    total: AtomicUsize,
    is_over: Mutex<bool>,
    bell: Condvar,
}

impl Watch {
    /// So much of so much is done.
    pub(crate) fn tell(&self, done: usize, total: usize) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// All of it is done.
    fn complete(&self) {
        let total = self.total.load(Ordering::Relaxed);
        self.done.store(total, Ordering::Relaxed);
    }

    /// Is the work to go on?
    pub(crate) fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn ring(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bell.notify_all();
    }

    /// Waits a little; is the work over?
    fn wait(&self) -> bool {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.bell.wait_timeout_while(is_over, NAP, |over| !*over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn show(&self, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let [done, total] = [&self.done, &self.total].map(|count| count.load(Ordering::Relaxed));
        match progress.filter(|_| total > 0) {
            Some(progress) => progress.call1((done, total)).map(drop),
            None => Ok(()),
        }
    }
}

/// Rings when the work is over, and when it panics too.
struct Bell<'a>(&'a Watch);

impl Drop for Bell<'_> {
    fn drop(&mut self) {
        self.0.ring();
    }
}

/// Does the work; `progress` is called with what is done and how much there is.
///
/// # Errors
/// What a signal's handler raises, such as `KeyboardInterrupt`, or `progress` does: the work is then told to stop, and waited for.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _bell = Bell(&watch);
            work(&watch)
        });
        let mut raised = None;
        while !py.detach(|| watch.wait()) {
            if raised.is_none()
                && let Err(error) = py.check_signals().and_then(|()| watch.show(progress))
            {
                watch.stop.store(true, Ordering::Relaxed);
                raised = Some(error);
            }
        }
        let done = py.detach(|| worker.join());
        let done = done.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match raised {
            Some(error) => Err(error),
            None => {
                watch.complete();
                watch.show(progress).map(|()| done)
            }
        }
    })
}
