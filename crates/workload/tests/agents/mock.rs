//! A network that knows nothing but latencies, and terminals that may refuse what comes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Agent, Event, Mark, Message, Network, Outbox, TerminalId, Workload};

/// Cycles that every message takes at least; its tail leaves in the first of them.
pub(crate) const LATENCY: u64 = 10;
/// With so many cycles more at most, messages overtake each other.
pub(crate) const JITTER: u32 = 50;

/// What a run came to.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The cycle of the last event.
    pub(crate) makespan: u64,
    pub(crate) messages: u64,
    pub(crate) flits: u64,
    /// Terminal, beginning and end of every transaction, in the order of the ends.
    pub(crate) transactions: Vec<(u32, u64, u64)>,
    /// Did messages stay in the network because nobody takes them?
    pub(crate) refused: usize,
    /// Agents that are not done.
    pub(crate) busy: usize,
    /// Why agents do nothing any more.
    pub(crate) failures: Vec<String>,
}

enum Due {
    Start,
    Create(Message),
    Sent(u64, u8),
    Arrive(TerminalId, Message),
    Timer(u32),
}

struct Mock<'a> {
    workload: &'a dyn Workload,
    agents: BTreeMap<TerminalId, Box<dyn Agent>>,
    /// By cycle and order.
    due: BTreeMap<(u64, u64), (TerminalId, Due)>,
    number: u64,
    jitter: u32,
    /// What waits for being taken, by terminal and class.
    waiting: BTreeMap<(TerminalId, u8), VecDeque<(TerminalId, Message)>>,
    outcome: Outcome,
}

/// Messages take up to `jitter` cycles more. Runs until nothing is left to happen, or the limit is reached; holds agents to what they promise.
pub(crate) fn run(network: &Network, workload: &dyn Workload, limit: u64, jitter: u32) -> Outcome {
    let agents = network
        .living_terminals()
        .map(|at| (at, workload.agent(at)));
    let mut mock = Mock {
        workload,
        agents: agents.collect(),
        due: BTreeMap::new(),
        number: 0,
        jitter,
        waiting: BTreeMap::new(),
        outcome: Outcome::default(),
    };
    for at in network.living_terminals() {
        mock.push(0, at, Due::Start);
    }
    while let Some(((now, _), (at, due))) = mock.due.pop_first() {
        if now > limit {
            break;
        }
        mock.happen(now, at, due);
    }
    mock.outcome.busy = mock
        .agents
        .values()
        .filter(|agent| !agent.is_done())
        .count();
    let failures = mock.agents.values().filter_map(|agent| agent.failure());
    mock.outcome.failures = failures.collect();
    mock.outcome.refused = mock.waiting.values().map(VecDeque::len).sum();
    mock.outcome
}

impl Mock<'_> {
    fn push(&mut self, cycle: u64, at: TerminalId, due: Due) {
        self.number += 1;
        self.due.insert((cycle, self.number), (at, due));
    }

    fn happen(&mut self, now: u64, at: TerminalId, due: Due) {
        self.outcome.makespan = now;
        match due {
            Due::Start => self.tell(now, at, Event::Start),
            Due::Timer(timer) => self.tell(now, at, Event::Timer(timer)),
            Due::Sent(tag, party) => self.tell(now, at, Event::Sent { tag, party }),
            Due::Create(message) => {
                self.outcome.messages += 1;
                self.outcome.flits += u64::from(message.flits);
                if message.report_sent {
                    self.push(now + 1, at, Due::Sent(message.tag, message.parties[0]));
                }
                let mut rng = Random::new(1, Purpose::Other, 0, self.number as u32);
                let more = u64::from(rng.below(self.jitter + 1));
                self.push(
                    now + LATENCY + more,
                    message.destination,
                    Due::Arrive(at, message),
                );
            }
            Due::Arrive(from, message) => {
                let queue = self.waiting.entry((at, message.class)).or_default();
                queue.push_back((from, message));
                self.admit(now, at);
            }
        }
    }

    /// Takes up what the agent takes.
    fn admit(&mut self, now: u64, at: TerminalId) {
        let refusable: BTreeSet<u8> = self
            .workload
            .answers()
            .iter()
            .map(|&(first, _)| first)
            .collect();
        for class in 0..self.workload.classes() {
            let Some((from, message)) = self
                .waiting
                .get(&(at, class))
                .and_then(|queue| queue.front())
            else {
                continue;
            };
            let agent = self.agents.get(&at).expect("nothing goes to the dead");
            let takes = agent.takes(class, 0);
            assert!(
                takes || refusable.contains(&class),
                "class {class} is always to be taken up"
            );
            if !takes {
                continue;
            }
            let arrived = Event::Arrived {
                from: *from,
                tag: message.tag,
                note: message.note,
                flits: message.flits,
                class,
                mark: Mark(0),
                parties: message.parties,
            };
            self.waiting
                .get_mut(&(at, class))
                .and_then(VecDeque::pop_front);
            // Asks again for what is behind it.
            self.tell(now, at, arrived);
        }
    }

    fn tell(&mut self, now: u64, at: TerminalId, event: Event) {
        let mut out = Outbox::default();
        let agent = self.agents.get_mut(&at).expect("nothing goes to the dead");
        agent.on(event, now, &mut out);
        for (cycle, timer) in out.timers {
            assert!(cycle > now, "a timer in the past");
            self.push(cycle, at, Due::Timer(timer));
        }
        for since in out.transactions {
            assert!(since <= now, "ended before it began");
            self.outcome.transactions.push((at.0, since, now));
        }
        for message in out.messages {
            assert!(message.class < self.workload.classes());
            assert!((1..=self.workload.longest_packet()).contains(&message.flits));
            assert!(
                self.agents.contains_key(&message.destination),
                "a message to the dead"
            );
            self.push(message.not_before.max(now), at, Due::Create(message));
        }
        self.admit(now, at);
    }
}
