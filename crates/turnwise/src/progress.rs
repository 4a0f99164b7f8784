//! Progress on stderr: a bar with rate and estimated time on a terminal, silence elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// A bar over `total` steps, hidden unless stderr is a terminal.
pub(crate) fn bar(total: u64, what: &str) -> ProgressBar {
    let template = "{prefix:>12} [{bar:30}] {pos}/{len} {msg} ({elapsed}, {eta} left)";
    styled(Some(total), what, template)
}

/// A clock for something that takes an unknown time; hidden unless stderr is a terminal.
pub(crate) fn clock(what: &str) -> ProgressBar {
    let clock = styled(None, what, "{prefix:>12} ({elapsed})");
    if !clock.is_hidden() {
        clock.enable_steady_tick(Duration::from_secs(1));
    }
    clock
}

fn styled(total: Option<u64>, what: &str, template: &str) -> ProgressBar {
    let target = match std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(total, target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(what.to_owned());
    bar
}
