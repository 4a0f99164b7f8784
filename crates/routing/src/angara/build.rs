//! From the parameters every Angara algorithm shares to rules, and from a table to a routing.

use super::table::Tabled;
use super::{Directions, Dual, Orbits, RouteTable, Rules, System, TurnRule, Turns};
use crate::algorithm::{Context, RuleBound, misfit};
use crate::lanes::Lanes;
use std::sync::Arc;
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

/// What all Angara algorithms let a study choose.
#[derive(Clone, Debug)]
pub(crate) struct Settings<'a> {
    /// Name of the algorithm.
    pub(crate) kind: &'static str,
    /// Order of directions, the hardware's if not given.
    pub(crate) order: Option<&'a [String]>,
    /// Turns added to those in order.
    pub(crate) turns: TurnRule,
    /// May routes begin with a first step?
    pub(crate) first_step: bool,
    /// May routes end with a last step?
    pub(crate) last_step: bool,
    /// Virtual channels to use.
    pub(crate) virtual_channels: Option<Vc>,
}

impl Settings<'_> {
    /// The system a network is under these settings.
    ///
    /// # Errors
    /// A network that is no torus or mesh of up to four dimensions with one terminal a router.
    pub(crate) fn system(&self, network: &Network) -> Result<System, Invalid> {
        let routes = "tori and meshes of up to four dimensions, at most 255 nodes each, with one terminal a router";
        let Shape::Grid(grid) = network.shape() else {
            return Err(misfit(self.kind, routes, network));
        };
        if !System::fits(network.shape()) {
            return Err(misfit(self.kind, routes, network));
        }
        let directions = Directions::new(grid.sizes.len(), self.order)?;
        let system = System::new(network, grid, directions);
        let members = system.members().len();
        if members > MOST_MEMBERS {
            let message = format!(
                "a table for {members} nodes has no room in memory; at most {MOST_MEMBERS} are possible"
            );
            return Err(Invalid::new("kind", message));
        }
        Ok(system)
    }

    /// The rules of a network under these settings.
    ///
    /// # Errors
    /// As [`system`](Self::system).
    pub(crate) fn rules(&self, network: &Network) -> Result<Rules, Invalid> {
        let system = self.system(network)?;
        let turns = Turns::new(&system, self.turns);
        Ok(Rules::new(system, turns, self.first_step, self.last_step))
    }
}

impl Settings<'_> {
    /// How low the largest load can be under these settings.
    ///
    /// # Errors
    /// As [`system`](Self::system).
    pub(crate) fn bound(&self, network: &Network) -> Result<RuleBound, Invalid> {
        let rules = self.rules(network)?;
        Ok(bound(&rules, network, self.words(self.turns.name())))
    }

    /// The rules in words.
    pub(crate) fn words(&self, turns: &str) -> String {
        let steps = match (self.first_step, self.last_step) {
            (true, true) => "first and last steps",
            (true, false) => "first steps",
            (false, true) => "last steps",
            (false, false) => return "minimal routes in the order of directions".to_owned(),
        };
        format!("minimal routes in the order of directions with {steps}, turns {turns}")
    }
}

/// Nodes that communicate, at most: a table takes eight bytes a pair, 2 GiB here.
const MOST_MEMBERS: usize = 16_384;

/// Crossings of channels that the search for weights may look at.
const BUDGET: usize = 1 << 31;

/// How low the largest load can be under some rules.
pub(crate) fn bound(rules: &Rules, network: &Network, words: String) -> RuleBound {
    let mut chain = Orbits::chain(rules);
    let mut dual = Dual::new(rules, chain.swap_remove(0));
    dual.solve(BUDGET);
    dual.certify(network, words)
}

/// Makes the table and hands it to packets.
///
/// # Errors
/// As [`Settings::rules`], and virtual channels that the router does not have.
pub(crate) fn settle(
    settings: &Settings<'_>,
    network: &Arc<Network>,
    context: &Context<'_>,
    generate: impl FnOnce(&Rules) -> RouteTable,
) -> Result<Box<dyn Routing>, Invalid> {
    let rules = settings.rules(network)?;
    let table = generate(&rules);
    hand_out(settings, network, context, &rules, table)
}

/// Hands a table to packets.
///
/// # Errors
/// Virtual channels that the router does not have.
pub(crate) fn hand_out(
    settings: &Settings<'_>,
    network: &Arc<Network>,
    context: &Context<'_>,
    rules: &Rules,
    table: RouteTable,
) -> Result<Box<dyn Routing>, Invalid> {
    let default = context.router_virtual_channels.unwrap_or(1);
    let lanes = Lanes::new(settings.kind, settings.virtual_channels, default, context)?;
    let (used, all) = (lanes.every_class(), lanes.all());
    Ok(Box::new(Tabled::new(network, rules, table, used, all)))
}
