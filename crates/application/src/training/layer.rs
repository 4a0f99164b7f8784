//! What the layers of a stage call: forward, backward, and for their gradients.

use super::experts::{self, Experts};
use super::layout::{Groups, Layout, Place};
use super::model::{Gradients, Half, Model};
use crate::calls::Call;
use crate::collectives::{Collective, Kind};
use crate::group::Group;
use crate::task::Message;

/// The layers of a stage, as one of its ranks has them.
pub(super) struct Layers {
    model: Model,
    groups: Groups,
    tensor: u32,
    /// Its own number among those who share experts.
    expert: u32,
    /// The first layer and the one after the last.
    first: u32,
    end: u32,
}

/// Tags and requests of what goes to the next stage, and of what comes back.
const FORWARD: u32 = 0;
const BACKWARD: u32 = 1;

impl Layers {
    pub(super) fn new(model: &Model, layout: &Layout, place: Place) -> Self {
        let parallel = model.experts.as_ref().map_or(1, |experts| experts.parallel);
        let groups = layout.groups(place, parallel);
        let each = model.layers / place.stages;
        Self {
            model: model.clone(),
            expert: groups.experts.member(place.rank).unwrap_or(0),
            groups,
            tensor: layout.tensor,
            first: place.stage * each,
            end: (place.stage + 1) * each,
        }
    }

    /// A micro-batch comes from the stage before, goes through all layers, and on.
    pub(super) fn forward(&self, place: &Place, calls: &mut Vec<Call>) {
        let bytes = self.own_activations();
        if place.stage > 0 {
            let from = place.rank - place.width;
            calls.push(Call::Recv(Message::new(from, bytes, FORWARD)));
        }
        for layer in self.first..self.end {
            self.half(Half::Attention, layer, false, calls);
            self.half(Half::Network, layer, false, calls);
        }
        if place.stage + 1 < place.stages {
            pass_on(place.rank + place.width, bytes, FORWARD, calls);
        }
    }

    /// Its gradients come from the stage after, go through all layers the other way, and on. Sharded gradients of parameters
    /// are summed up with those of the last micro-batch.
    pub(super) fn backward(&self, place: &Place, is_last: bool, calls: &mut Vec<Call>) {
        let bytes = self.own_activations();
        if place.stage + 1 < place.stages {
            let from = place.rank + place.width;
            calls.push(Call::Recv(Message::new(from, bytes, BACKWARD)));
        }
        for layer in (self.first..self.end).rev() {
            for half in [Half::Network, Half::Attention] {
                self.half(half, layer, true, calls);
                if is_last && self.model.gradients == Gradients::Sharded {
                    let (bytes, group) = self.sharded(half);
                    collective(Kind::ReduceScatter, bytes, group, calls);
                }
            }
        }
        if place.stage > 0 {
            pass_on(place.rank - place.width, bytes, BACKWARD, calls);
        }
    }

    /// Gradients that are not sharded are summed up, bucket by bucket; nothing is left under way.
    pub(super) fn end_step(&self, calls: &mut Vec<Call>) {
        if let Gradients::Summed { bucket, each } = self.model.gradients {
            let layers = u64::from(self.end - self.first);
            let parameters = |half| layers * self.own_parameters(half) * u64::from(each);
            let (attention, network) = (parameters(Half::Attention), parameters(Half::Network));
            match self.model.experts {
                None => buckets(attention + network, bucket, &self.groups.data, calls),
                Some(_) => {
                    buckets(attention, bucket, &self.groups.data, calls);
                    buckets(network, bucket, &self.groups.replicas, calls);
                }
            }
        }
        calls.push(Call::Waitall(BACKWARD + 1));
    }

    fn half(&self, half: Half, layer: u32, is_backward: bool, calls: &mut Vec<Call>) {
        if self.model.gradients == Gradients::Sharded {
            let (bytes, group) = self.sharded(half);
            let own = bytes / u64::from(group.count());
            collective(Kind::AllGather, own, group, calls);
        }
        // Backward there are two products of matrices for each.
        let times = if is_backward { 2.0 } else { 1.0 };
        let computing = times * self.model.computing(half, self.tensor);
        let vector = self.model.activations();
        if self.model.sequence_parallel {
            let own = vector / u64::from(self.tensor);
            collective(Kind::AllGather, own, &self.groups.tensor, calls);
        }
        match (&self.model.experts, half) {
            (Some(experts), Half::Network) => self.experts(experts, layer, computing, calls),
            _ => compute(computing, calls),
        }
        let kind = match self.model.sequence_parallel {
            true => Kind::ReduceScatter,
            false => Kind::AllReduce,
        };
        collective(kind, vector, &self.groups.tensor, calls);
    }

    /// Words go to their experts, which compute for as long as they have words, and back. Backward gradients go the same ways.
    fn experts(&self, experts: &Experts, layer: u32, computing: f64, calls: &mut Vec<Call>) {
        let shares = experts.shares(layer);
        let bytes = self.own_activations() as f64 * f64::from(experts.chosen);
        let exchange = |is_back, calls: &mut Vec<Call>| {
            let mean = bytes / f64::from(experts.parallel);
            let words = Collective {
                lengths: Some(experts::lengths(&shares, bytes, is_back)),
                ..Collective::new(Kind::AllToAll, mean.round() as u64)
            };
            calls.push(Call::Collective(words, self.groups.experts.clone()));
        };
        exchange(false, calls);
        let own = shares[self.expert as usize] * f64::from(experts.parallel);
        compute(computing * f64::from(experts.chosen) * own, calls);
        exchange(true, calls);
    }

    /// Bytes of a micro-batch that a rank has between layers.
    fn own_activations(&self) -> u64 {
        match self.model.sequence_parallel {
            true => self.model.activations() / u64::from(self.tensor),
            false => self.model.activations(),
        }
    }

    /// Parameters of half a layer that a rank works with.
    fn own_parameters(&self, half: Half) -> u64 {
        let all = self.model.parameters(half) / u64::from(self.tensor);
        match (&self.model.experts, half) {
            (Some(experts), Half::Network) => all * u64::from(experts.count / experts.parallel),
            _ => all,
        }
    }

    /// Bytes of half a layer's parameters, and who has them together if they are sharded.
    fn sharded(&self, half: Half) -> (u64, &Group) {
        let bytes = self.own_parameters(half) * u64::from(self.model.number_bytes);
        match (&self.model.experts, half) {
            (Some(_), Half::Network) => (bytes, &self.groups.replicas),
            _ => (bytes, &self.groups.data),
        }
    }
}

/// Sends to another stage without waiting, but for what was sent there before.
fn pass_on(to: u32, bytes: u64, tag: u32, calls: &mut Vec<Call>) {
    calls.push(Call::Wait(tag));
    calls.push(Call::Isend(Message::new(to, bytes, tag), tag));
}

fn buckets(bytes: u64, bucket: u64, group: &Group, calls: &mut Vec<Call>) {
    let whole = (0..bytes / bucket).map(|_| bucket);
    let rest = Some(bytes % bucket).filter(|&rest| rest > 0);
    for bytes in whole.chain(rest) {
        collective(Kind::AllReduce, bytes, group, calls);
    }
}

fn compute(picoseconds: f64, calls: &mut Vec<Call>) {
    if picoseconds >= 1.0 {
        calls.push(Call::Compute(picoseconds as u64));
    }
}

fn collective(kind: Kind, bytes: u64, group: &Group, calls: &mut Vec<Call>) {
    if group.count() > 1 {
        let collective = Collective::new(kind, bytes);
        calls.push(Call::Collective(collective, group.clone()));
    }
}
