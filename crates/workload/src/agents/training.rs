//! Training of a large language model: tensors, pipelines, replicas and experts, a rank at each terminal.
//!
//! A transaction is a receive, from its posting to its end.
//!
//! Complexity: memory for what is under way.

use super::calls;
use super::program::{HostFields, Means, Playing};
use crate::workload::{WorkloadEntry, WorkloadParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use turnwise_application::collectives::Preset;
use turnwise_application::training::{self, Experts, Gradients, Layout, Model};
use turnwise_application::{Calls, Program};
use turnwise_config::File;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::Invalid;

pub(super) const ENTRY: WorkloadEntry = WorkloadEntry {
    entry: Entry {
        name: "training",
        aliases: &[],
        summary: "Training of a large language model as it communicates, by tensors, pipelines, replicas and experts",
        source: "Narayanan et al., Efficient large-scale language model training on GPU clusters using Megatron-LM, SC 2021",
        example: "layers = 2\nhidden = 32\nsequence = 64\nmicro_batches = 2\nbucket_bytes = 16384\ncycle_ns = 1\n\
                  flit_bytes = 64",
        schema: schema_of::<Training>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Training, dyn WorkloadParameters>(
                table, errors,
            )?))
        },
    },
    of_protocol: &[],
    counts_bytes: true,
};

/// Parameters of a training.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Training {
    /// How many layers the model has: attention, and a network of two matrices.
    #[schemars(range(min = 1))]
    pub layers: u32,
    /// Length of the vector that stands for a word.
    #[schemars(range(min = 1))]
    pub hidden: u32,
    /// Words of an example.
    #[schemars(range(min = 1))]
    pub sequence: u32,
    /// Examples of a micro-batch.
    #[schemars(range(min = 1))]
    #[serde(default = "one")]
    pub micro_batch: u32,
    /// Micro-batches that each pipeline works on in a step, forward and backward in turn.
    #[schemars(range(min = 1))]
    #[serde(default = "one")]
    pub micro_batches: u32,
    /// How many steps.
    #[schemars(range(min = 1))]
    #[serde(default = "one")]
    pub steps: u32,
    /// Ranks that share each layer; they follow each other.
    #[schemars(range(min = 1))]
    #[serde(default = "one")]
    pub tensor: u32,
    /// Stages with as many layers each.
    #[schemars(range(min = 1))]
    #[serde(default = "one")]
    pub pipeline: u32,
    /// Replicas with examples of their own; as many as find a place if not given.
    #[schemars(range(min = 1))]
    pub data: Option<u32>,
    /// Do ranks that share layers share the words between them too? Then what was a sum for all is a part of it for each, and back.
    #[serde(default)]
    pub sequence_parallel: bool,
    /// Do replicas have a part of the parameters each, gathered before every use and summed up in parts (ZeRO, FSDP)?
    #[serde(default)]
    pub sharded: bool,
    /// Experts instead of the second half of each layer.
    pub experts: Option<ExpertFields>,
    /// Bytes of a number of activations and parameters.
    #[schemars(range(min = 1, max = 8), transform = units::bytes)]
    #[serde(default = "two")]
    pub number_bytes: u32,
    /// Bytes of a gradient, where replicas sum them up whole.
    #[schemars(range(min = 1, max = 8), transform = units::bytes)]
    #[serde(default = "two")]
    pub gradient_bytes: u32,
    /// Gradients that are summed up at once, in bytes.
    #[schemars(range(min = 1), transform = units::bytes)]
    #[serde(default = "bucket")]
    pub bucket_bytes: u64,
    /// How fast a rank computes, in TFLOP/s; computing takes no time if not given.
    #[schemars(range(min = 0.0))]
    pub teraflops: Option<f64>,
    /// Which library's choices of algorithms collectives follow.
    #[serde(default = "library")]
    pub library: Preset,
    /// Algorithms for collectives whatever their size, for example `{ all-to-all = "pairwise" }`.
    #[serde(default)]
    pub collectives: BTreeMap<String, String>,
    /// What hosts do with messages.
    #[serde(default)]
    pub host: HostFields,
    /// Nanoseconds of a cycle; as `study.clock` says if not given.
    #[schemars(range(min = 0.000_001))]
    pub cycle_ns: Option<f64>,
    /// Bytes of a flit; as `study.flit_size` says if not given.
    #[schemars(range(min = 1), transform = units::bytes)]
    pub flit_bytes: Option<u32>,
}

