//! From the parameters every Angara algorithm shares to rules, and from a table to a routing.

use super::table::Tabled;
use super::{Directions, RouteTable, Rules, System, TurnRule, Turns};
use crate::algorithm::{Context, misfit};
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
        let routes = "tori and meshes of up to four dimensions with one terminal a router";
        let Shape::Grid(grid) = network.shape() else {
            return Err(misfit(self.kind, routes, network));
        };
        if !System::fits(network.shape()) {
            return Err(misfit(self.kind, routes, network));
        }
        let directions = Directions::new(grid.sizes.len(), self.order)?;
        Ok(System::new(network, grid, directions))
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

/// Makes the table and hands it to packets.
///
/// # Errors
/// As [`Settings::rules`], and virtual channels that the router does not have.
pub(crate) fn settle(
    settings: &Settings<'_>,
    network: &Arc<Network>,
    context: &Context,
    generate: impl FnOnce(&Rules) -> RouteTable,
) -> Result<Box<dyn Routing>, Invalid> {
    let rules = settings.rules(network)?;
    let default = context.router_virtual_channels.unwrap_or(1);
    let lanes = Lanes::new(settings.kind, settings.virtual_channels, default, context)?;
    let table = generate(&rules);
    Ok(Box::new(Tabled::new(
        network,
        &rules,
        table,
        lanes.every_class(),
        lanes.all(),
    )))
}
