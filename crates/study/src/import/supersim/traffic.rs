//! What terminals send.

use super::fixed::{APPLICATION, CLASS};
use super::importer::Importer;
use super::settings::{DestinationMode, GroupMode, NamedGroup, Pattern, PatternKind};
use crate::import::{Lines, no_counterpart, quoted, what_has};

impl Importer {
    pub(super) fn traffic(&mut self) -> Lines {
        let terminal = &self.settings.workload.applications[0].blast_terminal;
        let (rate, most) = (terminal.request_injection_rate, terminal.max_packet_size);
        let flits = terminal.message_size_distribution.message_size;
        let pattern = terminal.traffic_pattern.clone();
        let at = |field: &str| format!("{APPLICATION}.blast_terminal.{field}");
        if !(0.0..=1.0).contains(&rate) {
            let message = format!("expected flits per cycle, 0 to 1, found {rate}");
            self.complain(&at("request_injection_rate"), message, None);
        }
        if flits == 0 {
            let path = at("message_size_distribution.message_size");
            self.complain(&path, "expected at least one flit, found 0", None);
        }
        if most == 0 {
            let message = "expected at least one flit, found 0";
            self.complain(&at("max_packet_size"), message, None);
        }
        if flits > most {
            self.check_packets();
        }
        let path = at("traffic_pattern");
        let mut lines = match pattern.kind {
            PatternKind::UniformRandom => self.uniform_random(&path, &pattern),
            PatternKind::GroupAttack => self.group_attack(&path, &pattern),
            PatternKind::RandomExchange => self.random_exchange(&path),
            PatternKind::LocalRandomRemoteAttack => self.local_and_remote(&path, &pattern),
        };
        lines.extend([
            format!("load = {rate:?}"),
            format!("packet_flits = {}", flits.min(most)),
            "injection = \"dithered\"".into(),
        ]);
        if flits > most {
            lines.push(format!("message_flits = {flits}"));
        }
        lines
    }

    /// Each packet of a message has a virtual channel of its own.
    fn check_packets(&mut self) {
        let network = &self.settings.network;
        let injection = network.protocol_classes[0].injection.as_ref();
        let places = [
            (
                format!("{CLASS}.injection.fixed_msg_vc"),
                injection.and_then(|injection| injection.fixed_msg_vc),
            ),
            (
                "network.interface.fixed_msg_vc".to_owned(),
                network.interface.fixed_msg_vc,
            ),
        ];
        for (path, _) in places
            .into_iter()
            .filter(|(_, is_fixed)| *is_fixed == Some(true))
        {
            let message = "packets of a message have virtual channels of their own here";
            self.complain(&path, message, None);
        }
    }

    fn uniform_random(&mut self, path: &str, pattern: &Pattern) -> Lines {
        if pattern.send_to_self.is_none() {
            self.miss(&format!("{path}.send_to_self"));
        }
        let to_self = pattern.send_to_self.unwrap_or_default();
        vec![
            "pattern = \"uniform\"".into(),
            format!("send_to_self = {to_self}"),
        ]
    }

    fn group_attack(&mut self, path: &str, pattern: &Pattern) -> Lines {
        let network = &self.settings.network;
        let sizes = [
            ("group_size", pattern.group_size, network.local_width.into()),
            (
                "concentration",
                pattern.concentration,
                network.concentration.into(),
            ),
        ];
        self.fit(path, &sizes);
        let mut lines = vec!["pattern = \"group-attack\"".into()];
        let destination = match pattern.destination_mode {
            Some(DestinationMode::Peer) => "peer",
            Some(DestinationMode::Random) => "random",
            Some(DestinationMode::Complement) => "complement",
            None => {
                self.miss(&format!("{path}.destination_mode"));
                ""
            }
        };
        lines.push(format!("destination_mode = {}", quoted(destination)));
        match pattern.group_mode {
            Some(GroupMode::Named(NamedGroup::Half)) => lines.push("group_mode = \"half\"".into()),
            // Of an odd number the middle one attacks itself.
            Some(GroupMode::Named(NamedGroup::Opposite)) => lines.extend([
                "group_mode = \"opposite\"".into(),
                "send_to_self = true".into(),
            ]),
            Some(GroupMode::Offset(groups)) => {
                self.check_offset(&format!("{path}.group_mode"), groups);
                lines.push(format!("group_mode = {groups}"));
            }
            None => self.miss(&format!("{path}.group_mode")),
        }
        lines
    }

    fn random_exchange(&mut self, path: &str) -> Lines {
        let groups = u64::from(self.settings.network.global_width);
        if groups * self.terminals_per_group() % 2 == 1 {
            let message = "of an odd number of terminals the last one receives nothing there";
            self.complain(&format!("{path}.type"), message, None);
        }
        vec!["pattern = \"random-exchange\"".into()]
    }

    fn local_and_remote(&mut self, path: &str, pattern: &Pattern) -> Lines {
        let sizes = [("block_size", pattern.block_size, self.terminals_per_group())];
        self.fit(path, &sizes);
        let probability = format!("{path}.local_probability");
        match pattern.local_probability {
            None => self.miss(&probability),
            Some(local) if local > 0.0 && local < 1.0 => {}
            Some(local) => {
                let message = format!("expected more than 0 and less than 1, found {local}");
                self.complain(&probability, message, None);
            }
        }
        let mode = format!("{path}.remote_mode");
        let offset = match pattern.remote_mode {
            Some(GroupMode::Named(NamedGroup::Half)) => {
                i64::from(self.settings.network.global_width / 2)
            }
            Some(GroupMode::Offset(groups)) => {
                self.check_offset(&mode, groups);
                groups.into()
            }
            Some(GroupMode::Named(NamedGroup::Opposite)) => {
                let message = no_counterpart(&mode, "opposite");
                let help = what_has(["half", "a number of groups"]);
                self.complain(&mode, message, Some(&help));
                0
            }
            None => {
                self.miss(&mode);
                0
            }
        };
        let local = pattern.local_probability.unwrap_or_default();
        vec![
            "pattern = \"local-random-remote-attack\"".into(),
            format!("local_fraction = {local:?}"),
            format!("offset = {offset}"),
            "send_to_self = true".into(),
        ]
    }

    /// To another group, without going round.
    fn check_offset(&mut self, path: &str, offset: i32) {
        let groups = self.settings.network.global_width;
        if offset == 0 || offset.unsigned_abs() >= groups {
            let message = format!("expected another one of {groups} groups, found {offset}");
            self.complain(path, message, None);
        }
    }

    fn terminals_per_group(&self) -> u64 {
        let network = &self.settings.network;
        u64::from(network.local_width) * u64::from(network.concentration)
    }

    /// Blocks of terminals are the groups of the network.
    fn fit(&mut self, path: &str, sizes: &[(&str, Option<u32>, u64)]) {
        for &(field, size, of_network) in sizes {
            let path = format!("{path}.{field}");
            match size {
                None => self.miss(&path),
                Some(size) if u64::from(size) != of_network => {
                    let message = format!(
                        "groups of the network are those of the traffic here: expected {of_network}, found {size}"
                    );
                    self.complain(&path, message, None);
                }
                Some(_) => {}
            }
        }
    }
}
