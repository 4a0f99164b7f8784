//! What all Angara algorithms have in common: everything but how the table is made.

use super::table::Tabled;
use super::{Directions, Dual, Orbits, Route, RouteTable, Rules, System, TurnRule, Turns};
use crate::algorithm::{Algorithm, Context, RuleBound, UnderFaults, misfit};
use crate::common::vc_plan::VcPlan;
use std::sync::Arc;
use turnwise_network::{FlowControl, Invalid, Network, Routing, Shape, Vc};

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

    /// The rules in words.
    fn words(&self, turns: &str) -> String {
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

/// A maker of tables of source routes; a [`SourceRouted`] algorithm follows from it.
pub(crate) trait Generator: Send + Sync {
    /// What the study chose.
    fn settings(&self) -> Settings<'_>;

    /// The table of a system.
    ///
    /// # Errors
    /// Parameters that make no sense.
    fn generate(&self, rules: &Rules, context: &Context<'_>) -> Result<RouteTable, Invalid>;

    /// The rules its tables keep on a network.
    ///
    /// # Errors
    /// As [`Settings::rules`].
    fn rules(&self, network: &Network) -> Result<Rules, Invalid> {
        self.settings().rules(network)
    }

    /// What the turns of its rules are called; `None` if its tables need not keep any.
    fn turns(&self) -> Option<&'static str> {
        Some(self.settings().turns.name())
    }

    /// Bytes of memory that a pair of nodes takes while the table is made, about: its route, and what that is chosen from.
    fn bytes_of_pair(&self) -> u64 {
        size_of::<Route>() as u64
    }

    /// As [`Algorithm::under_faults`].
    fn under_faults(&self) -> UnderFaults {
        UnderFaults::FurtherRoutes
    }

    /// As [`Algorithm::file`].
    fn source_file(&self) -> Option<&str> {
        None
    }
}

/// One of the `angara-*` algorithms: parameters that make a table of source routes, as an [`Algorithm`].
#[derive(Clone, Debug, Default)]
pub struct SourceRouted<G>(
    /// The parameters.
    pub G,
);

impl<G: Generator> Algorithm for SourceRouted<G> {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        self.0.under_faults()
    }

    fn is_free_of_deadlock(&self, _: &Shape) -> bool {
        self.0.turns().is_some()
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        self.0.bytes_of_pair() * (network.router_count() as u64).pow(2)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let settings = self.0.settings();
        let rules = self.0.rules(network)?;
        let default = context.router_virtual_channels.unwrap_or(1);
        let plan = VcPlan::new(settings.kind, settings.virtual_channels, default, context)?;
        let table = self.0.generate(&rules, context)?;
        let (used, all) = (plan.every_class(), plan.all());
        Ok(Box::new(Tabled::new(network, &rules, table, used, all)))
    }

    fn files(&self) -> Vec<(&'static str, &str)> {
        let file = self.0.source_file();
        file.map(|file| ("file", file)).into_iter().collect()
    }

    fn direction_order(&self) -> Option<&[String]> {
        self.0.settings().order
    }

    fn flow_control(&self) -> FlowControl {
        FlowControl::Bubble
    }

    fn rule_bound(
        &self,
        network: &Arc<Network>,
        _: &Context<'_>,
    ) -> Result<Option<RuleBound>, Invalid> {
        let Some(turns) = self.0.turns() else {
            return Ok(None);
        };
        let rules = self.0.rules(network)?;
        let mut chain = Orbits::chain(&rules);
        let mut dual = Dual::new(&rules, chain.swap_remove(0));
        dual.solve(BUDGET);
        Ok(Some(dual.certify(network, self.0.settings().words(turns))))
    }
}
