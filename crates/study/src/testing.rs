//! Plans for the tests beside the code.

use crate::plan::Plan;
use crate::source::Source;
use crate::specification::Scope;
use crate::workshop::Workshop;

/// A study that is expected to be flawless, with these overrides.
pub(crate) fn plan(text: &str, overrides: &[String]) -> Plan {
    let (source, document) = Source::parse("study.toml", text.as_bytes(), overrides);
    let (document, workshop) = (document.unwrap(), Workshop::new("."));
    let plan = Plan::new(source, &document, workshop, Scope::Simulation, "test");
    plan.unwrap_or_else(|(_, errors)| panic!("{errors:?} in\n{text}"))
}
