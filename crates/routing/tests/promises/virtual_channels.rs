//! No virtual channel is named that is not there.

use crate::graph::Graph;
use crate::subjects::{Built, Subject};
use turnwise_network::{Vc, VcSet};

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    for built in subject.all() {
        within(built, built.routing.virtual_channels())?;
    }
    // A router with as many as are asked for, and one with more.
    let asked = subject.healthy.routing.virtual_channels();
    for has in [asked, (asked + 3).min(VcSet::CAPACITY)] {
        let network = &subject.healthy.network;
        let routing = subject
            .build(network, Some(has))
            .map_err(|invalid| format!("a router with {has} is refused: {invalid}"))?;
        let graph = Graph::new(network, &*routing);
        let network = network.clone();
        within(
            &Built {
                network,
                routing,
                graph,
            },
            has,
        )?;
    }
    Ok(())
}

/// All that is named is below what the routing says it uses, and that is no more than the router `has`.
fn within(built: &Built, has: Vc) -> Result<(), String> {
    let count = built.routing.virtual_channels();
    if count > has {
        return Err(format!("{count} are used, the router has {has}"));
    }
    let wrong = |vcs: VcSet| vcs.is_empty() || vcs.iter().any(|vc| vc >= count);
    for (pair, (start, _)) in &built.graph.starts {
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
