mod toys;
use std::sync::Arc;
use toys::*;
use turnwise_sim::*;

#[test]
fn try_torus() {
    let network = Arc::new(torus(&[8, 8], "2"));
    for (flits, load) in [(1u16, 0.05), (1, 0.4), (1, 0.5), (1,1.0), (5, 0.4), (5, 0.6)] {
        let routing = DimensionOrder { network: network.clone(), vcs: 4, classes: Classes::Dateline };
        let injector = Uniform { terminals: 64, load, flits, seed: 1 };
        let model = RouterModel { virtual_channels: 4, ..Default::default() };
        let phases = Phases { warmup: 6000, measure: 6000, drain: load < 0.9, limit: 100_000 };
        let setup = Setup { network: &network, routing: &routing, injector: &injector, model: &model, phases: &phases, seed: 1, minimal: None, check: true };
        let out = Simulation::new(setup).run().unwrap();
        println!("{flits} {load} {:?} lat {:?} acc {:?} routers {} cyc {} hops {}", out.ending, out.measurement.packet_latency, out.measurement.accepted_load, out.measurement.mean_routers, out.cycles, out.flit_hops);
    }
}
