//! Notes the git revision, so that results can say which program made them.

use std::path::Path;
use std::process::Command;

/// What git prints, if there is git and this is a checkout.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

fn main() {
    let revision = git(&["rev-parse", "--short=12", "HEAD"]);
    let text = revision.as_deref().unwrap_or("unknown");
    println!("cargo:rustc-env=TURNWISE_REVISION={text}");
    println!("cargo:rerun-if-changed=build.rs");
    // Where git notes every move of HEAD, which linked worktrees have elsewhere; what is not there would count as changed every time.
    let moves = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    if let Some(path) = moves.filter(|path| Path::new(path).exists()) {
        println!("cargo:rerun-if-changed={path}");
    }
}
