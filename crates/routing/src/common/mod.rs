//! What algorithms of several families share: virtual channels and their classes, draws, ends, survivors, rules with one way to go.

pub(crate) mod committed;
pub(crate) mod draw;
pub(crate) mod endpoints;
pub(crate) mod only_way;
pub(crate) mod survivors;
pub(crate) mod vc_plan;
