//! Proofs of one network and routing after the other: each on several threads, and none twice.
//!
//! Adaptive algorithms differ in what they choose by far more often than in what packets may do, and proofs are of the latter alone. So
//! what is proved is kept by the [relation](turnwise_network::Routing::relation), where a routing has words for it.
//!
//! Destinations are explored in shares that do not depend on how many threads there are, and put together in their order, so that these
//! leave no trace in a sum of fractions either.

use crate::finding::Finding;
use crate::in_turn::in_turn;
use crate::memory::memory_limit;
use crate::workshop::Routed;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use turnwise_verify::{
    Analysis, Assumptions, Bound, Destination, PhaseSurvey, Survey, destinations, lower_bound,
    most_states_within,
};

/// Destinations that are explored before the cost of all is judged, and thereby how much memory that takes.
const SAMPLE: usize = 8;
/// The others are explored in so many shares at most, each of about so many states and options at least: some tens of milliseconds.
const MOST_SHARES: usize = 64;
const LEAST_WORK: u64 = 500_000;
/// Threads may take one part in so many of the memory that there is.
const PART_OF_MEMORY: u64 = 2;

/// What became of an analysis.
pub enum Attempt {
    /// It is done.
    Found(Box<Finding>),
    /// It was given up.
    TooCostly {
        /// About how many states it would have had to explore.
        states: u64,
    },
    /// It was stopped.
    Stopped,
}

/// Proves, and remembers what it has proved.
pub struct Prover {
    threads: usize,
    /// States and options of a share at least.
    least_work: u64,
    known: BTreeMap<String, Known>,
}

/// What is known of a relation.
enum Known {
    Proved(Box<(Analysis, Bound)>),
    /// About so many states would have to be explored, which is too many if no more than so much is to be done.
    TooCostly {
        states: u64,
        most_work: u64,
    },
}

impl Prover {
    /// Knows nothing yet; explores on so many threads, fewer where these would take too much memory.
    pub fn new(threads: usize) -> Self {
        Self {
            threads: threads.max(1),
            least_work: LEAST_WORK,
            known: BTreeMap::new(),
        }
    }

