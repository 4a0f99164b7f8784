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
const SHORTEST_WINDOW: u64 = 64;

/// Does a run show that the network cannot keep up?
///
/// Where messages answer others, nobody sends more than gets through, however slow that is.
pub fn is_saturated(experiment: &Experiment, outcome: &Outcome) -> bool {
    let phases = &experiment.phases;
    if experiment.demand.is_closed() {
        return false;
    }
    match outcome.ending {
        Ending::Deadlocked(_) => return true,
        // As much time to drain as there was to inject, and still not drained.
        Ending::LimitReached if phases.limit >= phases.warmup + 2 * phases.measure => return true,
        _ => {}
    }
    let measured = &outcome.measurement;
    let growth = measured.backlog_growth;
    measured.window >= SHORTEST_WINDOW && growth.mean > growth.half_width
}

/// What a run at one load says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// The load asked for.
    offered: f64,
    /// The load injected.
    injected: f64,
    growth: Estimate,
    saturated: bool,
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

/// Searches by bisection for the highest load, up to `most`, that is accepted; `None` if the run was
/// stopped.
pub(crate) fn search(
    most: f64,
    run: &mut dyn FnMut(f64) -> Result<Option<Probe>, String>,
) -> Result<Option<SaturationLoad>, String> {
    let Some(mut high) = run(most)? else {
        return Ok(None);
    };
    if !high.saturated {
        return Ok(Some(found(high, high, None)));
    }
    let mut low: Option<Probe> = None;
    loop {
        let below = low.map_or(0.0, |low| low.offered);
        if high.offered - below <= RESOLUTION * high.offered || high.offered < LOWEST {
            break;
        }
        let Some(probe) = run((below + high.offered) / 2.0)? else {
            return Ok(None);
        };
        match probe.saturated {
            true => high = probe,
            false => low = Some(probe),
        }
    }
    let Some(low) = low else {
        let (load, half_width) = (0.0, high.injected);
        return Ok(Some(SaturationLoad { load, half_width }));
    };
    let Some(beyond) = run((BEYOND * low.offered).min(most))? else {
        return Ok(None);
    };
    Ok(Some(found(low, high, Some(beyond))))
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
            saturated: mean > growth.half_width,
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
            let found = search(1.0, &mut run).unwrap().unwrap();
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
        let all = search(1.0, &mut |offered| Ok(Some(probe(offered, 2.0)))).unwrap();
        assert_eq!(all.map(|found| found.load), Some(0.9));
        let nothing = |offered| Probe {
            saturated: true,
            ..probe(offered, 0.0)
        };
        let none = search(1.0, &mut |offered| Ok(Some(nothing(offered)))).unwrap();
        assert_eq!(none.map(|found| found.load), Some(0.0));
        assert_eq!(search(1.0, &mut |_| Ok(None)), Ok(None));
    }
}
