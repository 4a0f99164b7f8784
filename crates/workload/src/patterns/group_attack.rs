//! Group attack: all terminals of a group send to one other group.
//!
//! `group_mode` says to which: `"half"` the one halfway round, `"opposite"` the mirror image
//! `groups - 1 - g` (with an odd number of groups the middle one attacks itself), or a
//! number of groups further on. `destination_mode` says to whom in it.
//!
//! Source: SuperSim's `group_attack`, Hewlett Packard Labs; George, "Simulating Weighted Decision
//! Routing Based On Propagation Delay Using SuperSim".
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Dragonfly, Topology};
//! use turnwise_workload::patterns::GroupAttack;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let network = Dragonfly::default().build(None)?;
//! let pattern = GroupAttack::default().build(&network, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! // 9 groups of 8 terminals: half is 4 groups on, and the complement of index 3 is 4.
//! assert_eq!(pattern.destination(TerminalId(3), &mut rng), Some(TerminalId(4 * 8 + 4)));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::blocks::{Attack, Blocks, DestinationMode, shifted};
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::fmt;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &[],
    summary: "All terminals of a group send to one other group",
    source: "SuperSim, group_attack; George, Simulating Weighted Decision Routing Based On Propagation Delay",
    example: "group_mode = \"half\"\ndestination_mode = \"complement\"",
    schema: schema_of::<GroupAttack>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<GroupAttack, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

const NAME: &str = "group-attack";

/// Parameters of a group attack.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GroupAttack {
    /// Which group is attacked: `"half"`, `"opposite"` (the middle one of an odd number of groups attacks itself), or so many groups
    /// further on.
    pub group_mode: GroupMode,
    /// Which terminal of that group receives.
    pub destination_mode: DestinationMode,
}

impl Default for GroupAttack {
    /// Half and complement, as in SuperSim's sample studies.
    fn default() -> Self {
        Self {
            group_mode: GroupMode::Half,
            destination_mode: DestinationMode::Complement,
        }
    }
}

/// Which group a group attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "GroupModeText")]
pub enum GroupMode {
    /// Half the groups further on, rounded down.
    Half,
    /// The mirror image: the first attacks the last.
    Opposite,
    /// So many groups further on.
    Offset(i64),
}

/// The spellings of [`GroupMode`], for the schema only.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum GroupModeText {
    /// A named mode.
    Named(NamedMode),
    /// So many groups further on.
    Offset(i64),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[allow(dead_code)]
enum NamedMode {
    /// Half the groups further on, rounded down.
    Half,
    /// The mirror image: the first attacks the last.
    Opposite,
}

impl<'de> Deserialize<'de> for GroupMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GroupModeVisitor)
    }
}

struct GroupModeVisitor;

impl Visitor<'_> for GroupModeVisitor {
    type Value = GroupMode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"half\", \"opposite\" or a number of groups")
    }

    fn visit_i64<E: de::Error>(self, offset: i64) -> Result<GroupMode, E> {
        Ok(GroupMode::Offset(offset))
    }

    fn visit_u64<E: de::Error>(self, offset: u64) -> Result<GroupMode, E> {
        let offset = i64::try_from(offset);
        offset
            .map(GroupMode::Offset)
            .map_err(|_| E::custom("so many groups there are not"))
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<GroupMode, E> {
        match name {
            "half" => Ok(GroupMode::Half),
            "opposite" => Ok(GroupMode::Opposite),
            other => Err(E::unknown_variant(other, &["half", "opposite"])),
        }
    }
}

impl PatternParameters for GroupAttack {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let blocks = Blocks::groups(NAME, network)?;
        let groups = blocks.count();
        let mode = self.destination_mode;
        let offset = match self.group_mode {
            GroupMode::Half => i64::from(groups / 2),
            GroupMode::Offset(offset) => offset,
            GroupMode::Opposite => {
                return Ok(Box::new(Attack::new(
                    blocks,
                    |group| groups - 1 - group,
                    mode,
                    context,
                )));
            }
        };
        let target =
            shifted(offset, groups).map_err(|error| error.moved(|_| "group_mode".to_owned()))?;
        Ok(Box::new(Attack::new(blocks, target, mode, context)))
    }
}
