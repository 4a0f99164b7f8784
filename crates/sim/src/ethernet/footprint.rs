//! How much memory a run of Ethernet takes at most, told before anything is allocated.

use super::adapter::Adapter;
use super::agenda::Event;
use super::congestion_point::CongestionPoint;
use super::fabric::{Hold, Sender};
use super::frames::{Frame, Queue};
use super::links::Link;
use super::model::EthernetModel;
use crate::memory::{Dimensions, Traffic};

/// Bytes that a run needs at its peak, at most; without what adapters keep of flows, which depends on who sends to whom. O(1).
pub fn ethernet_bytes(size: &Dimensions, model: &EthernetModel, traffic: &Traffic) -> u64 {
    let channels = size.ports.saturating_add(size.terminals);
    let priorities = u64::from(model.priorities);
    let of_priority = size_of::<Queue>() + size_of::<Hold>() + size_of::<CongestionPoint>();
    let of_channel =
        (size_of::<Sender>() + size_of::<Link>()) as u64 + priorities * of_priority as u64;
    let flits = traffic.packet_flits.max(1.0);
    // No more than switches can hold, and no more than is ever sent.
    let held = channels as f64 * priorities as f64 * f64::from(model.buffer_flits) / flits;
    let sent = traffic.flits_per_cycle / flits * traffic.cycles;
    let frames = held.min(sent) as u64 + 2 * size.terminals;
    let of_frame = (size_of::<Frame>() + 2 * size_of::<Event>()) as u64;
    channels
        .saturating_mul(of_channel)
        .saturating_add(size.terminals * size_of::<Adapter>() as u64)
        .saturating_add(frames.saturating_mul(of_frame))
        .saturating_add(traffic.latency_bytes())
        .saturating_add(1 << 20)
}
