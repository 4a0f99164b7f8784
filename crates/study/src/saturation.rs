//! Saturation: can the network keep up with what is injected, and up to which load?
//!
//! A network that keeps up has a backlog, the packets under way and waiting at their sources, that
//! comes and goes; in one that does not, the backlog grows for as long as the run lasts
//! (Dally and Towles, "Principles and Practices of Interconnection Networks", section 23.1).
//! So what is judged is by how much more is injected than accepted, against the confidence interval of
//! that difference. A share of the load, such as 95 %, would let a network pass whose few busiest
//! channels have long been overloaded.

use crate::workshop::Experiment;
use turnwise_sim::{Ending, Estimate, Outcome};

/// In fewer cycles than this nothing can be said about growth.
pub(crate) const SHORTEST_WINDOW: u64 = 64;

/// So much of the window may pass while an empty network fills: what is left out when growth is judged.
const FILLING: f64 = 0.75;

/// Does a run show that the network cannot keep up? `None` if it cannot tell.
///
/// Where messages answer others, nobody sends more than gets through, however slow that is.
pub fn is_saturated(experiment: &Experiment, outcome: &Outcome) -> Option<bool> {
    let phases = &experiment.phases;
    let is_silent = outcome.measurement.injected_load == 0.0;
    if experiment.demand.is_closed() || is_silent && outcome.ending == Ending::Completed {
        return Some(false);
    }
    if matches!(outcome.ending, Ending::Deadlocked(_)) {
        return Some(true);
    }
    let measured = &outcome.measurement;
    if measured.window < SHORTEST_WINDOW {
        return None;
    }
    let filled = 2.0 * transit(experiment, outcome);
    // As much time to drain as there was to inject, and more than packets take, and still not drained.
    let drain = phases.limit.saturating_sub(phases.warmup + phases.measure);
    let had_time = drain as f64 > filled.max(2.0 * measured.network_latency);
    let had_time = had_time && drain >= phases.measure;
    // How long packets take is known of those that have arrived; and long packets from before the window are no backlog of it.
    let are_known = measured.packets > 0 && measured.undelivered > 0;
    if matches!(outcome.ending, Ending::LimitReached) && had_time && are_known {
        return Some(true);
    }
    let until = phases.warmup as f64 + FILLING * measured.window as f64;
    let growth = measured.backlog_growth;
    let is_known = filled <= until && growth.half_width.is_finite();
    is_known.then_some(growth.mean > growth.half_width)
}

/// Cycles that flits spend in channels on their ways, by what channels have passed on in the window: packets take
/// longer, but not where nobody is in the way. Most of what is longer than the time so far has yet to set out.
fn transit(experiment: &Experiment, outcome: &Outcome) -> f64 {
    let network = &experiment.routed.network;
    let measured = &outcome.measurement;
    let channels = network.channels().zip(&measured.utilisation);
    // Flits occupy a slow channel for several cycles each.
    let cycles = channels.map(|((_, channel), share)| {
        share * f64::from(channel.latency) / f64::from(channel.interval)
    });
    let terminals = network.living_terminals().count() as f64;
    let created = measured.injected_load * terminals;
    let ends = network.living_terminals().map(|terminal| {
        let channels = [
            network.injection_channel(terminal),
            network.ejection_channel(terminal),
        ];
        channels.map(|channel| f64::from(network.channel(channel).latency))
    });
    let ends: f64 = ends.flatten().sum();
    match created > 0.0 {
        true => cycles.sum::<f64>() / created + ends / terminals,
        false => 0.0,
    }
}

/// What a run at one load says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// The load asked for.
    offered: f64,
    /// The load injected.
    injected: f64,
    growth: Estimate,
    saturated: Option<bool>,
}

impl Probe {
    pub(crate) fn new(experiment: &Experiment, outcome: &Outcome) -> Self {
        Self {
            offered: experiment.demand.load().unwrap_or(f64::NAN),
            injected: outcome.measurement.injected_load,
            growth: outcome.measurement.backlog_growth,
            saturated: is_saturated(experiment, outcome),
        }
    }
}

/// The highest load that a search found accepted, in flits injected per terminal and cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SaturationLoad {
    /// The load.
    pub load: f64,
    /// How far off it may be: the search's last step, and the overload that hides in the noise.
    pub half_width: f64,
}

/// The search stops when it knows the load to this share of itself.
const RESOLUTION: f64 = 0.005;
/// Lower loads are not looked for.
const LOWEST: f64 = 1e-4;
/// A load so much higher than the highest accepted one shows how fast the backlog grows.
const BEYOND: f64 = 1.06;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Searched {
    /// It was stopped meanwhile.
    Stopped,
    /// A run could not tell whether its load was accepted.
    Unknown,
    /// It found a load.
    Found(SaturationLoad),
}

