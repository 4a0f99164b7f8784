//! k-ary n-fly: a butterfly of n stages of switches with k inputs and k outputs, channels one way.
//!
//! Terminals send into the first stage and receive from the last. Here a terminal sends and receives at
//! one router, so switch `r` of the first stage and switch `r` of the last, to which the same terminals belong, are one
//! router. Nothing else is shared: packets from a terminal leave by the first stage's outputs, packets from the last
//! stage's inputs leave for terminals, and no two of them want the same input or output of the
//! crossbar. So this is the butterfly of the book, with n routers on every way and n - 1 channels, except
//! that the two ends of a way may be one router (`destination-tag` goes all the way round then, too). With two
//! stages such a packet would need a channel from a router to itself, which networks here do not have.
//!
//! Numbering of stages, routers and ports: [`Butterfly`].

use super::Topology;
use super::check;
use super::latency::ChannelLatency;
use crate::builder::{NetworkBuilder, Size};
use crate::ids::RouterId;
use crate::network::{ChannelClass, Network};
use crate::shape::{Butterfly, Shape};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const K_ARY_N_FLY: Entry<dyn Topology> = Entry {
    name: "k-ary-n-fly",
    aliases: &["butterfly"],
    summary: "Butterfly of n stages of switches with k inputs and outputs, channels one way",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 4",
    example: "arity = 4\nstages = 3",
    schema: schema_of::<KAryNFly>,
    parse: |table, errors| Some(Box::new(parse_as::<KAryNFly, dyn Topology>(table, errors)?)),
};

/// Parameters of a k-ary n-fly.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KAryNFly {
    /// Inputs and outputs of a switch, k; also terminals at a switch of the first and last stage.
    pub arity: u32,
    /// Stages of switches, n: 3 or more. There are k^n terminals.
    pub stages: u32,
    /// How long channels are.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Default for KAryNFly {
    /// The 2-ary 3-fly, 8 terminals.
    fn default() -> Self {
        Self {
            arity: 2,
            stages: 3,
            channel_latency: ChannelLatency::default(),
        }
    }
}

impl Topology for KAryNFly {
    fn size(&self) -> Size {
        let (k, n) = (u64::from(self.arity), self.stages);
        let width = k.saturating_pow(n.saturating_sub(1));
        let routers = width.saturating_mul(u64::from(n).saturating_sub(1));
        Size {
            routers,
            terminals: width.saturating_mul(k),
            channels: routers.saturating_mul(k),
        }
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        let (arity, stages) = (self.arity, self.stages);
        check::some(
            arity,
            "arity",
            "a switch has at least one input and one output",
        )?;
        if stages < 3 {
            let message = format!("expected 3 stages or more, found {stages}");
            return Err(Invalid::new("stages", message).with_help(
                "the first and the last stage share their routers, so that between two stages a router \
                 would be linked to itself",
            ));
        }
        check::ports(2 * u64::from(arity), "arity")?;
        self.size().check("stages")?;
        let shape = Butterfly { arity, stages };
        let description = format!("{arity}-ary {stages}-fly");
        let mut builder = NetworkBuilder::new(description, Shape::Butterfly(shape.clone()));
        let k = arity as usize;
        for stage in 0..stages - 1 {
            for _ in 0..shape.width() {
                let terminals = if stage == 0 { k } else { 0 };
                builder.router(k + terminals, terminals);
            }
        }
        let latency = self.channel_latency.of_local(1);
        for stage in 0..stages - 1 {
            for (index, output) in (0..shape.width()).flat_map(|i| (0..arity).map(move |o| (i, o)))
            {
                let next = (stage + 1) % (stages - 1);
                let from = RouterId(shape.router_at(stage, index));
                let to = RouterId(shape.router_at(next, shape.next(stage, index, output)));
                let input = shape.digit(stage, index);
                builder.channel(
                    (from, shape.port(stage, output).into()),
                    (to, shape.port(next, input).into()),
                    latency,
                    ChannelClass::Local,
                );
            }
        }
        builder.build(self.channel_latency.of_terminal())
    }
}
