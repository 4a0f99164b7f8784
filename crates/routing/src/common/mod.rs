//! What algorithms of several families share: virtual channels and their classes, draws, ends, survivors, fixed rules.

pub(crate) mod draw;
pub(crate) mod endpoints;
pub(crate) mod self_routed;
pub(crate) mod survivors;
pub(crate) mod vc_plan;
