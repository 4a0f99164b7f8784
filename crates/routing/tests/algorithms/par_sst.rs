//! PAR as SST-macro has it: what its leaves and spines do not look at.

use crate::explore::options;
use crate::megafly::{Packet, mfly};
use std::collections::BTreeMap;
use turnwise_network::{Header, RouterId};
use turnwise_routing::algorithms::{Par, ParSst};

/// SST-macro's leaf decides nothing, PAR's does.
#[test]
fn the_leaf_of_sst_macro_does_not_look() {
    let network = mfly(2, 5);
    let busy = |port| if port == 3 { 1000 } else { 0 };
    let sst = Packet::new(&network, &ParSst::default());
    assert_eq!(sst.minimal_share(&[], busy), 1.0);
    assert_eq!(options(&*sst.routing, RouterId(0), sst.start()).len(), 1);
    let par = Packet::new(&network, &Par::default());
    assert!(par.minimal_share(&[], busy) < 0.4);
}

/// SST-macro takes parallel links of a spine in turn, and does not look which is the shorter.
#[test]
fn a_spine_of_sst_macro_takes_its_own_links_alike() {
    let packet = Packet::new(&mfly(4, 3), &ParSst::default());
    let (spine, _, minimal, _) = packet.at_spine();
    let seen = |port| if port == minimal[0] { 3 } else { 5 };
    let mut headers = BTreeMap::<Header, u32>::new();
    for hop in packet.at_leaf(&[], |_| 0) {
        if packet.network.next_router(RouterId(0), hop.port) == Some(spine) {
            *headers.entry(hop.header).or_default() += 1;
        }
    }
    let all: u32 = headers.values().sum();
    for &port in &minimal {
        let takes = |header: &Header| packet.choices(spine, *header, &[], seen)[0].port == port;
        let taking = headers.iter().filter(|(header, _)| takes(header));
        let share = f64::from(taking.map(|(_, count)| count).sum::<u32>()) / f64::from(all);
        assert!((0.45..0.55).contains(&share), "{share}");
    }
}
