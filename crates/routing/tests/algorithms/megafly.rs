//! What adaptive algorithms do on a megafly: the decision at the leaf and at the spine, and what others have told.

use crate::cases;
use crate::explore::options;
use std::sync::Arc;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{Megafly, Topology};
use turnwise_network::{
    Congestion, Header, Hop, Network, Notice, Port, Receiver, RouterId, Routing, Sender,
    TerminalId, VcSet,
};
use turnwise_routing::algorithms::{
    AlongWay, DetourVia, Fpar, Kapr, KuGcn, Par, ParSst, Piggyback, Ugal, UgalClasses, UgalG,
};
use turnwise_routing::{Algorithm, Context, REGISTRY};

/// Queues by port, and what others have told.
struct Sight<'a, F> {
    queue: F,
    memory: &'a [u32],
}

impl<F: Fn(Port) -> u32> Congestion for Sight<'_, F> {
    fn unacknowledged(&self, port: Port, _: VcSet) -> u32 {
        (self.queue)(port)
    }

    fn queued(&self, _: Port, _: VcSet) -> u32 {
        0
    }

    fn capacity(&self, _: Port) -> u32 {
        u32::MAX
    }

    fn memory(&self) -> &[u32] {
        self.memory
    }
}

const PACKETS: u32 = 4000;

pub(crate) fn mfly(half_radix: u32, groups: u32) -> Arc<Network> {
    let megafly = Megafly {
        half_radix,
        groups,
        ..Megafly::default()
    };
    Arc::new(megafly.build(None).unwrap())
}

/// A routing, and a packet that goes from the first group to the last.
pub(crate) struct Packet {
    pub(crate) network: Arc<Network>,
    pub(crate) routing: Box<dyn Routing>,
    destination: TerminalId,
}

impl Packet {
    pub(crate) fn new(network: &Arc<Network>, algorithm: &dyn Algorithm) -> Self {
        Self {
            network: network.clone(),
            routing: algorithm.build(network, &Context::default()).unwrap(),
            destination: TerminalId(network.terminal_count() as u32 - 1),
        }
    }

    fn group(&self, router: RouterId) -> u32 {
        self.network.shape().group(router).unwrap()
    }

    fn last(&self) -> u32 {
        self.group(self.network.router_of(self.destination))
    }

    pub(crate) fn start(&self) -> Header {
        let start = self.routing.start(TerminalId(0), self.destination);
        start.unwrap().header
    }

    /// What so many of it do at a router.
    pub(crate) fn choices(
        &self,
        at: RouterId,
        header: Header,
        memory: &[u32],
        queue: impl Fn(Port) -> u32,
    ) -> Vec<Hop> {
        let sees = Sight { queue, memory };
        let offered = options(&*self.routing, at, header);
        let packet = |number| {
            let mut rng = Random::new(7, Purpose::Routing, 0, number);
            let hop = self.routing.choose(at, header, &sees, &mut rng).unwrap();
            assert!(offered.contains(&hop));
            hop
        };
        (0..PACKETS).map(packet).collect()
    }

    pub(crate) fn at_leaf(&self, memory: &[u32], queue: impl Fn(Port) -> u32) -> Vec<Hop> {
        self.choices(RouterId(0), self.start(), memory, queue)
    }

    /// Does a packet go minimally that has gone up so? It does if it is still to decide.
    fn is_minimal(&self, hop: &Hop) -> bool {
        let spine = self.network.next_router(RouterId(0), hop.port).unwrap();
        match self.routing.settled(spine, hop.header) {
            None => true,
            Some(next) => {
                let peer = self.network.next_router(spine, next.port).unwrap();
                self.group(peer) == self.last()
            }
        }
    }

    pub(crate) fn minimal_share(&self, memory: &[u32], queue: impl Fn(Port) -> u32) -> f64 {
        let hops = self.at_leaf(memory, queue);
        let minimal = hops.iter().filter(|hop| self.is_minimal(hop));
        minimal.count() as f64 / f64::from(PACKETS)
    }

