//! Destinations shared out among surveys give the same answers as one pass.

use crate::networks::{random_graph, rng, torus};
use crate::toys::{AdaptiveMinimal, Valiant, random_table};
use proptest::prelude::*;
use turnwise_network::FlowControl;
use turnwise_network::{Network, Routing};
use turnwise_verify::{Analysis, Destination, Survey, analyse, destinations};

fn shared(network: &Network, routing: &dyn Routing, parts: usize) -> Analysis {
    let destinations = destinations(network, routing);
    let mut whole = Survey::new(network, routing);
    for share in destinations.chunks(destinations.len().div_ceil(parts)) {
        let mut survey = Survey::new(network, routing);
        share
            .iter()
            .for_each(|&destination| survey.visit(destination));
        whole.merge(survey);
    }
    whole.conclude(FlowControl::Bubble)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn integers_do_not_depend_on_sharing(seed: u64) {
        let mut rng = rng(seed);
        let network = random_graph(&mut rng);
        let mut table = random_table(&network, &mut rng);
        table.routes.retain(|_, _| rng.below(10) > 0);
        let once = analyse(&network, &table, FlowControl::Bubble);
        prop_assert_eq!(&shared(&network, &table, 1), &once);
        prop_assert_eq!(&shared(&network, &table, 3), &once);
    }
}

#[test]
fn surveys_can_run_on_threads() {
    let network = torus(&[4, 3], 2);
    let routing = Valiant { network: &network };
    let destinations = destinations(&network, &routing);
    let survey = |share: &[Destination]| {
        let mut survey = Survey::new(&network, &routing);
        share
            .iter()
            .for_each(|&destination| survey.visit(destination));
        survey
    };
    let (left, right) = destinations.split_at(5);
    let mut whole = std::thread::scope(|scope| {
        let other = scope.spawn(|| survey(right));
        let mut first = survey(left);
        first.merge(other.join().unwrap());
        first
    });
    whole.merge(Survey::new(&network, &routing));
    let analysis = whole.conclude(FlowControl::Wormhole);
    let once = analyse(&network, &routing, FlowControl::Wormhole);
    assert_eq!(
        analysis.verdict.is_deadlock_free(),
        once.verdict.is_deadlock_free()
    );
    assert_eq!(analysis.reachability, once.reachability);
    for (a, b) in analysis.quality.loads.iter().zip(&once.quality.loads) {
        assert!((a - b).abs() < 1e-9);
    }
}

#[test]
fn terminals_represented_and_terminals_explored_one_by_one_agree() {
    struct OneByOne<'a>(AdaptiveMinimal<'a>);
    impl Routing for OneByOne<'_> {
        fn virtual_channels(&self) -> turnwise_network::Vc {
            self.0.virtual_channels()
        }
        fn start(
            &self,
            source: turnwise_network::TerminalId,
            destination: turnwise_network::TerminalId,
        ) -> Option<turnwise_network::Start> {
            self.0.start(source, destination)
        }
        fn options(
            &self,
            at: turnwise_network::RouterId,
            header: turnwise_network::Header,
            options: &mut Vec<turnwise_network::Hop>,
        ) {
            self.0.options(at, header, options);
        }
        fn distinguishes_terminals(&self) -> bool {
            true
        }
    }
    let network = torus(&[4, 3], 3);
    let routing = || AdaptiveMinimal {
        network: &network,
        vcs: 2,
    };
    let together = analyse(&network, &routing(), FlowControl::Wormhole);
    let apart = analyse(&network, &OneByOne(routing()), FlowControl::Wormhole);
    assert_eq!(together.reachability, apart.reachability);
    for (a, b) in together.quality.loads.iter().zip(&apart.quality.loads) {
        assert!((a - b).abs() < 1e-9);
    }
}
