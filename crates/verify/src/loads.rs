//! Expected channel loads and path lengths, one destination at a time.
//!
//! Every pair sends one unit of mass from its start; at a state it splits evenly among the
//! options, and so it does among several starts. Messages of other classes than the first are not counted. Pushed through the safe states in topological order, each step carries its
//! expected load in time linear in the graph, and tables with one option everywhere give
//! exact integers. The load of a channel over all pairs is what Heydemann, Meyer and Sotteau,
//! "On forwarding indices of networks", Discrete Applied Mathematics 23, 1989, define.

use crate::endpoints::Source;
use crate::explore::StateGraph;
use crate::fate::Fates;

/// Sums over the destinations seen so far, and scratch memory.
#[derive(Clone, Debug)]
pub(crate) struct Loads {
    /// Expected load by channel.
    pub(crate) channels: Vec<f64>,
    /// Expected number of pairs by path length.
    pub(crate) lengths: Vec<f64>,
    /// Longest route any routable pair may take.
    pub(crate) longest: u32,
    /// Has every safe state a single option?
    pub(crate) single_path: bool,
    mass: Vec<f64>,
    later: Vec<f64>,
    remaining: Vec<Remaining>,
    wave: Vec<u32>,
    next_wave: Vec<u32>,
    deliveries: Vec<Delivery>,
}

/// Fewest and most hops from a safe state to its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Remaining {
    fewest: u32,
    most: u32,
}

impl Loads {
    pub(crate) fn new(channels: usize) -> Self {
        Self {
            channels: vec![0.0; channels],
            lengths: Vec::new(),
            longest: 0,
            single_path: true,
            mass: Vec::new(),
            later: Vec::new(),
            remaining: Vec::new(),
            wave: Vec::new(),
            next_wave: Vec::new(),
            deliveries: Vec::new(),
        }
    }

    /// Adds the routable pairs of one destination.
    pub(crate) fn add(&mut self, graph: &StateGraph, fates: &Fates) {
        self.carry(graph, fates, |source| source.pairs as f64);
        self.add_lengths(graph);
    }

    /// The same of what channels carry alone, where packets of a source count so much.
    pub(crate) fn carry(
        &mut self,
        graph: &StateGraph,
        fates: &Fates,
        weight: impl Fn(Source) -> f64,
    ) {
        self.deliveries.clear();
        self.deliveries.extend(deliveries(graph, fates, weight));
        self.add_channels(graph, fates);
        self.measure_remaining(graph, fates);
    }

    fn add_channels(&mut self, graph: &StateGraph, fates: &Fates) {
        reset(&mut self.mass, graph.states().len(), 0.0);
        for &Delivery {
            start,
            pairs,
            is_only_way,
        } in &self.deliveries
        {
            self.mass[start as usize] += pairs;
            self.single_path &= is_only_way;
        }
        for &state in fates.safe_order() {
            let mass = self.mass[state as usize];
            let (share, options) = share(graph, state, mass);
            self.single_path &= options == 1;
            for step in graph.steps(state) {
                self.mass[step.next as usize] += share;
                self.channels[step.channel.index()] += share;
            }
        }
    }

    fn measure_remaining(&mut self, graph: &StateGraph, fates: &Fates) {
        reset(
            &mut self.remaining,
            graph.states().len(),
            Remaining { fewest: 0, most: 0 },
        );
        for &state in fates.safe_order().iter().rev() {
            let here = match graph.ejections(state) {
                0 => Remaining {
                    fewest: u32::MAX,
                    most: 0,
                },
                _ => Remaining { fewest: 0, most: 0 },
            };
            let onward = graph
                .steps(state)
                .iter()
                .map(|step| self.remaining[step.next as usize]);
            self.remaining[state as usize] = onward.fold(here, |all, next| Remaining {
                fewest: all.fewest.min(next.fewest + 1),
                most: all.most.max(next.most + 1),
            });
        }
    }

