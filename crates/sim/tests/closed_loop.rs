//! Terminals that answer what arrives: when they are told what, and what comes of it.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::configurations::{Configuration, booksim_sample, difference, sample};
use crate::toys::{
    Answering, Apart, Classes, Counted, Crew, DimensionOrder, EitherHalf, Listed, NEVER, Packet,
    Requests, Scripted, Toys, crews, until_all_arrive, window,
};
use turnwise_network::{
    Event, FlowControl, Mark, Message, Network, Outbox, Routing, TerminalId, Workload,
};
use turnwise_sim::{Depth, Ending, Outcome, RouterModel, Schedule, Stalled};

const TO_THE_END: Schedule = Schedule::ToCompletion { limit: 1_000_000 };

fn in_order(network: &Network, vcs: u8) -> DimensionOrder<'_> {
    DimensionOrder {
        network,
        vcs,
        classes: Classes::None,
    }
}

fn router(virtual_channels: u8, buffer_flits: u32) -> RouterModel {
    RouterModel {
        virtual_channels,
        buffers: Depth::everywhere(buffer_flits),
        ..RouterModel::default()
    }
}

fn message(destination: u32, flits: u16, tag: u64) -> Message {
    Message {
        destination: TerminalId(destination),
        flits,
        tag,
        report_sent: true,
        ..Message::default()
    }
}

/// What terminals hear that follow a script, on a mesh of 4 x 4.
fn play<F>(scripted: &Scripted<F>) -> Outcome
where
    F: Fn(TerminalId, Event, u64, &mut Outbox) + Clone + Send + Sync + 'static,
{
    play_for(scripted, TO_THE_END)
}

fn play_for<F>(scripted: &Scripted<F>, schedule: Schedule) -> Outcome
where
    F: Fn(TerminalId, Event, u64, &mut Outbox) + Clone + Send + Sync + 'static,
{
    let network = toys::mesh(&[4, 4], 1, 3, 2);
    let answering = Answering {
        network: &network,
        routing: &in_order(&network, 2),
        workload: scripted,
        model: &router(2, 8),
        schedule,
        seed: 1,
    };
    answering.run()
}

/// Cycles that a packet takes through the same mesh, empty.
fn latency(from: u32, to: u32, flits: u16) -> u64 {
    let network = toys::mesh(&[4, 4], 1, 3, 2);
    let packet = Packet {
        source: from,
        created: 0,
        destination: to,
        flits,
    };
    let toys = Toys {
        network: &network,
        routing: &in_order(&network, 2),
        injector: &Listed(vec![packet]),
        model: &router(2, 8),
        phases: &until_all_arrive(10),
        seed: 1,
    };
    toys.run().measurement.latencies.quantile(1.0).unwrap()
}

#[test]
fn an_arrival_takes_effect_in_the_cycle_its_tail_arrives() {
    let scripted = Scripted::new(|me, event, now, out: &mut Outbox| match event {
        Event::Start if me.0 == 0 => out.send(message(15, 5, 7)),
        Event::Arrived { from, tag, .. } if me.0 == 15 => {
            out.send(Message {
                not_before: now + 11,
                report_sent: false,
                ..message(from.0, 3, tag + 1)
            });
        }
        Event::Arrived { .. } => out.complete(0),
        _ => {}
    });
    let outcome = play(&scripted);
    let (there, back) = (latency(0, 15, 5), latency(15, 0, 3));
    let told = scripted.heard();
    let told = told.iter().filter(|(.., event)| *event != Event::Start);
    let arrived = |from, tag, flits| Event::Arrived {
        from: TerminalId(from),
        tag,
        note: 0,
        flits,
        class: 0,
        mark: Mark(0),
        parties: [0; 2],
    };
    // The tail of a packet of n flits leaves in the n-th cycle, and the terminal hears of it in the next one if it
    // wants to.
    let answered = there + 11;
    let expected = [
        (TerminalId(0), 5, Event::Sent { tag: 7, party: 0 }),
        (TerminalId(15), there, arrived(0, 7, 5)),
        (TerminalId(0), answered + back, arrived(15, 8, 3)),
    ];
    assert_eq!(told.copied().collect::<Vec<_>>(), expected);
    assert_eq!(outcome.ending, Ending::Completed);
    assert_eq!(outcome.makespan, Some(answered + back));
    let transactions = outcome.measurement.transactions;
    assert_eq!(transactions.completed, 1);
    assert_eq!(transactions.mean_time, (answered + back) as f64);
}

