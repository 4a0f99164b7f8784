//! Switches and adapters of lossless Ethernet as data, in flits and cycles.
//!
//! Sources: IEEE 802.1Qbb (priority-based flow control), 802.1Qau (congestion notification; the defaults of its
//! management objects, `IEEE8021-CN-MIB`).

use turnwise_network::{Channel, Network};

/// Switches and adapters of lossless Ethernet.
#[derive(Clone, Debug, PartialEq)]
pub struct EthernetModel {
    /// Priorities that have queues and pauses of their own: one for each virtual channel of the routing, 1 to 32.
    pub priorities: u8,
    /// Cycles from a frame's arrival to its being in an output queue.
    pub switch_delay: u32,
    /// Flits of one priority that a switch can hold of what has come by one port.
    pub buffer_flits: u32,
    /// Whoever sends is paused when more flits than these are held; what leaves [room enough](Self::headroom) if not given.
    pub pause_above: Option<u32>,
    /// And may go on when no more than these are; two of the longest frames less than `pause_above` if not given.
    pub resume_at: Option<u32>,
    /// Length of pause frames and of notifications, in flits.
    pub control_flits: u16,
    /// Length of the longest frame, in flits.
    pub longest_frame: u16,
    /// Do receivers hold frames back until those that were sent before have come?
    pub in_order: bool,
    /// Notifications of congestion; `None` if switches send none.
    pub notifications: Option<NotificationModel>,
}

/// When switches notify of congestion, and what sources do about it.
#[derive(Clone, Debug, PartialEq)]
pub struct NotificationModel {
    /// The length that output queues should have, in flits.
    pub set_point: u32,
    /// What growth counts for, beside length.
    pub weight: f64,
    /// Flits that join a queue between two samples where nothing is congested, on average; down to an eighth of that where much is.
    pub sample_flits: u32,
    /// Do queues tell that they are not congested any more, where they had notified?
    pub positive_feedback: bool,
    /// What sources do; `None` if they do nothing.
    pub reaction: Option<ReactionModel>,
}

/// How a source slows a flow down, and lets it go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReactionModel {
    /// Are all flows of a source slowed down together, and not only the one that a notification speaks of?
    pub per_source: bool,
    /// By how much of itself a rate decreases for each step of severity.
    pub gain: f64,
    /// By how much at most.
    pub most_decrease: f64,
    /// Flits sent between two increases.
    pub increase_flits: u32,
    /// Cycles between two increases; `None` for no timer.
    pub increase_cycles: Option<u64>,
    /// Increases of either kind before the rate aims higher than it was.
    pub fast_recoveries: u32,
    /// By how much it aims higher then, in flits per cycle.
    pub active_increase: f64,
    /// By how much once both kinds have come so far; `None` for the same.
    pub hyper_increase: Option<f64>,
    /// The lowest rate, in flits per cycle.
    pub least_rate: f64,
}

impl ReactionModel {
    /// The same for a channel that a flit occupies for so many cycles, whose rates are shares of what it can carry.
    pub(crate) fn of_channel(&self, interval: u32) -> Self {
        let share = |rate: f64| (rate * f64::from(interval)).min(1.0);
        Self {
            active_increase: share(self.active_increase),
            hyper_increase: self.hyper_increase.map(share),
            least_rate: share(self.least_rate),
            ..*self
        }
    }
}

impl EthernetModel {
    /// The most priorities; as many virtual channels as a routing may name.
    pub const MOST_PRIORITIES: u8 = 32;
    /// The longest delay of a switch, in cycles.
    pub const MOST_DELAY: u32 = 1 << 24;
    /// The largest buffer, in flits.
    pub const MOST_BUFFER_FLITS: u32 = 1 << 30;

    /// Flits that may still come by a channel when its sender is to be paused: what arrives while the pause waits for a frame that is
    /// being sent the other way (`back`), while it travels, until the sender has finished its own frame, and what is then on the channel
    /// and in the switch. The frame that brought it about may have exceeded the threshold by nearly its length.
    pub fn headroom(&self, channel: &Channel, back: &Channel) -> u64 {
        let frame = u64::from(self.longest_frame.max(self.control_flits));
        let control = u64::from(self.control_flits) * u64::from(self.priorities);
        let told = (frame + control) * u64::from(back.interval) + u64::from(back.latency);
        let under_way = told + u64::from(channel.latency) + u64::from(self.switch_delay);
        2 * frame + under_way.div_ceil(channel.interval.into())
    }

