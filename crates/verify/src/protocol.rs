//! How terminals answer: what a proof must know of the messages that are exchanged.
//!
//! A terminal that answers may leave messages of one class in the network until it has sent messages of
//! another, because it has nowhere to put the answers. Then packets wait for terminals, and terminals for
//! packets: a routing that is free of deadlock as long as everything is taken up as it comes may deadlock all the same (*protocol
//! deadlock*). Source: Dally and Towles, *Principles and Practices of Interconnection Networks*,
//! section 14.1.3.

use turnwise_network::Workload;

/// The classes of messages, and which of them may wait for which.
///
/// The default, one class and no answers, is traffic that every terminal takes up as it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protocol {
    classes: u16,
    answers: Vec<(u8, u8)>,
}

impl Protocol {
    /// One class, and nothing waits at terminals.
    pub(crate) const ORDINARY: &'static Self = &Self {
        classes: 1,
        answers: Vec::new(),
    };

    /// So many classes of messages, and the pairs `(received, sent)` where a terminal may leave messages of class
    /// `received` in the network until it has sent messages of class `sent`.
    ///
    /// A class that an answer names exists, whatever `classes` says.
    pub fn new(classes: u8, answers: impl IntoIterator<Item = (u8, u8)>) -> Self {
        let mut answers: Vec<(u8, u8)> = answers.into_iter().collect();
        answers.sort_unstable();
        answers.dedup();
        let named = answers.iter().map(|&(received, sent)| received.max(sent));
        let needed = named.map(|class| u16::from(class) + 1).max();
        Self {
            classes: u16::from(classes).max(needed.unwrap_or(1)),
            answers,
        }
    }

    /// What a workload says of itself.
    pub fn of(workload: &dyn Workload) -> Self {
        Self::new(workload.classes(), workload.answers().iter().copied())
    }

    /// How many classes there are, at least 1.
    pub fn class_count(&self) -> usize {
        usize::from(self.classes)
    }

    /// The classes.
    pub fn classes(&self) -> impl Iterator<Item = u8> + use<> {
        (0..self.classes).map(|class| class as u8)
    }

    /// The pairs `(received, sent)`, ascending.
    pub fn answers(&self) -> &[(u8, u8)] {
        &self.answers
    }

    /// May messages wait at terminals at all?
    pub fn has_answers(&self) -> bool {
        !self.answers.is_empty()
    }
}

impl Default for Protocol {
    fn default() -> Self {
        Self::ORDINARY.clone()
    }
}
