//! Every routing algorithm, a line each, and what is known without building one: whom it routes.

use crate::algorithm::{AlgorithmEntry, UnderFaults};
use crate::angara::algorithms as angara;
use crate::{butterfly, fat_tree, grid, grouped, irregular, subnet};
use turnwise_config::Span;
use turnwise_config::document::{Kind, Table, Value};
use turnwise_config::registry::find;
use turnwise_network::recognition::{Structure, recognise};
use turnwise_network::{Invalid, Network, Shape};

/// Every routing algorithm, in the order `turnwise list routings` prints them.
pub const REGISTRY: &[AlgorithmEntry] = &[
    grid::dimension_order::ENTRY,
    irregular::shortest_path::ENTRY,
    irregular::up_down::ENTRY,
    irregular::sbp::ENTRY,
    irregular::dl::ENTRY,
    irregular::tor::ENTRY,
    irregular::segment::ENTRY,
    irregular::lash::ENTRY,
    irregular::min_hop::ENTRY,
    irregular::sssp::ENTRY,
    irregular::dfsssp::ENTRY,
    irregular::nue::ENTRY,
    irregular::torus_2qos::ENTRY,
    irregular::ftree::ENTRY,
    irregular::turnwise::ENTRY,
    irregular::paths::ENTRY,
    irregular::next_hops::ENTRY,
    subnet::forwarding::ENTRY,
    subnet::transition::ENTRY,
    subnet::repair::ENTRY,
    grid::minimal_oblivious::ENTRY,
    grid::minimal_adaptive::ENTRY,
    grid::west_first::ENTRY,
    grid::negative_first::ENTRY,
    grid::odd_even::ENTRY,
    grid::romm::ENTRY,
    grid::dimwar::ENTRY,
    grouped::minimal::ENTRY,
    grouped::valiant::ENTRY,
    grouped::ugal::ENTRY,
    grouped::adaptive::ugal_g::ENTRY,
    grouped::adaptive::par::ENTRY,
    grouped::adaptive::piggyback::ENTRY,
    grouped::adaptive::crt::ENTRY,
    grouped::adaptive::par_sst::ENTRY,
    grouped::adaptive::fpar::ENTRY,
    grouped::adaptive::kapr::ENTRY,
    grouped::adaptive::ku_gcn::ENTRY,
    grouped::adaptive::weighted_adaptive::ENTRY,
    grouped::adaptive::in_transit::ENTRY,
    grouped::adaptive::informed::ENTRY,
    fat_tree::d_mod_k::ENTRY,
    fat_tree::s_mod_k::ENTRY,
    fat_tree::r_nca::ENTRY,
    fat_tree::coloured::ENTRY,
    fat_tree::nca::ENTRY,
    fat_tree::anca::ENTRY,
    fat_tree::snooping::ENTRY,
    fat_tree::in_turn::ENTRY,
    butterfly::destination_tag::ENTRY,
    angara::dor::ENTRY,
    angara::bfs::ENTRY,
    angara::genetic::ENTRY,
    angara::sssp::ENTRY,
    angara::balanced::ENTRY,
    angara::table::ENTRY,
];

/// The algorithms that route networks of a shape, in the registry's order.
pub fn fitting(shape: &Shape) -> impl Iterator<Item = &'static AlgorithmEntry> {
    REGISTRY.iter().filter(move |entry| (entry.fits)(shape))
}

/// Those of them that, without any options, are free of deadlock and route every pair that is connected, whatever has failed.
pub fn going_round_faults(shape: &Shape) -> impl Iterator<Item = &'static str> {
    let nothing = Value::new(Span::default(), Kind::Table(Table::default()));
    fitting(shape).filter_map(move |entry| {
        let algorithm = (entry.entry.parse)(&nothing, &mut Vec::new())?;
        let goes_round = algorithm.under_faults(shape) == UnderFaults::EveryRoute;
        (goes_round && algorithm.is_free_of_deadlock(shape)).then_some(entry.name)
    })
}