    /// A spine of the first group with a minimal packet's header, and the global ports to the last group and to others.
    pub(crate) fn at_spine(&self) -> (RouterId, Header, Vec<Port>, Vec<Port>) {
        let offered = options(&*self.routing, RouterId(0), self.start());
        let hop = offered.iter().find(|hop| self.is_minimal(hop)).unwrap();
        let spine = self.network.next_router(RouterId(0), hop.port).unwrap();
        let leaves = self.network.neighbours(spine);
        let (mut minimal, mut others) = (Vec::new(), Vec::new());
        for neighbour in leaves.filter(|neighbour| self.group(neighbour.router) != 0) {
            match self.group(neighbour.router) == self.last() {
                true => minimal.push(neighbour.port),
                false => others.push(neighbour.port),
            }
        }
        (spine, hop.header, minimal, others)
    }

    /// The memory of the first group's region after all routers have told of queues by router and neighbour.
    fn told(&self, queue: impl Fn(RouterId, RouterId) -> u32) -> Vec<u32> {
        let sensing = self.routing.sensing().unwrap();
        let region = sensing.region(RouterId(0));
        let mut memory = vec![0; sensing.words(region)];
        for router in self.network.routers() {
            let lines = sensing.lines(router);
            let mut notices = vec![Notice::default(); lines.len()];
            let of_port = |port| {
                let next = self.network.next_router(router, port);
                next.map_or(0, |next| queue(router, next))
            };
            let sees = Sight {
                queue: of_port,
                memory: &[],
            };
            sensing.report(router, &sees, &mut notices);
            let heard = |receiver: &Receiver| matches!(receiver, Receiver::Region { region: to, .. } if *to == region);
            for (line, receivers) in lines.iter().enumerate() {
                if receivers.iter().any(heard) {
                    sensing.receive(region, Sender { router, line }, notices[line], &mut memory);
                }
            }
        }
        memory
    }

    /// The same of queues towards the last group: those of the first group, and of all others.
    fn told_towards_last(&self, first: u32, others: u32) -> Vec<u32> {
        self.told(|from, to| match self.group(to) == self.last() {
            true if self.group(from) == 0 => first,
            true => others,
            false => 0,
        })
    }
}

/// Every algorithm of the registry that routes megaflies and looks at queues.
fn adaptive(network: &Arc<Network>) -> Vec<(&'static str, Box<dyn Algorithm>)> {
    let fitting = REGISTRY
        .iter()
        .filter(|entry| (entry.fits)(network.shape()));
    let nothing = crate::written::read("");
    // Who needs a file has its routes from there.
    let built = fitting.filter_map(|entry| {
        let algorithm = (entry.parse)(&nothing, &mut Vec::new())?;
        Some((entry.entry.name, algorithm))
    });
    let oblivious = ["minimal", "valiant", "shortest-path"];
    built
        .filter(|(name, _)| !oblivious.contains(name))
        .collect()
}

#[test]
fn who_sees_no_queue_goes_minimally() {
    for network in [mfly(2, 5), mfly(4, 5), mfly(4, 3)] {
        let algorithms = adaptive(&network);
        assert!(algorithms.len() >= 8);
        for (name, algorithm) in algorithms {
            let packet = Packet::new(&network, &*algorithm);
            let words = packet
                .routing
                .sensing()
                .map_or(0, |sensing| sensing.words(sensing.region(RouterId(0))));
            let memory = vec![0; words];
            assert_eq!(packet.minimal_share(&memory, |_| 0), 1.0, "{name}");
        }
    }
}

/// One link leads from the first group to the last, from spine 1, to which port 3 leads. Of the three detours one
/// starts there, too.
#[test]
fn the_threshold_is_exact_at_the_leaf() {
    let network = mfly(2, 5);
    let ugal = |threshold_flits| Ugal {
        threshold_flits,
        ..Ugal::default()
    };
    for (given, threshold) in [(Some(0), 0), (Some(5), 5), (Some(30), 30), (None, 0)] {
        let packet = Packet::new(&network, &ugal(given));
        let queues = |minimal| move |port| if port == 3 { minimal } else { 7 };
        assert_eq!(packet.minimal_share(&[], queues(14 + threshold)), 1.0);
        let share = packet.minimal_share(&[], queues(15 + threshold));
        assert!((share - 1.0 / 3.0).abs() < 0.03, "{share}");
    }
}

