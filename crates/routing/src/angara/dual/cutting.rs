//! The best weights by cutting planes, with a linear programme as the master problem.
//!
//! Source: Kelley, "The cutting-plane method for solving convex programs", J. SIAM 8(4), 1960;
//! the point between promise and best is Ben-Ameur and Neto, "Acceleration of cutting-plane and column
//! generation algorithms", Networks 49(1), 2007.

use super::Dual;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

/// A promise this close to what is proved is kept.
const TOLERANCE: f64 = 1e-7;

impl Dual<'_> {
    /// Improves the weights by cutting planes until none are better, or the rounds are used up.
    ///
    /// Every routing that was lightest for some weights bounds from above what any weights can prove;
    /// a linear programme finds the weights that promise most, and the lightest routes for
    /// a point between these and the best so far are the next plane.
    pub(super) fn cut(&mut self, rounds: usize) {
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let weights: Vec<Variable> = self
            .forced
            .iter()
            .map(|_| problem.add_var(0.0, (0.0, 1.0)))
            .collect();
        let total = problem.add_var(1.0, (0.0, f64::INFINITY));
        let all: Vec<(Variable, f64)> = weights.iter().map(|&weight| (weight, 1.0)).collect();
        problem.add_constraint(&all, ComparisonOp::Eq, 1.0);
        // The weight of all lightest routes is at most that of any others.
        let plane = |loads: &[f64]| -> Vec<(Variable, f64)> {
            let loads = weights.iter().zip(loads).filter(|&(_, &load)| load > 0.0);
            let loads = loads.map(|(&weight, &load)| (weight, -load));
            std::iter::once((total, 1.0)).chain(loads).collect()
        };
        let mut at = self.best.clone();
        let mut loads = vec![0.0; at.len()];
        self.value = self.evaluate(&at, &mut loads);
        problem.add_constraint(plane(&loads), ComparisonOp::Le, 0.0);
        let solved = problem.solve().map(|outcome| outcome.into_solution().ok());
        let Ok(Some(mut solution)) = solved else {
            return;
        };
        for _ in 0..rounds {
            let promise = solution.objective();
            if promise - self.value < TOLERANCE * promise {
                return;
            }
            for share in [0.3, 1.0] {
                for (index, slot) in at.iter_mut().enumerate() {
                    let promising = solution.var_value(weights[index]).max(0.0);
                    *slot = self.best[index] + share * (promising - self.best[index]);
                }
                let value = self.evaluate(&at, &mut loads);
                let next = solution.add_constraint(plane(&loads), ComparisonOp::Le, 0.0);
                let Some(next) = next.ok().and_then(|outcome| outcome.into_solution().ok()) else {
                    return;
                };
                solution = next;
                if value > self.value {
                    self.value = value;
                    self.best.copy_from_slice(&at);
                    break;
                }
            }
        }
    }
}
