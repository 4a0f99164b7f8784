//! How packets set out: the ways of each class of messages, and the one that is taken.

use super::subjects::Subject;
use turnwise_network::Start;
use turnwise_network::random::{Purpose, Random};

/// Starts drawn for each pair and class.
const DRAWS: u64 = 3;

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    for built in subject.all() {
        for &((source, destination, class), ref ways) in &built.graph.ways {
            let starts: Vec<Start> = ways.iter().map(|&(start, _)| start).collect();
            let known = built.graph.starts.get(&(source, destination));
            let first = known.map(|&(start, _)| start);
            let mut wrong = None;
            let is_first = class > 0 || first == starts.first().copied();
            if first.is_some() == starts.is_empty() || !is_first {
                wrong = Some(format!("{first:?} is the first"));
            } else if !built.routing.chooses_start() && starts.len() > 1 {
                wrong = Some("there is no choice of one way".to_owned());
            }
            for draw in 0..DRAWS {
                let mut rng = Random::new(draw, Purpose::Routing, source.0, destination.0);
                let choice = built
                    .routing
                    .choose_start(source, destination, class, &mut rng);
                let offered = match choice {
                    Some(start) => starts.contains(&start),
                    None => starts.is_empty(),
                };
                if !offered {
                    wrong = wrong.or(Some(format!("{choice:?} is none of them")));
                }
            }
            if let Some(wrong) = wrong {
                return Err(format!(
                    "{wrong}, of {starts:?}: {source} to {destination} of class {class}"
                ));
            }
        }
    }
    Ok(())
}
