//! Virtual channels and the switch have allocators of their own.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys::{Classes, DimensionOrder, Toys, Uniform, torus, window};
use turnwise_sim::{Allocator, RouterModel};

fn fingerprint(vc_allocator: Allocator, switch_allocator: Allocator, iterations: u32) -> u64 {
    let network = torus(&[4, 4], 1);
    let model = RouterModel {
        virtual_channels: 4,
        vc_allocator,
        switch_allocator,
        allocation_iterations: iterations,
        ..RouterModel::default()
    };
    let injector = Uniform {
        terminals: 16,
        load: 0.6,
        flits: 3,
        seed: 5,
    };
    let toys = Toys {
        network: &network,
        routing: &DimensionOrder {
            network: &network,
            vcs: 4,
            classes: Classes::Dateline,
        },
        injector: &injector,
        model: &model,
        phases: &window(100, 1_000),
        seed: 1,
    };
    toys.run().fingerprint
}

#[test]
fn each_allocator_decides_its_own_stage() {
    use Allocator::{Islip, SeparableInputFirst, SeparableOutputFirst};
    let pairs = [Islip, SeparableInputFirst]
        .map(|vcs| [Islip, SeparableInputFirst].map(|switch| fingerprint(vcs, switch, 1)));
    let mut distinct = pairs.concat();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 4, "{pairs:?}");
    // Output first is one iteration of iSLIP, in either place.
    assert_eq!(fingerprint(SeparableOutputFirst, Islip, 1), pairs[0][0]);
    assert_eq!(fingerprint(Islip, SeparableOutputFirst, 1), pairs[0][0]);
    assert_eq!(
        fingerprint(SeparableOutputFirst, SeparableInputFirst, 1),
        pairs[0][1]
    );
    // Iterations count for iSLIP alone.
    assert_eq!(
        fingerprint(SeparableInputFirst, SeparableOutputFirst, 3),
        pairs[1][0]
    );
}
