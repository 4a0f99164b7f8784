//! Every routing algorithm, a line each, and what is known without building one: whom it routes.

use crate::algorithm::AlgorithmEntry;
use crate::angara::algorithms as angara;
use crate::{butterfly, fat_tree, grid, grouped, irregular, subnet};
use turnwise_config::registry::find;
use turnwise_network::{Invalid, Shape};

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
    fat_tree::homing::ENTRY,
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

/// What [`build`](crate::Algorithm::build) of the algorithm `kind` had to say about a network, with those
/// algorithms that do route it as help if this one does not.
#[must_use]
pub fn suggest(invalid: Invalid, kind: &str, shape: &Shape) -> Invalid {
    if find(REGISTRY, kind).is_none_or(|entry| (entry.fits)(shape)) {
        return invalid;
    }
    let names: Vec<String> = fitting(shape)
        .map(|entry| format!("`{}`", entry.name))
        .collect();
    invalid.with_help(format!("algorithms for this network: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{Algorithm, Context};
    use crate::algorithms::Minimal;
    use std::sync::Arc;
    use turnwise_network::topologies::{Topology, Torus};

    #[test]
    fn a_misfit_names_what_would_fit() {
        let torus = Torus {
            sizes: vec![8, 8],
            ..Torus::default()
        };
        let torus = Arc::new(torus.build(None).unwrap());
        let error = Minimal::default().build(&torus, &Context::default());
        let error = suggest(error.err().unwrap(), "minimal", torus.shape());
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
        let shape = Torus::default().build(None).unwrap().shape().clone();
        assert_eq!(suggest(said.clone(), "dimension-order", &shape), said);
        assert_eq!(suggest(said.clone(), "unheard-of", &shape), said);
    }
}
