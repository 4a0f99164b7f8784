//! Losses and livelocks are found, counted in terminal pairs, and explained.

use crate::networks::{graph, torus};
use crate::toys::{AdaptiveMinimal, Custom, DimensionOrder, eject};
use turnwise_network::FlowControl;
use turnwise_network::{Faults, Header, Hop, Network, RouterId, TerminalId, VcSet};
use turnwise_verify::{DeadEnd, Reachability, Reason, Survey, Verdict, analyse, destinations};

fn reachability(network: &Network, routing: &dyn turnwise_network::Routing) -> Reachability {
    let reachability = analyse(network, routing, FlowControl::Wormhole).reachability;
    let Reachability {
        pairs,
        routable,
        disconnected,
        lost,
        endless,
    } = &reachability;
    assert_eq!(
        *pairs,
        routable + disconnected.pairs + lost.pairs + endless.pairs
    );
    reachability
}

fn always(_: TerminalId, destination: TerminalId) -> Option<Header> {
    Some(Header::to(destination))
}

/// Two routers with two terminals each; what packets do at router 0 on their way to router 1.
fn at_first_router(network: &Network, option: Option<Hop>) -> Reachability {
    let options = |at: RouterId, header: Header, options: &mut Vec<Hop>| {
        if at == network.router_of(header.destination) {
            options.push(eject(network, header));
        } else if at == RouterId(0) {
            options.extend(option.map(|hop| Hop { header, ..hop }));
        } else {
            options.push(Hop {
                port: 2,
                vcs: VcSet::one(0),
                header,
            });
        }
    };
    reachability(
        network,
        &Custom {
            vcs: 2,
            start: always,
            options,
        },
    )
}

#[test]
fn every_kind_of_dead_end_is_told() {
    let network = graph(&[2, 2], &[(0, 1)]);
    let header = Header::default();
    let cases = [
        (None, DeadEnd::NoOption, "lost at router 0: no way on"),
        (
            Some(Hop {
                port: 9,
                vcs: VcSet::one(0),
                header,
            }),
            DeadEnd::Unconnected(9),
            "lost at router 0: port 9 leads nowhere",
        ),
        (
            Some(Hop {
                port: 2,
                vcs: VcSet(0b110),
                header,
            }),
            DeadEnd::VirtualChannel(2, VcSet(0b110)),
            "lost at router 0: port 2 has no virtual channel {1, 2}",
        ),
        (
            Some(Hop {
                port: 1,
                vcs: VcSet::one(0),
                header,
            }),
            DeadEnd::WrongTerminal(TerminalId(1)),
            "delivered to terminal 1 instead at router 0",
        ),
    ];
    for (option, dead_end, words) in cases {
        let found = at_first_router(&network, option);
        assert_eq!((found.pairs, found.routable, found.lost.pairs), (12, 8, 4));
        assert!(!found.is_sound());
        let failure = &found.lost.examples[0];
        assert_eq!(failure.reason, Reason::DeadEnd(RouterId(0), dead_end));
        assert_eq!(
            failure.render(&network),
            format!("terminal 0 -> terminal 2: {words}")
        );
    }
    let good = Hop {
        port: 2,
        vcs: VcSet::all(2),
        header,
    };
    assert_eq!(at_first_router(&network, Some(good)).routable, 12);
}

#[test]
fn disconnected_pairs_are_not_the_algorithms_fault() {
    let faults = Faults {
        links: vec![[0, 1], [2, 3]],
        ..Faults::default()
    };
    let network = torus(&[4], 2).without(&faults).unwrap();
    let found = reachability(
        &network,
        &DimensionOrder {
            network: &network,
            datelines: false,
        },
    );
    // Routers {3, 0} and {1, 2} are two parts of four terminals.
    assert_eq!(found.disconnected.pairs, 32);
    assert_eq!(found.pairs, 56);
    assert_eq!(found.disconnected.examples[0].reason, Reason::Disconnected);
    // Inside a part the minimal route is the link that is left.
    assert_eq!(found.routable, 24);
    assert!(found.is_sound());

    let faults = Faults {
        links: vec![[0, 1]],
        ..Faults::default()
    };
    let network = torus(&[4], 2).without(&faults).unwrap();
    let found = reachability(
        &network,
        &DimensionOrder {
            network: &network,
            datelines: false,
        },
    );
    assert_eq!(found.disconnected.pairs, 0);
    assert!(found.lost.pairs > 0);
    assert!(found.lost.examples.len() <= turnwise_verify::EXAMPLES);
}