/// A spine that has one other link diverts to it as soon as its own link to the destination has more than twice the queue.
#[test]
fn the_threshold_is_exact_at_the_spine() {
    let network = mfly(2, 5);
    let algorithms: [(Box<dyn Algorithm>, u32); 4] = [
        (Box::new(Par::default()), 0),
        (Box::new(ParSst::default()), 0),
        (
            Box::new(Par {
                threshold_flits: Some(3),
                ..Par::default()
            }),
            3,
        ),
        (
            Box::new(ParSst {
                threshold_flits: Some(3),
                ..ParSst::default()
            }),
            3,
        ),
    ];
    for (algorithm, threshold) in algorithms {
        let packet = Packet::new(&network, &*algorithm);
        let (spine, header, minimal, others) = packet.at_spine();
        assert_eq!((minimal.len(), others.len()), (1, 1));
        for (queue, expected) in [(14 + threshold, minimal[0]), (15 + threshold, others[0])] {
            let seen = |port| if port == minimal[0] { queue } else { 7 };
            let hops = packet.choices(spine, header, &[], seen);
            assert!(hops.iter().all(|hop| hop.port == expected), "{queue}");
        }
    }
}

/// Two parallel links lead from every spine to each of the others' groups.
#[test]
fn a_spine_takes_the_shorter_of_its_own_links() {
    let packet = Packet::new(&mfly(4, 3), &Par::default());
    let (spine, header, minimal, others) = packet.at_spine();
    assert_eq!((minimal.len(), others.len()), (2, 2));
    for shorter in minimal.iter().copied() {
        let seen = |port| if port == shorter { 3 } else { 5 };
        let hops = packet.choices(spine, header, &[], seen);
        assert!(hops.iter().all(|hop| hop.port == shorter));
    }
    let hops = packet.choices(spine, header, &[], |_| 5);
    for port in minimal {
        let share = hops.iter().filter(|hop| hop.port == port).count();
        assert!((1850..2150).contains(&share), "{share}");
    }
}

/// Four links lead to the last group, one from every spine: who looks at four minimal ways sees them all.
#[test]
fn as_many_ways_are_seen_as_are_asked_for() {
    let network = mfly(4, 5);
    let free: Port = 6;
    let queue = |port| if port == free { 0 } else { 100 };
    let share = |algorithm: &dyn Algorithm| {
        let packet = Packet::new(&network, algorithm);
        let memory = packet.told(|_, _| 0);
        let hops = packet.at_leaf(&memory, queue);
        let best = hops
            .iter()
            .filter(|hop| hop.port == free && packet.is_minimal(hop));
        best.count() as f64 / f64::from(PACKETS)
    };
    for (paths, expected) in [(1, 0.25), (2, 0.5), (3, 0.75), (4, 1.0), (64, 1.0)] {
        let kapr = Kapr {
            paths: Some(paths),
            ..Kapr::default()
        };
        let ku_gcn = KuGcn {
            paths: Some(paths),
            ..KuGcn::default()
        };
        for found in [share(&kapr), share(&ku_gcn)] {
            assert!((found - expected).abs() < 0.03, "{paths}: {found}");
        }
    }
    assert_eq!(share(&Kapr::default()), 1.0);
    assert_eq!(share(&KuGcn::default()), 1.0);
}

/// Bits decide before queues do, and queues where bits do not.
#[test]
fn kapr_avoids_what_is_called_congested() {
    let network = mfly(4, 5);
    let kapr = Kapr {
        congested_factor: Some(0.0),
        congested_flits: Some(9),
        ..Kapr::default()
    };
    let packet = Packet::new(&network, &kapr);
    let last = packet.last();
    let towards = |queue| {
        let packet = &packet;
        move |_: RouterId, next| if packet.group(next) == last { queue } else { 0 }
    };
    let (busy, quiet) = (packet.told(towards(10)), packet.told(towards(9)));
    let long_up = |_| 50;
    assert_eq!(packet.minimal_share(&quiet, long_up), 1.0);
    assert_eq!(packet.minimal_share(&busy, |_| 0), 0.0);
    // Where everything is congested UGAL's rule is left.
    let all = packet.told(|_, _| 10);
    assert_eq!(packet.minimal_share(&all, |_| 7), 1.0);
}

