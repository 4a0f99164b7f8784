//! Tasks: the smallest things that a rank does.

/// Any sender, or any tag, of a receive.
pub const ANY: u32 = u32::MAX;

/// What a rank does in one piece: it computes, sends or receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// What is done.
    pub work: Work,
    /// Which of the rank's processors does it; they work side by side.
    pub processor: u8,
    /// Which of the rank's network interfaces is used.
    pub interface: u8,
    /// Does the network interface do it by itself, so that messages cost no processor anything?
    pub is_offloaded: bool,
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Sends a message.
    Send(Message),
    /// Receives a message.
    Receive(Message),
    /// Computes for so many picoseconds.
    Compute(u64),
    /// Does nothing but to ask the script what comes next, see [`Script::proceed`](crate::Script::proceed).
    Proceed(u32),
}

/// A message as its sender or its receiver sees it.
///
/// A receive matches the first message of its peer, tag and context that no other has taken, in the order in
/// which messages were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Whom it goes to, or whom it is from; a receive may say [`ANY`].
    pub peer: u32,
    /// Its tag; a receive may say [`ANY`].
    pub tag: u32,
    /// Its communicator, or the collective that it is part of; messages of different contexts never match.
    pub context: u32,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Task {
    /// On the first processor and the first interface.
    pub fn new(work: Work) -> Self {
        Self {
            work,
            processor: 0,
            interface: 0,
            is_offloaded: false,
        }
    }
}

impl Work {
    /// Sends so many bytes.
    pub fn send(to: u32, bytes: u64, tag: u32) -> Self {
        Self::Send(Message::new(to, bytes, tag))
    }

    /// Receives so many bytes.
    pub fn receive(from: u32, bytes: u64, tag: u32) -> Self {
        Self::Receive(Message::new(from, bytes, tag))
    }

    /// The message that it sends or receives.
    pub fn message(&self) -> Option<&Message> {
        match self {
            Self::Send(message) | Self::Receive(message) => Some(message),
            Self::Compute(_) | Self::Proceed(_) => None,
        }
    }

    /// Of tasks that become ready together, sends go first, then receives, then computing.
    pub(crate) fn precedence(&self) -> u8 {
        match self {
            Self::Send(_) => 0,
            Self::Receive(_) => 1,
            Self::Compute(_) => 2,
            Self::Proceed(_) => 3,
        }
    }
}

impl Message {
    /// Of the world's communicator.
    pub fn new(peer: u32, bytes: u64, tag: u32) -> Self {
        Self {
            peer,
            tag,
            context: 0,
            bytes,
        }
    }
}
