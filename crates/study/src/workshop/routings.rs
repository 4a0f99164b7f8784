//! Builds routings on networks.

use super::{Routed, Workshop, within_table};
use crate::demand::{DemandSpecification, ReadFiles};
use crate::memory;
use crate::provenance::digest;
use crate::specification::Specification;
use std::sync::Arc;
use std::time::Instant;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_network::{Network, Routing};
use turnwise_routing::{Context as RoutingContext, MessageClasses, ProgramPhases, suggest};
use turnwise_verify::Protocol;
use turnwise_workload::tenants::Pairs;

impl Workshop {
    /// Network and routing of a point whose `[routing]` has been read.
    ///
    /// # Errors
    /// As [`network`](Self::network), and what the algorithm has to say about the network.
    pub fn routed(
        &self,
        specification: &Specification,
        document: &Value,
    ) -> Result<Routed, Diagnostic> {
        self.routed_for(specification, document, specification.study.seed)
    }

    /// The same for the repetition with a seed, which may have placed a program elsewhere.
    pub(super) fn routed_for(
        &self,
        specification: &Specification,
        document: &Value,
        seed: u64,
    ) -> Result<Routed, Diagnostic> {
        let (network, minimal) = self.network_and_distances(specification, document)?;
        let Some(algorithm) = &specification.routing else {
            return Err(Diagnostic::general("the table [routing] is missing"));
        };
        let canonical = |name: &str| {
            document
                .at_path(name)
                .map(Value::canonical)
                .unwrap_or_default()
        };
        let table = document.at_path("routing").unwrap_or(document);
        let texts = algorithm.files().into_iter();
        let texts = texts.map(|(field, file)| self.text(file, field, table));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        let phases = match (&specification.demand, algorithm.minds_phases()) {
            (Some(demand), true) => self.phases(demand, &network, document, seed)?,
            _ => Vec::new(),
        };
        let context = RoutingContext {
            files: &texts,
            phases: ProgramPhases(&phases),
            ..specification.routing_context(&network)
        };
        let classes = specification.classes_apart();
        // Files are told by their digests: those of a subnet are large.
        let without_files = RoutingContext {
            files: &[],
            ..context
        };
        let digests: Vec<u64> = texts.iter().map(|text| digest(text.as_bytes())).collect();
        let key = format!(
            "{} {} {without_files:?} {digests:x?} {classes}",
            canonical("network"),
            canonical("routing")
        );
        self.check_shares(specification, document)?;
        let mut routed = self.routings.get_or_make(&key, || {
            let routers = network.router_count() as u64;
            let of_faults = match specification.network.faults.is_empty() {
                true => 0,
                false => routers * routers / 8,
            };
            let tables = algorithm
                .table_bytes(&network, &context)
                .saturating_add(of_faults);
            let bytes = network.memory_bytes().saturating_add(tables);
            memory::refuse_beyond("routing this network", bytes, table)?;
            let start = Instant::now();
            let kind = table.at_path("kind").and_then(Value::as_str);
            let routing = algorithm.build(&network, &context).map_err(|invalid| {
                suggest(invalid, kind.unwrap_or_default(), &network).locate(table)
            })?;
            let mut routing: Arc<dyn Routing> = routing.into();
            if classes > 1 {
                let apart = MessageClasses::new(routing, classes);
                routing = Arc::new(apart.map_err(|invalid| invalid.locate(table))?);
            }
            let relation = routing.relation();
            let relation = relation.map(|words| format!("{} {words}", canonical("network")).into());
            Ok(Routed {
                network,
                minimal,
                relation,
                routing,
                protocol: Protocol::default(),
                class_names: Vec::new(),
                direction_order: algorithm.direction_order().map(<[String]>::to_vec),
                seconds: start.elapsed().as_secs_f64(),
                key: key.as_str().into(),
            })
        })?;
        if let Some(workload) = specification.workload() {
            routed.protocol = workload.protocol();
            routed.class_names = workload.class_names();
        }
        Ok(routed)
    }

    /// Who exchanges messages with whom at a time.
    fn phases(
        &self,
        demand: &DemandSpecification,
        network: &Network,
        document: &Value,
        seed: u64,
    ) -> Result<Vec<Pairs>, Diagnostic> {
        let contents = demand.contents(document, self)?;
        let phases = demand.phases(network, &contents, seed);
        let phases = phases.map_err(|invalid| within_table(invalid, document))?;
        phases.ok_or_else(|| {
            let message = format!(
                "this routing chooses ways for the messages of a program, and `[{}]` is none",
                demand.table()
            );
            let help =
                "for example [workload] kind = \"phases\", \"npb\", \"collective\", or a trace";
            let table = document.at_path("routing").unwrap_or(document);
            Invalid::new("kind", message).with_help(help).locate(table)
        })
    }

    /// Refuses routers that cannot give each class of messages a virtual channel.
    fn check_shares(
        &self,
        specification: &Specification,
        document: &Value,
    ) -> Result<(), Diagnostic> {
        let classes = specification.classes_apart();
        match specification.router.virtual_channels {
            Some(all) if all < classes => {
                let message = format!(
                    "{classes} classes of messages need at least {classes} virtual channels, found {all}"
                );
                let router = document.at_path("router").unwrap_or(document);
                Err(Invalid::new("virtual_channels", message).locate(router))
            }
            _ => Ok(()),
        }
    }
}