/// Agents that are done do not make a message arrive that is on its way: those that it is between are not through.
#[test]
fn what_is_on_its_way_is_open_among_those_that_send_it() {
    let scripted = Scripted::new(|me, event, _, out: &mut Outbox| match event {
        Event::Start if me.0 == 0 => out.send(message(15, 5, 7)),
        Event::Start if me.0 == 3 => out.send(message(4, 1, 7)),
        _ => {}
    });
    let limit = latency(0, 15, 5) - 1;
    let cut = play_for(&scripted, Schedule::ToCompletion { limit });
    let whole = play(&scripted);
    let open = |outcome: &Outcome, pair: [usize; 2]| {
        let open = pair.map(|terminal| outcome.unsettled[terminal]);
        open.iter().sum::<i64>()
    };
    assert_eq!(
        (&cut.ending, &whole.ending),
        (&Ending::LimitReached, &Ending::Completed)
    );
    assert_eq!([[0, 15], [3, 4]].map(|pair| open(&cut, pair)), [1, 0]);
    assert_eq!([[0, 15], [3, 4]].map(|pair| open(&whole, pair)), [0, 0]);
}

#[test]
fn timers_ring_however_far_they_are_and_in_the_order_they_were_set() {
    let scripted = Scripted::new(|me, event, now, out: &mut Outbox| match event {
        Event::Start if me.0 == 3 => {
            for (at, timer) in [(50_000, 1), (0, 2), (1_024, 3), (50_000, 4), (1_025, 5)] {
                out.ring(at, timer);
            }
        }
        // Set later, due at the same time as the first.
        Event::Timer(5) => out.ring(50_000, 6),
        Event::Timer(6) => out.send(message(3, 1, now)),
        _ => {}
    });
    let outcome = play(&scripted);
    let rung = scripted
        .heard()
        .into_iter()
        .filter_map(|(_, now, event)| match event {
            Event::Timer(timer) => Some((now, timer)),
            _ => None,
        });
    let expected = [
        (1, 2),
        (1_024, 3),
        (1_025, 5),
        (50_000, 1),
        (50_000, 4),
        (50_000, 6),
    ];
    assert_eq!(rung.collect::<Vec<_>>(), expected);
    assert_eq!(outcome.makespan, Some(50_000 + latency(3, 3, 1)));
}

/// So many cycles that nobody could look at them all: the clock jumps, on one thread and on several.
#[test]
fn time_in_which_nothing_happens_costs_nothing() {
    const LONG: u64 = 1 << 50;
    let network = toys::mesh(&[4, 4], 1, 3, 2);
    let alone = |from, to| latency(from, to, 2);
    for crew in crews() {
        let scripted = Scripted::new(|me, event, now, out: &mut Outbox| match event {
            Event::Start if me.0 == 0 => out.ring(LONG, 1),
            Event::Timer(1) => out.send(message(15, 2, 0)),
            Event::Arrived { .. } if me.0 == 15 => out.ring(now + LONG, 2),
            Event::Timer(2) => out.send(message(0, 2, 0)),
            _ => {}
        });
        let answering = Answering {
            network: &network,
            routing: &in_order(&network, 2),
            workload: &scripted,
            model: &router(2, 8),
            schedule: Schedule::ToCompletion {
                limit: u64::MAX / 2,
            },
            seed: 1,
        };
        let outcome = answering.simulate(false, crew);
        assert_eq!(outcome.ending, Ending::Completed);
        let expected = 2 * LONG + alone(0, 15) + alone(15, 0);
        assert_eq!(outcome.makespan, Some(expected));
    }
}

