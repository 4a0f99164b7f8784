//! Latencies as a study writes them, held against the network that they are for.

use turnwise_config::diagnostic::Invalid;
use turnwise_config::document::Value;
use turnwise_network::Shape;

/// Refuses latencies by dimension that are not one for each.
pub(crate) fn check_dimensions(shape: &Shape, table: &Value) -> Result<(), Invalid> {
    const FIELD: &str = "channel_latency.dimensions";
    let listed = table.at_path(FIELD).and_then(Value::array);
    let Some(listed) = listed.map(<[_]>::len) else {
        return Ok(());
    };
    let dimensions = shape.dimensions();
    let message = match dimensions {
        _ if listed == dimensions => return Ok(()),
        0 => "this network has no dimensions; its channels are `local` and `global`".to_owned(),
        1 => format!("expected one latency, for the one dimension, found {listed}"),
        _ => format!("expected {dimensions} latencies, one for each dimension, found {listed}"),
    };
    Err(Invalid::new(FIELD, message))
}
