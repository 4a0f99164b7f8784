//! Who promises order leaves packets one way to go, and one queue to stand in.

use super::subjects::Subject;

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    for built in subject.all().filter(|built| built.routing.keeps_order()) {
        for (pair, start) in built.graph.all_ways() {
            if start.vcs.iter().count() != 1 {
                return Err(format!("{pair:?} may overtake on {:?}", start.vcs));
            }
        }
        for state in &built.graph.states {
            let one = |hop: &turnwise_network::Hop| hop.vcs.iter().count() == 1;
            if state.options.len() != 1 || !state.options.iter().all(one) {
                let (at, header, options) = (state.at, state.header, &state.options);
                return Err(format!("{options:?} at {at}, {header:?}"));
            }
        }
    }
    Ok(())
}
