//! The picture of a network: where routers stand and how loaded the links are.

use crate::finding::Finding;
use turnwise_network::{ChannelId, Network, Shape};
use turnwise_report::layout::{LayoutHint, arrange};
use turnwise_report::{Picture, PictureLink, PictureRouter};

fn layout_hint(network: &Network) -> LayoutHint {
    match network.shape() {
        Shape::Grid(grid) => LayoutHint::Grid {
            sizes: grid.sizes.clone(),
            wrap: grid.wrap,
        },
        Shape::HyperX(hyperx) if hyperx.sizes.len() > 1 => LayoutHint::Grid {
            sizes: hyperx.sizes.clone(),
            wrap: false,
        },
        Shape::HyperX(_) => LayoutHint::Circle,
        Shape::Dragonfly(dragonfly) => LayoutHint::Groups {
            groups: dragonfly.groups,
            per_group: dragonfly.routers_per_group,
        },
        Shape::Megafly(megafly) => LayoutHint::Groups {
            groups: megafly.groups,
            per_group: 2 * megafly.half_radix,
        },
        Shape::FatTree(tree) => LayoutHint::Levels(
            network
                .routers()
                .map(|router| tree.level_and_index(router.0).0 as u32 - 1)
                .collect(),
        ),
        Shape::Butterfly(butterfly) => LayoutHint::Levels(
            network
                .routers()
                .map(|router| butterfly.stage_and_index(router.0).0)
                .collect(),
        ),
        Shape::Graph => LayoutHint::Force {
            edges: network
                .channels()
                .filter_map(|(id, _)| network.ends(id))
                .map(|(a, b)| (a.0, b.0))
                .collect(),
        },
    }
}

/// The position of every router. Megafly numbers all leaves before all spines, while the
/// picture wants a group's routers side by side.
fn positions(network: &Network) -> (Vec<(f64, f64)>, f64, bool) {
    let layout = arrange(&layout_hint(network), network.router_count());
    let positions = match network.shape() {
        Shape::Megafly(megafly) => {
            let r = megafly.half_radix;
            let place = |router: u32| {
                let (group, index) = megafly.group_and_index(router);
                group * 2 * r
                    + if megafly.is_leaf(router) {
                        index
                    } else {
                        r + index
                    }
            };
            network
                .routers()
                .map(|router| layout.positions[place(router.0) as usize])
                .collect()
        }
        _ => layout.positions,
    };
    (positions, layout.aspect, layout.bundled)
}

/// What the colours of a picture say.
pub(super) struct Drawn<'a> {
    pub(super) load_name: &'a str,
    pub(super) load_unit: &'a str,
    pub(super) caption: String,
    /// Of a channel.
    pub(super) load: &'a dyn Fn(ChannelId) -> f64,
}

/// The network of a finding, coloured by the routes of its channels.
pub(super) fn of_routes(finding: &Finding) -> Picture {
    let quality = &finding.analysis.quality;
    let (load_unit, slower) = match finding.routed.network.has_one_speed() {
        true => ("terminal pairs", ""),
        false => (
            "weighed terminal pairs",
            ", times what the channel is slower than the fastest",
        ),
    };
    let drawn = Drawn {
        load_name: "routes per channel",
        load_unit,
        caption: format!(
            "Expected number of terminal pairs whose packets cross each channel under {}{slower}, every option equally likely.",
            finding.routing_name
        ),
        load: &|channel| quality.load(channel),
    };
    picture(&finding.routed.network, drawn)
}

/// The links of a picture: a channel, and the one that goes back.
pub(super) fn links(network: &Network) -> impl Iterator<Item = (ChannelId, Option<ChannelId>)> {
    let all = network.channels().map(|(id, _)| id);
    let joined = all.filter(|&id| network.ends(id).is_some());
    let both = joined.map(|id| (id, network.reverse(id)));
    // A cable is drawn once, from the lower of its two channels.
    both.filter(|&(id, reverse)| reverse.is_none_or(|reverse| id < reverse))
}

/// A network, coloured by the loads of its channels.
pub(super) fn picture(network: &Network, drawn: Drawn<'_>) -> Picture {
    let (positions, aspect, bundled) = positions(network);
    let routers = network
        .routers()
        .zip(positions)
        .map(|(router, (x, y))| PictureRouter {
            x,
            y,
            label: network.router_label(router),
            group: network.shape().group(router),
        });
    let class = |id: ChannelId| network.channel(id).class.name();
    let links = links(network).filter_map(|(id, reverse)| {
        let (a, b) = network.ends(id)?;
        Some(PictureLink {
            a: a.0,
            b: b.0,
            forward: (drawn.load)(id),
            backward: reverse.map_or(f64::NAN, drawn.load),
            classes: [class(id), reverse.map_or_else(String::new, class)],
        })
    });
    Picture {
        load_name: drawn.load_name.into(),
        load_unit: drawn.load_unit.into(),
        caption: drawn.caption,
        aspect,
        bundled,
        routers: routers.collect(),
        links: links.collect(),
        moments: None,
    }
}
