//! What a traffic pattern is, before and after it is built for a network.

use crate::choice::Choice;
use turnwise_config::registry::Family;
use turnwise_network::random::Random;
use turnwise_network::{Invalid, Network, TerminalId};

/// Where packets go.
pub trait Pattern: Send + Sync {
    /// The destination of one packet; `None` if this terminal sends nothing.
    ///
    /// A terminal that is dead sends nothing, and no packet goes to one. Whether the answer
    /// is `None` depends on the terminal alone, never on the random numbers.
    fn destination(&self, source: TerminalId, rng: &mut Random) -> Option<TerminalId>;

    /// What `destination` draws from, if one draw is all it does; `None` if it does more.
    ///
    /// [`Choice::draw`] and `destination` agree on all random numbers, and draw as many. Worth
    /// overriding because several packets of a simple choice are cheaper than one at a time.
    fn choice(&self, _source: TerminalId) -> Option<Choice<'_>> {
        None
    }

    /// What a terminal that sends anything offers, as a share of the load asked for; above 0, at most 1.
    fn share(&self, _source: TerminalId) -> f64 {
        1.0
    }

    /// Bytes of memory that this takes, where it is much.
    fn memory_bytes(&self) -> u64 {
        0
    }
}

/// The parameters of a traffic pattern, ready to be built for a network.
pub trait PatternParameters: Send + Sync {
    /// The file whose text the pattern is built from, if it is.
    fn file(&self) -> Option<&str> {
        None
    }

    /// Builds the pattern for a network that has suffered all its faults.
    ///
    /// # Errors
    /// A network on which the pattern means nothing (field `pattern`), parameters that make
    /// no sense on this network.
    fn build(&self, network: &Network, context: &Context<'_>) -> Result<Box<dyn Pattern>, Invalid>;
}

/// What a pattern may know of the rest of the study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context<'a> {
    /// Seed of random permutations and mappings.
    pub seed: u64,
    /// May a terminal send to itself? If not, random patterns choose among the others, and
    /// a terminal that a fixed pattern maps to itself sends nothing.
    pub send_to_self: bool,
    /// The text of [`PatternParameters::file`].
    pub file: Option<&'a str>,
}

impl Family for dyn PatternParameters {
    const SHARED: &'static [&'static str] = &[
        "pattern",
        "load",
        "packet_flits",
        "message_flits",
        "send_to_self",
        "injection",
        "classes",
        "name",
        "share",
        "then",
        "at",
    ];
}

/// "`tornado` needs coordinates; this network is a ..." on the field that selects the pattern.
pub(crate) fn unfit(name: &str, needs: &str, network: &Network, help: &str) -> Invalid {
    let message = format!(
        "`{name}` needs {needs}; this network is \"{}\"",
        network.description()
    );
    Invalid::new("pattern", message).with_help(help)
}
