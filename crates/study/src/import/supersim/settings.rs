//! The settings of SuperSim that a study follows, as they are written.

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    pub(super) simulator: Simulator,
    pub(super) network: Network,
    pub(super) workload: Workload,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Simulator {
    pub(super) channel_cycle_time: u64,
    pub(super) router_cycle_time: u64,
    pub(super) interface_cycle_time: u64,
    pub(super) terminal_cycle_time: Option<u64>,
    pub(super) random_seed: u64,
}

/// A dragonfly.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Network {
    #[serde(rename = "topology")]
    _topology: String,
    pub(super) global_width: u32,
    pub(super) global_weight: u32,
    pub(super) local_width: u32,
    pub(super) concentration: u32,
    pub(super) protocol_classes: [ProtocolClass; 1],
    pub(super) channel_mode: ChannelMode,
    pub(super) global_scalar: Option<f32>,
    pub(super) local_scalar: Option<f32>,
    pub(super) global_channel: Channel,
    pub(super) local_channel: Channel,
    pub(super) external_channel: Channel,
    pub(super) router: Router,
    pub(super) interface: Interface,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ChannelMode {
    Fixed,
    Scalar,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Channel {
    pub(super) latency: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProtocolClass {
    pub(super) num_vcs: u32,
    pub(super) routing: Routing,
    pub(super) injection: Option<Injection>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Injection {
    pub(super) fixed_msg_vc: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Routing {
    pub(super) algorithm: Algorithm,
    pub(super) progressive_adaptive: Option<bool>,
    pub(super) valiant_node: Option<bool>,
    pub(super) reduction: Reduction,
    /// These are of a SuperSim that weighs how long ways are, with the scalars of the network once more.
    pub(super) propagation_weight: Option<f64>,
    #[serde(rename = "propagation_mode")]
    _propagation_mode: Option<PropagationMode>,
    pub(super) global_scalar: Option<f32>,
    pub(super) local_scalar: Option<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Algorithm {
    Minimal,
    Adaptive,
}

/// Whose channel counts: with `port`, of which there are no runs, the one that the router itself takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PropagationMode {
    Global,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reduction {
    pub(super) algorithm: ReductionAlgorithm,
    pub(super) congestion_bias: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReductionAlgorithm {
    Weighted,
    LeastCongestedMinimal,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Router {
    pub(super) architecture: Architecture,
    pub(super) congestion_sensor: Sensor,
    pub(super) congestion_mode: CongestionMode,
    pub(super) input_queue_mode: QueueMode,
    pub(super) input_queue_depth: f64,
    pub(super) input_queue_min: Option<u32>,
    pub(super) input_queue_max: Option<u32>,
    pub(super) output_queue_depth: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Architecture {
    InputOutputQueued,
    InputQueued,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CongestionMode {
    Output,
    Downstream,
    OutputAndDownstream,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum QueueMode {
    Fixed,
    Tailored,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sensor {
    #[serde(rename = "algorithm")]
    _algorithm: String,
    pub(super) latency: u32,
    pub(super) granularity: u32,
    pub(super) minimum: f64,
    pub(super) offset: f64,
    pub(super) mode: SensorMode,
    pub(super) phantom: Option<bool>,
    pub(super) value_coeff: Option<f64>,
    pub(super) length_coeff: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SensorMode {
    NormalizedVc,
    NormalizedPort,
    NormalizedMin,
    NormalizedMax,
    AbsoluteVc,
    AbsolutePort,
    AbsoluteMin,
    AbsoluteMax,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Interface {
    pub(super) init_credits_mode: QueueMode,
    pub(super) init_credits: f64,
    pub(super) credits_min: Option<u32>,
    pub(super) credits_max: Option<u32>,
    /// As older versions have it.
    pub(super) fixed_msg_vc: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Workload {
    pub(super) applications: [Application; 1],
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Application {
    #[serde(rename = "type")]
    _kind: String,
    pub(super) blast_terminal: Terminal,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Terminal {
    pub(super) request_injection_rate: f64,
    pub(super) warmup_interval: u32,
    pub(super) warmup_window: u32,
    pub(super) num_transactions: u32,
    pub(super) max_packet_size: u32,
    pub(super) traffic_pattern: Pattern,
    pub(super) message_size_distribution: MessageSizes,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageSizes {
    #[serde(rename = "type")]
    _kind: String,
    pub(super) message_size: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pattern {
    #[serde(rename = "type")]
    pub(super) kind: PatternKind,
    pub(super) send_to_self: Option<bool>,
    pub(super) group_size: Option<u32>,
    pub(super) concentration: Option<u32>,
    pub(super) destination_mode: Option<DestinationMode>,
    pub(super) group_mode: Option<GroupMode>,
    pub(super) block_size: Option<u32>,
    pub(super) local_probability: Option<f64>,
    pub(super) remote_mode: Option<GroupMode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PatternKind {
    UniformRandom,
    GroupAttack,
    RandomExchange,
    LocalRandomRemoteAttack,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DestinationMode {
    Peer,
    Random,
    Complement,
}

/// Which other group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "expected \"half\", \"opposite\" or a number of groups"
)]
pub(super) enum GroupMode {
    Named(NamedGroup),
    Offset(i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum NamedGroup {
    Half,
    Opposite,
}
