//! How old may be what routers hear of themselves and of each other.

use turnwise_network::{Invalid, Receiver};

/// The cycles that news take to be known, if they may take as many: what takes none is known in the next one.
pub(crate) fn delay(field: &str, cycles: u32) -> Result<u32, Invalid> {
    Ok(within(0, field, cycles)?.max(1))
}

/// As many cycles, if they are at least so many and no more than news may take.
pub(crate) fn within(least: u32, field: &str, cycles: u32) -> Result<u32, Invalid> {
    let most = Receiver::MOST_DELAY;
    match (least..=most).contains(&cycles) {
        true => Ok(cycles),
        false => {
            let message = format!("expected {least} to {most} cycles, found {cycles}");
            Err(Invalid::new(field, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_known_in_the_cycle_in_which_it_happens() {
        let known = |cycles| delay("feedback_delay", cycles).ok();
        assert_eq!([0, 1, 7].map(known), [Some(1), Some(1), Some(7)]);
        assert_eq!(known(Receiver::MOST_DELAY + 1), None);
    }
}