    /// Distributes the pairs over path lengths.
    ///
    /// From most states all routes are equally long, so the mass that gets there is settled
    /// at once; only the rest is followed hop by hop, all sources together.
    fn add_lengths(&mut self, graph: &StateGraph) {
        reset(&mut self.mass, graph.states().len(), 0.0);
        reset(&mut self.later, graph.states().len(), 0.0);
        self.wave.clear();
        let deliveries = std::mem::take(&mut self.deliveries);
        for &Delivery { start, pairs, .. } in &deliveries {
            self.longest = self.longest.max(self.remaining[start as usize].most);
            match self.settled(start) {
                _ if pairs == 0.0 => {}
                Some(hops) => self.arrive(hops, pairs),
                None => push(&mut self.mass, &mut self.wave, start, pairs),
            }
        }
        self.deliveries = deliveries;
        let mut hops = 0;
        while !self.wave.is_empty() {
            let wave = std::mem::take(&mut self.wave);
            for &state in &wave {
                let mass = std::mem::take(&mut self.mass[state as usize]);
                let (share, _) = share(graph, state, mass);
                self.arrive(hops, share * f64::from(graph.ejections(state)));
                for step in graph.steps(state) {
                    match self.settled(step.next) {
                        Some(more) => self.arrive(hops + 1 + more, share),
                        None => push(&mut self.later, &mut self.next_wave, step.next, share),
                    }
                }
            }
            self.wave = std::mem::replace(&mut self.next_wave, wave);
            self.next_wave.clear();
            std::mem::swap(&mut self.mass, &mut self.later);
            hops += 1;
        }
    }

    /// How many channels are crossed from a state of the last destination, if by all routes as many.
    pub(crate) fn settled(&self, state: u32) -> Option<u32> {
        let Remaining { fewest, most } = self.remaining[state as usize];
        (fewest == most).then_some(fewest)
    }

    /// Adds pairs of this length.
    pub(crate) fn arrive(&mut self, hops: u32, pairs: f64) {
        let hops = hops as usize;
        if hops >= self.lengths.len() {
            self.lengths.resize(hops + 1, 0.0);
        }
        self.lengths[hops] += pairs;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (load, more) in self.channels.iter_mut().zip(&other.channels) {
            *load += more;
        }
        for (hops, &pairs) in other.lengths.iter().enumerate() {
            self.arrive(hops as u32, pairs);
        }
        self.longest = self.longest.max(other.longest);
        self.single_path &= other.single_path;
    }
}

/// What each of a state's options gets of its mass, and how many there are.
fn share(graph: &StateGraph, state: u32, mass: f64) -> (f64, u64) {
    let options = graph.steps(state).len() as u64 + u64::from(graph.ejections(state));
    (mass / options as f64, options)
}

/// One way in which packets of a routable source set out.
#[derive(Clone, Copy, Debug)]
struct Delivery {
    start: u32,
    /// The pairs that set out so; none for other messages than those of class 0.
    pairs: f64,
    is_only_way: bool,
}

fn deliveries<'a>(
    graph: &'a StateGraph,
    fates: &'a Fates,
    weight: impl Fn(Source) -> f64 + 'a,
) -> impl Iterator<Item = Delivery> + 'a {
    let routable = graph.sources();
    let routable =
        routable.filter(|(source, outsets)| source.pairs > 0 && fates.deliver(graph, outsets));
    routable.flat_map(move |(source, outsets)| {
        let counted = outsets.iter().take_while(|outset| outset.class == 0);
        let share = weight(source) / counted.count() as f64;
        let is_only_way = graph.is_one_way(outsets);
        outsets.iter().map(move |outset| Delivery {
            start: outset.state,
            pairs: if outset.class == 0 { share } else { 0.0 },
            is_only_way,
        })
    })
}

fn push(mass: &mut [f64], wave: &mut Vec<u32>, state: u32, more: f64) {
    if mass[state as usize] == 0.0 {
        wave.push(state);
    }
    mass[state as usize] += more;
}

fn reset<T: Copy>(values: &mut Vec<T>, length: usize, value: T) {
    values.clear();
    values.resize(length, value);
}
