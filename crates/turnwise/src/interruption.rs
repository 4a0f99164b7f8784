//! Ctrl-C, in the commands that can end in order.

use std::sync::atomic::{AtomicBool, Ordering};

/// Is it time to end?
pub(crate) static STOP: AtomicBool = AtomicBool::new(false);

/// Has the first Ctrl-C ask for an orderly end, and the second one end the process. If no handler can be set, the first one
/// simply kills it.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}
