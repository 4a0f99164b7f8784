//! How deep buffers are: the same everywhere, by class of channel, or by how long a credit is under way.
//!
//! A buffer belongs to the channel that fills it. Long channels need deep buffers, because a sender learns
//! of a free slot only when its credit is back; behind short ones as much would be wasted
//! (Dally and Towles, *Principles and Practices of Interconnection Networks*, section 16.3).

use crate::model::RouterModel;
use turnwise_network::{Channel, FlowControl, Network, PerClass};

/// How deep the buffers behind channels of one class are, for each virtual channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// So many flits.
    Flits(u32),
    /// As many flits as the channel takes until a credit is back, so that one virtual channel can keep it busy,
    /// and a packet of so many flits beside, or more if flow control requires that.
    RoundTrip {
        /// The longest packet.
        packet: u16,
    },
    /// So many thousandths of a flit for each cycle of the channel's latency, rounded up, and 16 flits at least. What
    /// SuperSim calls tailored (McDonald et al., ISPASS 2018).
    Tailored {
        /// Thousandths of a flit a cycle.
        permille: u32,
    },
}

impl Depth {
    /// So many flits behind every channel.
    pub fn everywhere(flits: u32) -> PerClass<Self> {
        PerClass::all(Self::Flits(flits))
    }

    /// SuperSim's usual factor: two flits for each cycle, a little less than a round trip.
    pub const USUALLY_TAILORED: Self = Self::Tailored { permille: 2_000 };

    /// The depth by [`Tailored`](Self::Tailored) behind a channel of this latency.
    pub fn tailored(permille: u32, latency: u32) -> u32 {
        const LEAST: u32 = 16;
        let flits = (u64::from(latency) * u64::from(permille)).div_ceil(1_000);
        u32::try_from(flits).unwrap_or(u32::MAX).max(LEAST)
    }
}

impl RouterModel {
    /// Slots of the buffer behind a channel, for each virtual channel.
    pub fn buffer_flits(&self, behind: &Channel) -> u32 {
        let depth = *self.buffers.of(behind.class);
        self.depth(depth, behind.latency, behind.interval)
    }

    /// The same for a channel of this latency and interval.
    pub(crate) fn depth(&self, depth: Depth, latency: u32, interval: u32) -> u32 {
        match depth {
            Depth::Flits(flits) => flits,
            Depth::Tailored { permille } => Depth::tailored(permille, latency),
            Depth::RoundTrip { packet } => {
                let busy = self.credit_round_trip(latency).div_ceil(interval);
                // A buffer need not hold a long packet to keep a short channel busy.
                let most = Self::MOST_BUFFER_FLITS.max(busy);
                let with_packet = busy.saturating_add(packet.into()).min(most);
                with_packet.max(least_flits(self.flow_control, packet))
            }
        }
    }

    /// What is wrong with the model's buffers behind the channels of a network, as (field, message). O(channels).
    ///
    /// # Errors
    /// A round trip that no buffer is deep enough for.
    pub fn check_on(&self, network: &Network) -> Result<(), (&'static str, String)> {
        let most = Self::MOST_BUFFER_FLITS;
        for id in 0..network.total_channel_count() {
            let channel = network.channel(id.into());
            let flits = self.buffer_flits(channel);
            if flits > most {
                let (class, latency) = (channel.class.name(), channel.latency);
                let message = match self.buffers.of(channel.class) {
                    Depth::Tailored { permille } => format!(
                        "{} flits for each cycle of a {class} channel of {latency} cycles are {flits}, and a buffer holds {most} at most",
                        f64::from(*permille) / 1000.0
                    ),
                    _ => format!(
                        "a credit of a {class} channel of {latency} cycles is back after {flits} flits, and a buffer holds {most} at most"
                    ),
                };
                return Err(("buffer_flits", message));
            }
        }
        Ok(())
    }

    /// What is wrong with the depths that are given as numbers, as (field, message).
    pub(crate) fn check_depths(&self) -> Result<(), (&'static str, String)> {
        let most = Self::MOST_BUFFER_FLITS;
        self.check_each_depth(|flits| {
            let possible = (1..=most).contains(&flits);
            (!possible).then(|| format!("expected 1 to {most} flits, found {flits}"))
        })
    }

    /// What a buffer must hold at least of packets of this length.
    pub fn least_flits(&self, packet: u16) -> u32 {
        let least = least_flits(self.flow_control, packet);
        match self.whole_packets {
            true => least.max(packet.into()),
            false => least,
        }
    }