/// Searches by bisection for the highest load, up to `most`, that is accepted.
pub(crate) fn search(
    most: f64,
    run: &mut dyn FnMut(f64) -> Result<Option<Probe>, String>,
) -> Result<Searched, String> {
    let Some(mut high) = run(most)? else {
        return Ok(Searched::Stopped);
    };
    match high.saturated {
        // Where nobody sends there is nothing that could be too much.
        _ if high.injected == 0.0 => return Ok(Searched::Unknown),
        None => return Ok(Searched::Unknown),
        Some(false) => return Ok(Searched::Found(found(high, high, None))),
        Some(true) => {}
    }
    let mut low: Option<Probe> = None;
    loop {
        let below = low.map_or(0.0, |low| low.offered);
        if high.offered - below <= RESOLUTION * high.offered || high.offered < LOWEST {
            break;
        }
        let Some(probe) = run((below + high.offered) / 2.0)? else {
            return Ok(Searched::Stopped);
        };
        match probe.saturated {
            None => return Ok(Searched::Unknown),
            Some(true) => high = probe,
            Some(false) => low = Some(probe),
        }
    }
    let Some(low) = low else {
        let (load, half_width) = (0.0, high.injected);
        return Ok(Searched::Found(SaturationLoad { load, half_width }));
    };
    let Some(beyond) = run((BEYOND * low.offered).min(most))? else {
        return Ok(Searched::Stopped);
    };
    Ok(Searched::Found(found(low, high, Some(beyond))))
}

/// `low` is accepted, `high` is not, and `beyond` is further up.
fn found(low: Probe, high: Probe, beyond: Option<Probe>) -> SaturationLoad {
    // Above saturation the backlog grows by a share of what is injected beyond it, because only
    // some packets need the channels that are overloaded.
    let share = beyond.map_or(1.0, |beyond| {
        let growth = beyond.growth.mean - low.growth.mean.max(0.0);
        growth / (beyond.injected - low.injected)
    });
    let share = if share > 0.0 {
        share.clamp(0.1, 1.0)
    } else {
        1.0
    };
    let hidden = (low.growth.mean + low.growth.half_width).max(0.0) / share;
    SaturationLoad {
        load: low.injected,
        half_width: (high.injected - low.injected).max(0.0) + hidden,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network of this capacity; beyond it, half of what is too much piles up.
    fn probe(offered: f64, capacity: f64) -> Probe {
        let mean = (offered - capacity).max(0.0) / 2.0;
        let growth = Estimate {
            mean,
            half_width: 0.0005,
        };
        Probe {
            offered,
            injected: 0.9 * offered,
            growth,
            saturated: Some(mean > growth.half_width),
        }
    }

    #[test]
    fn the_search_finds_the_capacity_within_its_interval() {
        for capacity in [0.013, 0.2, 0.4995, 0.97] {
            let mut runs = 0;
            let mut run = |offered| {
                runs += 1;
                Ok(Some(probe(offered, capacity)))
            };
            let Searched::Found(found) = search(1.0, &mut run).unwrap() else {
                panic!("every run can tell");
            };
            let error = (found.load - 0.9 * capacity).abs();
            assert!(error <= found.half_width, "{capacity}: {found:?}");
            assert!(
                found.half_width < 0.006 * capacity + 0.0025,
                "{capacity}: {found:?}"
            );
            assert!(runs <= 18, "{runs}");
        }
    }

    #[test]
    fn a_network_that_takes_everything_or_nothing() {
        let searched =
            |run: &dyn Fn(f64) -> Probe| match search(1.0, &mut |offered| Ok(Some(run(offered)))) {
                Ok(Searched::Found(found)) => Some(found.load),
                _ => None,
            };
        assert_eq!(searched(&|offered| probe(offered, 2.0)), Some(0.9));
        let nothing = |offered| Probe {
            saturated: Some(true),
            ..probe(offered, 0.0)
        };
        assert_eq!(searched(&nothing), Some(0.0));
        assert_eq!(search(1.0, &mut |_| Ok(None)), Ok(Searched::Stopped));
    }

    /// What cannot be told of one load is told of none.
    #[test]
    fn a_load_that_cannot_be_judged_ends_the_search() {
        for beyond in [0.0, 0.3] {
            let mut run = |offered| {
                let probe = probe(offered, 0.2);
                let saturated = probe.saturated.filter(|_| offered <= beyond);
                Ok(Some(Probe { saturated, ..probe }))
            };
            assert_eq!(search(1.0, &mut run), Ok(Searched::Unknown), "{beyond}");
        }
    }
}
