//! What is found out about one network and routing: proof, quality, bound.

use crate::workshop::Routed;
use turnwise_network::FlowControl;
use turnwise_routing::RuleBound;
use turnwise_verify::{Analysis, Assumptions, Bound, BoundReason, Verdict, Width};

/// The verdict where there is neither a proof nor a cycle.
pub const NOT_PROVED: &str = "not-proved";

/// What was found out about one network and routing.
pub struct Finding {
    /// The network's name: its description, and what tells it from others of the study.
    pub network_name: String,
    /// The routing's name, with its swept parameters and those of the routers.
    pub routing_name: String,
    /// The network and the routing.
    pub routed: Routed,
    /// The flow control the proof assumes.
    pub flow_control: FlowControl,
    /// Does it assume that no buffer holds flits of two packets?
    pub one_packet_buffers: bool,
    /// Verdict, reachability, loads.
    pub analysis: Analysis,
    /// What no routing can beat.
    pub bound: Bound,
}

/// Equal keys, equal findings: the network, the routing, and what matters to it of the routers.
pub fn finding_key(routed: &Routed, assumptions: Assumptions) -> String {
    // Whether packets share buffers matters to escapes alone.
    let one_packet = routed.routing.asks_again() && assumptions.one_packet_buffers;
    let protocol = &routed.protocol;
    format!(
        "{} one packet a buffer: {one_packet}, {protocol:?}",
        routed.key
    )
}

impl Finding {
    /// What an analysis has found.
    pub(crate) fn of(
        routing_name: String,
        routed: Routed,
        assumptions: Assumptions,
        analysis: Analysis,
        bound: Bound,
    ) -> Self {
        Self {
            network_name: routed.network.description().to_owned(),
            routing_name,
            routed,
            flow_control: assumptions.flow_control,
            one_packet_buffers: assumptions.one_packet_buffers,
            analysis,
            bound,
        }
    }

    /// Takes note of a bound that holds under the routing algorithm's own rules.
    #[must_use]
    pub fn with_rule_bound(mut self, rule: Option<RuleBound>) -> Self {
        if let Some(rule) = rule {
            let bound = Bound {
                demand: rule.demand,
                channels: rule.weight,
                width: Width::of_equals(rule.weight),
                reason: BoundReason::Rules(rule.rules),
            };
            if bound.exceeds(&self.bound) {
                self.bound = bound;
            }
        }
        self
    }

    /// The bound to print beside the loads, whole where loads are whole; `None` if routes cannot be held
    /// against it: it counts all pairs that some path joins, and those of them that have no route burden no channel.
    pub fn lower_bound(&self) -> Option<f64> {
        let is_comparable = self.analysis.reachability.is_sound();
        is_comparable.then(|| match self.analysis.quality.whole_loads {
            true => self.bound.ceil() as f64,
            false => self.bound.value(),
        })
    }

    /// Pairs of living terminals without a route, for whatever reason.
    pub fn unroutable_pairs(&self) -> u64 {
        let reachability = &self.analysis.reachability;
        reachability.pairs - reachability.routable
    }

    /// Is there anything to warn of: a cycle, lost packets, unconnected terminals?
    pub fn is_negative(&self) -> bool {
        matches!(self.analysis.verdict, Verdict::Cyclic(_)) || self.unroutable_pairs() > 0
    }

    /// May nobody rely on it? So it is where something is wrong, and where nothing could be proved.
    pub fn is_unreliable(&self) -> bool {
        self.is_negative() || self.is_unexplored()
    }

    /// Was it given up, so that figures are of a part of the destinations?
    pub fn is_unexplored(&self) -> bool {
        matches!(self.analysis.verdict, Verdict::Unexplored(_))
    }

    /// The verdict in one word.
    pub fn verdict_word(&self) -> &'static str {
        match &self.analysis.verdict {
            Verdict::Cyclic(_) => "cyclic",
            _ if self.unroutable_pairs() > 0 => "unroutable",
            Verdict::DeadlockFree(_) => "deadlock-free",
            Verdict::Unexplored(_) => NOT_PROVED,
        }
    }

    /// What the proof assumes of the routers.
    pub fn assumptions(&self) -> Assumptions {
        Assumptions {
            flow_control: self.flow_control,
            one_packet_buffers: self.one_packet_buffers,
        }
    }

    /// Which messages wait for which, and whether that is what can go wrong.
    pub fn about_messages(&self) -> Vec<String> {
        let protocol = &self.routed.protocol;
        let name = |class: u8| match self.routed.class_names.get(usize::from(class)) {
            Some(name) => format!("a {name} (class {class})"),
            None => "a message".to_owned(),
        };
        let answers = protocol.answers().iter().map(|&(received, sent)| {
            let (received, sent) = (name(received), name(sent));
            format!("Terminals may leave {received} in the network until they have sent {sent}.")
        });
        let mut sentences: Vec<String> = answers.collect();
        if let Verdict::Cyclic(cycle) = &self.analysis.verdict
            && cycle.passes_terminals()
        {
            sentences.push(
                "A protocol deadlock: terminals have a part in this cycle, whatever the routing does. Classes of \
                 messages with virtual channels of their own prevent it (workload.message_classes = 2)."
                    .into(),
            );
        }
        sentences
    }

    /// What there is to say of a proof by escape, or of why there is none where heads ask again.
    pub fn about_escape(&self) -> Option<String> {
        let shared = self.flow_control == FlowControl::Wormhole && !self.one_packet_buffers;
        match &self.analysis.verdict {
            Verdict::DeadlockFree(proof) if proof.is_by_escape() => Some(format!(
                "Proved by escape: packets can wait for each other in circles, but can always turn to {} \
                 (channel, VC) pairs that cannot.",
                proof.escape.len()
            )),
            Verdict::Cyclic(_) if shared && self.routed.routing.asks_again() => Some(
                "An escape would count only if whole packets wait in buffers (router.flow_control = \
                 \"virtual-cut-through\") or no two share one (router.wait_for_tail_credit = true)."
                    .into(),
            ),
            _ => None,
        }
    }

    /// Examples of pairs without a route, one line each.
    pub fn unroutable_examples(&self) -> Vec<String> {
        let reachability = &self.analysis.reachability;
        let kinds = [
            &reachability.disconnected,
            &reachability.lost,
            &reachability.endless,
        ];
        let network = &self.routed.network;
        kinds
            .iter()
            .flat_map(|kind| &kind.examples)
            .map(|failure| failure.render(network))
            .collect()
    }
}
