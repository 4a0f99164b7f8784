//! A bit for each global channel, which says whether it is congested, and which the routers of its group know.
//!
//! A global channel is congested if far more flits are under way on it than on its router's others:
//!
//! ```text
//! q > factor * mean + threshold
//! ```
//!
//! where the mean is over all living global channels of the router, this one included.
//!
//! Queues change far more often than anybody looks at a bit. So what is kept is the queues of which the bits are made, as they
//! were when the bits were sent, and a bit is made when it is read. Nobody can tell.
//!
//! Source: Jiang, Kim, Dally, ISCA 2009, section 3.2; the factor and its form are FOGSim's.

use super::latencies::longest_local;
use super::tables::{Known, QueueTables};
use crate::common::delay::delay;
use crate::common::visible::long_queue;
use crate::grouped::links::{GroupLink, GroupLinks, NO_LINK};
use turnwise_network::{Congestion, Invalid, Network, RouterId, Sensing};

/// What a study says of bits.
pub(crate) struct BitOptions {
    pub(crate) congested_factor: Option<f64>,
    /// Half of the longest queue, and at most 30, if it is not said.
    pub(crate) congested_flits: Option<u32>,
    pub(crate) feedback_delay: Option<u32>,
}

/// The factor where all is as in the paper.
const USUAL_FACTOR: f64 = 2.0;
/// What a factor can be.
const FACTORS: std::ops::RangeInclusive<f64> = 0.0..=1e6;

impl BitOptions {
    /// For queues of minimal packets that are seen to have so many flits at most.
    ///
    /// # Errors
    /// A factor or a delay out of bounds.
    pub(crate) fn build(
        &self,
        network: &Network,
        links: &GroupLinks,
        longest: u32,
    ) -> Result<CongestedBits, Invalid> {
        if let Some(factor) = self.congested_factor
            && !FACTORS.contains(&factor)
        {
            let message = format!("expected 0 to {}, found {factor}", FACTORS.end());
            return Err(Invalid::new("congested_factor", message));
        }
        let cycles = self
            .feedback_delay
            .unwrap_or_else(|| longest_local(network));
        let delay = delay("feedback_delay", cycles)?;
        let threshold = self.congested_flits.unwrap_or_else(|| long_queue(longest));
        let source = |(number, link): (u32, GroupLink)| {
            let others = links.owned(link.owner).map(|(other, _)| other);
            let others = others.filter(|&other| other != number);
            let channels = others.clone().count() + 1;
            let usual = || usual_factor(channels, threshold, longest);
            let factor = self.congested_factor.unwrap_or_else(usual);
            Source {
                owner: link.owner,
                other: others.clone().next().unwrap_or(NO_LINK),
                channels: channels as i32,
                factor,
                least: least_congested(channels, threshold, factor),
            }
        };
        Ok(CongestedBits {
            queues: QueueTables::new(network, links, delay, 1),
            sources: (0..).zip(links.all()).map(source).collect(),
            threshold: threshold.into(),
        })
    }
}

/// The factor at a router with so many living global channels, whose queues of minimal packets have so many flits at most.
///
/// With two channels, or one, twice the mean is never exceeded, and with few of them hardly ever by the threshold, too. So it is the
/// paper's 2, or as much less as it takes for a channel to be congested before two thirds of these flits are under way on it, while
/// nothing is on the others; at most 1 of two, and 0 where there is but one.
fn usual_factor(channels: usize, threshold: u32, longest: u32) -> f64 {
    let count = channels as f64;
    let beyond = 1.5 * f64::from(threshold) / f64::from(longest.max(1));
    let most = (count - 1.0).min(USUAL_FACTOR);
    (count * (1.0 - beyond)).min(most).max(0.0)
}

/// Where a link begins.
#[derive(Clone, Copy)]
struct Source {
    owner: RouterId,
    /// Another link of its router, or [`NO_LINK`].
    other: u32,
    /// Living global channels of its router. Signed, because such numbers become floating-point ones in one instruction.
    channels: i32,
    /// As in the formula.
    factor: f64,
    /// A shorter queue is not congested, whatever the others are.
    least: u32,
}

/// Is a queue congested by the formula, if all queues of so many channels have so many flits together?
fn is_long(queue: f64, sum: f64, channels: f64, factor: f64, threshold: f64) -> bool {
    queue > factor * (sum / channels) + threshold
}

/// No shorter queue is [long](is_long), not even if all others of the router are empty.
fn least_congested(channels: usize, threshold: u32, factor: f64) -> u32 {
    let its_own = factor / channels.max(1) as f64;
    match its_own < 1.0 {
        // Numbers are rounded here otherwise than in the formula.
        true => ((f64::from(threshold) / (1.0 - its_own)) as u32).saturating_sub(1),
        false => threshold,
    }
}

/// What routers know of their group's global channels.
pub(crate) struct CongestedBits {
    queues: QueueTables,
    /// By link.
    sources: Vec<Source>,
    /// As in the formula, in flits.
    threshold: f64,
}

impl CongestedBits {
    /// What a router knows of its group's global channels.
    #[inline(always)]
    pub(crate) fn known<'a>(&'a self, at: RouterId, sees: &'a dyn Congestion) -> Known<'a> {
        self.queues.known(at, sees.memory())
    }

