//! What every topology asks of its parameters before it allocates anything.

use turnwise_config::diagnostic::Invalid;

/// Coordinates, labels and channel classes stay small up to here.
pub(super) const MOST_DIMENSIONS: usize = 16;

/// The usual number of terminals at a router.
pub(super) fn one() -> u32 {
    1
}

/// Sizes of a grid or HyperX: at least one dimension, none of size zero.
pub(super) fn sizes(sizes: &[u32]) -> Result<(), Invalid> {
    if sizes.is_empty() || sizes.len() > MOST_DIMENSIONS {
        let message = format!(
            "expected 1 to {MOST_DIMENSIONS} dimensions, found {}",
            sizes.len()
        );
        return Err(Invalid::new("sizes", message));
    }
    match sizes.iter().position(|&size| size == 0) {
        Some(at) => {
            let field = format!("sizes[{at}]");
            Err(Invalid::new(field, "a dimension has at least one router"))
        }
        None => Ok(()),
    }
}

/// A router's ports are numbered in 16 bits.
pub(super) fn ports(ports: u64, field: &str) -> Result<(), Invalid> {
    if ports > u64::from(u16::MAX) {
        let message = format!(
            "a router would have {ports} ports; at most {} are possible",
            u16::MAX
        );
        return Err(Invalid::new(field, message));
    }
    Ok(())
}

/// There must be at least one of something, or else the message says so.
pub(super) fn some(count: u32, field: &str, message: &str) -> Result<(), Invalid> {
    match count {
        0 => Err(Invalid::new(field, message)),
        _ => Ok(()),
    }
}

/// A generated network has terminals, or nobody could send anything.
pub(super) fn terminals(terminals_per_router: u32) -> Result<(), Invalid> {
    match terminals_per_router {
        0 => Err(Invalid::new(
            "terminals_per_router",
            "without terminals there is nobody to send anything to anybody",
        )
        .with_help("a router has at least 1 terminal")),
        _ => Ok(()),
    }
}
