//! Which rank has what: those that share layers are next to each other, then those with other examples, then those with
//! other layers, as Megatron-LM numbers them.

use super::model::Model;
use crate::group::Group;
use turnwise_config::diagnostic::Invalid;

/// How many ranks do what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Ranks that share each layer.
    pub tensor: u32,
    /// Stages, each with as many layers.
    pub pipeline: u32,
    /// Replicas, each with its own examples.
    pub data: u32,
}

/// Where a rank is in that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) rank: u32,
    /// Ranks of a stage.
    pub(super) width: u32,
    pub(super) stage: u32,
    pub(super) stages: u32,
}

/// Whom a rank shares what with.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// Layers.
    pub(super) tensor: Group,
    /// Parameters that are not experts'.
    pub(super) data: Group,
    /// The experts of a layer, which are divided among these.
    pub(super) experts: Group,
    /// An expert's parameters.
    pub(super) replicas: Group,
}

impl Layout {
    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        let all = u64::from(self.tensor) * u64::from(self.pipeline) * u64::from(self.data);
        u32::try_from(all).unwrap_or(u32::MAX)
    }

    pub(super) fn check(&self, model: &Model) -> Result<(), Invalid> {
        let Self {
            tensor,
            pipeline,
            data,
        } = *self;
        for (field, value) in [("tensor", tensor), ("pipeline", pipeline), ("data", data)] {
            if !(1..=1 << 24).contains(&value) {
                let message = format!("expected 1 to {}, found {value}", 1 << 24);
                return Err(Invalid::new(field, message));
            }
        }
        if !model.layers.is_multiple_of(pipeline) {
            let message = format!(
                "{} layers do not make {pipeline} stages of equal length",
                model.layers
            );
            return Err(Invalid::new("pipeline", message));
        }
        let parallel = model.experts.as_ref().map_or(1, |experts| experts.parallel);
        if !data.is_multiple_of(parallel) {
            let message =
                format!("{data} replicas do not make groups of {parallel} that share experts");
            return Err(Invalid::new("experts.parallel", message));
        }
        Ok(())
    }

    pub(super) fn place(&self, rank: u32) -> Place {
        let width = self.tensor * self.data;
        Place {
            rank,
            width,
            stage: rank / width,
            stages: self.pipeline,
        }
    }

    pub(super) fn groups(&self, place: Place, parallel: u32) -> Groups {
        let Self { tensor, data, .. } = *self;
        let (first, within) = (place.stage * place.width, place.rank % place.width);
        let (shard, replica) = (within % tensor, within / tensor);
        let of_replica = |replica: u32| first + replica * tensor + shard;
        let next = replica / parallel * parallel;
        Groups {
            tensor: Group::line(1, place.rank - shard, 1, tensor),
            data: Group::line(2, of_replica(0), tensor, data),
            experts: Group::line(3, of_replica(next), tensor, parallel),
            replicas: Group::line(
                4,
                of_replica(replica - next),
                tensor * parallel,
                data / parallel,
            ),
        }
    }
}
