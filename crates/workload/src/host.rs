//! What hosts do with the messages of programs, and what programs count time and bytes by.

use crate::workload::check_range;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::units;
use turnwise_network::Invalid;

/// What hosts do with messages.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostFields {
    /// Length of the packets that messages are cut into, in flits, the last one the rest. On Ethernet a frame has 1,500 B if not given.
    #[schemars(range(min = 1), transform = units::flits)]
    pub packet_flits: u16,
    /// Are all packets as long, also the last ones and those that announce? Bubble flow control needs that.
    pub full_packets: bool,
    /// Messages of more bytes are announced, and wait until they are received.
    #[schemars(transform = units::bytes)]
    pub eager_bytes: u64,
    /// Cycles for which a message keeps its sender's processor, and its receiver's.
    #[schemars(transform = units::cycles)]
    pub overhead_cycles: u32,
    /// The same where network interfaces do it by themselves, instead of processors: offloaded barriers.
    #[schemars(transform = units::cycles)]
    pub offloaded_cycles: u32,
    /// How fast a processor copies what goes to or comes from another rank of its terminal, in flits per cycle; in no time if not given.
    #[schemars(transform = units::load)]
    pub copy_rate: Option<f64>,
}

impl Default for HostFields {
    fn default() -> Self {
        Self {
            packet_flits: 16,
            full_packets: false,
            eager_bytes: 65_535,
            overhead_cycles: 0,
            offloaded_cycles: 0,
            copy_rate: None,
        }
    }
}

/// How programs count, and what a network counts by.
#[derive(Clone, Debug)]
pub struct Counting {
    /// Nanoseconds of a cycle.
    pub cycle_ns: f64,
    /// Bytes of a flit.
    pub flit_bytes: u32,
}

impl HostFields {
    /// What makes no sense, on a field of the workload.
    pub(crate) fn check(&self) -> Result<(), Invalid> {
        check_range(
            "host.packet_flits",
            self.packet_flits.into(),
            1,
            u16::MAX.into(),
        )?;
        match self.copy_rate {
            Some(rate) if !(rate.is_finite() && rate > 0.0) => {
                let message = format!("expected more than 0, found {rate}");
                Err(Invalid::new("host.copy_rate", message))
            }
            _ => Ok(()),
        }
    }

    /// Lengths of the shortest and of the longest packets.
    pub(crate) fn lengths(&self) -> (u16, u16) {
        let shortest = if self.full_packets {
            self.packet_flits
        } else {
            1
        };
        (shortest, self.packet_flits)
    }
}

impl Counting {
    /// As a workload's fields say.
    pub(crate) fn new(cycle_ns: Option<f64>, flit_bytes: Option<u32>) -> Result<Self, Invalid> {
        let missing = |field: &str, words: &str| {
            const CLOCK: &str = "study.clock = \"1 GHz\"";
            const SIZE: &str = "study.flit_size = \"16 B\"";
            let example = match (cycle_ns, flit_bytes) {
                (None, None) => format!("{CLOCK} and {SIZE}"),
                (None, _) => CLOCK.to_owned(),
                _ => SIZE.to_owned(),
            };
            let message = format!("programs count {words}");
            Invalid::new(field, message).with_help(format!("say {example}, for example"))
        };
        let cycle_ns = cycle_ns.ok_or_else(|| missing("cycle_ns", "time, not cycles"))?;
        let flit_bytes = flit_bytes.ok_or_else(|| missing("flit_bytes", "bytes, not flits"))?;
        if !(0.000_001..=1e9).contains(&cycle_ns) {
            let message = format!("expected 0.000001 to 10^9 ns, found {cycle_ns}");
            return Err(Invalid::new("cycle_ns", message));
        }
        check_range("flit_bytes", flit_bytes.into(), 1, 1 << 20)?;
        Ok(Self {
            cycle_ns,
            flit_bytes,
        })
    }

    pub(crate) fn cycles(&self, picoseconds: u64) -> u64 {
        whole(picoseconds as f64 / 1000.0 / self.cycle_ns)
    }

    /// Cycles in which so many bytes are copied at a rate.
    pub(crate) fn copying(&self, bytes: u64, flits_per_cycle: f64) -> u64 {
        whole(bytes as f64 / f64::from(self.flit_bytes) / flits_per_cycle)
    }

    pub(crate) fn flits(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.flit_bytes.into()).max(1)
    }
}

/// The next whole number of cycles. What is whole but for the last digits of a double is whole.
fn whole(cycles: f64) -> u64 {
    (cycles - 1e-6).ceil().max(0.0) as u64
}
