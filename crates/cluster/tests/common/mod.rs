//! A small study for tests of what shares it.

use turnwise_study::specification::Scope;
use turnwise_study::{Plan, Source, Workshop};

/// So many repetitions of a point.
pub(crate) fn plan(points: usize) -> Plan {
    let text = format!(
        "study = {{ repeat = {points} }}
         network = {{ kind = \"torus\", sizes = [4, 4] }}
         routing = {{ kind = \"dimension-order\" }}
         traffic = {{ pattern = \"uniform\", load = 0.1 }}"
    );
    study(&text)
}

/// A study of a text.
pub(crate) fn study(text: &str) -> Plan {
    let (source, document) = Source::parse("study.toml", text.as_bytes(), &[]);
    let document = document.unwrap();
    Plan::new(
        source,
        &document,
        Workshop::new("."),
        Scope::Simulation,
        "test",
    )
    .unwrap_or_else(|(_, errors)| panic!("{errors:?}"))
}
