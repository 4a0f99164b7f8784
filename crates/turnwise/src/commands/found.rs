//! What is to be said of results that were there already.

use crate::output;
use std::path::Path;
use turnwise_study::provenance::REVISION;
use turnwise_study::results::Results;

/// Says which results another revision of this version has stored in a folder: what was changed since is not in them.
pub(crate) fn of_other_revisions(results: &Results, stored: &Path) -> Option<String> {
    let said =
        |(revision, count)| format!("{} of revision {revision}", output::count(count, "result"));
    let others: Vec<String> = results.others().map(said).collect();
    (!others.is_empty()).then(|| {
        format!(
            "warning: found again, not simulated: {}, where this is {REVISION}; without {} all are simulated anew",
            others.join(", "),
            stored.display()
        )
    })
}
