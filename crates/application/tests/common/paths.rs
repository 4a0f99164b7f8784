//! What every critical path promises.

use turnwise_application::journal::{Journals, Kind, Step, critical_path, timeline};

/// The critical path from its beginning. Its steps follow on each other, in time and in place, and are as long together as everything
/// took; and so they are when they are condensed.
pub(crate) fn checked(journals: &Journals, makespan: u64) -> Vec<Step> {
    let mut steps = Vec::new();
    let end = critical_path(journals, &mut |step| steps.push(step)).unwrap();
    assert_eq!(end, makespan);
    steps.reverse();
    let times = steps.iter().map(|step| step.to - step.from);
    assert_eq!(times.sum::<u64>(), makespan, "{steps:?}");
    for pair in steps.windows(2) {
        let [step, next] = pair else { continue };
        assert_eq!(step.to, next.from, "{pair:?}");
        let ends_at = match step.kind {
            Kind::Network | Kind::Handshake => step.peer,
            // Behind what has left comes what else leaves, or the same message on its way.
            _ => Some(step.rank),
        };
        assert_eq!(ends_at, Some(next.rank), "{pair:?}");
    }
    let drawn = timeline(journals).unwrap();
    assert_eq!(drawn.kinds().iter().sum::<u64>(), makespan);
    let lines = || drawn.lines.iter().chain(&drawn.others);
    assert_eq!(lines().map(|line| line.critical).sum::<u64>(), makespan);
    for line in lines() {
        for column in &line.columns {
            assert!(column.iter().sum::<u64>() <= drawn.column * u64::from(line.ranks));
        }
    }
    steps
}