    /// The same for packets of this length, which flow control may require to fit, as (field, message).
    ///
    /// # Errors
    /// A buffer that is too small.
    pub fn check_packets(&self, packet: u16) -> Result<(), (&'static str, String)> {
        let least = self.least_flits(packet);
        let name = match least > least_flits(self.flow_control, packet) {
            true => "whole_packets",
            false => self.flow_control.name(),
        };
        if let Some(flits) = self.output_queue_flits()
            && self.whole_packets
            && flits < packet.into()
        {
            let message = format!(
                "whole_packets needs output queues of at least {packet} flits for packets of {packet}, found {flits}"
            );
            return Err(("output_buffer_flits", message));
        }
        self.check_each_depth(|flits| {
            (flits < least).then(|| {
                format!("{name} needs buffers of at least {least} flits for packets of {packet}, found {flits}")
            })
        })
    }

    /// The first complaint about a depth that is given as a number, with the field it is about.
    fn check_each_depth(
        &self,
        complaint: impl Fn(u32) -> Option<String>,
    ) -> Result<(), (&'static str, String)> {
        const FIELDS: [&str; 3] = [
            "buffer_flits.terminal",
            "buffer_flits.local",
            "buffer_flits.global",
        ];
        let same = self.buffers == PerClass::all(self.buffers.local);
        for (field, &depth) in FIELDS.into_iter().zip(self.buffers.each()) {
            let found = match depth {
                Depth::Flits(flits) => complaint(flits),
                Depth::Tailored { permille } => complaint(Depth::tailored(permille, 0)),
                Depth::RoundTrip { .. } => None,
            };
            if let Some(message) = found {
                return Err((if same { "buffer_flits" } else { field }, message));
            }
        }
        Ok(())
    }
}

/// What a buffer must hold at least of packets of this length.
pub(crate) fn least_flits(flow_control: FlowControl, packet: u16) -> u32 {
    match flow_control {
        FlowControl::Wormhole => 1,
        FlowControl::VirtualCutThrough | FlowControl::Pause => packet.into(),
        FlowControl::Bubble => 2 * u32::from(packet),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::{ChannelClass, NetworkBuilder, Shape};

    fn pair(latency: u32, terminal_latency: u32) -> Network {
        let mut builder = NetworkBuilder::new("pair", Shape::Graph);
        let (a, b) = (builder.router(2, 1), builder.router(2, 1));
        let class = ChannelClass::Local;
        builder.link((a, 1), (b, 1), latency, class, class);
        builder.build(terminal_latency).unwrap()
    }

    fn by_round_trip(packet: u16, flow_control: FlowControl) -> RouterModel {
        RouterModel {
            buffers: PerClass {
                terminal: Depth::Flits(3),
                ..PerClass::all(Depth::RoundTrip { packet })
            },
            flow_control,
            ..RouterModel::default()
        }
    }

    #[test]
    fn every_channel_has_its_own_round_trip() {
        let network = pair(10, 2);
        let depth = |model: &RouterModel, id: usize| model.buffer_flits(network.channel(id.into()));
        let model = by_round_trip(5, FlowControl::Wormhole);
        // 1 + D + 2 L + credit_delay, and the packet.
        assert_eq!(depth(&model, 0), 1 + 4 + 20 + 2 + 5);
        assert_eq!(depth(&model, network.channel_count()), 3);
        // Two packets are more.
        let model = by_round_trip(100, FlowControl::Bubble);
        assert_eq!(depth(&model, 0), 200);
        // A packet that is too long for what is left is not.
        let model = by_round_trip(u16::MAX, FlowControl::Wormhole);
        assert_eq!(depth(&model, 0), RouterModel::MOST_BUFFER_FLITS);
        assert_eq!(model.check_on(&network), Ok(()));
    }

    #[test]
    fn no_buffer_holds_more_than_can_be_counted() {
        let model = by_round_trip(5, FlowControl::Wormhole);
        let network = pair(40_000, 1);
        assert!(
            model
                .check_on(&network)
                .unwrap_err()
                .1
                .contains("40000 cycles")
        );
        let flits = |depth| RouterModel {
            buffers: PerClass {
                global: Depth::Flits(depth),
                ..Depth::everywhere(7)
            },
            ..RouterModel::default()
        };
        assert_eq!(flits(0).check().unwrap_err().0, "buffer_flits.global");
        assert_eq!(flits(65_536).check().unwrap_err().0, "buffer_flits.global");
        assert_eq!(flits(65_535).check(), Ok(()));
        let all = RouterModel {
            buffers: Depth::everywhere(0),
            ..RouterModel::default()
        };
        assert_eq!(all.check().unwrap_err().0, "buffer_flits");
    }
}
