//! Lines that are said to tell queues tell queues: the engine does not ask what they say.

use super::choices::Noise;
use super::subjects::{Built, Subject};
use turnwise_network::{Congestion, Notice, QueueLine, Receiver, RouterId, Sender, Sensing, VcSet};

/// Made-up queues for each router.
const DRAWS: u64 = 3;

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    for built in subject.all() {
        if let Some(sensing) = built.routing.sensing() {
            check_lines(built, sensing)?;
        }
    }
    Ok(())
}

fn check_lines(built: &Built, sensing: &dyn Sensing) -> Result<(), String> {
    let mut kinds = [false; 2];
    for at in built.network.routers() {
        let lines = sensing.lines(at);
        for (line, receivers) in lines.iter().enumerate() {
            let told = sensing.queue_line(at, line);
            kinds[usize::from(told.is_some())] = true;
            if let Some(told) = told {
                check_queue(sensing, at, (line, lines.len()), told)?;
                check_kept(sensing, at, line, receivers, told)?;
            }
        }
    }
    match kinds {
        [true, true] => Err("some lines tell queues, and some do not".to_owned()),
        _ => Ok(()),
    }
}

/// Does it say what its report would?
fn check_queue(
    sensing: &dyn Sensing,
    at: RouterId,
    (line, lines): (usize, usize),
    told: QueueLine,
) -> Result<(), String> {
    for draw in 0..DRAWS {
        let sees = Noise::on_all(draw << 20 | u64::from(at.0));
        let mut notices = vec![Notice::default(); lines];
        sensing.report(at, &sees, &mut notices);
        let waiting = match sensing.counts_awaiting() {
            true => sees.awaiting(told.port),
            false => 0,
        };
        let queue = sees.occupancy(told.port, VcSet::EVERY) + waiting;
        let grain = sensing.grain(at, told.port);
        let expected = Notice([queue - queue.checked_rem(grain).unwrap_or(queue), 0]);
        if notices[line] != expected {
            return Err(format!(
                "line {line} of {at} reports {:?}, and its queue is {expected:?}",
                notices[line]
            ));
        }
    }
    Ok(())
}

/// Is it kept where it is said to be, and nothing told of it?
fn check_kept(
    sensing: &dyn Sensing,
    at: RouterId,
    line: usize,
    receivers: &[Receiver],
    told: QueueLine,
) -> Result<(), String> {
    for receiver in receivers {
        let &Receiver::Region { region, .. } = receiver else {
            continue;
        };
        let mut memory = vec![0; sensing.words(region)];
        let from = Sender { router: at, line };
        let reports = sensing.receive(region, from, Notice([7, 0]), &mut memory);
        if reports || memory.get(told.word as usize) != Some(&7) {
            return Err(format!(
                "line {line} of {at} is kept as {memory:?}, not in word {}",
                told.word
            ));
        }
    }
    Ok(())
}
