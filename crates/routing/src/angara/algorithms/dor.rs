//! Direction order on Angara: the regular routes only, without first and last steps.
//!
//! Every pair takes a shortest route that goes through its directions in order. On a torus
//! without faults that is dimension order with the positive directions before the
//! negative ones; around faults a route may go the longer way around a ring, as long as
//! order and direction bits are kept. It is what tables with first and last steps are measured against.
//!
//! Free of deadlock with one virtual channel under bubble flow control.
//!
//! **Ties.** Of several shortest routes a pair takes one by parity of its source's coordinates, which
//! balances full tori perfectly (`ties = "parity"`), or always the positive way (`"positive"`).
//!
//! **Faults.** A pair is routed exactly if some route in order survives.
//!
//! Source: Mukosey, Semenov, Tretiakov, arXiv:2110.00851, 2021; Scott and Thorson, "The Cray
//! T3E network: adaptive routing in a high performance 3D torus", Hot Interconnects 1996.
//!
//! Complexity: O(pairs x hops) time, 7 bytes a pair; with faults see
//! [`Rules::each_destination`](crate::angara::Rules::each_destination).
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::{AngaraDor, SourceRouted};
//! use turnwise_routing::{Algorithm, Context};
//!
//! let torus = Arc::new(Torus { sizes: vec![4, 4], ..Torus::default() }.build(None)?);
//! let routing = SourceRouted(AngaraDor::default()).build(&torus, &Context::default())?;
//!
//! // From (1,0) to (0,1): +Y comes before -X.
//! let start = routing.start(TerminalId(4), TerminalId(1)).expect("no faults");
//! let mut options = Vec::new();
//! routing.options(RouterId(4), start.header, &mut options);
//! assert_eq!(torus.next_router(RouterId(4), options[0].port), Some(RouterId(5)));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::angara::{
    Generator, Route, RouteTable, Rules, Settings, SourceRouted, System, TurnRule,
};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Angara: direction order, no first or last steps",
        source: "Mukosey, Semenov, Tretiakov, Optimized Graph Based Routing Algorithm for the Angara Interconnect, 2021",
        example: "ties = \"parity\"\norder = [\"+X\", \"+Y\", \"-X\", \"-Y\"]",
        schema: schema_of::<AngaraDor>,
        parse: |table, errors| {
            Some(Box::new(SourceRouted(
                parse_as::<AngaraDor, dyn Algorithm>(table, errors)?,
            )))
        },
    },
    fits: System::fits,
};

const NAME: &str = "angara-dor";

/// Parameters of direction order on Angara.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AngaraDor {
    /// All directions in the order routes take them; positive ones first by default.
    pub order: Option<Vec<String>>,
    /// Which of several shortest routes a pair takes.
    pub ties: FixedTies,
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

/// Which way around a ring of even size to the node opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FixedTies {
    /// Up from even coordinates, down from odd ones.
    #[default]
    Parity,
    /// Always up.
    Positive,
}

impl AngaraDor {
    /// The table of a system.
    pub fn table(&self, rules: &Rules) -> RouteTable {
        let mut table = RouteTable::new(rules.system());
        let mut scratch = Default::default();
        for &source in rules.system().members() {
            let preferred = self.preferred_ways(rules.system(), source);
            rules.each_destination(source, &mut scratch, |target, routes| {
                let strange = |route: &&Route| (route.down ^ preferred).count_ones();
                if let Some(&route) = routes.iter().min_by_key(strange) {
                    table.set(source, target, route);
                }
            });
        }
        table
    }

    /// Direction bits of the ways this source prefers, where it has a choice.
    fn preferred_ways(&self, system: &System, source: u32) -> u8 {
        let odd = |&coordinate: &u8| self.ties == FixedTies::Parity && coordinate % 2 == 1;
        let coordinates = system.coordinates(source);
        let bits = coordinates
            .iter()
            .enumerate()
            .map(|(dimension, c)| u8::from(odd(c)) << dimension);
        bits.fold(0, |mask, bit| mask | bit)
    }
}

impl Generator for AngaraDor {
    fn settings(&self) -> Settings<'_> {
        Settings {
            kind: NAME,
            order: self.order.as_deref(),
            turns: TurnRule::None,
            first_step: false,
            last_step: false,
            virtual_channels: self.virtual_channels,
        }
    }

    fn generate(&self, rules: &Rules, _: &Context<'_>) -> Result<RouteTable, Invalid> {
        Ok(self.table(rules))
    }
}
