//! When a notice is seen, cycle by cycle.

use super::super::domain::Domain;
use super::super::partition::Partition;
use super::super::wiring::Wiring;
use super::super::{Demand, Setup, is_plain};
use super::Lines;
use crate::buffers::Depth;
use crate::model::{Phases, RouterKind, RouterModel, Schedule};
use std::sync::atomic::{AtomicU32, Ordering};
use turnwise_config::units::Cycles;
use turnwise_network::topologies::{ChannelLatency, Latency, Mesh, Topology};
use turnwise_network::{
    Congestion, Header, Hop, Injector, Network, Notice, PacketRequest, Port, QueueLine, Receiver,
    RouterId, Routing, Sender, Sensing, Start, TerminalId, Vc, VcSet,
};

/// Port 0 leads to the terminal, port 1 to the router with the larger number, port 2 to the other one.
const UP: Port = 1;
const DOWN: Port = 2;

/// A line of routers, of which each tells its lower neighbour how full its upper port is.
struct Line {
    network: Network,
    /// Told over the channel, or to all after so many cycles.
    after: Option<u32>,
    grain: u32,
    /// Do routers note when flits leave? And for how long may router 1 withhold credits for flits that go upwards?
    times: bool,
    most_withheld: u32,
    /// Do routers count what waits for their ports?
    awaits: bool,
    /// Are lines said to tell queues?
    tells_queues: bool,
    reports: AtomicU32,
}

impl Line {
    fn new(latency: u32, after: Option<u32>) -> Self {
        let fixed = |cycles: u32| Latency::Fixed(Cycles(cycles));
        let channel_latency = ChannelLatency {
            local: fixed(latency),
            ..ChannelLatency::default()
        };
        let mesh = Mesh {
            sizes: vec![3],
            terminals_per_router: 1,
            channel_latency,
        };
        Self {
            network: mesh.build(None).unwrap(),
            after,
            grain: 1,
            times: false,
            most_withheld: 0,
            awaits: false,
            tells_queues: false,
            reports: AtomicU32::new(0),
        }
    }
}

impl Routing for Line {
    fn virtual_channels(&self) -> Vc {
        1
    }

    fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
        Some(Start {
            header: Header::to(destination),
            vcs: VcSet::all(1),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let port = match header.destination.0.cmp(&at.0) {
            std::cmp::Ordering::Less => DOWN,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => UP,
        };
        let vcs = VcSet::all(1);
        options.push(Hop { port, vcs, header });
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(self)
    }
}

impl Sensing for Line {
    fn words(&self, _: u32) -> usize {
        1
    }

    fn lines(&self, at: RouterId) -> Vec<Vec<Receiver>> {
        let receiver = match (self.after, at.0) {
            (_, 0) => return Vec::new(),
            (None, _) => Receiver::Behind(DOWN),
            (Some(after), router) => Receiver::Region {
                region: router - 1,
                after,
            },
        };
        vec![vec![receiver]]
    }

    fn grain(&self, _: RouterId, port: Port) -> u32 {
        if port == UP { self.grain } else { 0 }
    }

    fn queue_line(&self, _: RouterId, _: usize) -> Option<QueueLine> {
        let (port, word) = (UP, 0);
        self.tells_queues.then_some(QueueLine { port, word })
    }

    fn report(&self, _: RouterId, sees: &dyn Congestion, notices: &mut [Notice]) {
        self.reports.fetch_add(1, Ordering::Relaxed);
        notices[0] = Notice([sees.occupancy(UP, VcSet::EVERY) + sees.awaiting(UP), 0]);
    }

    fn counts_awaiting(&self) -> bool {
        self.awaits
    }

    fn times(&self) -> bool {
        self.times
    }

    fn most_withheld(&self) -> u32 {
        self.most_withheld
    }

    fn withholds(&self, at: RouterId, input: Port, output: Port) -> bool {
        (at, input, output) == (RouterId(1), DOWN, UP)
    }

