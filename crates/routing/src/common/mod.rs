//! What algorithms of several families share: virtual channels and their classes, draws, ends, survivors, rules with one way to go,
//! what routers see of queues: without flits that only look as if they waited, with packets that wait elsewhere, as they
//! were some cycles ago.

pub(crate) mod committed;
pub(crate) mod delay;
pub(crate) mod draw;
pub(crate) mod endpoints;
pub(crate) mod late;
pub(crate) mod lens;
pub(crate) mod only_way;
pub(crate) mod phantom;
pub(crate) mod survivors;
pub(crate) mod vc_plan;
pub(crate) mod whole_queues;
