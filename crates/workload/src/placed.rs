//! Workloads whose ranks are elsewhere than at the first terminals, and several of them side by side.
//!
//! A workload that is no program is built as if its rank 0 were at the first living terminal of the network, its *home*, and so
//! on. Here an agent is put at another terminal, and what it says and hears of terminals is translated: whatever it sends to a
//! home goes to where that rank is. So it need not know of it. Programs know where their ranks are, of which a terminal may have
//! several, and are built there. Messages of one workload never come to another.
//!
//! Complexity: O(1) a message; eight bytes a terminal and workload.

use std::sync::Arc;
use turnwise_network::{Agent, Event, Foreseen, Network, Outbox, TerminalId, Workload};

/// A workload and where it is.
pub struct Part {
    /// Its agents.
    pub workload: Box<dyn Workload>,
    /// The terminals of its ranks, rank 0 first; none of them another part's.
    pub terminals: Vec<TerminalId>,
    /// Was it built for these terminals? Otherwise it was for the first living ones, and these are all different.
    pub is_there: bool,
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
        let places = || Arc::new(Places::new(network, &part.terminals));
        seated.push(Seated {
            places: (!part.is_there).then(places),
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
    /// None if agents are where they are said to be.
    places: Option<Arc<Places>>,
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
        let places = part.places.as_ref();
        let home = places.map_or(at, |places| places.homes[at.index()]);
        Box::new(Resident {
            agent: part.workload.agent(home),
            places: part.places.clone(),
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

    /// Where terminals are no homes, that is of programs: nobody else tells.
    fn foreseen(&self, at: TerminalId, most: usize) -> Option<Foreseen> {
        match self.part_of[at.index()] {
            None => Some(Foreseen::default()),
            Some(part) => self.parts[part as usize].workload.foreseen(at, most),
        }
    }

    fn memory_bytes(&self) -> u64 {
        let terminals = self.part_of.len();
        let translated = self.parts.iter().filter(|part| part.places.is_some());
        let tables = terminals * (8 + translated.count() * 2 * size_of::<TerminalId>());
        let agents = terminals * size_of::<Resident>();
        let parts = self.parts.iter().map(|part| part.workload.memory_bytes());
        parts.sum::<u64>() + (tables + agents) as u64
    }
}

/// An agent of a part.
struct Resident {
    agent: Box<dyn Agent>,
    places: Option<Arc<Places>>,
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
                parties,
            } => Some(Event::Arrived {
                from: match &self.places {
                    Some(places) => places.homes[from.index()],
                    None => from,
                },
                tag,
                note,
                flits,
                class: class - self.first_class,
                mark,
                parties,
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
            if let Some(places) = &self.places {
                message.destination = places.of_homes[message.destination.index()];
            }
            message.class += self.first_class;
        }
    }

    fn is_done(&self) -> bool {
        self.has_begun && self.agent.is_done()
    }

    fn failure(&self) -> Option<String> {
        self.agent.failure()
    }

    fn waits(&self) -> Vec<String> {
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