#[test]
fn dead_terminals_do_not_count() {
    let network = torus(&[4, 4], 1)
        .without(&Faults {
            routers: vec![5],
            ..Faults::default()
        })
        .unwrap();
    let found = reachability(
        &network,
        &AdaptiveMinimal {
            network: &network,
            vcs: 1,
        },
    );
    assert_eq!((found.pairs, found.routable), (15 * 14, 15 * 14));

    // Router 0 loses the terminal that would stand for both, router 9 is left without any.
    let network = torus(&[4, 4], 2)
        .without(&Faults {
            terminals: vec![0, 18, 19],
            ..Faults::default()
        })
        .unwrap();
    let found = reachability(
        &network,
        &AdaptiveMinimal {
            network: &network,
            vcs: 1,
        },
    );
    assert_eq!((found.pairs, found.routable), (29 * 28, 29 * 28));
}

#[test]
fn refused_pairs_are_lost() {
    let network = torus(&[4], 1);
    let inner = DimensionOrder {
        network: &network,
        datelines: false,
    };
    let routing = Custom {
        vcs: 1,
        start: |source: TerminalId, to| (source != TerminalId(2)).then_some(Header::to(to)),
        options: |at, header, options: &mut Vec<Hop>| {
            turnwise_network::Routing::options(&inner, at, header, options)
        },
    };
    let found = reachability(&network, &routing);
    assert_eq!((found.routable, found.lost.pairs), (9, 3));
    assert_eq!(found.lost.examples[0].reason, Reason::Refused);
}

#[test]
fn packets_that_may_wander_for_ever_are_found() {
    let network = torus(&[4], 1);
    let minimal = AdaptiveMinimal {
        network: &network,
        vcs: 1,
    };
    // Terminal 3 is also willing to be passed by: its packets may go round and round.
    let routing = Custom {
        vcs: 1,
        start: always,
        options: |at: RouterId, header: Header, options: &mut Vec<Hop>| {
            turnwise_network::Routing::options(&minimal, at, header, options);
            if header.destination == TerminalId(3) {
                options.push(Hop {
                    port: 1,
                    vcs: VcSet::one(0),
                    header,
                });
            }
        },
    };
    let found = reachability(&network, &routing);
    assert_eq!(
        (found.routable, found.endless.pairs, found.lost.pairs),
        (9, 3, 0)
    );
    assert!(!found.is_sound());
    let Reason::Endless(routers) = &found.endless.examples[0].reason else {
        panic!("a livelock")
    };
    assert_eq!(routers.len(), 2, "the shortest way round is there and back");
    assert!(
        found.endless.examples[0]
            .render(&network)
            .contains("may go round for ever: (0) -> ")
    );
}

#[test]
fn headers_that_grow_for_ever_are_given_up_on() {
    let network = torus(&[4], 1);
    let grow = |_, header: Header, options: &mut Vec<Hop>| {
        let header = Header {
            step: header.step + 1,
            ..header
        };
        options.push(Hop {
            port: 1,
            vcs: VcSet::one(header.step as u8 % 32),
            header,
        });
    };
    let routing = Custom {
        vcs: 32,
        start: always,
        options: grow,
    };
    let mut survey = Survey::with_limit(&network, &routing, 1000);
    for destination in destinations(&network, &routing) {
        survey.visit(destination);
    }
    let Verdict::Unexplored(given_up) = survey.conclude(FlowControl::Wormhole).verdict else {
        panic!("there is no end to it")
    };
    assert_eq!(
        (given_up.destination, given_up.limit),
        (TerminalId(0), 1000)
    );
}
