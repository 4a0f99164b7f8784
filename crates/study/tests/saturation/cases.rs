//! Networks, routings and patterns, and where they saturate at the latest.

/// To whom terminals send, for counting routes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Traffic {
    /// Always to the same one, or to nobody.
    Fixed,
    /// To all others alike.
    Uniform,
    /// To all terminals of the next of so many groups alike.
    NextOf(u32),
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) family: &'static str,
    pub(crate) network: &'static str,
    pub(crate) routing: &'static str,
    /// Its name and its parameters.
    pub(crate) pattern: (&'static str, &'static str),
    pub(crate) traffic: Traffic,
    /// In flits injected per terminal and cycle, terminals that never send included.
    pub(crate) bound: f64,
}

const fn case(
    family: &'static str,
    network: &'static str,
    routing: &'static str,
    pattern: (&'static str, &'static str),
    traffic: Traffic,
    bound: f64,
) -> Case {
    Case {
        family,
        network,
        routing,
        pattern,
        traffic,
        bound,
    }
}

use Traffic::{Fixed, NextOf, Uniform};

/// The comment says where the bound comes from.
#[rustfmt::skip]
pub(crate) const CASES: &[Case] = &[
    // Three steps the same way round.
    case("torus", "kind = 'torus'\nsizes = [8]", "dimension-order", ("tornado", ""), Fixed, 1.0 / 3.0),
    // The same.
    case("torus", "kind = 'torus'\nsizes = [7]", "dimension-order", ("tornado", ""), Fixed, 1.0 / 3.0),
    // Five steps.
    case("torus", "kind = 'torus'\nsizes = [12]", "dimension-order", ("tornado", ""), Fixed, 1.0 / 5.0),
    // Two steps in each dimension.
    case("torus", "kind = 'torus'\nsizes = [5, 5]", "dimension-order", ("tornado", ""), Fixed, 1.0 / 2.0),
    // Three steps in the longer dimension.
    case("torus", "kind = 'torus'\nsizes = [8, 4]", "dimension-order", ("tornado", ""), Fixed, 1.0 / 3.0),
    // Each way 1 + 2 + 3 + 4 / 2 = 8 steps for 7 destinations.
    case("torus", "kind = 'torus'\nsizes = [8]", "dimension-order", ("uniform", ""), Uniform, 7.0 / 8.0),
    // 1 + ... + 5 + 6 / 2 = 18 steps for 11.
    case("torus", "kind = 'torus'\nsizes = [12]", "dimension-order", ("uniform", ""), Uniform, 11.0 / 18.0),
    // 1 + ... + 4 = 10 steps for 8.
    case("torus", "kind = 'torus'\nsizes = [9]", "dimension-order", ("uniform", ""), Uniform, 8.0 / 10.0),
    // k / 8 = 1.5 times N / (N - 1).
    case("torus", "kind = 'torus'\nsizes = [12, 2]", "dimension-order", ("uniform", ""), Uniform, 23.0 / 36.0),
    // From 2 to 5 and from 3 to 4, over the same channel.
    case("torus", "kind = 'torus'\nsizes = [8]", "dimension-order", ("bit-complement", ""), Fixed, 1.0 / 2.0),
    // One step each.
    case("torus", "kind = 'torus'\nsizes = [8]", "dimension-order", ("neighbor", ""), Fixed, 1.0),
    // (N / 2)^2 / (N - 1) flits over the middle, by 4 channels.
    case("mesh", "kind = 'mesh'\nsizes = [4, 4]", "dimension-order", ("uniform", ""), Uniform, 15.0 / 16.0),
    // The same by one channel.
    case("mesh", "kind = 'mesh'\nsizes = [8]", "dimension-order", ("uniform", ""), Uniform, 7.0 / 16.0),
    // The same by three.
    case("mesh", "kind = 'mesh'\nsizes = [6, 3]", "dimension-order", ("uniform", ""), Uniform, 51.0 / 81.0),
    // 10 * 15 / 24 flits by 5 channels.
    case("mesh", "kind = 'mesh'\nsizes = [5, 5]", "dimension-order", ("uniform", ""), Uniform, 120.0 / 150.0),
    // 8 * 8 / 15 flits by one channel.
    case("mesh", "kind = 'mesh'\nsizes = [8]\nterminals_per_router = 2", "dimension-order", ("uniform", ""), Uniform, 15.0 / 64.0),
    // 32 * 32 / 63 flits by 8 channels.
    case("mesh", "kind = 'mesh'\nsizes = [8, 8]", "dimension-order", ("uniform", ""), Uniform, 63.0 / 128.0),
    // Three of a row turn into the same column; the diagonal sends nothing.
    case("mesh", "kind = 'mesh'\nsizes = [4, 4]", "dimension-order", ("transpose", ""), Fixed, 12.0 / 16.0 / 3.0),
    // Seven of a row.
    case("mesh", "kind = 'mesh'\nsizes = [8, 8]", "dimension-order", ("transpose", ""), Fixed, 56.0 / 64.0 / 7.0),
    // The same by coordinates.
    case("mesh", "kind = 'mesh'\nsizes = [4, 4]", "dimension-order", ("matrix-transpose", ""), Fixed, 12.0 / 16.0 / 3.0),
    // Half of a row crosses its middle.
    case("mesh", "kind = 'mesh'\nsizes = [4, 4]", "dimension-order", ("bit-complement", ""), Fixed, 1.0 / 2.0),
    // The same.
    case("mesh", "kind = 'mesh'\nsizes = [8]", "dimension-order", ("bit-complement", ""), Fixed, 1.0 / 4.0),
    // Three over each channel in the middle, both ways.
    case("mesh", "kind = 'mesh'\nsizes = [8]", "dimension-order", ("tornado", ""), Fixed, 1.0 / 3.0),
    // One step each, and one back to the start.
    case("mesh", "kind = 'mesh'\nsizes = [8]", "dimension-order", ("neighbor", ""), Fixed, 1.0),
    // N / 2 / (N - 1) on each channel: terminals are the limit.
    case("cube", "kind = 'hypercube'\ndimensions = 4", "dimension-order", ("uniform", ""), Uniform, 1.0),
    // Four times 16 / 31.
    case("cube", "kind = 'hypercube'\ndimensions = 3\nterminals_per_router = 4", "dimension-order", ("uniform", ""), Uniform, 31.0 / 64.0),
    // One on each channel.
    case("cube", "kind = 'hypercube'\ndimensions = 4", "dimension-order", ("bit-complement", ""), Fixed, 1.0),
    // sqrt(N) / 2 on the busiest; sqrt(N) send nothing.
    case("cube", "kind = 'hypercube'\ndimensions = 4", "dimension-order", ("transpose", ""), Fixed, 12.0 / 16.0 / 2.0),
    // The same.
    case("cube", "kind = 'hypercube'\ndimensions = 6", "dimension-order", ("transpose", ""), Fixed, 56.0 / 64.0 / 4.0),
    // The same; the palindromes send nothing.
    case("cube", "kind = 'hypercube'\ndimensions = 4", "dimension-order", ("bit-reverse", ""), Fixed, 12.0 / 16.0 / 2.0),
    // 1 / 7 on each channel.
    case("complete", "kind = 'full-mesh'\nrouters = 8\nterminals_per_router = 1", "dimension-order", ("uniform", ""), Uniform, 1.0),
    // 4 * 4 / 15 between two routers.
    case("complete", "kind = 'full-mesh'\nrouters = 4\nterminals_per_router = 4", "dimension-order", ("uniform", ""), Uniform, 15.0 / 16.0),
    // 4 * 4 / 11.
    case("complete", "kind = 'full-mesh'\nrouters = 3\nterminals_per_router = 4", "dimension-order", ("uniform", ""), Uniform, 11.0 / 16.0),
    // Four terminals to the next router.
    case("complete", "kind = 'full-mesh'\nrouters = 4\nterminals_per_router = 4", "dimension-order", ("shift", "offset = 4"), Fixed, 1.0 / 4.0),
    // Three terminals.
    case("complete", "kind = 'full-mesh'\nrouters = 5\nterminals_per_router = 3", "dimension-order", ("shift", "offset = 3"), Fixed, 1.0 / 3.0),
    // 4 terminals to a column of 16, of 63.
    case("complete", "kind = 'hyperx'\nsizes = [4, 4]\nterminals_per_router = 4", "dimension-order", ("uniform", ""), Uniform, 63.0 / 64.0),
    // Four terminals to the next in the row.
    case("complete", "kind = 'hyperx'\nsizes = [4, 4]\nterminals_per_router = 4", "dimension-order", ("tornado", ""), Fixed, 1.0 / 4.0),
    // Two terminals to the next in the row.
    case("complete", "kind = 'hyperx'\nsizes = [3, 3]\nterminals_per_router = 2", "dimension-order", ("neighbor", ""), Fixed, 1.0 / 2.0),
    // Two terminals to the next group.
    case("groups", "kind = 'dragonfly'\ngroups = 3\nrouters_per_group = 2\nterminals_per_router = 1\nglobal_ports_per_router = 1", "minimal", ("adversarial", "offset = 1"), NextOf(3), 1.0 / 2.0),
    // Eight terminals to the next group.
    case("groups", "kind = 'dragonfly'\ngroups = 5\nrouters_per_group = 4\nterminals_per_router = 2\nglobal_ports_per_router = 1", "minimal", ("adversarial", "offset = 1"), NextOf(5), 1.0 / 8.0),
    // 4 + 8 + 8 of 11 over the channel inside a group: own, to its other gateway, from it.
    case("groups", "kind = 'dragonfly'\ngroups = 3\nrouters_per_group = 2\nterminals_per_router = 2\nglobal_ports_per_router = 1", "minimal", ("uniform", ""), Uniform, 11.0 / 20.0),
    // 8 * 8 / 39 between two groups.
    case("groups", "kind = 'dragonfly'\ngroups = 5\nrouters_per_group = 4\nterminals_per_router = 2\nglobal_ports_per_router = 1", "minimal", ("uniform", ""), Uniform, 39.0 / 64.0),
    // 16 terminals to the next group, over 4 links.
    case("groups", "kind = 'megafly'\nhalf_radix = 4\ngroups = 5", "minimal", ("shift", "group_offset = 1"), Fixed, 1.0 / 4.0),
    // A third of 16 terminals by each other group, and another third from there, over 4 links.
    case("groups", "kind = 'megafly'\nhalf_radix = 4\ngroups = 5", "valiant", ("shift", "group_offset = 1"), Fixed, 3.0 / 8.0),
    // As many channels up as terminals below, and all alike.
    case("tree", "kind = 'k-ary-n-tree'\narity = 4\nlevels = 2", "d-mod-k", ("uniform", ""), Uniform, 1.0),
    // The same.
    case("tree", "kind = 'k-ary-n-tree'\narity = 4\nlevels = 2", "s-mod-k", ("uniform", ""), Uniform, 1.0),
    // Free of conflicts (Zahavi).
    case("tree", "kind = 'k-ary-n-tree'\narity = 4\nlevels = 2", "d-mod-k", ("shift", "offset = 4"), Fixed, 1.0),
    // All destinations of a leaf differ modulo 4.
    case("tree", "kind = 'k-ary-n-tree'\narity = 4\nlevels = 2", "d-mod-k", ("bit-complement", ""), Fixed, 1.0),
    // All destinations of a leaf are alike modulo 4; one of its terminals sends nothing.
    case("tree", "kind = 'k-ary-n-tree'\narity = 4\nlevels = 2", "d-mod-k", ("transpose", ""), Fixed, 12.0 / 16.0 / 3.0),
    // 4 * 12 / 15 by two channels.
    case("tree", "kind = 'xgft'\nm = [4, 4]\nw = [1, 2]", "d-mod-k", ("uniform", ""), Uniform, 15.0 / 24.0),
    // 4 * 12 / 15 by one.
    case("tree", "kind = 'xgft'\nm = [4, 4]\nw = [1, 1]", "d-mod-k", ("uniform", ""), Uniform, 15.0 / 48.0),
];
