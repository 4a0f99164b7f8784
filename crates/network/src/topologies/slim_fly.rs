//! Slim Fly: the graphs of McKay, Miller and Širáň, of diameter 2 and nearly as large as any can be.
//!
//! For a prime power `q = 4 w + d` with `d` of -1, 0 or 1 there are two halves of `q` times `q` routers, named
//! by elements of the field GF(q). With a primitive element `e` and the sets `X` and `X'` of some of its powers,
//!
//! ```text
//! (0, x, y) is linked to (0, x, y')  if y - y' is in X
//! (1, m, c) is linked to (1, m, c')  if c - c' is in X'
//! (0, x, y) is linked to (1, m, c)   if y = m x + c
//! ```
//!
//! `X` has the even powers and `X'` the odd ones; for `d = -1`, `X` has the even powers below half of
//! all and the odd ones above, and `X'` is `e X`. Every router has `(3 q - d) / 2` links. `q = 5` is the
//! graph of Hoffman and Singleton.
//!
//! Routers are numbered half by half, then by `x` or `m`, then by `y` or `c`. Ports: terminals, then the
//! neighbours in ascending order. Routings see a graph, in which `shortest-path` needs two virtual channels, `valiant` and `ugal` four.

mod field;

use self::field::Field;
use super::Topology;
use super::check;
use super::latency::ChannelLatency;
use crate::builder::{NetworkBuilder, Size};
use crate::ids::RouterId;
use crate::network::{ChannelClass, Network};
use crate::shape::Shape;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const SLIM_FLY: Entry<dyn Topology> = Entry {
    name: "slim-fly",
    aliases: &["mms"],
    summary: "Graph of diameter 2 with nearly as many routers as possible",
    source: "Besta and Hoefler, Slim Fly: a cost effective low-diameter network topology, SC 2014; \
             McKay, Miller, Širáň, A note on large graphs of diameter two and given maximum degree, \
             Journal of Combinatorial Theory B 74(1), 1998",
    example: "q = 5\nterminals_per_router = 4",
    schema: schema_of::<SlimFly>,
    parse: |table, errors| Some(Box::new(parse_as::<SlimFly, dyn Topology>(table, errors)?)),
};

/// Parameters of a Slim Fly.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlimFly {
    /// A prime power of 3 or more that is not twice an odd number; there are 2 q^2 routers.
    pub q: u32,
    /// Terminals at each router: by default half as many as it has links, rounded up.
    #[serde(default)]
    pub terminals_per_router: Option<u32>,
    /// How long channels are.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Default for SlimFly {
    fn default() -> Self {
        Self {
            q: 5,
            terminals_per_router: None,
            channel_latency: ChannelLatency::default(),
        }
    }
}

impl SlimFly {
    /// Links of every router.
    pub fn degree(&self) -> u32 {
        let three = self.q.saturating_mul(3);
        match self.q % 4 {
            1 => (three - 1) / 2,
            3 => three.saturating_add(1) / 2,
            _ => three / 2,
        }
    }

    fn terminals(&self) -> u32 {
        self.terminals_per_router
            .unwrap_or_else(|| self.degree().div_ceil(2))
    }
}

impl Topology for SlimFly {
    fn size(&self) -> Size {
        let q = u64::from(self.q);
        let routers = q.saturating_mul(q).saturating_mul(2);
        Size {
            routers,
            terminals: routers.saturating_mul(self.terminals().into()),
            channels: routers.saturating_mul(self.degree().into()),
        }
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        let (q, degree, terminals) = (self.q, self.degree(), self.terminals());
        check::terminals(terminals)?;
        check::ports(terminals.into(), "terminals_per_router")?;
        self.size().check("q")?;
        check::ports(u64::from(degree) + u64::from(terminals), "q")?;
        let field = Field::new(q).filter(|_| q % 4 != 2).ok_or_else(|| {
            let message = format!("there is no Slim Fly for {q}");
            let help = "q is a prime power of 3 or more: 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, ...";
            Invalid::new("q", message).with_help(help)
        })?;
        let description = format!("slim fly q={q} ({} routers of degree {degree})", 2 * q * q);
        let mut builder = NetworkBuilder::new(description, Shape::Graph);
        for _ in 0..2 * q * q {
            builder.router((degree + terminals) as usize, terminals as usize);
        }
        let mut next_port = vec![terminals as usize; 2 * q as usize * q as usize];
        let mut port = |router: u32| {
            let next = &mut next_port[router as usize];
            *next += 1;
            (RouterId(router), *next - 1)
        };
        let latency = self.channel_latency.of_local(1);
        for (a, b) in links(&field) {
            let class = ChannelClass::Local;
            builder.link(port(a), port(b), latency, class, class);
        }
        builder.build(self.channel_latency.of_terminal())
    }
}

/// The links in ascending order, each with its lower router first.
fn links(field: &Field) -> Vec<(u32, u32)> {
    let q = field.order();
    let half = |router: u32| [router / (q * q), router / q % q, router % q];
    let router = |[half, x, y]: [u32; 3]| (half * q + x) * q + y;
    let sets = [steps(field, 0), steps(field, 1)];
    let mut links = Vec::new();
    for from in 0..2 * q * q {
        let [side, x, y] = half(from);
        for &step in &sets[side as usize] {
            links.push((from, router([side, x, field.plus(y, step)])));
        }
        if side == 0 {
            // y = m x + c for every m.
            let across = |m| router([1, m, field.minus(y, field.times(m, x))]);
            links.extend((0..q).map(|m| (from, across(m))));
        }
    }
    // Steps come in pairs of opposite ones: each link inside a half was found from both its ends.
    links.retain(|(a, b)| a < b);
    links.sort_unstable();
    links
}

/// The differences of linked routers in the half 0 (X) or 1 (X').
fn steps(field: &Field, half: u32) -> Vec<u32> {
    let q = field.order();
    let powers: Vec<u32> = match q % 4 {
        // Even powers up to 2 w - 2 and odd ones from 2 w - 1 to 4 w - 3, times e in the other half.
        3 => {
            let w = q.div_ceil(4);
            (0..w)
                .map(|i| 2 * i)
                .chain((w..2 * w).map(|i| 2 * i - 1))
                .collect()
        }
        // (q - 1) / 2 powers, or q / 2 of them.
        _ => (0..q / 2).map(|i| 2 * i).collect(),
    };
    powers
        .iter()
        .map(|power| field.power(power + half))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Or else channels would lead one way only.
    #[test]
    fn steps_come_in_opposite_pairs() {
        for q in [3, 4, 5, 7, 8, 9, 11, 13, 16, 25, 27] {
            let field = Field::new(q).unwrap();
            for half in [0, 1] {
                let steps = steps(&field, half);
                assert!(
                    steps
                        .iter()
                        .all(|&step| steps.contains(&field.minus(0, step))),
                    "{q}"
                );
            }
        }
    }
}
