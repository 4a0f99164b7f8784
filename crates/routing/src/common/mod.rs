//! What algorithms of several families share: virtual channels and their classes, draws, ends, survivors, rules with one way to go,
//! routes by an intermediate router, what routers see of queues: without flits that only look as if they waited, with packets that wait elsewhere, as they
//! were some cycles ago; and how long a queue gets that they see.

pub(crate) mod committed;
pub(crate) mod delay;
pub(crate) mod draw;
pub(crate) mod endpoints;
pub(crate) mod late;
pub(crate) mod lens;
pub(crate) mod only_way;
pub(crate) mod phantom;
pub(crate) mod survivors;
pub(crate) mod two_legs;
pub(crate) mod vc_plan;
pub(crate) mod visible;
pub(crate) mod whole_queues;
