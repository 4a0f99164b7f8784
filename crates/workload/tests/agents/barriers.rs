//! Barriers on a network of one latency: their closed forms.

use crate::mock::LATENCY;
use crate::{line_up, simulate};

fn time(algorithm: &str, terminals: u32, repeat: u64) -> u64 {
    let written = format!("kind = \"barrier\"\nalgorithm = \"{algorithm}\"\nrepeat = {repeat}");
    let outcome = simulate(&line_up(terminals), &written);
    assert_eq!(
        outcome.transactions.len() as u64,
        repeat * u64::from(terminals)
    );
    outcome.makespan
}

#[test]
fn a_barrier_takes_as_many_steps_as_the_literature_says() {
    for terminals in 1..=65 {
        let steps = u64::from(u32::BITS - (terminals - 1u32).leading_zeros());
        assert_eq!(
            time("dissemination", terminals, 3),
            3 * steps * LATENCY,
            "{terminals}"
        );
        // One way up and one way down.
        let twice = 2 * depth(terminals) * LATENCY;
        assert_eq!(time("gather-broadcast", terminals, 1), twice, "{terminals}");
    }
}

/// The longest way up a binomial tree: a rank is as deep as it has binary ones.
fn depth(terminals: u32) -> u64 {
    (0..terminals)
        .map(|rank| u64::from(rank.count_ones()))
        .max()
        .unwrap_or(0)
}
