//! What a switch has noted of congestion, in the words of its table: for each destination that it has heard of, something about each port
//! upwards.
//!
//! The first words, one for each terminal, say where its notes are; they are there once anything has been noted. Notes of a
//! destination are a turn, and five words a port.

use turnwise_network::{Heard, TerminalId};

/// Words of a port: until when it counts as congested, in two; the severities, in two; how many notifications, and in the highest bit whether
/// the last one was this switch's own.
const WORDS: usize = 5;
const LOCAL: u32 = 1 << 31;

/// What a switch knows of one destination.
pub(crate) struct Notes<'a> {
    words: &'a mut [u32],
}

impl<'a> Notes<'a> {
    /// What is noted of a destination, if anything is.
    pub(crate) fn known(
        table: &'a mut [u32],
        terminals: usize,
        ports: usize,
        destination: TerminalId,
    ) -> Option<Self> {
        let place = *table.get(destination.index())? as usize;
        let first = place.checked_sub(1)? * (1 + ports * WORDS) + terminals;
        let words = table.get_mut(first..first + 1 + ports * WORDS)?;
        Some(Self { words })
    }

    /// The same, with room made for it if nothing is.
    pub(crate) fn of(
        table: &'a mut Vec<u32>,
        terminals: usize,
        ports: usize,
        destination: TerminalId,
    ) -> Self {
        let each = 1 + ports * WORDS;
        if table.is_empty() {
            table.resize(terminals, 0);
        }
        if table[destination.index()] == 0 {
            table[destination.index()] = ((table.len() - terminals) / each) as u32 + 1;
            table.resize(table.len() + each, 0);
        }
        let first = (table[destination.index()] as usize - 1) * each + terminals;
        Self {
            words: &mut table[first..first + each],
        }
    }

    fn port(&self, port: usize) -> &[u32] {
        &self.words[1 + port * WORDS..][..WORDS]
    }

    /// Is the destination congested behind a port, as far as is known?
    pub(crate) fn is_congested(&self, port: usize, now: u64) -> bool {
        let words = self.port(port);
        u64::from(words[1]) << 32 | u64::from(words[0]) > now
    }

    /// Notes a notification, until a cycle; `together` makes one of what was noted and what is new, both in 256ths of a step. What has
    /// been forgotten counts no more.
    pub(crate) fn add(
        &mut self,
        port: usize,
        heard: &Heard,
        until: u64,
        together: impl FnOnce(u64, u64) -> u64,
    ) {
        let is_known = self.is_congested(port, heard.now);
        let words = &mut self.words[1 + port * WORDS..][..WORDS];
        let (before, count) = match is_known {
            true => (
                u64::from(words[3]) << 32 | u64::from(words[2]),
                words[4] & !LOCAL,
            ),
            false => (0, 0),
        };
        let severity = together(before, u64::from(heard.notification.severity) << 8);
        [words[0], words[1]] = [until as u32, (until >> 32) as u32];
        [words[2], words[3]] = [severity as u32, (severity >> 32) as u32];
        let local = if heard.is_local { LOCAL } else { 0 };
        words[4] = (count + 1).min(LOCAL - 1) | local;
    }

    /// The destination is not congested any more behind a port.
    pub(crate) fn forget(&mut self, port: usize) {
        self.words[1 + port * WORDS..][..WORDS].fill(0);
    }

    /// How bad it is behind a port, in 256ths of a step: the severities, times how many there were.
    pub(crate) fn severity(&self, port: usize) -> u64 {
        let words = self.port(port);
        let severity = u64::from(words[3]) << 32 | u64::from(words[2]);
        severity.saturating_mul((words[4] & !LOCAL).into())
    }

    /// Is it this switch's own queue, as far as the last notification said?
    pub(crate) fn is_local(&self, port: usize) -> bool {
        self.port(port)[4] & LOCAL != 0
    }

    /// Whose turn it was last.
    pub(crate) fn turn(&self) -> u32 {
        self.words[0]
    }

    /// Notes whose turn it is.
    pub(crate) fn set_turn(&mut self, turn: u32) {
        self.words[0] = turn;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::Notification;

    fn heard(now: u64, severity: u8, is_local: bool) -> Heard {
        Heard {
            notification: Notification {
                severity,
                ..Notification::default()
            },
            port: 0,
            is_local,
            now,
        }
    }

    #[test]
    fn notes_add_up_until_they_are_forgotten() {
        let mut table = Vec::new();
        let (terminals, ports) = (10, 3);
        assert!(Notes::known(&mut table, terminals, ports, TerminalId(7)).is_none());
        let mut notes = Notes::of(&mut table, terminals, ports, TerminalId(7));
        let sum = |before: u64, new: u64| before + new;
        notes.add(1, &heard(5, 10, true), 105, sum);
        notes.add(1, &heard(50, 20, false), 150, sum);
        assert_eq!(
            [0, 1, 2].map(|port| notes.is_congested(port, 149)),
            [false, true, false]
        );
        assert_eq!((notes.severity(1), notes.is_local(1)), (60 << 8, false));
        assert!(!notes.is_congested(1, 150));
        notes.add(1, &heard(200, 3, true), 300, sum);
        assert_eq!((notes.severity(1), notes.is_local(1)), (3 << 8, true));
        let mut others = Notes::of(&mut table, terminals, ports, TerminalId(2));
        others.add(2, &heard(1 << 40, 63, false), 1 << 41, u64::max);
        others.add(2, &heard(1 << 40, 5, false), 1 << 41, u64::max);
        assert_eq!(others.severity(2), (2 * 63) << 8);
        let mut notes = Notes::known(&mut table, terminals, ports, TerminalId(7)).unwrap();
        assert!(notes.is_congested(1, 299) && !notes.is_congested(2, 299));
        notes.forget(1);
        assert!(!notes.is_congested(1, 299));
    }
}
