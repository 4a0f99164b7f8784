//! What a proof takes for granted of the routers.

use turnwise_network::FlowControl;

/// What a verdict assumes of the routers; made from a flow control alone if buffers are shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assumptions {
    /// When a packet may move on.
    pub flow_control: FlowControl,
    /// Does the buffer of a virtual channel never hold flits of two packets, because the channel is given away
    /// only when it is empty (atomic allocation)?
    pub one_packet_buffers: bool,
}

impl From<FlowControl> for Assumptions {
    fn from(flow_control: FlowControl) -> Self {
        Self {
            flow_control,
            one_packet_buffers: false,
        }
    }
}
