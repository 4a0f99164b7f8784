//! How old may be what routers hear of themselves and of each other.

use turnwise_network::{Invalid, Receiver};

/// The cycles that something takes to be known, if it may take as many.
pub(crate) fn delay(field: &str, cycles: u32) -> Result<u32, Invalid> {
    match (1..=Receiver::MOST_DELAY).contains(&cycles) {
        true => Ok(cycles),
        false => {
            let message = format!(
                "expected 1 to {} cycles, found {cycles}",
                Receiver::MOST_DELAY
            );
            Err(Invalid::new(field, message))
        }
    }
}
