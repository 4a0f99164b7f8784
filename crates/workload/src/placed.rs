//! Workloads whose ranks are elsewhere than at the first terminals, and several of them side by side.
//!
//! A workload is built as if its rank 0 were at the first living terminal of the network, its *home*, and so on. Here an
//! agent is put at another terminal, and what it says and hears of terminals is translated: whatever it sends to a home
//! goes to where that rank is. So every workload can be placed, and none knows of it. Since each translates by a table of
//! its own, messages of one never come to another.
//!
//! Complexity: O(1) a message; eight bytes a terminal and workload.

use std::sync::Arc;
use turnwise_network::{Agent, Event, Network, Outbox, TerminalId, Workload};

/// A workload and where it is.
pub struct Part {
    /// Built for the network as it is.
    pub workload: Box<dyn Workload>,
    /// The terminals of its ranks, rank 0 first; all of them different, also from those of other parts.
    pub terminals: Vec<TerminalId>,
    /// The cycle in which its ranks begin.
    pub start: u64,
}

/// Puts workloads where they belong. Messages keep their classes, those of the second part after those of the first, and so on.
pub fn placed(network: &Network, parts: Vec<Part>) -> Box<dyn Workload> {
    let mut part_of = vec![None; network.terminal_count()];
    let (mut seated, mut answers, mut classes) = (Vec::new(), Vec::new(), 0);
    for part in parts {
        for terminal in &part.terminals {
            part_of[terminal.index()] = Some(seated.len() as u32);
        }
        let of_part = part.workload.answers().iter();
        answers.extend(of_part.map(|&(received, sent)| (received + classes, sent + classes)));
        let first_class = classes;
        classes += part.workload.classes();
        seated.push(Seated {
            places: Arc::new(Places::new(network, &part.terminals)),
            workload: part.workload,
            first_class,
            start: part.start,
        });
    }
    Box::new(Placed {
        part_of,
        parts: seated,
        answers,
        classes,
    })
}

/// Which terminal stands for which.
struct Places {
    /// By home, where its rank is.
    of_homes: Vec<TerminalId>,
    /// By terminal, the home of the rank that is there; itself where there is none.
    homes: Vec<TerminalId>,
}

impl Places {
    fn new(network: &Network, terminals: &[TerminalId]) -> Self {
        let mut of_homes: Vec<TerminalId> = network.terminals().collect();
        let mut homes = of_homes.clone();
        for (home, &terminal) in network.living_terminals().zip(terminals) {
            of_homes[home.index()] = terminal;
            homes[terminal.index()] = home;
        }
        Self { of_homes, homes }
    }
}

struct Seated {
    workload: Box<dyn Workload>,
    places: Arc<Places>,
    first_class: u8,
    start: u64,
}

struct Placed {
    /// By terminal.
    part_of: Vec<Option<u32>>,
    parts: Vec<Seated>,
    answers: Vec<(u8, u8)>,
    classes: u8,
}

impl Workload for Placed {
    fn agent(&self, at: TerminalId) -> Box<dyn Agent> {
        let Some(part) = self.part_of[at.index()] else {
            return Box::new(Idle);
        };
        let part = &self.parts[part as usize];
        let home = part.places.homes[at.index()];
        Box::new(Resident {
            agent: part.workload.agent(home),
            places: Arc::clone(&part.places),
            first_class: part.first_class,
            start: part.start,
            has_begun: false,
        })
    }

    fn longest_packet(&self) -> u16 {
        let lengths = self.parts.iter().map(|part| part.workload.longest_packet());
        lengths.max().unwrap_or(1)
    }

    fn classes(&self) -> u8 {
        self.classes.max(1)
    }

    fn answers(&self) -> &[(u8, u8)] {
        &self.answers
    }

    fn memory_bytes(&self) -> u64 {
        let terminals = self.part_of.len();
        let tables = terminals * (8 + self.parts.len() * 2 * size_of::<TerminalId>());
        let agents = terminals * size_of::<Resident>();
        let parts = self.parts.iter().map(|part| part.workload.memory_bytes());
        parts.sum::<u64>() + (tables + agents) as u64
    }
}

/// An agent away from home.
struct Resident {
    agent: Box<dyn Agent>,
    places: Arc<Places>,
    first_class: u8,
    start: u64,
    has_begun: bool,
}

impl Resident {
    /// What has happened, in the agent's own terms; nothing if it has not begun and does not begin now.
    fn translated(&mut self, event: Event, now: u64, out: &mut Outbox) -> Option<Event> {
        match event {
            _ if !self.has_begun && now < self.start => {
                out.ring(self.start, 0);
                None
            }
            _ if !self.has_begun => {
                self.has_begun = true;
                Some(Event::Start)
            }
            Event::Arrived {
                from,
                tag,
                note,
                flits,
                class,
                mark,
            } => Some(Event::Arrived {
                from: self.places.homes[from.index()],
                tag,
                note,
                flits,
                class: class - self.first_class,
                mark,
            }),
            other => Some(other),
        }
    }
}

impl Agent for Resident {
    fn on(&mut self, event: Event, now: u64, out: &mut Outbox) {
        let Some(event) = self.translated(event, now, out) else {
            return;
        };
        let before = out.messages.len();
        self.agent.on(event, now, out);
        for message in &mut out.messages[before..] {
            message.destination = self.places.of_homes[message.destination.index()];
            message.class += self.first_class;
        }
    }

    fn is_done(&self) -> bool {
        self.has_begun && self.agent.is_done()
    }

    fn waits(&self) -> Option<String> {
        self.agent.waits()
    }

    fn takes(&self, class: u8, coming: u32) -> bool {
        self.agent.takes(class - self.first_class, coming)
    }
}

/// A terminal that nobody is at.
struct Idle;

impl Agent for Idle {
    fn on(&mut self, _: Event, _: u64, _: &mut Outbox) {}

    fn is_done(&self) -> bool {
        true
    }
}
