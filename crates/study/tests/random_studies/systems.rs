//! Random networks with a routing made for them.

use proptest::prelude::*;

/// The tables of a network and its routing.
#[derive(Clone, Debug)]
pub(super) struct System {
    pub(super) network: String,
    pub(super) routing: String,
    /// The table of faults, or nothing.
    pub(super) faults: String,
    /// Meshes and tori.
    pub(super) is_grid: bool,
}

type Text = BoxedStrategy<String>;

fn just(text: &str) -> Text {
    Just(text.to_string()).boxed()
}

/// With so many virtual channels as the routing asks for, or another number.
fn with_channels(routing: Text, most: u8) -> Text {
    let channels = prop_oneof![1 => Just(0), 1 => 1..=most];
    (routing, channels)
        .prop_map(|(routing, channels)| match channels {
            0 => routing,
            _ => format!("{routing}\nvirtual_channels = {channels}"),
        })
        .boxed()
}

fn one_of(kinds: &[&'static str]) -> Text {
    let kinds = kinds.to_vec();
    (0..kinds.len())
        .prop_map(move |index| format!("kind = {}", kinds[index]))
        .boxed()
}

/// Fields of `kind` with these sizes and one or two terminals a router.
fn sized(kind: &'static str, largest: u32, dimensions: usize) -> Text {
    let sizes = prop::collection::vec(2u32..=largest, 1..=dimensions);
    (sizes, 1u32..=2)
        .prop_map(move |(sizes, terminals)| {
            format!("kind = '{kind}'\nsizes = {sizes:?}\nterminals_per_router = {terminals}")
        })
        .boxed()
}

fn grids() -> (Text, Text) {
    let network =
        prop_oneof![3 => sized("torus", 5, 2), 1 => sized("torus", 3, 3), 1 => sized("mesh", 4, 2)];
    let order = one_of(&["'dimension-order'", "'dimension-order'\nties = 'parity'"]);
    let undivided = one_of(&["'dimension-order'\nclasses = 'none'"]);
    let routing = prop_oneof![
        2 => with_channels(order, 4),
        3 => with_channels(undivided, 2),
        2 => with_channels(just("kind = 'shortest-path'"), 2),
        2 => with_channels(just("kind = 'shortest-path'\nclasses = 'none'\nmetric = 'latency'"), 2),
        3 => with_channels(one_of(&["'valiant'", "'romm'", "'minimal-oblivious'"]), 5),
    ];
    (network.boxed(), routing.boxed())
}

fn angara() -> (Text, Text) {
    let sizes = prop::collection::vec(2u32..=5, 1..=2);
    let network = sizes.prop_map(|sizes| format!("kind = 'torus'\nsizes = {sizes:?}"));
    let routing = one_of(&["'angara-dor'", "'angara-bfs'", "'angara-sssp'"]);
    (network.boxed(), routing)
}

fn rows() -> (Text, Text) {
    let network = prop_oneof![
        sized("hyperx", 3, 2),
        (2u32..=6).prop_map(|routers| format!("kind = 'full-mesh'\nrouters = {routers}")),
        (1u32..=3).prop_map(|dimensions| format!("kind = 'hypercube'\ndimensions = {dimensions}")),
    ];
    let routing = one_of(&[
        "'dimension-order'",
        "'shortest-path'",
        "'valiant'",
        "'romm'",
        "'minimal-oblivious'",
    ]);
    (network.boxed(), with_channels(routing, 3))
}

fn dragonflies() -> (Text, Text) {
    let network = (2u32..=4, 2u32..=3, 1u32..=2, 0usize..3).prop_map(
        |(groups, routers, terminals, arrangement)| {
            let arrangement = ["absolute", "relative", "palmtree"][arrangement];
            format!(
                "kind = 'dragonfly'\ngroups = {groups}\nrouters_per_group = {routers}\n\
                 terminals_per_router = {terminals}\narrangement = '{arrangement}'"
            )
        },
    );
    let routing = one_of(&[
        "'minimal'",
        "'valiant'\nvia = 'router'",
        "'valiant'\nvia = 'group'\nintra_group = 'valiant'",
    ]);
    (network.boxed(), with_channels(routing, 4))
}

fn megaflies() -> (Text, Text) {
    let network = (2u32..=5)
        .prop_map(|groups| format!("kind = 'megafly'\nhalf_radix = 2\ngroups = {groups}"));
    let routing = one_of(&["'minimal'", "'valiant'", "'valiant'\nvia = 'leaf'"]);
    (network.boxed(), with_channels(routing, 3))
}

fn trees() -> (Text, Text) {
    let network = one_of(&[
        "'k-ary-n-tree'\narity = 2\nlevels = 2",
        "'k-ary-n-tree'\narity = 2\nlevels = 3",
        "'xgft'\nm = [3, 2]\nw = [1, 2]",
        "'xgft'\nm = [2, 2, 2]\nw = [1, 1, 2]",
    ]);
    let routing = one_of(&[
        "'nca'",
        "'d-mod-k'",
        "'s-mod-k'\nvariant = 'm'",
        "'shortest-path'",
    ]);
    (network, with_channels(routing, 3))
}

fn butterflies() -> (Text, Text) {
    let network = one_of(&[
        "'k-ary-n-fly'\narity = 2\nstages = 3",
        "'k-ary-n-fly'\narity = 2\nstages = 4",
        "'k-ary-n-fly'\narity = 3\nstages = 3",
    ]);
    let routing = one_of(&["'destination-tag'", "'shortest-path'"]);
    (network, with_channels(routing, 3))
}

fn graphs() -> (Text, Text) {
    let network = (3u32..=5, any::<u16>()).prop_map(|(half, seed)| {
        format!(
            "kind = 'random-regular'\nrouters = {}\ndegree = 3\nseed = {seed}",
            2 * half
        )
    });
    let ties = one_of(&["'shortest-path'", "'shortest-path'\nties = 'random'"]);
    (network.boxed(), with_channels(ties, 4))
}

/// How long channels are; the field that all networks have.
fn latency() -> Text {
    (1u32..=6, 1u32..=3)
        .prop_map(|(local, terminal)| {
            let global = 2 * local;
            format!("\nchannel_latency = {{ terminal = {terminal}, local = {local}, global = {global} }}")
        })
        .boxed()
}

fn faults() -> Text {
    let some = (0u32..=2, 0u32..=1, any::<u16>()).prop_map(|(links, routers, seed)| {
        format!(
            "[network.faults]\nrandom_links = {links}\nrandom_routers = {routers}\nseed = {seed}\n"
        )
    });
    prop_oneof![5 => just(""), 1 => some].boxed()
}

pub(super) fn system() -> impl Strategy<Value = System> {
    let of = |(network, routing): (Text, Text), is_grid: bool| {
        (network, routing, latency(), faults())
            .prop_map(move |(network, routing, latency, faults)| System {
                network: network + &latency,
                routing,
                faults,
                is_grid,
            })
            .boxed()
    };
    prop_oneof![
        4 => of(grids(), true),
        1 => of(angara(), true),
        1 => of(rows(), false),
        2 => of(dragonflies(), false),
        1 => of(megaflies(), false),
        1 => of(trees(), false),
        1 => of(butterflies(), false),
        2 => of(graphs(), false),
    ]
}
