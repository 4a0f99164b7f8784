//! Angara's algorithms by name, as a study without parameters has them.

use turnwise_config::document::{Kind, Table, Value};
use turnwise_network::FlowControl;
use turnwise_routing::{Algorithm, Context, REGISTRY};

pub(crate) fn algorithm(kind: &str) -> Box<dyn Algorithm> {
    let entry = REGISTRY.iter().find(|entry| entry.name == kind).unwrap();
    let nothing = Value::new(Default::default(), Kind::Table(Table::default()));
    (entry.parse)(&nothing, &mut Vec::new()).unwrap()
}

/// Bubble flow control, and the seed that studies have by default.
pub(crate) fn context() -> Context<'static> {
    Context {
        flow_control: FlowControl::Bubble,
        seed: 1,
        ..Context::default()
    }
}
