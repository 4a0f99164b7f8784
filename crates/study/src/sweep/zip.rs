//! `zip`: groups of swept fields which advance together.

use turnwise_config::diagnostic::{Diagnostic, suggestion};
use turnwise_config::document::Value;

use super::axes::Axis;

/// The groups of `zip`, as numbers of fields.
pub(super) fn read(zip: &Value, axes: &[Axis], errors: &mut Vec<Diagnostic>) -> Vec<Vec<usize>> {
    let single = std::slice::from_ref(zip);
    let groups = match zip.array() {
        Some(items) if items.iter().all(|item| item.array().is_some()) => items,
        _ => single,
    };
    let mut taken = Vec::new();
    let mut zips = Vec::new();
    for group in groups {
        let names = group.array().unwrap_or_default();
        if names.len() < 2 || names.iter().any(|name| name.as_str().is_none()) {
            let message = "expected groups of two or more swept keys";
            let help = "write zip = [[\"network.groups\", \"traffic.load\"]]";
            errors.push(Diagnostic::at(group.span, message).with_help(help));
            continue;
        }
        let mut members: Vec<usize> = Vec::new();
        for name in names {
            if let Some(axis) = member(name, axes, &taken, errors) {
                taken.push(axis);
                members.push(axis);
                same_length(name, axes, &members, errors);
            }
        }
        zips.push(members);
    }
    zips
}

fn member(
    name: &Value,
    axes: &[Axis],
    taken: &[usize],
    errors: &mut Vec<Diagnostic>,
) -> Option<usize> {
    let path = name.as_str()?;
    let found = axes.iter().position(|axis| axis.key.name == path);
    let error = match found {
        Some(axis) if !taken.contains(&axis) => return found,
        Some(_) => Diagnostic::at(name.span, format!("`{path}` is zipped twice")),
        None => {
            let keys = || axes.iter().map(|axis| axis.key.name.as_str());
            let help = suggestion(path, "the swept keys are", keys(), keys());
            Diagnostic::at(name.span, format!("`{path}` is not swept")).with_help(help)
        }
    };
    errors.push(error);
    None
}

/// Compares the last of `members`, which `name` is, with the first.
fn same_length(name: &Value, axes: &[Axis], members: &[usize], errors: &mut Vec<Diagnostic>) {
    let mut free = members
        .iter()
        .map(|&axis| &axes[axis])
        .filter(|axis| !axis.fixed);
    let (Some(first), Some(last)) = (free.next(), free.next_back()) else {
        return;
    };
    let lengths = (first.values.len(), last.values.len());
    if Some(last.key.name.as_str()) == name.as_str() && lengths.0 != lengths.1 {
        let message = format!(
            "`{}` has {} values, but `{}` has {}",
            last.key.name, lengths.1, first.key.name, lengths.0
        );
        errors.push(Diagnostic::at(name.span, message));
    }
}
