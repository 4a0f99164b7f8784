//! What one virtual channel carries at most: packets of one length, one behind the other.
//!
//! Eight terminals send to eight others over one channel, all they can. A virtual channel hands on a packet of `L` flits in `L` cycles and the
//! cycles until the next head is routed and has a virtual channel; so many virtual channels carry as many times that, up to the channel.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack;

use crate::stack::{figure, rows};

/// Flits a cycle on the channel, and what the model says a virtual channel carries at most.
fn carried(router: &str, lanes: u32, flits: u32) -> (f64, f64) {
    let text = format!(
        "[network]\nkind = 'mesh'\nsizes = [2]\nterminals_per_router = 8\n[routing]\nkind = 'dimension-order'\n\
         [traffic]\npattern = 'bit-complement'\nload = 1\npacket_flits = {flits}\n\
         [router]\nvirtual_channels = {lanes}\nbuffer_flits = 64\n{router}\n\
         [simulation]\nwarmup_cycles = 500\nmeasure_cycles = 1000\ncycles_limit = 1600"
    );
    let plan = stack::plan(&text);
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    let pace = experiment.model.lane_pace(flits.into());
    let rows = rows(&text);
    (8.0 * figure(&rows[0], "accepted_load"), pace)
}

#[test]
fn virtual_channels_carry_what_the_model_says_and_no_more() {
    let exact = [
        "",
        "routing_delay = 0",
        "routing_delay = 3",
        "vc_allocation_delay = 3",
        "switch_traversal_delay = 4",
        "internal_speedup = 2",
        "kind = 'input-output-queued'",
        "preset = 'supersim-ioq'",
        "preset = 'supersim-iq'",
    ];
    for router in exact {
        for flits in [1, 2, 5] {
            let (carried, pace) = carried(router, 1, flits);
            let error = (carried / pace - 1.0).abs();
            assert!(error < 0.01, "{carried} and {pace}: {router}, {flits}");
        }
    }
    for router in ["switch_allocation_delay = 3", "wait_for_tail_credit = true"] {
        for (lanes, flits) in [(1, 1), (1, 3), (2, 2)] {
            let (carried, pace) = carried(router, lanes, flits);
            assert!(
                carried < 1.01 * f64::from(lanes) * pace,
                "{carried} and {pace}: {router}"
            );
        }
    }
    let (carried, pace) = carried("", 2, 1);
    assert!(
        (carried / (2.0 * pace) - 1.0).abs() < 0.01,
        "{carried} and {pace}"
    );
}
