//! A collective again and again, by all ranks or by groups of them side by side.

use crate::calls::{Call, Caller, Calling};
use crate::collectives::Collective;
use crate::group::Group;
use turnwise_config::diagnostic::Invalid;

/// A collective again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeated {
    /// What is done.
    pub collective: Collective,
    /// How many ranks there are.
    pub ranks: u32,
    /// Into how many groups of equal size they are divided, each of which does it for itself.
    pub groups: u32,
    /// Who is in a group with whom.
    pub members: Members,
    /// How often it is done.
    pub times: u32,
    /// Picoseconds for which each rank computes before each.
    pub computing: u64,
}

/// Who is in a group with whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Members {
    /// Ranks that follow each other.
    #[default]
    Consecutive,
    /// Every n-th rank, if there are n groups.
    Strided,
}

impl Repeated {
    /// What makes no sense.
    ///
    /// # Errors
    /// On `groups`: ranks that cannot be divided so; on `root`: none of a group's members, or of a collective that has no root;
    /// on `repeat`: not once.
    pub fn check(&self) -> Result<(), Invalid> {
        let (ranks, groups) = (self.ranks, self.groups);
        if groups == 0 || !ranks.is_multiple_of(groups) {
            let message = format!("{ranks} ranks do not make {groups} groups of equal size");
            let down = (1..=groups.min(ranks)).rev();
            let help = down
                .filter(|&groups| ranks.is_multiple_of(groups))
                .map(|groups| format!("for example {groups}"))
                .next();
            let error = Invalid::new("groups", message);
            return Err(match help {
                Some(help) => error.with_help(help),
                None => error,
            });
        }
        let (kind, root, members) = (self.collective.kind, self.collective.root, ranks / groups);
        if root > 0 && !kind.has_root() {
            let message = format!("{} has no root", kind.name());
            let help = "broadcast, reduce, gather and scatter have one";
            return Err(Invalid::new("root", message).with_help(help));
        }
        if root >= members {
            let message = format!("there is no member {root} in a group of {members}");
            let help = format!(
                "members are counted from 0 to {}",
                members.saturating_sub(1)
            );
            return Err(Invalid::new("root", message).with_help(help));
        }
        match self.times {
            0 => Err(Invalid::new("repeat", "expected at least 1, found 0")),
            _ => Ok(()),
        }
    }

    fn group(&self, rank: u32) -> Group {
        let size = self.ranks / self.groups;
        // A rank is in one group only, so that they need no contexts of their own.
        match self.members {
            Members::Consecutive => Group::line(0, rank / size * size, 1, size),
            Members::Strided => Group::line(0, rank % self.groups, self.groups, size),
        }
    }
}

impl Calling for Repeated {
    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn parts(&self) -> u32 {
        self.times
    }

    fn group_sizes(&self) -> Vec<u32> {
        vec![self.ranks / self.groups.max(1)]
    }

    fn caller(&self, rank: u32) -> Box<dyn Caller> {
        Box::new(Member {
            group: self.group(rank),
            program: self.clone(),
        })
    }
}

struct Member {
    program: Repeated,
    group: Group,
}

impl Caller for Member {
    fn calls(&mut self, part: u32, calls: &mut Vec<Call>) -> bool {
        let collective = self.program.collective.clone();
        calls.push(Call::Compute(self.program.computing));
        calls.push(Call::Collective(collective, self.group.clone()));
        part + 1 >= self.program.times
    }
}