#[test]
fn who_waits_for_what_never_comes_is_named() {
    let scripted = Scripted::new(|me, event, _, out: &mut Outbox| match event {
        Event::Start if me.0 == 2 || me.0 == 9 => out.ring(1, NEVER),
        Event::Start => out.send(message(2, 4, 0)),
        _ => {}
    });
    let outcome = play(&scripted);
    let waiting = [2, 9].map(|terminal| Stalled {
        terminal: TerminalId(terminal),
        failure: None,
        waits: Vec::new(),
    });
    assert_eq!(outcome.ending, Ending::Stalled(waiting.to_vec()));
    assert_eq!((outcome.packets, outcome.makespan), (14, None));
}

#[test]
fn messages_to_nobody_are_lost() {
    let scripted = Scripted::new(|me, event, _, out: &mut Outbox| {
        if event == Event::Start && me.0 == 5 {
            out.send(message(1_000, 1, 0));
        }
    });
    let lost = Ending::Lost {
        source: TerminalId(5),
        destination: TerminalId(1_000),
    };
    assert_eq!(play(&scripted).ending, lost);
}

/// A mesh of 8 x 8 whose terminals ask and answer.
fn mesh_of_requests(
    requests: &Requests,
    vcs: u8,
    schedule: Schedule,
    crew: Option<Crew>,
) -> Outcome {
    let network = toys::mesh(&[8, 8], 1, 1, 1);
    let (together, apart): (_, Apart<'_>) = (
        in_order(&network, vcs),
        Apart(Box::new(in_order(&network, (vcs / 2).max(1)))),
    );
    let answering = Answering {
        network: &network,
        routing: match requests.apart {
            true => &apart,
            false => &together,
        },
        workload: requests,
        model: &router(vcs, 4),
        schedule,
        seed: 1,
    };
    answering.simulate(crew.is_none(), crew.unwrap_or(1.into()))
}

fn requests(window: u32) -> Requests {
    Requests {
        terminals: 64,
        window,
        request_flits: 1,
        reply_flits: 5,
        service: 20,
        apart: true,
        room: Some(4),
        requests: None,
        seed: 3,
    }
}

#[test]
fn throughput_and_time_multiply_to_the_window() {
    for size in [1, 2, 4, 8] {
        let outcome = mesh_of_requests(&requests(size), 4, window_of(20_000), None);
        assert_eq!(outcome.ending, Ending::Completed);
        let transactions = outcome.measurement.transactions;
        let rate = transactions.completed as f64 / (64.0 * outcome.measurement.window as f64);
        let under_way = rate * transactions.mean_time;
        let error = under_way / f64::from(size) - 1.0;
        assert!(error.abs() < 0.01, "{under_way} instead of {size}");
    }
}

fn window_of(cycles: u64) -> Schedule {
    Schedule::Window(window(2_000, cycles))
}

#[test]
fn replies_behind_requests_deadlock_and_apart_from_them_never() {
    let eager = Requests {
        window: 16,
        room: Some(1),
        service: 1,
        ..requests(16)
    };
    let together = Requests {
        apart: false,
        ..eager.clone()
    };
    let outcome = mesh_of_requests(&together, 2, window_of(100_000), None);
    let Ending::Deadlocked(cycle) = &outcome.ending else {
        panic!("{:?}", outcome.ending)
    };
    // It goes through a terminal: from the channel that leads to its router to the one it injects into.
    let network = toys::mesh(&[8, 8], 1, 1, 1);
    let injects = |waiting: &&turnwise_sim::WaitingChannel| {
        waiting.channel.index() >= network.channel_count()
    };
    assert!(cycle.iter().any(|waiting| injects(&waiting)), "{cycle:?}");
    let outcome = mesh_of_requests(&eager, 2, window_of(100_000), None);
    assert_eq!(outcome.ending, Ending::Completed);
    assert!(outcome.measurement.transactions.completed > 10_000);
}

