//! The switches of a point on Ethernet: what the table means there, and what the network, the routing and the demand ask for that they do not have.

use crate::demand::DemandSpecification;
use crate::ethernet::field_of;
use crate::specification::Specification;
use crate::workshop::Routed;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_sim::EthernetModel;

/// What routers of flits can be asked to keep account of, and why switches of Ethernet are not.
const ACCOUNTS: [(&str, &str); 3] = [
    (
        "whole_queues",
        "in Ethernet all that waits for a channel is in its queue; leave it out",
    ),
    (
        "phantom",
        "queues of Ethernet hold what waits, and no frames on their way; leave it out",
    ),
    (
        "sensor_latency",
        "switches of Ethernet see their own queues as they are; leave it out",
    ),
];

/// Switches and adapters of Ethernet, if the point has them.
///
/// # Errors
/// What the network, the routing or the demand asks for that Ethernet does not have, and what its own table says that makes no sense.
pub(crate) fn of_point(
    specification: &Specification,
    document: &Value,
    routed: &Routed,
    demand: &DemandSpecification,
) -> Result<Option<EthernetModel>, Diagnostic> {
    let Some(ethernet) = &specification.ethernet else {
        return Ok(None);
    };
    let place = |name: &str| document.at_path(name).unwrap_or(document);
    let routing = &routed.routing;
    let of_routing = |message: &str| Err(Invalid::new("kind", message).locate(place("routing")));
    if routing.sensing().is_some() {
        let is_asked = |field: &str| {
            let value = place("routing").at_path(field);
            value.is_some_and(|value| value.as_bool() != Some(false))
        };
        if let Some((field, why)) = ACCOUNTS.iter().find(|(field, _)| is_asked(field)) {
            return Err(Invalid::new(*field, *why).locate(place("routing")));
        }
        return of_routing(
            "its routers tell each other of congestion; switches of Ethernet send notifications, and nothing else",
        );
    }
    if routing.asks_again() {
        return of_routing(
            "its packets choose again while they wait; in Ethernet a frame stays in the queue that it was routed to",
        );
    }
    if let Some(workload) = demand.workload()
        && !workload.protocol().answers().is_empty()
    {
        let message = "its terminals may leave messages in the network; adapters of Ethernet take up whatever comes";
        return Err(Invalid::new("kind", message).locate(place("workload")));
    }
    if specification.simulation.herding_cycles.is_some() {
        let message = "herding is not measured on Ethernet";
        return Err(Invalid::new("herding_cycles", message).locate(place("simulation")));
    }
    if specification.simulation.channel_interval_cycles.is_some() {
        let message = "channels over time are not recorded on Ethernet";
        let invalid = Invalid::new("channel_interval_cycles", message);
        return Err(invalid.locate(place("simulation")));
    }
    let snoops = routing.snooping().is_some();
    let longest = demand.longest_packet();
    let model = ethernet
        .model(routing.virtual_channels(), snoops, longest)
        .map_err(|invalid| invalid.locate(place("ethernet")))?;
    model
        .check_on(&routed.network)
        .map_err(|(field, message)| {
            let field = field_of(field);
            Invalid::new(field, message).locate(place("ethernet"))
        })?;
    Ok(Some(model))
}
