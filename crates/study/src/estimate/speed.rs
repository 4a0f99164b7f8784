//! How fast the engine is: measured speeds are in `docs/performance.md`.

use turnwise_sim::{Dimensions, RouterKind, RouterModel, Traffic};

/// Seconds of a flit's crossing a router, and of what is done once a packet.
const OF_FLIT: f64 = 50e-9;
const OF_HEAD: f64 = 65e-9;
/// How much longer that takes for each further mask word of a router.
const OF_WORD: f64 = 0.6;
/// How many times longer it takes routers with registers or a queue at each output.
const OF_STAGES: f64 = 2.0;
/// How many times longer it takes where more is sent than gets through: heads that wait ask in every cycle.
const OF_WAITING: f64 = 2.0;
/// Seconds of filling a byte of the engine's arrays when it begins.
const OF_BYTE: f64 = 0.7e-9;
/// Seconds of a cycle and of a router in it in which nothing happens.
const OF_CYCLE: f64 = 60e-9;
const OF_ROUTER: f64 = 1e-9;
/// Cycles for each flit in a router in which something happens at most; where nothing does they are skipped.
const CYCLES_OF_FLIT: f64 = 8.0;
/// Beyond so many bytes, routers do not fit into a cache and the next one, and how many times longer
/// it takes then.
const CACHES: [(u64, f64); 2] = [(4 << 20, 1.7), (32 << 20, 2.4)];

/// Seconds of a message of a program, where it is sent and where it comes.
pub(super) const OF_MESSAGE: f64 = 1e-6;

/// Seconds of a frame's crossing a switch of Ethernet.
const OF_FRAME: f64 = 250e-9;

/// Of Ethernet, whose idle cycles cost nothing.
pub(super) fn of_ethernet(traffic: &Traffic, flit_hops: f64) -> f64 {
    flit_hops / traffic.packet_flits.max(1.0) * OF_FRAME
}

/// Of routers, where such a share of what is sent gets stuck.
pub(super) fn seconds(
    (size, model): (&Dimensions, &RouterModel),
    (traffic, flit_hops, stuck): (&Traffic, f64, f64),
    bytes: u64,
) -> f64 {
    let lanes = size.radix * u64::from(model.virtual_channels).next_power_of_two();
    let further_words = lanes.div_ceil(64).saturating_sub(1) as f64;
    let of_flit = OF_FLIT + OF_HEAD / traffic.packet_flits.max(1.0);
    let beyond = CACHES.iter().rfind(|(cache, _)| bytes > *cache);
    let mut slower = beyond.map_or(1.0, |(_, slower)| *slower);
    if model.has_registers() || model.kind != RouterKind::InputQueued {
        slower *= OF_STAGES;
    }
    if stuck > 0.0 {
        slower *= OF_WAITING;
    }
    let busy = flit_hops * of_flit * slower * (1.0 + OF_WORD * further_words);
    let cycles = traffic.cycles.min(flit_hops * CYCLES_OF_FLIT);
    let idle = cycles * (OF_CYCLE + OF_ROUTER * size.routers as f64);
    busy + idle + bytes as f64 * OF_BYTE
}
