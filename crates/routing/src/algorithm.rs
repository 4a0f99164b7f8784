//! What a routing algorithm is before it is built for a network.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use turnwise_config::registry::{Entry, Family, Registered};
use turnwise_config::units::Measure;
use turnwise_network::random::mix;
use turnwise_network::recognition::recognise;
use turnwise_network::{FlowControl, Invalid, Network, Routing, Shape, TerminalId, Vc};

/// The parameters of a routing algorithm, ready to be built for a network.
pub trait Algorithm: Send + Sync {
    /// Builds the algorithm for a network that has suffered all its faults.
    ///
    /// # Errors
    /// A network it does not route (field `kind`), parameters that make no sense on this
    /// network, virtual channels that the router does not have.
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid>;

    /// Bytes of what grows with the pairs of routers, at most, told before it is built.
    fn table_bytes(&self, network: &Network, context: &Context<'_>) -> u64 {
        let _ = (network, context);
        0
    }

    /// The files its tables are read from: the field that names each, and the name.
    fn files(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }

    /// The order of directions a torus's source routes are written in, if the study gives one.
    fn direction_order(&self) -> Option<&[String]> {
        None
    }

    /// The flow control it is made for, which routers have if the study does not say.
    fn flow_control(&self) -> FlowControl {
        FlowControl::Wormhole
    }

    /// Which pairs it routes on a network of this shape that has suffered faults.
    ///
    /// A promise, as the next one is: tests hold every algorithm of the registry to both.
    fn under_faults(&self, shape: &Shape) -> UnderFaults {
        let _ = shape;
        UnderFaults::SurvivingRoutes
    }

    /// Is it free of deadlock on every network of this shape, with the virtual channels it asks for and
    /// under the flow control it is [made for](Self::flow_control)?
    fn is_free_of_deadlock(&self, shape: &Shape) -> bool {
        let _ = shape;
        true
    }

    /// Does it make a difference to it how deep the routers' buffers are?
    fn minds_buffers(&self) -> bool {
        false
    }

    /// Does it make a difference to it who exchanges messages with whom at a time?
    fn minds_phases(&self) -> bool {
        false
    }

    /// How low the largest load can be under this algorithm's own rules, if it knows.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    fn rule_bound(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Option<RuleBound>, Invalid> {
        let _ = (network, context);
        Ok(None)
    }
}

/// Whom an algorithm routes where channels or routers have failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnderFaults {
    /// The pairs of which a route survives that it may take on the healthy network.
    #[default]
    SurvivingRoutes,
    /// These, if in place of a channel inside a group there may be any way inside it.
    RoundInGroups,
    /// These, and more: it knows ways around faults that it does not take on the healthy network.
    FurtherRoutes,
    /// All pairs that are still connected.
    EveryRoute,
    /// Those that its rules connect, which it makes anew for what is left of the network.
    NewRules,
    /// None: it refuses to be built.
    Refused,
}

/// A lower bound on the largest load of a channel, for all tables that keep an algorithm's rules.
///
/// Give every channel a weight. Each pair's route weighs at least as much as the lightest
/// route the rules allow it, so if all these minima together weigh `demand`, and the channels `weight`,
/// some channel carries at least `demand / weight` routes. The weights prove the bound: anybody
/// can add them up (linear programming duality).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleBound {
    /// Weight of every router-to-router channel, by channel id.
    pub weights: Vec<u64>,
    /// Sum over ordered pairs of the least weight of a legal route.
    pub demand: u64,
    /// Sum of the weights, at least 1.
    pub weight: u64,
    /// The rules, in words.
    pub rules: String,
}

impl RuleBound {
    /// The bound for tables with one route a pair, whose loads are whole numbers.
    pub fn ceil(&self) -> u64 {
        self.demand.div_ceil(self.weight)
    }

    /// The bound for routings whose loads may be fractional.
    pub fn value(&self) -> f64 {
        self.demand as f64 / self.weight as f64
    }
}

/// What an algorithm may know of the rest of the study.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Context<'a> {
    /// Seed of everything random in the algorithm's tables.
    pub seed: u64,
    /// Virtual channels of a channel, if the router's parameters fix them; those of one class, where classes of messages have their own.
    pub router_virtual_channels: Option<Vc>,
    /// How many such classes there are; 0 is as good as 1.
    pub message_classes: Vc,
    /// Flits that the smallest virtual channel's buffer between routers holds at least, if the router's parameters
    /// fix it and the algorithm [minds](Algorithm::minds_buffers). If not, it holds 16 at least, and what keeps the longest channel busy.
    pub router_buffer_flits: Option<u32>,
    /// What lies between the routers' crossbars and their channels, if the algorithm [minds](Algorithm::minds_buffers).
    pub router_outputs: Outputs,
    /// Flow control of the routers.
    pub flow_control: FlowControl,
    /// What a cycle and a flit are on Ethernet.
    pub measure: Measure,
    /// Texts of the files the algorithm [names](Algorithm::files), in their order.
    pub files: &'a [String],
    /// Who exchanges messages with whom at a time, if the algorithm [minds](Algorithm::minds_phases).
    pub phases: ProgramPhases<'a>,
}

