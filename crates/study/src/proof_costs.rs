//! What the proofs of a study cost, told before it runs: one destination of each network and routing is explored for it, or two phases to one.

use crate::proofs::MOST_WORK;
use crate::proving::{affordable_states, phase_survey, proof_key};
use crate::workshop::Routed;
use std::collections::BTreeSet;
use turnwise_verify::{Assumptions, Survey, destinations};

/// Seconds of a state, or of an option of packets in it.
const OF_WORK: f64 = 115e-9;
/// Seconds of how packets set out from a terminal, or from a router whose terminals send alike, to a destination.
const OF_PAIR: f64 = 40e-9;
/// Bytes and seconds of a dependency, of as many as there are if each channel depends on all that follow it.
const OF_DEPENDENCY: u64 = 14;
const SECONDS_OF_DEPENDENCY: f64 = 60e-9;

/// What proving every network and routing costs that a run [proves](crate::proofs::prove) for its report.
#[derive(Clone, Debug, Default)]
pub struct ProofCosts {
    seen: BTreeSet<String>,
    /// How many are proved.
    pub count: usize,
    /// CPU-seconds of all, about.
    pub seconds: f64,
    /// Bytes that one takes at most, the network and its routing not included.
    pub bytes: u64,
}

impl ProofCosts {
    /// Adds a network and routing, if it was not seen before and is not too large to be proved.
    ///
    /// Complexity: that of exploring one destination.
    pub(crate) fn add(&mut self, routed: &Routed, assumptions: Assumptions) {
        if !self.seen.insert(proof_key(routed, assumptions)) {
            return;
        }
        let Some(Sample { work, bytes, lanes }) = in_phases(routed).or_else(|| in_one(routed))
        else {
            return;
        };
        let (network, routing) = (&*routed.network, &*routed.routing);
        let senders = match routing.tells_senders_apart() {
            true => network.terminal_count(),
            false => network.router_count(),
        };
        let pairs = senders as u64 * destinations(network, routing).len() as u64;
        let all_lanes = network.channel_count() as f64 * f64::from(routing.virtual_channels());
        let radix = network.routers().map(|router| network.radix(router)).max();
        // A packet that is on a lane may go on by so many of each channel that follows.
        let dependencies = all_lanes * radix.unwrap_or(0) as f64 * lanes;
        self.count += 1;
        self.seconds +=
            work as f64 * OF_WORK + pairs as f64 * OF_PAIR + dependencies * SECONDS_OF_DEPENDENCY;
        let bytes = bytes + dependencies as u64 * OF_DEPENDENCY;
        self.bytes = self.bytes.max(bytes);
    }
}

/// What a proof is judged by, before there is one.
struct Sample {
    /// States and options of packets in them, of all destinations.
    work: u64,
    /// Bytes, but for the dependencies that are not found yet.
    bytes: u64,
    /// Virtual channels that a packet may take by an option, in the mean.
    lanes: f64,
}

/// That of a proof by phases; `None` if there is none, or if it is too much.
fn in_phases(routed: &Routed) -> Option<Sample> {
    let mut survey = phase_survey(routed)?;
    (0..2).for_each(|number| survey.visit(number));
    let work = (survey.work() / 2).saturating_mul(survey.visits() as u64);
    (!survey.is_in_vain() && work <= MOST_WORK).then(|| Sample {
        work,
        bytes: survey.memory_bytes(),
        lanes: survey.lanes_of_option(),
    })
}

/// That of a proof that explores everything; `None` if it is too much.
fn in_one(routed: &Routed) -> Option<Sample> {
    let (network, routing) = (&*routed.network, &*routed.routing);
    let all = destinations(network, routing);
    let each = MOST_WORK / all.len().max(1) as u64;
    let survey = Survey::with_protocol(network, routing, &routed.protocol);
    let most = usize::try_from(each).unwrap_or(usize::MAX);
    let mut survey = survey.limited(most.min(affordable_states()));
    if let Some(&first) = all.first() {
        survey.visit(first);
    }
    let is_enough = !survey.has_given_up() && survey.work() <= each;
    is_enough.then(|| Sample {
        work: survey.work().saturating_mul(all.len() as u64),
        bytes: survey.memory_bytes(),
        lanes: survey.lanes_of_option(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may")]
mod tests {
    use super::*;
    use crate::costs::Costs;
    use crate::testing::plan;

    const STUDY: &str = "[network]\nkind = 'k-ary-n-tree'\narity = 4\nlevels = 3\n[routing]\nkind = 'd-mod-k'\n\
                         [router]\nvirtual_channels = 2\n[traffic]\npattern = 'uniform'\nload = 0.1\n\
                         [sweep]\n'traffic.load' = [0.1, 0.2]\n'routing.kind' = ['d-mod-k', 's-mod-k']\n";

    #[test]
    fn each_routing_is_counted_once_and_takes_no_more_than_that() {
        let plan = plan(STUDY, &[]);
        let mut costs = Costs::new(&plan, 1, None).with_proofs();
        (0..plan.len()).for_each(|index| drop(costs.of(index).unwrap()));
        let proofs = costs.proofs().unwrap();
        assert_eq!(proofs.count, 2);
        let (mut work, mut bytes) = (0, 0);
        for planned in plan.routings() {
            let (routed, _) = plan.routed(&planned).unwrap();
            let mut survey =
                Survey::with_protocol(&routed.network, &*routed.routing, &routed.protocol);
            destinations(&routed.network, &*routed.routing)
                .into_iter()
                .for_each(|destination| survey.visit(destination));
            work += survey.work();
            bytes = bytes.max(survey.memory_bytes());
        }
        let of_work = work as f64 * OF_WORK;
        assert!(of_work < proofs.seconds && proofs.seconds < 2.0 * of_work + 1e-3);
        assert!(proofs.bytes >= bytes, "{} {bytes}", proofs.bytes);
    }
}
