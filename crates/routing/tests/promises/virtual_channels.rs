//! No virtual channel is named that is not there.

use super::subjects::{Built, Subject};
use turnwise_network::VcSet;

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    for built in subject.all() {
        within(built)?;
    }
    for (built, has) in &subject.routers {
        let count = built.routing.virtual_channels();
        if count > *has {
            return Err(format!("{count} are used, the router has {has}"));
        }
    }
    Ok(())
}

/// All that is named is below what the routing says it uses.
fn within(built: &Built) -> Result<(), String> {
    let count = built.routing.virtual_channels();
    let wrong = |vcs: VcSet| vcs.is_empty() || vcs.iter().any(|vc| vc >= count);
    for (pair, start) in built.graph.all_ways() {
        if wrong(start.vcs) {
            return Err(format!("{pair:?} sets out on {:?} of {count}", start.vcs));
        }
    }
    for state in &built.graph.states {
        if let Some(hop) = state.options.iter().find(|hop| wrong(hop.vcs)) {
            let (at, header) = (state.at, state.header);
            return Err(format!("{hop:?} of {count} at {at}, {header:?}"));
        }
    }
    Ok(())
}
