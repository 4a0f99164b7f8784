//! Memory: tables take no more than was foreseen before they were made, by which networks are refused that are too large.

use super::subjects::Subject;

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    for built in subject.all() {
        let takes = built.routing.memory_bytes();
        if let Some(foreseen) = built.foreseen.filter(|&foreseen| foreseen < takes) {
            return Err(format!(
                "tables take {takes} bytes, where {foreseen} were foreseen"
            ));
        }
    }
    Ok(())
}
