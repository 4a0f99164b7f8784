//! The network: a dragonfly, and how long its channels are.

use super::importer::Importer;
use super::settings::ChannelMode;
use crate::import::Lines;

impl Importer {
    pub(super) fn network(&mut self) -> Lines {
        let network = &self.settings.network;
        let (groups, routers) = (network.global_width, network.local_width);
        let (terminals, links) = (network.concentration, network.global_weight);
        let some = [
            ("global_width", groups),
            ("global_weight", links),
            ("local_width", routers),
            ("concentration", terminals),
        ];
        for (field, _) in some.into_iter().filter(|&(_, number)| number == 0) {
            let message = "expected at least 1, found 0";
            self.complain(&format!("network.{field}"), message, None);
        }
        let ports = self.global_ports();
        // Here two groups have as many links as fit.
        let fitting = u64::from(routers).saturating_mul(ports);
        let fitting = fitting.checked_div(u64::from(groups).saturating_sub(1));
        if let Some(fitting) = fitting.filter(|&fitting| fitting != u64::from(links)) {
            let message = format!(
                "groups of {routers} routers have room for {fitting} links between any two, and have as many here"
            );
            self.complain("network.local_width", message, None);
        }
        vec![
            "kind = \"dragonfly\"".into(),
            format!("groups = {groups}"),
            format!("routers_per_group = {routers}"),
            format!("terminals_per_router = {terminals}"),
            format!("global_ports_per_router = {ports}"),
            "arrangement = \"relative\"".into(),
            format!("channel_latency = {{ {} }}", self.latencies()),
        ]
    }

    /// Of each router; the last ones of a group may have fewer in use.
    fn global_ports(&self) -> u64 {
        let network = &self.settings.network;
        let others = u64::from(network.global_width).saturating_sub(1);
        let links = u64::from(network.global_weight) * others;
        links.div_ceil(u64::from(network.local_width.max(1)))
    }

    fn latencies(&mut self) -> String {
        let network = &self.settings.network;
        let fixed = |cycles: Option<u32>| cycles.map(|cycles| cycles.to_string());
        // SuperSim reads scalars with as few digits as these have.
        let scalar = |unit: &str, cycles: Option<f32>| {
            cycles.map(|cycles| format!("{{ {unit} = {:?} }}", f64::from(cycles)))
        };
        let [local, global] = match network.channel_mode {
            ChannelMode::Fixed => [
                (
                    "local_channel.latency",
                    fixed(network.local_channel.latency),
                ),
                (
                    "global_channel.latency",
                    fixed(network.global_channel.latency),
                ),
            ],
            ChannelMode::Scalar => [
                ("local_scalar", scalar("per_router", network.local_scalar)),
                ("global_scalar", scalar("per_group", network.global_scalar)),
            ],
        };
        let terminal = fixed(network.external_channel.latency);
        let all = [
            ("terminal", ("external_channel.latency", terminal)),
            ("local", local),
            ("global", global),
        ];
        let mut fields = Vec::new();
        for (name, (field, latency)) in all {
            match latency {
                Some(latency) => fields.push(format!("{name} = {latency}")),
                None => self.miss(&format!("network.{field}")),
            }
        }
        fields.join(", ")
    }
}
