//! What the points of a plan cost, one after the other.
//!
//! A million points that differ in their loads need one look at the routes of packets.

use crate::estimate::{Basis, Demand, Estimate};
use crate::plan::Plan;
use crate::proof_costs::ProofCosts;
use crate::searches::Begun;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use turnwise_config::diagnostic::Diagnostic;
use turnwise_sim::Crew;

/// What a point costs.
pub struct Cost {
    /// What it has in common with others.
    pub basis: Arc<Basis>,
    /// Memory and time of its simulation.
    pub estimate: Estimate,
    /// Seconds of setting up what it is the first to need.
    pub setup_seconds: f64,
}

/// Estimates points of a plan.
pub struct Costs<'a> {
    plan: &'a Plan,
    crew: Crew,
    limit: Option<u64>,
    bases: BTreeMap<usize, Arc<Basis>>,
    /// The `[simulation]` seen last, and its number.
    demand: Option<(usize, Demand)>,
    /// Networks and routings that are set up already.
    known: BTreeSet<Arc<str>>,
    /// Searches for saturation, which [later points share](crate::searches), and whether they do.
    begun: Begun,
    shares_searches: bool,
    /// If these are asked for.
    proofs: Option<ProofCosts>,
}

impl<'a> Costs<'a> {
    /// At most so many different settings are remembered.
    const MOST: usize = 4_096;

    /// For points on so many threads each, of one process or several, and so much memory for each of these.
    pub fn new(plan: &'a Plan, crew: impl Into<Crew>, limit: Option<u64>) -> Self {
        Self {
            plan,
            crew: crew.into(),
            limit,
            bases: BTreeMap::new(),
            demand: None,
            known: BTreeSet::new(),
            begun: Begun::default(),
            shares_searches: true,
            proofs: None,
        }
    }

    /// Proofs are counted, too, of what points are made from that are asked for.
    #[must_use]
    pub fn with_proofs(self) -> Self {
        Self {
            proofs: Some(ProofCosts::default()),
            ..self
        }
    }

    /// What the proofs cost of all points that were asked for.
    pub fn proofs(&self) -> Option<&ProofCosts> {
        self.proofs.as_ref()
    }

    /// For points that may each be simulated by a process of its own, which knows nothing of what others have searched for.
    #[must_use]
    pub fn apart(self) -> Self {
        Self {
            shares_searches: false,
            ..self
        }
    }

    /// What a point costs.
    ///
    /// # Errors
    /// As [`Plan::experiment`].
    pub fn of(&mut self, index: usize) -> Result<Cost, Diagnostic> {
        let (setting, phases) = (self.plan.setting(index), self.plan.phases(index));
        let is_known = self
            .demand
            .as_ref()
            .is_some_and(|(number, _)| *number == phases);
        if !is_known || !self.bases.contains_key(&setting) {
            self.look_at(index, setting, phases)?;
        }
        let unknown = || Diagnostic::general("there is no such point");
        let basis = self.bases.get(&setting).ok_or_else(unknown)?.clone();
        let (_, demand) = self.demand.as_mut().ok_or_else(unknown)?;
        demand.load = self.plan.load(index).unwrap_or(demand.load);
        let is_new = self.known.insert(basis.key.clone());
        let mut estimate = basis.within(demand, self.crew, self.limit);
        let may_share = demand.find_saturation && self.shares_searches;
        if may_share && !self.begun.begins(self.plan, index) {
            let demand = Demand {
                find_saturation: false,
                ..demand.clone()
            };
            let alone = basis.within(&demand, self.crew, self.limit);
            // Whoever comes first searches, so all need the memory for it.
            (estimate.seconds, estimate.flit_hops) = (alone.seconds, alone.flit_hops);
        }
        Ok(Cost {
            estimate,
            setup_seconds: if is_new { basis.setup_seconds } else { 0.0 },
            basis,
        })
    }

    fn look_at(&mut self, index: usize, setting: usize, phases: usize) -> Result<(), Diagnostic> {
        let unknown = || Diagnostic::general("there is no such point");
        let point = self.plan.point(index).ok_or_else(unknown)?;
        let experiment = self.plan.experiment(&point, None)?;
        if !self.bases.contains_key(&setting) {
            if self.bases.len() == Self::MOST {
                self.bases.clear();
            }
            self.bases.insert(setting, Arc::new(Basis::of(&experiment)));
            if let Some(proofs) = &mut self.proofs {
                let (routed, specification) = self.plan.routed(&point)?;
                proofs.add(&routed, specification.router.assumptions());
            }
        }
        self.demand = Some((phases, Demand::of(&experiment)));
        Ok(())
    }
}