/// A minimal packet decides again at the spine only if the bit of its own channel is set.
#[test]
fn progressive_kapr_decides_again_where_it_is_told_to() {
    let network = mfly(2, 5);
    let kapr = Kapr {
        progressive: true,
        congested_factor: Some(0.0),
        congested_flits: Some(9),
        ..Kapr::default()
    };
    let packet = Packet::new(&network, &kapr);
    let (spine, header, minimal, others) = packet.at_spine();
    let seen = |port| if port == minimal[0] { 20 } else { 7 };
    let quiet = packet.told(|_, _| 9);
    let hops = packet.choices(spine, header, &quiet, seen);
    assert!(hops.iter().all(|hop| hop.port == minimal[0]));
    let busy = packet.told(|_, _| 10);
    let hops = packet.choices(spine, header, &busy, seen);
    assert!(hops.iter().all(|hop| hop.port == others[0]));
}

/// What counts is what was told, of both global channels, and the queue up as it is.
#[test]
fn ku_gcn_goes_by_what_it_was_told() {
    let network = mfly(4, 5);
    let packet = Packet::new(&network, &KuGcn::default());
    let told = |first, second| packet.told_towards_last(first, second);
    // 3 hops against 6, or 4 for the quarter of detours whose second link starts where the first one ends.
    assert_eq!(packet.minimal_share(&told(10, 0), |_| 0), 0.0);
    assert_eq!(packet.minimal_share(&told(10, 10), |_| 0), 1.0);
    assert_eq!(packet.minimal_share(&told(10, 4), |_| 0), 0.0);
    assert_eq!(packet.minimal_share(&told(10, 8), |_| 0), 1.0);
    let share = packet.minimal_share(&told(10, 7), |_| 0);
    assert!((share - 0.75_f64.powi(4)).abs() < 0.05, "{share}");
    // Nobody has told anything yet.
    assert_eq!(packet.minimal_share(&told(0, 0), |_| 9), 1.0);
}

/// A minimal channel that is as full as it can get is still cheaper than a detour at half of that, if queues are
/// multiplied by hops; not if they are added up.
#[test]
fn ku_gcn_may_add_queues_up_instead() {
    let network = mfly(4, 5);
    let ku_gcn = KuGcn {
        hop_flits: Some(2),
        ..KuGcn::default()
    };
    let packet = Packet::new(&network, &ku_gcn);
    let told = |first, second| packet.told_towards_last(first, second);
    // 9 + q + 3 * 2 against 9 + 10 + 4 * 2 for a quarter of the detours, and 9 + 10 + 6 * 2 for the others.
    assert_eq!(packet.minimal_share(&told(12, 10), |_| 9), 1.0);
    let share = packet.minimal_share(&told(13, 10), |_| 9);
    assert!((share - 0.75_f64.powi(4)).abs() < 0.05, "{share}");
    assert_eq!(packet.minimal_share(&told(17, 10), |_| 9), 0.0);
}

/// The first channel of a packet that UGAL-G sends is judged by the queue up and the channel behind it.
#[test]
fn ugal_g_adds_what_it_sees_to_what_it_was_told() {
    let network = mfly(2, 5);
    let packet = Packet::new(&network, &UgalG::default());
    let last = packet.last();
    let told = |queue| {
        packet.told(|from, to| match (packet.group(from), packet.group(to)) {
            (0, group) if group == last => queue,
            _ => 4,
        })
    };
    // (3 + q) against 2 * (3 + 4).
    assert_eq!(packet.minimal_share(&told(11), |_| 3), 1.0);
    assert_eq!(packet.minimal_share(&told(12), |_| 3), 0.0);
}

#[test]
fn piggyback_avoids_what_is_called_congested() {
    let network = mfly(4, 5);
    let piggyback = Piggyback {
        congested_factor: Some(0.0),
        congested_flits: Some(9),
        ..Piggyback::default()
    };
    let packet = Packet::new(&network, &piggyback);
    let last = packet.last();
    let towards = |queue| packet.told(|_, to| if packet.group(to) == last { queue } else { 0 });
    assert_eq!(packet.minimal_share(&towards(10), |_| 7), 0.0);
    assert_eq!(packet.minimal_share(&towards(9), |_| 7), 1.0);
}

/// How long a queue can be is in the factor of bits that nobody has given, whatever else is.
#[test]
fn bits_mind_buffers_unless_their_factor_is_given() {
    let piggyback = |congested_factor| Piggyback {
        threshold_flits: Some(8),
        congested_flits: Some(8),
        congested_factor,
        ..Piggyback::default()
    };
    let kapr = |congested_factor| Kapr {
        congested_flits: Some(8),
        congested_factor,
        ..Kapr::default()
    };
    // On a megafly `threshold_flits` says nothing of when a channel is congested.
    let of_threshold = Piggyback {
        congested_flits: None,
        ..piggyback(Some(2.0))
    };
    assert!(of_threshold.minds_buffers());
    assert!(piggyback(None).minds_buffers() && kapr(None).minds_buffers());
    assert!(!piggyback(Some(2.0)).minds_buffers() && !kapr(Some(2.0)).minds_buffers());
}