    /// Analyses a network and routing, unless that takes more than `most_work` states and options of packets in them, judged by
    /// the first few destinations. `go_on` is told how much of how much is explored: of phases first, where a routing has
    /// two, and then, if nothing follows from these, of destinations.
    ///
    /// Complexity: O(states + options), or less than a look at all channels where the same is known of another routing.
    pub fn prove(
        &mut self,
        most_work: u64,
        routing_name: String,
        routed: Routed,
        assumptions: impl Into<Assumptions>,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Attempt {
        let assumptions = assumptions.into();
        let key = proof_key(&routed, assumptions);
        match self.known.get(&key) {
            Some(Known::Proved(known)) => {
                let (analysis, bound) = *known.clone();
                let of = Finding::of(routing_name, routed, assumptions, analysis, bound);
                return Attempt::Found(Box::new(of));
            }
            Some(&Known::TooCostly {
                states,
                most_work: most,
            }) if most_work <= most => return Attempt::TooCostly { states },
            _ => {}
        }
        match self.analysis(&routed, assumptions, most_work, go_on) {
            Surveyed::Stopped => Attempt::Stopped,
            Surveyed::TooCostly { states } => {
                let known = Known::TooCostly { states, most_work };
                self.known.insert(key, known);
                Attempt::TooCostly { states }
            }
            Surveyed::Whole(analysis) => {
                let (analysis, bound) = (*analysis, lower_bound(&routed.network));
                // What has no words is not met again.
                if routed.relation.is_some() {
                    let known = Known::Proved(Box::new((analysis.clone(), bound.clone())));
                    self.known.insert(key, known);
                }
                let of = Finding::of(routing_name, routed, assumptions, analysis, bound);
                Attempt::Found(Box::new(of))
            }
        }
    }

    /// By phases, where the routing has two and that is enough, or else of all destinations.
    fn analysis(
        &self,
        routed: &Routed,
        assumptions: Assumptions,
        most_work: u64,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Surveyed<Box<Analysis>> {
        let (network, routing) = (&*routed.network, &*routed.routing);
        if let Some(survey) = phase_survey(routed) {
            match in_phases(survey, most_work, go_on) {
                Surveyed::Stopped => return Surveyed::Stopped,
                Surveyed::TooCostly { states } => return Surveyed::TooCostly { states },
                Surveyed::Whole(survey) => {
                    if let Some(analysis) = survey.conclude(assumptions) {
                        return Surveyed::Whole(Box::new(analysis));
                    }
                }
            }
        }
        let survey = Survey::with_protocol(network, routing, &routed.protocol);
        let all = destinations(network, routing);
        match self.surveyed(survey, &all, most_work, go_on) {
            Surveyed::Stopped => Surveyed::Stopped,
            Surveyed::TooCostly { states } => Surveyed::TooCostly { states },
            Surveyed::Whole(survey) => Surveyed::Whole(Box::new(survey.conclude(assumptions))),
        }
    }

    /// All destinations explored, unless that is too much.
    fn surveyed<'a>(
        &self,
        mut whole: Survey<'a>,
        all: &[Destination],
        most_work: u64,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Surveyed<Box<Survey<'a>>> {
        let (sample, rest) = all.split_at(SAMPLE.min(all.len()));
        let affordable_states = affordable_states();
        // One of the sample that has more than this is too much for all.
        let most = most_work.saturating_mul(SAMPLE as u64) / all.len().max(1) as u64;
        let most =
            usize::try_from(most).map_or(affordable_states, |most| most.min(affordable_states));
        whole = whole.limited(most);
        for (done, &destination) in sample.iter().enumerate() {
            if !go_on(done, all.len()) {
                return Surveyed::Stopped;
            }
            whole.visit(destination);
            let visited = done as u64 + 1;
            let of_all = |explored: u64| (explored / visited).saturating_mul(all.len() as u64);
            if of_all(whole.work()) > most_work {
                let states = of_all(whole.states());
                return Surveyed::TooCostly { states };
            }
            if whole.has_given_up() && most < affordable_states {
                let states = (most as u64).saturating_mul(all.len() as u64);
                return Surveyed::TooCostly { states };
            }
        }
        whole = whole.limited(affordable_states);
        let shares = rest.chunks(self.share(rest.len(), whole.work()));
        let shares = Shares {
            all: shares.collect(),
            done: AtomicUsize::new(sample.len()),
            total: all.len(),
        };
        let threads = match self.threads.min(shares.all.len()) {
            several @ 2.. => several.min(affordable(&whole)),
            few => few,
        };
        let is_done = match threads {
            0 | 1 => shares.explore_in_turn(&mut whole, go_on),
            _ => shares.explore_on(threads, &mut whole, go_on),
        };
        match is_done {
            true => Surveyed::Whole(Box::new(whole)),
            false => Surveyed::Stopped,
        }
    }

    /// How many destinations are a share, of so many that are left when the sample was so much work.
    fn share(&self, destinations: usize, work_of_sample: u64) -> usize {
        let each = (work_of_sample / SAMPLE as u64).max(1);
        let least = usize::try_from(self.least_work.div_ceil(each)).unwrap_or(usize::MAX);
        destinations.div_ceil(MOST_SHARES).max(least)
    }
}

/// Equal keys, equal proofs.
pub(crate) fn proof_key(routed: &Routed, assumptions: Assumptions) -> String {
    let words = routed.relation.as_ref().unwrap_or(&routed.key);
    format!("{words} {assumptions:?} {:?}", routed.protocol)
}

/// What is known by phases before anything is explored, if they can be.
pub(crate) fn phase_survey(routed: &Routed) -> Option<PhaseSurvey<'_>> {
    let (network, routing) = (&*routed.network, &*routed.routing);
    PhaseSurvey::new(network, routing, &routed.protocol, affordable_states())
        .filter(|survey| survey.memory_bytes() <= affordable_bytes())
}

