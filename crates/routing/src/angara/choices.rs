//! All routes that pairs may choose from, laid out for speed.

use super::rules::Scratch;
use super::{Route, Rules};

/// Pairs with several minimal routes, each route with its channels; pairs with one are in the table already.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    /// Ends of the pairs with a choice.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// By pair: where its candidates begin; one more than there are pairs.
    first_candidate: Vec<u32>,
    /// By candidate.
    pub(crate) routes: Vec<Route>,
    /// By candidate: where its channels begin; one more than there are candidates.
    first_channel: Vec<u32>,
    channels: Vec<u32>,
}

impl Choices {
    /// Collects the choices of some sources. Pairs with a single route add it to `forced`, and
    /// go to `settled`; channels are counted by their class.
    pub(crate) fn new(
        rules: &Rules,
        sources: &[u32],
        class: &[u32],
        forced: &mut [u32],
        mut settled: impl FnMut(u32, u32, Route),
    ) -> Self {
        let mut choices = Self {
            pairs: Vec::new(),
            first_candidate: vec![0],
            routes: Vec::new(),
            first_channel: vec![0],
            channels: Vec::new(),
        };
        let mut scratch = Scratch::default();
        for &source in sources {
            rules.each_destination(source, &mut scratch, |target, routes| match routes {
                [] => {}
                &[route] => {
                    route.walk(rules.system(), source, |channel| {
                        forced[class[channel] as usize] += 1
                    });
                    settled(source, target, route);
                }
                _ => choices.push(rules, source, target, routes, class),
            });
        }
        choices
    }

    fn push(&mut self, rules: &Rules, source: u32, target: u32, routes: &[Route], class: &[u32]) {
        self.pairs.push((source, target));
        for &route in routes {
            route.walk(rules.system(), source, |channel| {
                self.channels.push(class[channel])
            });
            self.routes.push(route);
            self.first_channel.push(self.channels.len() as u32);
        }
        self.first_candidate.push(self.routes.len() as u32);
    }

    /// Keeps of every pair the candidates that weigh at most `spare` more than its lightest.
    pub(crate) fn retain(&mut self, weigh: impl Fn(&[u32]) -> f64, spare: f64) {
        let mut kept = Self {
            pairs: std::mem::take(&mut self.pairs),
            first_candidate: vec![0],
            routes: Vec::new(),
            first_channel: vec![0],
            channels: Vec::new(),
        };
        for pair in 0..kept.pairs.len() {
            let all = self.candidates(pair);
            let least = all
                .clone()
                .map(|candidate| weigh(self.channels(candidate)))
                .fold(f64::INFINITY, f64::min);
            for candidate in all {
                let channels = self.channels(candidate);
                if weigh(channels) <= least + spare {
                    kept.channels.extend(channels);
                    kept.routes.push(self.routes[candidate]);
                    kept.first_channel.push(kept.channels.len() as u32);
                }
            }
            kept.first_candidate.push(kept.routes.len() as u32);
        }
        *self = kept;
    }

    /// Channels of all candidates together.
    pub(crate) fn work(&self) -> usize {
        self.channels.len()
    }

    /// The candidates of a pair.
    #[inline]
    pub(crate) fn candidates(&self, pair: usize) -> std::ops::Range<usize> {
        self.first_candidate[pair] as usize..self.first_candidate[pair + 1] as usize
    }

    /// The classes of a candidate's channels, in order.
    #[inline]
    pub(crate) fn channels(&self, candidate: usize) -> &[u32] {
        let range =
            self.first_channel[candidate] as usize..self.first_channel[candidate + 1] as usize;
        &self.channels[range]
    }
}