/// Shpiner's kinds: below its threshold a minimal way is taken whatever else is free, above it a shorter detour first.
#[test]
fn fpar_takes_the_first_kind_below_its_threshold() {
    let network = mfly(4, 5);
    let fpar = |shortcut| Fpar {
        minimal_flits: Some(20),
        shortcut_flits: Some(shortcut),
        detour_flits: Some(40),
        ..Fpar::default()
    };
    let packet = Packet::new(&network, &fpar(21));
    let memory = packet.told(|_, _| 0);
    assert_eq!(packet.minimal_share(&memory, |_| 20), 1.0);
    // Every spine has a link to every group, so that there are shortcuts only.
    assert_eq!(packet.minimal_share(&memory, |_| 21), 0.0);
    assert_eq!(packet.minimal_share(&memory, |_| 22), 1.0);
    // A notification says the same as a queue.
    let busy = packet.told(|_, to| {
        if packet.group(to) == packet.last() {
            21
        } else {
            0
        }
    });
    assert_eq!(packet.minimal_share(&busy, |_| 0), 0.0);
}

/// What is known of a queue is known as late as was asked for, by one table of the network.
#[test]
fn ku_gcn_has_one_table_for_all() {
    let network = mfly(2, 5);
    let ku_gcn = KuGcn {
        feedback_delay: Some(1_000_000),
        ..KuGcn::default()
    };
    let routing = ku_gcn.build(&network, &Context::default()).unwrap();
    let sensing = routing.sensing().unwrap();
    // A word for each end of ten links.
    assert_eq!(sensing.words(0), 20);
    let everyone = Receiver::Region {
        region: 0,
        after: 1_000_000,
    };
    let mut lines = 0;
    for router in network.routers() {
        assert_eq!(sensing.region(router), 0);
        let own = sensing.lines(router);
        assert!(own.iter().all(|receivers| *receivers == [everyone]));
        lines += own.len();
    }
    assert_eq!(lines, 20);
}

/// The channel up and the global one count together, or the longer one alone.
#[test]
fn queues_along_a_way_are_added_up_or_the_longest_counts() {
    let network = mfly(2, 5);
    for (along_way, stays) in [
        (None, 6),
        (Some(AlongWay::Sum), 6),
        (Some(AlongWay::Max), 14),
    ] {
        let packet = Packet::new(
            &network,
            &UgalG {
                along_way,
                ..UgalG::default()
            },
        );
        let up = |port| if port == 3 { 8 } else { 7 };
        let share = |global| packet.minimal_share(&packet.told_towards_last(global, 0), up);
        assert_eq!(share(stays), 1.0, "{along_way:?}");
        // Of the three detours one starts at the same spine.
        let share = share(stays + 1);
        assert!((share - 1.0 / 3.0).abs() < 0.03, "{along_way:?}: {share}");
    }
}

/// Three groups are left with two leaves each, which the source draws.
#[test]
fn the_source_draws_the_leaf_if_it_is_asked_to() {
    let network = mfly(2, 5);
    let via = Some(DetourVia::Leaf);
    let algorithms: [Box<dyn Algorithm>; 3] = [
        Box::new(Ugal {
            threshold_flits: Some(-1000),
            via,
            ..Ugal::default()
        }),
        Box::new(Par {
            threshold_flits: Some(-1000),
            via,
            ..Par::default()
        }),
        Box::new(Piggyback {
            threshold_flits: Some(-1000),
            via,
            ..Piggyback::default()
        }),
    ];
    for algorithm in algorithms {
        let packet = Packet::new(&network, &*algorithm);
        let sensing = packet.routing.sensing();
        let words = sensing.map_or(0, |sensing| sensing.words(sensing.region(RouterId(0))));
        let hops = packet.at_leaf(&vec![0; words], |_| 7);
        let offered = options(&*packet.routing, RouterId(0), packet.start());
        assert_eq!(offered.len(), 1 + 3 * 2);
        for option in &offered[1..] {
            let count = hops.iter().filter(|hop| *hop == option).count();
            assert!((550..790).contains(&count), "{count}");
        }
    }
}