/// Both phases explored, unless that is too much; on one thread.
fn in_phases<'a>(
    mut survey: PhaseSurvey<'a>,
    most_work: u64,
    go_on: &mut dyn FnMut(usize, usize) -> bool,
) -> Surveyed<Box<PhaseSurvey<'a>>> {
    let visits = survey.visits();
    for number in 0..visits {
        if !go_on(number, visits) {
            return Surveyed::Stopped;
        }
        survey.visit(number);
        let of_all = |explored: u64| (explored / (number as u64 + 1)).saturating_mul(visits as u64);
        if (1..SAMPLE).contains(&number) && of_all(survey.work()) > most_work {
            let states = of_all(survey.states());
            return Surveyed::TooCostly { states };
        }
        if survey.is_in_vain() {
            break;
        }
    }
    Surveyed::Whole(Box::new(survey))
}

/// What became of a survey.
enum Surveyed<T> {
    Whole(T),
    TooCostly { states: u64 },
    Stopped,
}

/// Destinations in shares.
struct Shares<'d> {
    all: Vec<&'d [Destination]>,
    /// How many destinations are explored, of how many.
    done: AtomicUsize,
    total: usize,
}

impl Shares<'_> {
    /// Adds all to a survey; not if `go_on` says no.
    fn explore_in_turn(
        &self,
        whole: &mut Survey<'_>,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> bool {
        let mut goes_on = || go_on(self.done.load(Ordering::Relaxed), self.total);
        if let [only] = *self.all {
            return self.explore(only, whole, &mut goes_on);
        }
        self.all.iter().all(|share| {
            let mut survey = whole.another();
            let is_done = self.explore(share, &mut survey, &mut goes_on);
            whole.merge(survey);
            is_done
        })
    }

    /// The same on several threads.
    fn explore_on(
        &self,
        threads: usize,
        whole: &mut Survey<'_>,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> bool {
        let (stops, empty) = (AtomicBool::new(false), whole.another());
        let explored = |number: usize| {
            let mut survey = empty.another();
            let mut goes_on = || !stops.load(Ordering::Relaxed);
            self.explore(self.all[number], &mut survey, &mut goes_on);
            survey
        };
        in_turn(self.all.len(), vec![explored; threads], &mut |survey| {
            survey.into_iter().for_each(|survey| whole.merge(survey));
            let goes_on = go_on(self.done.load(Ordering::Relaxed), self.total);
            stops.store(!goes_on, Ordering::Relaxed);
            goes_on
        });
        !stops.into_inner()
    }

    /// Adds one of them to a survey, unless `goes_on`, asked before every destination, says no.
    fn explore(
        &self,
        share: &[Destination],
        survey: &mut Survey<'_>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        share.iter().all(|&destination| {
            let goes_on = goes_on();
            if goes_on {
                survey.visit(destination);
                self.done.fetch_add(1, Ordering::Relaxed);
            }
            goes_on
        })
    }
}

/// How many threads there is memory for, if each takes as much as this survey.
fn affordable(survey: &Survey<'_>) -> usize {
    let each = survey.memory_bytes().max(1);
    usize::try_from(affordable_bytes() / each).unwrap_or(usize::MAX)
}

/// How many states of a destination there is memory for.
pub(crate) fn affordable_states() -> usize {
    most_states_within(affordable_bytes())
}