    /// Above how many flits a channel's sender is paused, and at how many it may go on.
    pub(crate) fn thresholds(&self, channel: &Channel, back: &Channel) -> (u32, u32) {
        let most = u64::from(self.buffer_flits).saturating_sub(self.headroom(channel, back)) as u32;
        let pause = self.pause_above.map_or(most, |above| above.min(most));
        let frames = 2 * u32::from(self.longest_frame);
        let resume = self.resume_at.unwrap_or(pause.saturating_sub(frames));
        (pause, resume.min(pause))
    }

    /// What is wrong with it on a network, as (field, message).
    ///
    /// # Errors
    /// Values beyond their ranges, buffers that could overflow, links that lead one way only.
    pub fn check_on(&self, network: &Network) -> Result<(), (&'static str, String)> {
        self.check()?;
        // Of the channel that needs most and of the one that is paused first, so that what they ask for is enough for all.
        let mut worst: Option<(u64, &Channel)> = None;
        let mut first_pause = u32::MAX;
        for id in 0..network.total_channel_count() {
            let id = id.into();
            let channel = network.channel(id);
            if channel.from_router().is_some()
                && channel.to_router().is_some()
                && network.reverse(id).is_none()
            {
                let name = network.channel_label(id);
                let message = format!("links of Ethernet lead both ways, {name} does not");
                return Err(("", message));
            }
            if channel.to_router().is_none() {
                continue;
            }
            let back = network
                .reverse(id)
                .map_or(channel, |back| network.channel(back));
            let headroom = self.headroom(channel, back);
            if worst.is_none_or(|(most, _)| headroom > most) {
                worst = Some((headroom, channel));
            }
            first_pause = first_pause.min(self.thresholds(channel, back).0);
        }
        let Some((headroom, channel)) = worst else {
            return Ok(());
        };
        let least = headroom + u64::from(self.longest_frame);
        if u64::from(self.buffer_flits) < least {
            let message = format!(
                "no frame is lost only with buffers of at least {least} flits: {headroom} may still come when a \
                 channel of {} cycles is to be paused; found {}",
                channel.latency, self.buffer_flits
            );
            return Err(("buffer_flits", message));
        }
        let most = u64::from(self.buffer_flits) - headroom;
        if self
            .pause_above
            .is_some_and(|above| u64::from(above) > most)
        {
            let message = format!(
                "expected at most {most} flits, since {headroom} may still come after that"
            );
            return Err(("pause_above_flits", message));
        }
        if let Some(at) = self.resume_at.filter(|&at| at > first_pause) {
            let message = format!(
                "whoever sends is paused above {first_pause} flits; expected no more than that, found {at}"
            );
            return Err(("resume_at_flits", message));
        }
        Ok(())
    }

    fn check(&self) -> Result<(), (&'static str, String)> {
        let range = |field, value: u64, least: u64, most: u64| match (least..=most).contains(&value)
        {
            true => Ok(()),
            false => Err((field, format!("expected {least} to {most}, found {value}"))),
        };
        range(
            "priorities",
            self.priorities.into(),
            1,
            Self::MOST_PRIORITIES.into(),
        )?;
        range(
            "switch_delay",
            self.switch_delay.into(),
            0,
            Self::MOST_DELAY.into(),
        )?;
        range(
            "buffer_flits",
            self.buffer_flits.into(),
            1,
            Self::MOST_BUFFER_FLITS.into(),
        )?;
        range(
            "control_flits",
            self.control_flits.into(),
            1,
            u16::MAX.into(),
        )?;
        if let (Some(above), Some(at)) = (self.pause_above, self.resume_at) {
            range("resume_at_flits", at.into(), 0, above.into())?;
        }
        self.notifications
            .as_ref()
            .map_or(Ok(()), NotificationModel::check)
    }
}

impl NotificationModel {
    /// Steps of severity.
    pub(crate) const STEPS: f64 = 63.0;
    /// No flow is slower than that, in flits per cycle.
    const LEAST_RATE: f64 = 1e-9;