#[test]
fn options_of_the_other_family_are_refused() {
    let (megafly, dragonfly) = (mfly(2, 5), cases::dragonflies()[0].clone());
    let place = |algorithm: &dyn Algorithm, network: &Arc<Network>| {
        let built = algorithm.build(network, &Context::default());
        built.err().map(|invalid| invalid.place)
    };
    let via = Some(DetourVia::Router);
    let by_router: [Box<dyn Algorithm>; 3] = [
        Box::new(Par {
            via,
            ..Par::default()
        }),
        Box::new(UgalG {
            via,
            ..UgalG::default()
        }),
        Box::new(Piggyback {
            via,
            ..Piggyback::default()
        }),
    ];
    for algorithm in by_router {
        assert_eq!(place(&*algorithm, &megafly).as_deref(), Some("via"));
        assert_eq!(place(&*algorithm, &dragonfly), None);
    }
    let via = Some(DetourVia::Leaf);
    let by_leaf = |gg_shortcut| -> [Box<dyn Algorithm>; 4] {
        [
            Box::new(Par {
                via,
                gg_shortcut,
                ..Par::default()
            }),
            Box::new(UgalG {
                via,
                gg_shortcut,
                ..UgalG::default()
            }),
            Box::new(Piggyback {
                via,
                gg_shortcut,
                ..Piggyback::default()
            }),
            Box::new(Ugal {
                via,
                gg_shortcut,
                ..Ugal::default()
            }),
        ]
    };
    for algorithm in by_leaf(false) {
        assert_eq!(place(&*algorithm, &dragonfly).as_deref(), Some("via"));
        assert_eq!(place(&*algorithm, &megafly), None);
    }
    for algorithm in by_leaf(true) {
        let refused = place(&*algorithm, &megafly);
        assert_eq!(refused.as_deref(), Some("gg_shortcut"));
    }
    let ugal = |via| Ugal {
        via: Some(via),
        ..Ugal::default()
    };
    let refused = place(&ugal(DetourVia::Group), &dragonfly);
    assert_eq!(refused.as_deref(), Some("via"));
    assert_eq!(place(&ugal(DetourVia::Router), &dragonfly), None);
    let longest = UgalG {
        along_way: Some(AlongWay::Max),
        ..UgalG::default()
    };
    let refused = place(&longest, &dragonfly);
    assert_eq!(refused.as_deref(), Some("along_way"));
    let gg_shortcut = true;
    let straight: [Box<dyn Algorithm>; 4] = [
        Box::new(Par {
            gg_shortcut,
            ..Par::default()
        }),
        Box::new(UgalG {
            gg_shortcut,
            ..UgalG::default()
        }),
        Box::new(Piggyback {
            gg_shortcut,
            ..Piggyback::default()
        }),
        Box::new(Ugal {
            gg_shortcut,
            ..Ugal::default()
        }),
    ];
    for algorithm in straight {
        let refused = place(&*algorithm, &dragonfly);
        assert_eq!(refused.as_deref(), Some("gg_shortcut"));
        assert_eq!(place(&*algorithm, &megafly), None);
    }
    let booksim = Ugal {
        classes: UgalClasses::Booksim,
        ..Ugal::default()
    };
    assert_eq!(place(&booksim, &megafly).as_deref(), Some("classes"));
    for paths in [Some(0), Some(65)] {
        let kapr = Kapr {
            paths,
            ..Kapr::default()
        };
        assert_eq!(place(&kapr, &megafly).as_deref(), Some("paths"));
    }
    let late = KuGcn {
        feedback_delay: Some(Receiver::MOST_DELAY + 1),
        ..KuGcn::default()
    };
    assert_eq!(place(&late, &megafly).as_deref(), Some("feedback_delay"));
    let grainless = KuGcn {
        queues_grain_flits: Some(0),
        ..KuGcn::default()
    };
    let refused = place(&grainless, &megafly);
    assert_eq!(refused.as_deref(), Some("queues_grain_flits"));
    for algorithm in [
        Box::new(Fpar::default()) as Box<dyn Algorithm>,
        Box::new(ParSst::default()),
        Box::new(KuGcn::default()),
    ] {
        assert_eq!(place(&*algorithm, &dragonfly).as_deref(), Some("kind"));
    }
}
