//! The routers of a point, which must suit its network, its routing and what is sent.

use super::{Routed, Workshop, longest_latency};
use crate::demand::DemandSpecification;
use crate::specification::Specification;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_network::Vc;
use turnwise_sim::RouterModel;

impl Workshop {
    pub(super) fn model(
        &self,
        specification: &Specification,
        document: &Value,
        routed: &Routed,
        demand: &DemandSpecification,
    ) -> Result<RouterModel, Diagnostic> {
        let sends = document.at_path(demand.table()).unwrap_or(document);
        demand
            .check_lengths(specification.router.flow_control())
            .map_err(|invalid| invalid.locate(sends))?;
        let longest = longest_latency(&routed.network);
        let needed: Vc = routed.routing.virtual_channels();
        let router = &specification.router;
        let model = router.model(needed, longest, demand.longest_packet());
        let model = model.map_err(|(field, message)| {
            if router.leaves_open(field) {
                let network = document.at_path("network").unwrap_or(document);
                let message =
                    format!("channels of {longest} cycles need too large buffers: {message}");
                return Invalid::new("channel_latency", message)
                    .with_help(SHALLOWER)
                    .locate(network);
            }
            let router = document.at_path("router").unwrap_or(document);
            match field == "packet_flits" {
                true => Invalid::new(demand.length_field(), message).locate(sends),
                false => Invalid::new(field, message).locate(router),
            }
        })?;
        model
            .check_on(&routed.network)
            .map_err(|(field, message)| {
                let router = document.at_path("router").unwrap_or(document);
                Invalid::new(field, message)
                    .with_help(SHALLOWER)
                    .locate(router)
            })?;
        Ok(model)
    }
}

/// What to do about channels that no buffer keeps busy.
const SHALLOWER: &str =
    "write router.buffer_flits, which may be less than keeps the longest channel busy";
