//! The routers, and what their queues hold.

use super::importer::Importer;
use super::settings::{Architecture, ChannelMode, Network, QueueMode};
use crate::import::Lines;

/// A tailored queue has at least so many flits, whatever the latency of its channel.
const LEAST_TAILORED: u32 = 16;

impl Importer {
    pub(super) fn router(&mut self) -> Lines {
        let router = &self.settings.network.router;
        let vcs = self.settings.network.protocol_classes[0].num_vcs;
        let mut lines = Lines::new();
        match router.architecture {
            Architecture::InputQueued => lines.push("preset = \"supersim-iq\"".into()),
            Architecture::InputOutputQueued => {
                // A register is behind the queue for the flit that asks for the channel.
                let places = router.output_queue_depth.saturating_add(1);
                lines.push("preset = \"supersim-ioq\"".into());
                lines.push(format!("output_buffer_flits = {places}"));
            }
        }
        lines.push(format!("virtual_channels = {vcs}"));
        lines.push(format!("buffer_flits = {}", self.buffers()));
        lines
    }

    /// The depth of input queues.
    fn buffers(&mut self) -> String {
        let router = &self.settings.network.router;
        let interface = &self.settings.network.interface;
        let (mode, depth) = (router.input_queue_mode, router.input_queue_depth);
        if (interface.init_credits_mode, interface.init_credits) != (mode, depth) {
            let message =
                "interfaces have as many credits here as input queues of routers have places";
            self.complain("network.interface.init_credits", message, None);
        }
        match mode {
            QueueMode::Fixed => {
                if !(1.0..=f64::from(u32::MAX)).contains(&depth) || depth.fract() != 0.0 {
                    let message = format!("expected a number of flits, found {depth}");
                    self.complain("network.router.input_queue_depth", message, None);
                }
                depth.to_string()
            }
            QueueMode::Tailored => {
                self.limits(depth);
                format!("{{ tailored = {depth:?} }}")
            }
        }
    }

    /// What keeps tailored queues within limits: the least is fixed here, and there is no most.
    fn limits(&mut self, depth: f64) {
        let network = &self.settings.network;
        let (router, interface) = (&network.router, &network.interface);
        let (least, most) = (router.input_queue_min, router.input_queue_max);
        let of_interface = [
            ("credits_min", interface.credits_min != least),
            ("credits_max", interface.credits_max != most),
        ];
        let deepest = (longest(network) * depth).ceil();
        for (field, _) in of_interface.into_iter().filter(|&(_, is_unlike)| is_unlike) {
            let message = "expected the same as that of the router's input queues";
            self.complain(&format!("network.interface.{field}"), message, None);
        }
        match least {
            None => self.miss("network.router.input_queue_min"),
            Some(LEAST_TAILORED) => {}
            Some(_) => {
                let message = format!("tailored queues have at least {LEAST_TAILORED} flits here");
                self.complain("network.router.input_queue_min", message, None);
            }
        }
        match most {
            None => self.miss("network.router.input_queue_max"),
            Some(most) if f64::from(most) < deepest => {
                let message = format!("the longest channel has a queue of {deepest} flits here");
                self.complain("network.router.input_queue_max", message, None);
            }
            Some(_) => {}
        }
    }
}

/// Cycles that the longest channel takes, as far as that is said.
fn longest(network: &Network) -> f64 {
    let fixed = |cycles: Option<u32>| f64::from(cycles.unwrap_or(0));
    let scalar = |cycles: Option<f32>, width: u32| {
        let most = f64::from(width.saturating_sub(1));
        (f64::from(cycles.unwrap_or(0.0)) * most).ceil()
    };
    let [local, global] = match network.channel_mode {
        ChannelMode::Fixed => [
            fixed(network.local_channel.latency),
            fixed(network.global_channel.latency),
        ],
        ChannelMode::Scalar => [
            scalar(network.local_scalar, network.local_width),
            scalar(network.global_scalar, network.global_width),
        ],
    };
    let terminal = fixed(network.external_channel.latency);
    local.max(global).max(terminal)
}