    fn receive(&self, _: u32, from: Sender, notice: Notice, memory: &mut [u32]) -> bool {
        assert_eq!(from.line, 0);
        memory[0] = notice.0[0];
        false
    }
}

/// Packets of three flits from terminal 0 to terminal 2, now and then.
struct Upwards;

impl Injector for Upwards {
    fn next(&self, from: TerminalId, number: u32, _: Option<u64>) -> Option<PacketRequest> {
        (from.0 == 0).then(|| PacketRequest {
            created: u64::from(number) * 11 + u64::from(number % 3) * 4,
            destination: TerminalId(2),
            flits: 3,
        })
    }

    fn longest_packet(&self) -> u16 {
        3
    }
}

/// The same from terminal 1, too, so that packets wait for each other at its router.
struct Meeting;

impl Injector for Meeting {
    fn next(&self, from: TerminalId, number: u32, after: Option<u64>) -> Option<PacketRequest> {
        let below = TerminalId(from.0.saturating_sub(1));
        Upwards.next(below, number, after)
    }

    fn longest_packet(&self) -> u16 {
        Upwards.longest_packet()
    }
}

/// What router 1 sees of its upper port at the end of every cycle, and what router 0 knows of it when it
/// decides in that cycle; and how many reports there were.
fn course<const PLAIN: bool>(line: &Line, model: &RouterModel) -> (Vec<u32>, Vec<u32>, u32) {
    let (mut sees, mut knows) = (Vec::new(), Vec::new());
    simulate::<PLAIN>(line, &Upwards, model, |domain| {
        sees.push(domain.view(1).occupancy(UP, VcSet::EVERY));
        // Notices are received before anything else, so this is what was known all cycle long.
        knows.push(domain.view(0).memory()[0]);
        assert_eq!(domain.view(2).memory(), [0], "nobody tells the last router");
    });
    (sees, knows, line.reports.load(Ordering::Relaxed))
}

/// 400 cycles, and something to look at after each.
fn simulate<const PLAIN: bool>(
    line: &Line,
    injector: &dyn Injector,
    model: &RouterModel,
    mut look: impl FnMut(&Domain<'_, true, PLAIN>),
) {
    assert_eq!(is_plain(model), PLAIN);
    let setup = Setup {
        network: &line.network,
        routing: line,
        demand: Demand::Open(injector),
        model,
        schedule: Schedule::Window(Phases::default()),
        seed: 1,
        minimal: None,
        interval: None,
        check: false,
        threads: 1,
    };
    let wiring = Wiring::new(&line.network, model);
    let partition = Partition::whole(&wiring);
    let lines = Lines::new(line, &line.network, &wiring, &partition);
    let mut domain = Domain::<true, PLAIN>::new(setup, &wiring, &partition, Some(&lines), 0);
    domain.start_terminals();
    for cycle in 0..400 {
        domain.now = cycle;
        domain.cycle();
        look(&domain);
    }
}

fn plain() -> RouterModel {
    RouterModel {
        buffers: Depth::everywhere(4),
        ..RouterModel::default()
    }
}

/// With output queues, and several steps a cycle.
fn special() -> RouterModel {
    RouterModel {
        kind: RouterKind::InputOutputQueued,
        speedup_permille: 2000,
        ..plain()
    }
}

fn assert_delayed(sees: &[u32], knows: &[u32], delay: usize) {
    let changes = sees.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(changes > 10, "only {changes} changes");
    let shifted = std::iter::repeat_n(&0, delay).chain(sees);
    let shifted: Vec<u32> = shifted.take(knows.len()).copied().collect();
    assert_eq!(knows, shifted, "a delay of {delay} cycles");
}

#[test]
fn a_notice_takes_as_long_as_its_channel() {
    for latency in [1, 2, 7, 30] {
        let (sees, knows, _) = course::<true>(&Line::new(latency, None), &plain());
        assert_delayed(&sees, &knows, latency as usize);
        let (sees, knows, _) = course::<false>(&Line::new(latency, None), &special());
        assert_delayed(&sees, &knows, latency as usize);
    }
}

#[test]
fn or_as_long_as_was_said() {
    for after in [1, 3, 64, 200] {
        let (sees, knows, _) = course::<true>(&Line::new(2, Some(after)), &plain());
        assert_delayed(&sees, &knows, after as usize);
        let (sees, knows, _) = course::<false>(&Line::new(2, Some(after)), &special());
        assert_delayed(&sees, &knows, after as usize);
    }
}

/// Nobody is asked what a queue is, or to keep it. What is known from the next cycle on is written at its beginning, or, where queues are
/// not told in steps, at the end of this one.
#[test]
fn queues_take_as_long_and_need_no_reports() {
    fn check<const PLAIN: bool>(model: &RouterModel) {
        for after in [1, 2, 3, 64, 200] {
            let line = Line {
                tells_queues: true,
                ..Line::new(2, Some(after))
            };
            let (sees, knows, reports) = course::<PLAIN>(&line, model);
            let at_once = !PLAIN && after == 1;
            let delay = if at_once { 0 } else { after as usize };
            assert_delayed(&sees, &knows, delay);
            assert_eq!(reports, 0);
        }
    }
    check::<true>(&plain());
    check::<false>(&special());
}

/// What waits for a port is every flit of the packets that are routed there and have not crossed, and is told with what
/// is under way.
#[test]
fn what_waits_for_a_port_is_counted() {
    fn check<const PLAIN: bool>(model: &RouterModel) {
        let line = Line {
            awaits: true,
            ..Line::new(2, None)
        };
        let (mut sees, mut knows, mut most) = (Vec::new(), Vec::new(), 0);
        simulate::<PLAIN>(&line, &Meeting, model, |domain| {
            let storage = &domain.state.storage;
            let masks = storage.masks(1, 0);
            let routed = masks.fronts & !masks.next;
            let lanes = (0..64).filter(|lane| routed >> lane & 1 == 1);
            let lanes = lanes.map(|lane| storage.lane(1, lane));
            let left = lanes.filter(|lane| lane.port == UP).map(|lane| lane.left);
            let counted = domain.view(1).awaiting(UP);
            assert_eq!(counted, left.map(u32::from).sum::<u32>());
            most = most.max(counted);
            sees.push(domain.view(1).occupancy(UP, VcSet::EVERY) + counted);
            knows.push(domain.view(0).memory()[0]);
        });
        assert_eq!(most, 6, "two packets waited at once");
        assert_delayed(&sees, &knows, 2);
    }
    check::<true>(&plain());
    check::<false>(&special());
}

/// A plain router reports in the cycles in which a flit has left by a port it watches or a credit has come.
#[test]
fn reports_follow_changes() {
    let line = Line::new(2, None);
    let (sees, _, reports) = course::<true>(&line, &plain());
    let changes = sees.windows(2).filter(|pair| pair[0] != pair[1]).count() as u32;
    // Those of router 2, which sends nothing upwards, are none; a flit and a credit may come together.
    assert!(
        (changes..=changes + changes / 2).contains(&reports),
        "{reports} reports of {changes} changes"
    );
}

#[test]
#[should_panic(expected = "a notice takes 1 to")]
fn no_notice_is_there_at_once() {
    course::<true>(&Line::new(2, Some(0)), &plain());
}

/// With a coarser grain, what is known lags behind by less than one.
#[test]
fn a_grain_is_what_may_go_unsaid() {
    let line = Line {
        grain: 3,
        ..Line::new(2, None)
    };
    for (sees, knows, reports) in [
        course::<true>(&line, &plain()),
        course::<false>(&line, &special()),
    ] {
        let changes = sees.windows(2).filter(|pair| pair[0] != pair[1]).count() as u32;
        assert!(
            reports * 3 < changes * 2,
            "{reports} reports of {changes} changes"
        );
        for (&sees, &knows) in sees.iter().zip(&knows[2..]) {
            assert!(sees.abs_diff(knows) < 3, "{sees} are told as {knows}");
        }
        assert!(knows.iter().any(|&knows| knows > 0));
    }
}

/// Of what is under way, as much was sent lately as has become more of it, and all of it within a long time.
#[test]
fn flits_are_timed_until_they_are_credited() {
    fn check<const PLAIN: bool>(model: &RouterModel) {
        let line = Line {
            times: true,
            ..Line::new(20, None)
        };
        // No credit comes sooner.
        const WITHIN: usize = 40;
        let (mut sent, mut lately, mut all) = (Vec::new(), Vec::new(), Vec::new());
        simulate::<PLAIN>(&line, &Upwards, model, |domain| {
            let view = domain.view_afterwards(1);
            let left = domain.state.storage.port(1, UP.into()).sent;
            sent.push(left + view.queued(UP, VcSet::EVERY));
            lately.push(view.sent_within(UP, VcSet::EVERY, WITHIN as u32));
            let occupancy = view.occupancy(UP, VcSet::EVERY);
            all.push((occupancy, view.sent_within(UP, VcSet::EVERY, 1_000)));
        });
        let before = std::iter::repeat_n(&0, WITHIN).chain(&sent);
        let recent: Vec<u32> = sent
            .iter()
            .zip(before)
            .map(|(now, then)| now - then)
            .collect();
        assert_eq!(lately, recent);
        assert!(all.iter().all(|(occupancy, sent)| occupancy == sent));
        assert!(all.iter().any(|&(occupancy, _)| occupancy > 3));
        assert!(
            lately
                .iter()
                .zip(&all)
                .any(|(&lately, &(all, _))| lately < all)
        );
    }
    let deep = |model| RouterModel {
        buffers: Depth::everywhere(64),
        ..model
    };
    check::<true>(&deep(plain()));
    check::<false>(&deep(special()));
}

/// Single flits from terminal 0 to terminal 2, which sends some to itself in between.
struct Crowded;

impl Injector for Crowded {
    fn next(&self, from: TerminalId, number: u32, _: Option<u64>) -> Option<PacketRequest> {
        let created = match from.0 {
            0 => u64::from(number) * 2,
            2 => 60 + u64::from(number / 40) * 150 + u64::from(number % 40),
            _ => return None,
        };
        Some(PacketRequest {
            created,
            destination: TerminalId(2),
            flits: 1,
        })
    }

    fn longest_packet(&self) -> u16 {
        1
    }
}

/// The credit for a flit that leaves router 1 upwards is withheld for as long as that port's last credit was late, the limit at most.
#[test]
fn a_credit_is_withheld_for_as_long_as_others_are_late() {
    let model = RouterModel {
        buffers: Depth::everywhere(32),
        // Of no consequence here, but not plain.
        busy_when_full: true,
        ..RouterModel::default()
    };
    for most_withheld in [0, 5, 4_096] {
        let line = Line {
            times: true,
            most_withheld,
            ..Line::new(3, None)
        };
        // Flits that have left, credits that have come, and those that should have.
        let (mut left, mut due, mut longest) = (0, vec![0; 5_000], 0);
        let mut credited = 0;
        simulate::<false>(&line, &Crowded, &model, |domain| {
            let (first, port) = (domain.wiring.routers[1].first_port, u32::from(UP));
            let times = &domain.signals.as_ref().unwrap().credit_times;
            let late = times.late(first + port).min(most_withheld.into());
            let storage = &domain.state.storage;
            credited += due[domain.now as usize];
            let sent = storage.port(0, port).sent;
            let view = domain.view(0);
            assert_eq!(view.unacknowledged(UP, VcSet::EVERY), sent - credited);
            let delay = storage.port(1, DOWN.into()).credit_delay;
            let leaves = storage.port(1, port).sent - left;
            due[(domain.now + u64::from(delay) + late) as usize] += leaves;
            left += leaves;
            longest = longest.max(late);
        });
        assert!(left > 100, "{left} flits");
        match most_withheld {
            4_096 => assert!(longest > 10, "{longest} cycles at most"),
            limit => assert_eq!(longest, u64::from(limit)),
        }
    }
}