fn affordable_bytes() -> u64 {
    memory_limit().unwrap_or(u64::MAX) / PART_OF_MEMORY
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may")]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::source::Source;
    use crate::specification::Scope;
    use crate::workshop::Workshop;

    const DRAGONFLY: &str = "kind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\n\
                             terminals_per_router = 2\nglobal_ports_per_router = 2";

    /// A network with a routing, and what its proof assumes.
    fn routed(network: &str, routing: &str) -> (Routed, Assumptions) {
        let text = format!("[network]\n{network}\n[routing]\n{routing}");
        let (source, document) = Source::parse("study.toml", text.as_bytes(), &[]);
        let (document, workshop) = (document.unwrap(), Workshop::new("."));
        let plan = Plan::new(source, &document, workshop, Scope::Routing, "test");
        let plan = plan.map_err(|(_, errors)| errors).unwrap();
        let (routed, specification) = plan.routed(&plan.point(0).unwrap()).unwrap();
        (routed, specification.router.assumptions())
    }

    /// Explores in shares however small.
    fn sharing(threads: usize) -> Prover {
        Prover {
            least_work: 1,
            ..Prover::new(threads)
        }
    }

    /// What a prover finds, and how often it asks whether to go on.
    fn found(prover: &mut Prover, network: &str, routing: &str) -> (Analysis, usize) {
        let (routed, assumptions) = routed(network, routing);
        let mut asked = 0;
        let mut go_on = |_: usize, _: usize| {
            asked += 1;
            true
        };
        match prover.prove(u64::MAX, String::new(), routed, assumptions, &mut go_on) {
            Attempt::Found(finding) => (finding.analysis, asked),
            Attempt::TooCostly { .. } | Attempt::Stopped => panic!("nobody stops it"),
        }
    }

    #[test]
    fn threads_leave_no_trace() {
        // Loads are sums of fractions, of which some have no end.
        let faults = format!("{DRAGONFLY}\nfaults.random_links = 7");
        for network in [DRAGONFLY, &faults] {
            for routing in ["kind = 'par'", "kind = 'in-transit'"] {
                let once = found(&mut sharing(1), network, routing).0;
                let loads = &once.quality.loads;
                assert!(loads.iter().any(|load| load.fract() != 0.0), "{loads:?}");
                for threads in [2, 5, 100] {
                    let again = found(&mut sharing(threads), network, routing).0;
                    assert_eq!(again, once, "{routing} on {threads} threads");
                }
            }
        }
    }

    #[test]
    fn what_packets_may_do_is_proved_once_however_they_choose() {
        let mut prover = sharing(2);
        let (ugal_g, asked) = found(&mut prover, DRAGONFLY, "kind = 'ugal-g'");
        assert!(asked > 0);
        for routing in [
            "kind = 'ugal-g'\nfeedback_delay = 7",
            "kind = 'piggyback'\nthreshold_flits = 3",
        ] {
            let (analysis, asked) = found(&mut prover, DRAGONFLY, routing);
            assert_eq!((&analysis, asked), (&ugal_g, 0), "{routing}");
            let alone = found(&mut sharing(1), DRAGONFLY, routing).0;
            assert_eq!(alone, ugal_g, "{routing}");
        }
        let other = DRAGONFLY.replace("groups = 9", "groups = 8");
        for (network, routing) in [
            (other.as_str(), "kind = 'ugal-g'"),
            (DRAGONFLY, "kind = 'par'"),
            (DRAGONFLY, "kind = 'ugal-g'\nvirtual_channels = 6"),
        ] {
            let asked = found(&mut prover, network, routing).1;
            assert!(asked > 0, "{network}, {routing}");
        }
    }

    #[test]
    fn a_proof_stops_when_it_is_told_to() {
        for (threads, most) in [(1, 0), (1, 20), (3, 3), (3, 20)] {
            let (routed, assumptions) = routed(DRAGONFLY, "kind = 'par'");
            let mut go_on = |done: usize, _: usize| done < most;
            let mut prover = sharing(threads);
            let attempt = prover.prove(u64::MAX, String::new(), routed, assumptions, &mut go_on);
            assert!(matches!(attempt, Attempt::Stopped), "{threads}, {most}");
            assert!(prover.known.is_empty());
        }
    }
}
