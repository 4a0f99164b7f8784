//! The routing, and the sensors that it goes by.

use super::fixed::CLASS;
use super::importer::Importer;
use super::settings::{
    Algorithm, Architecture, ChannelMode, CongestionMode, ReductionAlgorithm, SensorMode,
};
use crate::import::{Lines, quoted};
use turnwise_network::VcSet;

impl Importer {
    pub(super) fn routing(&mut self) -> Lines {
        match self.settings.network.protocol_classes[0].routing.algorithm {
            Algorithm::Minimal => self.minimal(),
            Algorithm::Adaptive => self.adaptive(),
        }
    }

    /// Any of the least congested virtual channels of a class, whatever reduces them.
    fn minimal(&mut self) -> Lines {
        let network = &self.settings.network;
        let sensor = &network.router.congestion_sensor;
        let is_by_vc = matches!(
            sensor.mode,
            SensorMode::NormalizedVc | SensorMode::AbsoluteVc
        );
        let counts = match network.router.architecture {
            Architecture::InputOutputQueued => CongestionMode::OutputAndDownstream,
            Architecture::InputQueued => CongestionMode::Downstream,
        };
        let unlike = [
            ("congestion_sensor.mode", !is_by_vc),
            ("congestion_sensor.granularity", sensor.granularity != 0),
            ("congestion_sensor.minimum", sensor.minimum != 0.0),
            ("congestion_sensor.latency", sensor.latency != 1),
            ("congestion_sensor.phantom", sensor.phantom == Some(true)),
            ("congestion_mode", network.router.congestion_mode != counts),
        ];
        if network.global_weight > 1 {
            let message = "minimal routing draws one of several links at every router of a group, and here once";
            self.complain("network.global_weight", message, None);
        }
        for (field, _) in unlike.into_iter().filter(|&(_, is_unlike)| is_unlike) {
            let message = "minimal routing takes the virtual channel here that has the fewest flits now, behind the crossbar";
            self.complain(&format!("network.router.{field}"), message, None);
        }
        self.check_vcs(2);
        vec!["kind = \"minimal\"".into(), "classes = \"supersim\"".into()]
    }

    fn adaptive(&mut self) -> Lines {
        let network = &self.settings.network;
        let routing = &network.protocol_classes[0].routing;
        let reduction = &routing.reduction;
        let (algorithm, bias) = (reduction.algorithm, reduction.congestion_bias);
        let (progressive, valiant) = (routing.progressive_adaptive, routing.valiant_node);
        let weight = routing.propagation_weight;
        let network_mode = network.channel_mode;
        let scalars = [
            (
                "global_scalar",
                routing.global_scalar,
                network.global_scalar,
            ),
            ("local_scalar", routing.local_scalar, network.local_scalar),
        ];
        if algorithm != ReductionAlgorithm::Weighted {
            let path = format!("{CLASS}.routing.reduction.algorithm");
            let message = "adaptive routing weighs what is not minimal";
            self.complain(&path, message, Some("write \"weighted\""));
        }
        for (field, own, of_network) in scalars {
            if own.is_some() && own != of_network {
                let message = "ways are as long here as the channels of the network";
                self.complain(&format!("{CLASS}.routing.{field}"), message, None);
            }
        }
        if network_mode == ChannelMode::Fixed && weight.is_some_and(|weight| weight > 0.0) {
            let message =
                "ways are as long here as the channels of the network, and not as scalars say";
            self.complain(
                &format!("{CLASS}.routing.propagation_weight"),
                message,
                None,
            );
        }
        let flags = [
            ("progressive_adaptive", progressive),
            ("valiant_node", valiant),
        ];
        let [progressive, valiant] = flags.map(|(field, flag)| {
            if flag.is_none() {
                self.miss(&format!("{CLASS}.routing.{field}"));
            }
            flag.unwrap_or_default()
        });
        if bias.is_none() {
            self.miss(&format!("{CLASS}.routing.reduction.congestion_bias"));
        }
        self.check_vcs(3 + u32::from(progressive) + u32::from(valiant));
        let mut lines = vec![
            "kind = \"weighted-adaptive\"".into(),
            format!("progressive = {progressive}"),
            format!("valiant_node = {valiant}"),
            format!("bias = {:?}", bias.unwrap_or_default()),
        ];
        lines.extend(weight.map(|weight| format!("propagation_weight = {weight:?}")));
        lines.extend(self.sensor());
        lines
    }

    /// Fields of routing that weighs what a sensor sees.
    fn sensor(&mut self) -> Lines {
        let router = &self.settings.network.router;
        let sensor = &router.congestion_sensor;
        let depth = router.output_queue_depth;
        let counts = (router.architecture, router.congestion_mode);
        let (source, queue_flits) = match counts {
            (Architecture::InputQueued, _) => ("both", 0),
            // With the register behind the queue.
            (_, CongestionMode::OutputAndDownstream) => ("both", depth.saturating_add(1)),
            (_, CongestionMode::Downstream) => ("credits", 0),
            (_, CongestionMode::Output) => ("queue", depth),
        };
        let (normalised, scope) = match sensor.mode {
            SensorMode::NormalizedVc => (true, "vc"),
            SensorMode::NormalizedPort => (true, "port"),
            SensorMode::NormalizedMin => (true, "min"),
            SensorMode::NormalizedMax => (true, "max"),
            SensorMode::AbsoluteVc => (false, "vc"),
            SensorMode::AbsolutePort => (false, "port"),
            SensorMode::AbsoluteMin => (false, "min"),
            SensorMode::AbsoluteMax => (false, "max"),
        };
        let mut lines = vec![
            format!("sensor_source = {}", quoted(source)),
            format!("sensor_scope = {}", quoted(scope)),
            format!("sensor_latency = {}", sensor.latency),
            format!("normalised = {normalised}"),
            format!("queue_flits = {queue_flits}"),
            format!("granularity = {}", sensor.granularity),
            format!("minimum = {:?}", sensor.minimum),
            format!("offset = {:?}", sensor.offset),
        ];
        if sensor.phantom == Some(true) {
            let coefficients = [
                ("value_coeff", sensor.value_coeff),
                ("length_coeff", sensor.length_coeff),
            ];
            let [value, length] = coefficients.map(|(field, coefficient)| {
                if coefficient.is_none() {
                    self.miss(&format!("network.router.congestion_sensor.{field}"));
                }
                coefficient.unwrap_or_default()
            });
            lines.push(format!(
                "phantom = {{ value_coefficient = {value:?}, length_coefficient = {length:?} }}"
            ));
        }
        if matches!(counts, (Architecture::InputQueued, mode) if mode != CongestionMode::Downstream)
        {
            let message = "outputs of input-queued routers have no queues here";
            let help = Some("write \"downstream\"");
            self.complain("network.router.congestion_mode", message, help);
        }
        lines
    }

    /// Of each class one, and no more than there can be.
    fn check_vcs(&mut self, classes: u32) {
        let count = self.settings.network.protocol_classes[0].num_vcs;
        let most = u32::from(VcSet::CAPACITY);
        let message = match count {
            few if few < classes => {
                format!("expected at least {classes}, one for each routing class, found {few}")
            }
            many if many > most => format!("expected at most {most}, found {many}"),
            _ => return,
        };
        self.complain(&format!("{CLASS}.num_vcs"), message, None);
    }
}
