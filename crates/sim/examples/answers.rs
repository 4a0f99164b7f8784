//! What agents cost: an 8 x 8 torus whose terminals keep a few requests under way, or send as much whatever
//! arrives.
//!
//! `valgrind --tool=callgrind target/release/examples/answers closed 20000 4` counts the instructions of a run
//! of 20,000 cycles with four requests a terminal, `open 20000 0.4` those of one at a load of 0.4; a run twice as
//! long tells what is done but once. `refusing` is the same as `closed` with terminals that might refuse requests.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "an example")]

#[path = "../tests/toys/mod.rs"]
mod toys;

use toys::{Answering, Classes, DimensionOrder, Requests, Toys, Uniform, torus, window};
use turnwise_sim::{RouterModel, Schedule};

/// Flits of every packet.
const FLITS: u16 = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize, usual| arguments.get(at).map_or(usual, String::as_str);
    let (mode, cycles) = (word(0, "closed"), word(1, "20000").parse().unwrap());
    let network = torus(&[8, 8], 1);
    let routing = DimensionOrder {
        network: &network,
        vcs: 2,
        classes: Classes::Dateline,
    };
    let model = RouterModel {
        virtual_channels: 2,
        ..RouterModel::default()
    };
    let (phases, seed) = (window(0, cycles), 1);
    let outcome = match mode {
        "open" => {
            let injector = Uniform {
                terminals: 64,
                load: word(2, "0.4").parse().unwrap(),
                flits: FLITS,
                seed,
            };
            let toys = Toys {
                network: &network,
                routing: &routing,
                injector: &injector,
                model: &model,
                phases: &phases,
                seed,
            };
            toys.run_on(1)
        }
        mode => {
            let requests = Requests {
                terminals: 64,
                window: word(2, "4").parse().unwrap(),
                request_flits: FLITS,
                reply_flits: FLITS,
                service: 0,
                apart: mode == "apart",
                room: (mode != "closed").then_some(1_000),
                requests: None,
                seed,
            };
            let answering = Answering {
                network: &network,
                routing: &routing,
                workload: &requests,
                model: &model,
                schedule: Schedule::Window(phases),
                seed,
            };
            answering.simulate(false, 1)
        }
    };
    println!(
        "{} flit-hops, {:.3} flits a terminal and cycle, fingerprint {:x}",
        outcome.flit_hops, outcome.measurement.accepted_load.mean, outcome.fingerprint
    );
}