    /// What is wrong with it, as (field, message).
    ///
    /// # Errors
    /// Values beyond their ranges.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let positive = |field, value: f64, most: f64| match value > 0.0 && value <= most {
            true => Ok(()),
            false => Err((
                field,
                format!("expected more than 0 and at most {most}, found {value}"),
            )),
        };
        positive(
            "set_point_flits",
            self.set_point.into(),
            EthernetModel::MOST_BUFFER_FLITS.into(),
        )?;
        positive(
            "sample_flits",
            self.sample_flits.into(),
            EthernetModel::MOST_BUFFER_FLITS.into(),
        )?;
        if !(0.0..=1000.0).contains(&self.weight) {
            return Err((
                "weight",
                format!("expected 0 to 1000, found {}", self.weight),
            ));
        }
        let Some(reaction) = &self.reaction else {
            return Ok(());
        };
        positive("gain", reaction.gain, 1.0)?;
        positive("least_rate", reaction.least_rate, 1.0)?;
        if reaction.least_rate < Self::LEAST_RATE {
            let message = format!(
                "expected at least {} flits per cycle, found {}",
                Self::LEAST_RATE,
                reaction.least_rate
            );
            return Err(("least_rate", message));
        }
        positive(
            "increase_flits",
            reaction.increase_flits.into(),
            f64::from(1u32 << 30),
        )?;
        if !(0.0..1.0).contains(&reaction.most_decrease) {
            return Err((
                "most_decrease",
                format!(
                    "expected 0 to less than 1, found {}",
                    reaction.most_decrease
                ),
            ));
        }
        for (field, rate) in [
            ("active_increase", Some(reaction.active_increase)),
            ("hyper_increase", reaction.hyper_increase),
        ] {
            if let Some(rate) = rate.filter(|rate| !(0.0..=1.0).contains(rate)) {
                return Err((
                    field,
                    format!("expected 0 to 1 flits per cycle, found {rate}"),
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::{ChannelClass, NetworkBuilder, Shape};

    const MODEL: EthernetModel = EthernetModel {
        priorities: 2,
        switch_delay: 50,
        buffer_flits: 1,
        pause_above: None,
        resume_at: None,
        control_flits: 64,
        longest_frame: 1500,
        in_order: true,
        notifications: None,
    };

    /// Three switches in a row, the links of these latencies.
    fn row(latencies: [u32; 2]) -> Network {
        let mut builder = NetworkBuilder::new("row", Shape::Graph);
        let switches = [
            builder.router(2, 1),
            builder.router(3, 1),
            builder.router(2, 1),
        ];
        let class = ChannelClass::Local;
        let [first, second] = latencies;
        builder.link((switches[0], 1), (switches[1], 1), first, class, class);
        builder.link((switches[1], 2), (switches[2], 1), second, class, class);
        builder.build(1).unwrap()
    }

    fn first_number(text: &str, behind: &str) -> u32 {
        let rest = text.split_once(behind).unwrap().1;
        let digits = rest.split(|character: char| !character.is_ascii_digit());
        digits.into_iter().next().unwrap().parse().unwrap()
    }

    #[test]
    fn what_the_complaint_asks_for_is_enough_for_every_channel() {
        for latencies in [[10, 100], [100, 10], [1, 5]] {
            let network = row(latencies);
            let wrong = |model: &EthernetModel| model.check_on(&network).unwrap_err();
            let (field, message) = wrong(&MODEL);
            assert_eq!(field, "buffer_flits");
            let buffer_flits = first_number(&message, "at least ");
            let enough = EthernetModel {
                buffer_flits,
                ..MODEL
            };
            assert_eq!(enough.check_on(&network), Ok(()));
            let less = EthernetModel {
                buffer_flits: buffer_flits - 1,
                ..MODEL
            };
            assert_eq!(wrong(&less).0, "buffer_flits");
            let pauses = |above, at| EthernetModel {
                buffer_flits: 20_000,
                pause_above: above,
                resume_at: at,
                ..MODEL
            };
            let (field, message) = wrong(&pauses(Some(19_999), None));
            assert_eq!(field, "pause_above_flits");
            let most = first_number(&message, "at most ");
            assert_eq!(pauses(Some(most), None).check_on(&network), Ok(()));
            assert!(pauses(Some(most + 1), None).check_on(&network).is_err());
            let (field, message) = wrong(&pauses(None, Some(19_999)));
            assert_eq!(field, "resume_at_flits");
            let most = first_number(&message, "above ");
            assert_eq!(pauses(None, Some(most)).check_on(&network), Ok(()));
            assert!(pauses(None, Some(most + 1)).check_on(&network).is_err());
        }
    }
}