/// Experts of a layer: each word is sent to a few of them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpertFields {
    /// How many there are in a layer.
    #[schemars(range(min = 1))]
    pub count: u32,
    /// How many replicas share them.
    #[schemars(range(min = 1))]
    pub parallel: u32,
    /// To how many a word is sent.
    #[schemars(range(min = 1))]
    #[serde(default = "two")]
    pub chosen: u32,
    /// How unequally: the i-th most popular rank is sent as many words as i^-skew of the first. 0 is equally.
    #[schemars(range(min = 0.0, max = 10.0))]
    #[serde(default)]
    pub skew: f64,
}

fn one() -> u32 {
    1
}

fn two() -> u32 {
    2
}

/// PyTorch's 25 MB.
fn bucket() -> u64 {
    25_000_000
}

fn library() -> Preset {
    Preset::Nccl
}

impl Training {
    /// What is trained on so many terminals.
    fn program(&self, terminals: u32, steps: u32) -> Result<training::Training, Invalid> {
        let gradients = match self.sharded {
            true => Gradients::Sharded,
            false => Gradients::Summed {
                bucket: self.bucket_bytes,
                each: self.gradient_bytes,
            },
        };
        let experts = self.experts.as_ref().map(|fields| Experts {
            count: fields.count,
            parallel: fields.parallel,
            chosen: fields.chosen,
            skew: fields.skew,
        });
        let replica = u64::from(self.tensor) * u64::from(self.pipeline);
        let together = replica * u64::from(experts.as_ref().map_or(1, |experts| experts.parallel));
        // Whole groups that share experts, at least one, so that too many ranks are what is wrong.
        let groups = (u64::from(terminals) / together.max(1)).max(1);
        let fitting = groups.saturating_mul(together / replica.max(1));
        let program = training::Training {
            model: Model {
                layers: self.layers,
                hidden: self.hidden,
                sequence: self.sequence,
                micro_batch: self.micro_batch,
                number_bytes: self.number_bytes,
                sequence_parallel: self.sequence_parallel,
                gradients,
                experts,
                operations: self.teraflops,
            },
            layout: Layout {
                tensor: self.tensor,
                pipeline: self.pipeline,
                data: self
                    .data
                    .unwrap_or(u32::try_from(fitting).unwrap_or(u32::MAX)),
            },
            micro_batches: self.micro_batches,
            steps,
        };
        program.check()?;
        Ok(program)
    }

    fn calls(&self, terminals: u32, steps: u32) -> Result<Calls, Invalid> {
        let selection = calls::selection(self.library, &self.collectives)?;
        let program = self.program(terminals, steps)?;
        Ok(Calls::new(Box::new(program), selection))
    }
}

impl Playing for Training {
    fn means(&self) -> Means<'_> {
        Means {
            host: &self.host,
            cycle_ns: self.cycle_ns,
            flit_bytes: self.flit_bytes,
        }
    }

    fn program(&self, places: u32, _: &[File]) -> Result<Arc<dyn Program>, Invalid> {
        Ok(Arc::new(self.calls(places, self.steps)?))
    }

    fn check_own(&self) -> Result<(), Invalid> {
        self.calls(1, self.steps).map(drop)
    }

    fn flits(&self, places: u32, _: &[File]) -> Option<f64> {
        let build = |steps: Option<u32>| self.calls(places, steps.unwrap_or(self.steps)).ok();
        calls::flits(Some(self.steps), build, &self.means())
    }

    fn field(&self) -> &'static str {
        match self.data {
            Some(_) => "data",
            None => "tensor",
        }
    }
}