#[test]
fn a_run_to_completion_ends_with_the_last_reply() {
    let some = Requests {
        requests: Some(50),
        ..requests(4)
    };
    let alone = mesh_of_requests(&some, 4, TO_THE_END, None);
    assert_eq!(alone.ending, Ending::Completed);
    assert_eq!(alone.packets, 2 * 64 * 50);
    assert_eq!(alone.measurement.transactions.completed, 64 * 50);
    assert_eq!(alone.measurement.packets, alone.packets);
    assert_eq!(alone.makespan, Some(alone.cycles));
    let [asked, answered] = &alone.measurement.classes[..] else {
        panic!("two classes")
    };
    assert_eq!((asked.packets, answered.packets), (64 * 50, 64 * 50));
    for crew in crews() {
        let together = mesh_of_requests(&some, 4, TO_THE_END, Some(crew));
        assert_eq!(difference(&alone, &together), None, "{crew:?}");
        assert_eq!(alone.makespan, together.makespan);
        assert_eq!(alone.unsettled, together.unsettled);
    }
    assert_eq!(alone.unsettled.iter().sum::<i64>(), 0);
}

/// Any network and any router, with terminals that answer, some of which refuse requests for a while.
fn answering(configuration: &Configuration, number: usize) -> (Requests, Schedule) {
    let flits = configuration.traffic.flits;
    let is_bubble = configuration.model.flow_control == FlowControl::Bubble;
    let requests = Requests {
        terminals: configuration.network().terminal_count() as u32,
        window: 1 + number as u32 % 4,
        // The bubble rule is proved for packets of one length.
        request_flits: if is_bubble { flits } else { 1 },
        reply_flits: flits,
        service: [0, 1, 30, 2_000][number / 2 % 4],
        apart: number.is_multiple_of(2) && configuration.model.virtual_channels.is_multiple_of(2),
        room: [None, Some(1), Some(3)][number / 3 % 3],
        requests: [None, Some(20)][number / 5 % 2],
        seed: configuration.seed,
    };
    let schedule = match requests.requests {
        None => Schedule::Window(configuration.phases),
        Some(_) => Schedule::ToCompletion {
            limit: configuration.phases.limit,
        },
    };
    (requests, schedule)
}

fn run_any(
    configuration: &Configuration,
    number: usize,
    check: bool,
    crew: impl Into<Crew>,
) -> Outcome {
    let (requests, schedule) = answering(configuration, number);
    run_with(configuration, &requests, schedule, check, crew)
}

fn run_with(
    configuration: &Configuration,
    requests: &Requests,
    schedule: Schedule,
    check: bool,
    crew: impl Into<Crew>,
) -> Outcome {
    let network = configuration.network();
    let vcs = configuration.model.virtual_channels;
    let routing = configuration.place.routing_on(
        &network,
        match requests.apart {
            true => vcs / 2,
            false => vcs,
        },
    );
    let routing: Box<dyn Routing> = match requests.apart {
        true => Box::new(Apart(routing)),
        false => routing,
    };
    let answering = Answering {
        network: &network,
        routing: &*routing,
        workload: requests,
        model: &configuration.model,
        schedule,
        seed: configuration.seed,
    };
    answering.simulate(check, crew)
}

fn count(usual: usize) -> usize {
    let wanted = std::env::var("TURNWISE_SOAK_CONFIGURATIONS");
    wanted.map_or(usual, |count| count.parse().unwrap())
}

#[test]
fn one_to_four_threads_answer_alike() {
    let mut endings = [0; 3];
    for (number, configuration) in sample(count(60), 41).iter().enumerate() {
        let alone = run_any(configuration, number, false, 1);
        endings[match alone.ending {
            Ending::Completed => 0,
            Ending::Deadlocked(_) => 1,
            _ => 2,
        }] += 1;
        for crew in crews() {
            let together = run_any(configuration, number, false, crew);
            let difference = difference(&alone, &together);
            assert_eq!(difference, None, "{crew:?}, {number}: {configuration:?}");
            assert_eq!(alone.makespan, together.makespan);
        }
    }
    assert!(endings[0] > 30 && endings[1] > 2, "{endings:?}");
}

#[test]
fn nothing_is_lost_between_terminals_that_answer() {
    for (number, configuration) in sample(count(150), 43).iter().enumerate() {
        let outcome = run_any(configuration, number, true, 1);
        let (requests, _) = answering(configuration, number);
        let same = run_any(configuration, number, false, 1);
        assert_eq!(
            difference(&outcome, &same),
            None,
            "{number}: {configuration:?}"
        );
        if outcome.makespan.is_some() {
            let sent = u64::from(requests.terminals) * 20;
            assert_eq!(outcome.packets, 2 * sent, "{number}: {configuration:?}");
            assert_eq!(outcome.measurement.transactions.completed, sent);
        }
        let may_wait = outcome.ending == Ending::LimitReached
            || matches!(outcome.ending, Ending::Deadlocked(_) | Ending::Completed);
        assert!(
            may_wait,
            "{:?}: {number}: {configuration:?}",
            outcome.ending
        );
    }
}