/// What lies between a router's crossbar and a channel: what an algorithm needs to know of how much it sees of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// Cycles from a flit's leaving to its credit's return, beside twice the channel's latency, if nothing is in its way.
    pub turnaround: u32,
    /// Flits that cross to a channel in a thousand cycles at most.
    pub crossing_permille: u32,
    /// Those of a virtual channel, in the study's packets.
    pub lane_permille: u32,
    /// Where those wait that have crossed.
    pub queue: OutputQueue,
}

impl Default for Outputs {
    /// BookSim2's input-queued router.
    fn default() -> Self {
        Self {
            turnaround: 7,
            crossing_permille: 1000,
            lane_permille: 333,
            queue: OutputQueue::None,
        }
    }
}

/// Where flits wait that have crossed the switch before their channel can take them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputQueue {
    /// Nowhere: they cross when it can.
    #[default]
    None,
    /// So many flits for a channel, which have taken credits.
    OfChannel(u32),
    /// So many for each virtual channel, which have not.
    OfVirtualChannel(u32),
}

impl Context<'_> {
    /// What a study says for routers with so many virtual channels for each class of messages.
    pub(crate) fn of_router(&self, virtual_channels: u32) -> String {
        let field = match self.flow_control {
            FlowControl::Pause => "ethernet.priorities",
            _ => "router.virtual_channels",
        };
        let all = virtual_channels * u32::from(self.message_classes.max(1));
        format!("{field} = {all}")
    }

    /// So many virtual channels, in words that say whose they are.
    pub(crate) fn counted(&self, virtual_channels: Vc) -> String {
        let ending = if virtual_channels == 1 { "" } else { "s" };
        let whose = match self.message_classes {
            0 | 1 => String::new(),
            classes => format!(" for each of {classes} classes of messages"),
        };
        format!("{virtual_channels} virtual channel{ending}{whose}")
    }
}

/// Pairs of terminals, source and destination, that exchange messages at a time: those of each phase of a program.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct ProgramPhases<'a>(pub &'a [Vec<(TerminalId, TerminalId)>]);

/// Short, since it is part of what routings are known by: how many there are, and a digest.
impl fmt::Debug for ProgramPhases<'_> {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digest = 0;
        for phase in self.0 {
            digest = mix(digest);
            for (source, destination) in phase {
                digest = mix(digest ^ u64::from(source.0) << 32 ^ u64::from(destination.0));
            }
        }
        write!(text, "{} phases {digest:016x}", self.0.len())
    }
}

impl Family for dyn Algorithm {
    const SHARED: &'static [&'static str] = &["kind", "seed"];
}

/// One line of the registry of algorithms.
pub struct AlgorithmEntry {
    /// What every registry knows of its entries.
    pub entry: Entry<dyn Algorithm>,
    /// Does it route networks of this shape? Says so before any parameters are read.
    pub fits: fn(&Shape) -> bool,
}

impl Registered for AlgorithmEntry {
    type Thing = dyn Algorithm;

    fn entry(&self) -> &Entry<dyn Algorithm> {
        &self.entry
    }
}

impl Deref for AlgorithmEntry {
    type Target = Entry<dyn Algorithm>;

    fn deref(&self) -> &Self::Target {
        &self.entry
    }
}

/// "`minimal` routes dragonfly and megafly networks; this one is an 8x8 torus". Which algorithms do
/// route it [the registry adds](crate::suggest), so that no algorithm has to know the registry.
///
/// Of a real fabric the description is a file's name, so that it is told by its wiring.
pub(crate) fn misfit(kind: &str, routes: &str, network: &Network) -> Invalid {
    let description = network.description();
    let what = match network.identities() {
        None => format!(" is {} {description}", article(description)),
        Some(_) => match recognise(network) {
            Some(found) => format!(", {description}, is recognised as {found}"),
            None => format!(", {description}, is not recognised by its wiring"),
        },
    };
    Invalid::new("kind", format!("`{kind}` routes {routes}; this one{what}"))
}

/// "an" before a vowel's sound, numbers included: an 8x8 torus, an 11x4 mesh, a 4x4 mesh.
fn article(noun: &str) -> &'static str {
    let digits = noun.bytes().take_while(u8::is_ascii_digit).count();
    let number = &noun[..digits];
    let eleven_or_eighteen = number.starts_with("11") || number.starts_with("18");
    let vowel = match digits {
        0 => noun.starts_with(['a', 'e', 'i', 'o', 'u']),
        _ => number.starts_with('8') || digits % 3 == 2 && eleven_or_eighteen,
    };
    if vowel { "an" } else { "a" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_follow_the_sound() {
        let vowels = [
            "8x8 torus",
            "11x4 mesh",
            "18-router ring",
            "xgft",
            "irregular network",
        ];
        let found: Vec<&str> = vowels.iter().map(|noun| article(noun)).collect();
        assert_eq!(found, ["an", "an", "an", "a", "an"]);
        assert_eq!(article("110x4 mesh"), "a");
        assert_eq!(article("4x4 mesh"), "a");
        assert_eq!(article("80x2 mesh"), "an");
    }
}
