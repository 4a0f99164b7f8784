//! Training of a large language model as it communicates: ranks share layers (tensor parallel), have different layers
//! (pipeline parallel), different examples (data parallel) and different experts (expert parallel).
//!
//! Sources: Narayanan et al., "Efficient large-scale language model training on GPU clusters using Megatron-LM", SC 2021, for
//! tensors, pipelines and operations; Li et al., "PyTorch distributed", VLDB 13(12), 2020, for buckets of gradients;
//! Rajbhandari et al., "ZeRO", SC 2020, for parameters that are sharded; Lepikhin et al., "GShard", ICLR 2021, for
//! experts.
//!
//! What is not here: gradients are summed up after the backward passes, not during them; stages have one piece of
//! the model each; embeddings are left out.

mod experts;
mod layer;
mod layout;
mod model;
mod schedule;

pub use experts::Experts;
pub use layout::Layout;
pub use model::{Gradients, Model};

use crate::calls::{Call, Caller, Calling};
use layer::Layers;
use layout::Place;
use schedule::{Pass, Schedule};
use turnwise_config::diagnostic::Invalid;

/// Steps of training.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// What is trained.
    pub model: Model,
    /// Who has what of it.
    pub layout: Layout,
    /// Micro-batches that each pipeline works on in a step.
    pub micro_batches: u32,
    /// How many steps.
    pub steps: u32,
}

impl Training {
    /// What makes no sense.
    ///
    /// # Errors
    /// On the field that it is about.
    pub fn check(&self) -> Result<(), Invalid> {
        let within = |field: &str, value: u32, most: u32| match (1..=most).contains(&value) {
            true => Ok(()),
            false => {
                let message = format!("expected 1 to {most}, found {value}");
                Err(Invalid::new(field, message))
            }
        };
        within("micro_batches", self.micro_batches, 1 << 16)?;
        within("steps", self.steps, 1 << 14)?;
        self.model.check()?;
        self.layout.check(&self.model)
    }

    fn schedule(&self, stage: u32) -> Schedule {
        Schedule {
            stage,
            stages: self.layout.pipeline,
            micro_batches: self.micro_batches,
        }
    }
}

impl Calling for Training {
    fn ranks(&self) -> u32 {
        self.layout.ranks()
    }

    fn parts(&self) -> u32 {
        self.steps
    }

    fn group_sizes(&self) -> Vec<u32> {
        let Layout { tensor, data, .. } = self.layout;
        let experts = self.model.experts.as_ref();
        let parallel = experts.map_or(1, |experts| experts.parallel.max(1));
        let mut sizes = vec![tensor, data, parallel, data / parallel];
        sizes.retain(|&size| size > 1);
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    fn caller(&self, rank: u32) -> Box<dyn Caller> {
        let place = self.layout.place(rank);
        Box::new(Trainer {
            layers: Layers::new(&self.model, &self.layout, place),
            schedule: self.schedule(place.stage),
            place,
            steps: self.steps,
        })
    }
}

/// A rank. It tells a pass of a micro-batch at a time, so that a step takes no more room than that.
struct Trainer {
    layers: Layers,
    schedule: Schedule,
    place: Place,
    steps: u32,
}

impl Caller for Trainer {
    fn calls(&mut self, part: u32, calls: &mut Vec<Call>) -> bool {
        // A step is its passes, and then what there is to do for gradients.
        let parts = self.schedule.passes() + 1;
        let (step, number) = (part / parts, part % parts);
        match self.schedule.pass(number) {
            Some(Pass::Forward(_)) => self.layers.forward(&self.place, calls),
            Some(Pass::Backward(batch)) => {
                let is_last = batch + 1 == self.schedule.micro_batches;
                self.layers.backward(&self.place, is_last, calls);
            }
            None => self.layers.end_step(calls),
        }
        number + 1 == parts && step + 1 >= self.steps
    }
}