/// Terminals with room for all are simulated by the code for those that refuse.
#[test]
fn terminals_that_never_refuse_are_as_fast_as_those_that_cannot() {
    for (number, configuration) in sample(count(120), 53).iter().enumerate() {
        let (requests, schedule) = answering(configuration, number);
        let run = |room| {
            let requests = Requests {
                room,
                ..requests.clone()
            };
            run_with(configuration, &requests, schedule, false, 1 + number % 2)
        };
        let difference = difference(&run(None), &run(Some(u32::MAX)));
        assert_eq!(difference, None, "{number}: {configuration:?}");
    }
}

/// What these runs gave when every flit to a terminal was looked at in the cycle it came. It is not any more; a
/// change of this number means that closed loops differ from those that users have had.
#[test]
fn terminals_that_refuse_do_as_they_have_always_done() {
    let sum = booksim_sample(120, 47)
        .into_iter()
        .enumerate()
        .map(|(number, any)| {
            let outcome = run_any(&any, number, false, 1);
            outcome.fingerprint.rotate_left(number as u32) ^ outcome.cycles
        });
    assert_eq!(sum.fold(0, u64::wrapping_add), 14_270_743_119_256_740_717);
}

#[test]
fn packets_take_any_of_their_starts_and_keep_to_it() {
    let network = toys::mesh(&[4, 4], 1, 1, 1);
    let routing = EitherHalf(Box::new(in_order(&network, 4)));
    let some = Requests {
        terminals: 16,
        requests: Some(100),
        apart: false,
        room: None,
        ..requests(2)
    };
    let answering = Answering {
        network: &network,
        routing: &routing,
        workload: &some,
        model: &router(4, 4),
        schedule: TO_THE_END,
        seed: 1,
    };
    let alone = answering.run();
    assert_eq!(alone.ending, Ending::Completed);
    assert_eq!(difference(&alone, &answering.simulate(false, 3)), None);
    let other = Answering {
        seed: 2,
        ..answering
    };
    assert!(
        difference(&alone, &other.run()).is_some(),
        "starts are drawn"
    );
}

#[test]
fn what_routers_write_on_packets_arrives_with_them() {
    let network = toys::mesh(&[4, 4], 1, 1, 1);
    for threads in [1, 2, 4] {
        let scripted = Scripted::new(|me, event, _, out: &mut Outbox| {
            if event == Event::Start {
                (0..16).for_each(|to| out.send(message(to, 3, u64::from(me.0))));
            }
        });
        let answering = Answering {
            network: &network,
            routing: &Counted(Box::new(in_order(&network, 2))),
            workload: &scripted,
            model: &router(2, 4),
            schedule: TO_THE_END,
            seed: 1,
        };
        assert_eq!(answering.simulate(threads == 1, threads).packets, 256);
        let mut seen = 0;
        for (to, _, event) in scripted.heard() {
            if let Event::Arrived { from, mark, .. } = event {
                let (dx, dy) = (
                    (to.0 / 4).abs_diff(from.0 / 4),
                    (to.0 % 4).abs_diff(from.0 % 4),
                );
                // Channels between routers, and the one to the terminal.
                assert_eq!(mark, Mark(dx + dy + 1));
                seen += 1;
            }
        }
        assert_eq!(seen, 256);
    }
}

/// The interface is what a program sees that brings a workload of its own.
#[test]
fn workloads_take_all_by_default() {
    let scripted = Scripted::new(|_, _, _, _: &mut Outbox| {});
    let workload: &dyn Workload = &scripted;
    assert_eq!((workload.classes(), workload.answers()), (1, &[][..]));
    assert!(workload.agent(TerminalId(0)).takes(0, 1_000));
}
