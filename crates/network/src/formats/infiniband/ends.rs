//! What a line about a cable says of the port at its other end.
//!
//! `ibnetdiscover` tells an adapter's port twice: in the adapter's own lines, and in those of the switch that it is cabled to, with its GUID in
//! parentheses and its LID behind the adapter's name.

use super::fabric::Address;
use super::line::{Line, guid_of};
use turnwise_config::Flaw;

/// What is said of that port, and where.
#[derive(Default)]
pub(super) struct OtherEnd {
    guid: Option<(u64, usize)>,
    lid: Option<(u32, usize)>,
    lmc: Option<(u8, usize)>,
}

impl OtherEnd {
    /// Of the rest of a line, behind the port.
    pub(super) fn of(line: &mut Line<'_>) -> Result<Self, Flaw> {
        line.skip_outside();
        let guid = match line.between('(', ')') {
            Some((digits, place)) => Some((guid_of(digits, place)?, place)),
            None => None,
        };
        let said = line.behind_name();
        Ok(Self {
            guid,
            lid: said.lid(),
            lmc: said.lmc(),
        })
    }

    /// Gives an adapter's port what its own lines lack, and tells what that is.
    ///
    /// # Errors
    /// What its own lines say otherwise.
    pub(super) fn complete(
        &self,
        address: &mut Address,
        node: &str,
        port: u8,
    ) -> Result<Address, Flaw> {
        let of = format!("\"{node}\"[{port}]");
        Ok(Address {
            guid: one(&mut address.guid, self.guid, |guid| {
                format!("{of} has GUID {guid:#018x}")
            })?,
            lid: one(&mut address.lid, self.lid, |lid| {
                format!("{of} has LID {lid}")
            })?,
            lmc: one(&mut address.lmc, self.lmc, |lmc| {
                format!("{of} has lmc {lmc}")
            })?,
        })
    }
}

/// What is new of this, if anything.
fn one<T: Copy + PartialEq>(
    own: &mut Option<T>,
    said: Option<(T, usize)>,
    has: impl Fn(T) -> String,
) -> Result<Option<T>, Flaw> {
    match (*own, said) {
        (Some(own), Some((said, place))) if own != said => {
            let message = format!("{} by its own line", has(own));
            Err(Flaw::at(place, message))
        }
        (None, Some((said, _))) => {
            *own = Some(said);
            Ok(Some(said))
        }
        _ => Ok(None),
    }
}