/// What [`build`](crate::Algorithm::build) of the algorithm `kind` had to say about a network, with those
/// algorithms that do route it as help if this one does not.
#[must_use]
pub fn suggest(invalid: Invalid, kind: &str, network: &Network) -> Invalid {
    let shape = network.shape();
    if invalid.place != "kind" || find(REGISTRY, kind).is_none_or(|entry| (entry.fits)(shape)) {
        return invalid;
    }
    // These find out from the wiring where routers are.
    let by_wiring = [&irregular::ftree::ENTRY, &irregular::torus_2qos::ENTRY];
    let recognised = matches!(shape, Shape::Graph).then(|| recognise(network));
    let of_wiring = match recognised.flatten().map(|found| found.structure) {
        Some(Structure::FatTree(_)) => Some(by_wiring[0]),
        Some(Structure::Grid(grid)) => {
            let rings = grid.rings.iter().filter(|&&is_ring| is_ring).count();
            (rings <= irregular::torus_2qos::MOST_RINGS).then_some(by_wiring[1])
        }
        _ => None,
    };
    let goes_by_wiring = by_wiring.iter().any(|entry| entry.name == kind);
    let why = match shape {
        Shape::Graph if !goes_by_wiring => {
            format!("routers of this network have no coordinates, which `{kind}` goes by; ")
        }
        _ => String::new(),
    };
    let fitting = fitting(shape).chain(of_wiring);
    let names: Vec<String> = fitting
        .filter(|entry| entry.name != kind)
        .map(|entry| format!("`{}`", entry.name))
        .collect();
    let names = names.join(", ");
    invalid.with_help(format!("{why}algorithms for this network: {names}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{Algorithm, Context};
    use crate::algorithms::Minimal;
    use std::sync::Arc;
    use turnwise_network::formats::infiniband;
    use turnwise_network::topologies::{InfiniBand, KAryNTree, Topology, Torus};

    #[test]
    fn a_misfit_names_what_would_fit() {
        let torus = Torus {
            sizes: vec![8, 8],
            ..Torus::default()
        };
        let torus = Arc::new(torus.build(None).unwrap());
        let error = Minimal::default().build(&torus, &Context::default());
        let error = suggest(error.err().unwrap(), "minimal", &torus);
        assert_eq!(error.place, "kind");
        assert_eq!(
            error.message,
            "`minimal` routes dragonfly and megafly networks; this one is an 8x8 torus"
        );
        let help = error.help.unwrap();
        assert!(
            help.contains("`dimension-order`") && help.contains("`shortest-path`"),
            "{help}"
        );
        assert!(!help.contains("`minimal`"), "{help}");
        // It needs a file.
        assert!(help.contains("`angara-table`"), "{help}");
    }

    #[test]
    fn who_fits_is_left_to_his_own_words() {
        let said = Invalid::new("virtual_channels", "too few");
        let torus = Torus::default().build(None).unwrap();
        assert_eq!(suggest(said.clone(), "dimension-order", &torus), said);
        assert_eq!(suggest(said.clone(), "unheard-of", &torus), said);
        // Who does not fit, but complains of something else.
        assert_eq!(suggest(said.clone(), "minimal", &torus), said);
    }

    /// A network from a file is what it is recognised as for those who go by the wiring alone.
    #[test]
    fn networks_from_files_are_told_who_goes_by_wiring() {
        let told = |network: &Network, kind: &str| {
            let text = infiniband::write(network).unwrap();
            let file = InfiniBand {
                file: "fabric.net".into(),
                channel_latency: Default::default(),
            };
            let said = Invalid::new("kind", "no");
            suggest(said, kind, &file.build(Some(&text)).unwrap())
                .help
                .unwrap()
        };
        let torus = Torus {
            sizes: vec![5, 5],
            ..Torus::default()
        };
        let torus = torus.build(None).unwrap();
        let tree = KAryNTree::default().build(None).unwrap();
        for (network, kind, wiring, other) in [
            (&torus, "dimension-order", "`torus-2qos`", "`ftree`"),
            (&tree, "d-mod-k", "`ftree`", "`torus-2qos`"),
        ] {
            let help = told(network, kind);
            let why =
                format!("routers of this network have no coordinates, which `{kind}` goes by; ");
            assert!(help.starts_with(&why), "{help}");
            assert!(help.contains(wiring) && !help.contains(other), "{help}");
        }
        let help = told(&torus, "ftree");
        assert!(
            !help.contains("coordinates") && !help.contains("`ftree`"),
            "{help}"
        );
    }
}
