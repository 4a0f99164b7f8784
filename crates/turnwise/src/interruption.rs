//! Ctrl-C, in the commands that can end in order, and what else the system would end a process for.

use nix::sys::signal::{SigSet, Signal};
use std::sync::atomic::{AtomicBool, Ordering};

/// Is it time to end?
pub(crate) static STOP: AtomicBool = AtomicBool::new(false);

/// Has files that may not grow any more (`ulimit -f`) be told as full disks are, by whoever writes: without it the system kills the
/// process. Threads that begin later inherit it.
pub(crate) fn outlive_limits() {
    let mut limits = SigSet::empty();
    limits.add(Signal::SIGXFSZ);
    let _ = limits.thread_block();
}

/// Has the first Ctrl-C ask for an orderly end, and the second one end the process. If no handler can be set, the first one
/// simply kills it.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}
