//! In which order a stage of a pipeline works on micro-batches: forward and backward in turn (1F1B), as soon as it has as many
//! under way as there are stages after it.

/// A stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    pub(super) stage: u32,
    pub(super) stages: u32,
    pub(super) micro_batches: u32,
}

/// What is done with a micro-batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    Forward(u32),
    Backward(u32),
}

impl Schedule {
    /// Passes of a step.
    pub(super) fn passes(&self) -> u32 {
        2 * self.micro_batches
    }

    /// A pass of a step; nothing after the last.
    pub(super) fn pass(&self, number: u32) -> Option<Pass> {
        let warm_up = (self.stages - 1 - self.stage).min(self.micro_batches);
        let in_turn = self.passes() - warm_up;
        if number >= self.passes() {
            return None;
        }
        Some(match number.checked_sub(warm_up) {
            None => Pass::Forward(number),
            Some(_) if number >= in_turn => Pass::Backward(number - self.micro_batches),
            Some(later) if later.is_multiple_of(2) => Pass::Forward(warm_up + later / 2),
            Some(later) => Pass::Backward(later / 2),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_micro_batch_goes_forward_and_then_backward_once() {
        for stages in 1..=6 {
            for (stage, micro_batches) in
                (0..stages).flat_map(|stage| (1..9).map(move |n| (stage, n)))
            {
                let schedule = Schedule {
                    stage,
                    stages,
                    micro_batches,
                };
                let passes: Vec<Pass> = (0..).map_while(|number| schedule.pass(number)).collect();
                let at = |pass| passes.iter().position(|&other| other == pass).unwrap();
                assert_eq!(passes.len() as u32, 2 * micro_batches);
                for batch in 0..micro_batches {
                    let (there, back) = (at(Pass::Forward(batch)), at(Pass::Backward(batch)));
                    assert!(there < back);
                    // No more are under way than there are stages from here on.
                    let begun = |pass: &&Pass| matches!(pass, Pass::Forward(_));
                    let under_way = passes[..back].iter().filter(begun).count() as u32 - batch;
                    assert!(under_way <= stages - stage);
                }
            }
        }
    }
}