    /// Is a global channel known to be congested, one of the group of whoever knows that? A link that there is not is none.
    #[inline(always)]
    pub(crate) fn is_congested(&self, known: &Known<'_>, link: u32) -> bool {
        let queue = known.queue(link);
        let source = self.sources.get(link as usize);
        source.is_some_and(|source| {
            queue >= source.least
                // Mostly it is not longer than the mean would allow if only one other had a queue.
                && self.is_beyond(source, queue, i64::from(queue) + i64::from(known.queue(source.other)))
                && self.is_beyond_mean(known, source, queue)
        })
    }

    /// Is it, if its queue may be long enough?
    #[inline(never)]
    fn is_beyond_mean(&self, known: &Known<'_>, source: &Source, queue: u32) -> bool {
        let queues = known.queues_of(source.owner);
        self.is_beyond(source, queue, queues.map(i64::from).sum())
    }

    /// Is it, if all queues of its router are so long together? The longer they are, the less.
    #[inline(always)]
    fn is_beyond(&self, source: &Source, queue: u32, sum: i64) -> bool {
        let channels = source.channels.into();
        is_long(
            queue.into(),
            sum as f64,
            channels,
            source.factor,
            self.threshold,
        )
    }

    /// What routers tell each other for it.
    pub(crate) fn sensing(&self) -> &dyn Sensing {
        &self.queues
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::random::mix;
    use turnwise_network::topologies::{Dragonfly, Topology};

    /// A channel alone is congested from so many flits on, by the factor there.
    fn alone(channels: usize, threshold: u32, longest: u32) -> f64 {
        let factor = usual_factor(channels, threshold, longest);
        f64::from(threshold) / (1.0 - factor / channels as f64)
    }

    #[test]
    fn every_channel_can_be_congested() {
        for channels in 1..=16 {
            for longest in [4, 16, 32, 60, 256, 1_000] {
                let threshold = (longest / 2).min(30);
                let flits = alone(channels, threshold, longest);
                let most = f64::from(longest) * 2.0 / 3.0 + 1e-9;
                assert!(
                    flits <= most,
                    "{channels} channels, {longest} flits: {flits}"
                );
            }
        }
    }

    #[test]
    fn nothing_shorter_than_the_least_is_congested() {
        let of = |channels: u32, threshold: u32, factor: f64| {
            let least = least_congested(channels as usize, threshold, factor);
            let alone = |queue: u32| {
                let queue = f64::from(queue);
                is_long(queue, queue, channels.into(), factor, threshold.into())
            };
            assert!(!(0..least).any(alone), "{channels} {threshold} {factor}");
            let first = (0..10 * least + 10).find(|&queue| alone(queue));
            // A factor as large as that has what rounding makes of it.
            assert!(factor >= channels.into() || first.is_some_and(|first| first <= least + 3));
            first
        };
        for (channels, threshold) in
            (1..9).flat_map(|channels| (0..40).map(move |of| (channels, of)))
        {
            for factor in [0.0, 0.1, 0.5, 1.0 / 3.0, 1.0, 2.0, 2.9, 7.0] {
                of(channels, threshold, factor);
            }
        }
        assert_eq!(of(4, 30, 2.0), Some(61));
    }

    /// Whatever is looked at before all queues of a router are.
    #[test]
    fn a_bit_is_what_the_formula_says() {
        let (network, links) = dragonfly();
        for (draw, factor) in (0..300).flat_map(|draw| [0.5, 1.0, 2.0, 4.0].map(|of| (draw, of))) {
            let options = BitOptions {
                congested_factor: Some(factor),
                congested_flits: Some(draw % 7),
                feedback_delay: None,
            };
            let bits = options.build(&network, &links, 64).unwrap();
            let word = |word| (mix(u64::from(draw) << 32 | word) % 40) as u32;
            let memory: Vec<u32> = (0..links.leaving(0).len() as u64).map(word).collect();
            let known = bits.queues.known(RouterId(0), &memory);
            for number in links.leaving(0) {
                let owner = links.get(number).unwrap().owner;
                let all: Vec<u32> = known.queues_of(owner).collect();
                let mean = f64::from(all.iter().sum::<u32>()) / all.len() as f64;
                let expected = f64::from(known.queue(number)) > factor * mean + bits.threshold;
                assert_eq!(
                    bits.is_congested(&known, number),
                    expected,
                    "{draw} {number}"
                );
            }
        }
    }

    fn dragonfly() -> (Network, GroupLinks) {
        let network = Dragonfly::default().build(None).unwrap();
        let links = GroupLinks::new(&network, 9, |router: RouterId| router.0 / 4);
        (network, links)
    }

    #[test]
    fn the_factor_is_the_papers_where_it_can_be() {
        for channels in [3, 4, 8] {
            assert_eq!(usual_factor(channels, 30, 256), 2.0);
        }
        let few = [1, 2, 3, 4, 7, 8, 12].map(|channels| usual_factor(channels, 16, 32));
        assert_eq!(few, [0.0, 0.5, 0.75, 1.0, 1.75, 2.0, 2.0]);
        assert_eq!(usual_factor(2, 30, 1_000), 1.0);
        // Who asks for more than there is room for gets it.
        assert_eq!(usual_factor(8, 100, 32), 0.0);
    }
}
