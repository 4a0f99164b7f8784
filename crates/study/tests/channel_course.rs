//! Channels over time: what is recorded is what is measured, and changes nothing.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{MEGAFLY, ROUTERS, plan, try_plan};
use turnwise_sim::{Outcome, Setup, Simulation};
use turnwise_study::details::Details;
use turnwise_study::workshop::Experiment;

const WINDOW: &str = "warmup_cycles = 300\nmeasure_cycles = 450\n";

fn study(routers: &str, simulation: &str) -> String {
    format!(
        "{MEGAFLY}{routers}[routing]\nkind = 'par'\n\
         [traffic]\npattern = 'shift'\ngroup_offset = 1\nload = 0.5\npacket_flits = 4\n\
         [simulation]\n{simulation}\n"
    )
}

fn experiment(text: &str) -> Experiment {
    let plan = plan(text);
    plan.experiment(&plan.point(0).unwrap(), None).unwrap()
}

fn run(experiment: &Experiment, threads: usize) -> Outcome {
    let setup = Setup {
        threads,
        ..experiment.setup()
    };
    let simulation = Simulation::new(setup).with_channel_course(experiment.channel_interval);
    simulation.run().unwrap()
}

#[test]
fn intervals_add_up_to_the_window_and_change_nothing_else() {
    for routers in ROUTERS {
        let written = format!("{WINDOW}channel_interval_cycles = 50");
        let asked_point = experiment(&study(routers, &written));
        let recorded = run(&asked_point, 1);
        let course = recorded.measurement.channel_course.clone().unwrap();
        assert_eq!(
            (course.from, course.interval, course.flits.len()),
            (300, 50, 9)
        );
        let details = Details::new(&asked_point, &recorded);
        let channels = asked_point.routed.network.channels();
        for (at, (_, channel)) in channels.enumerate() {
            let flits: u64 = course.flits.iter().map(|flits| u64::from(flits[at])).sum();
            assert_eq!(flits * u64::from(channel.interval), details.channels[at]);
        }
        let mut plain = recorded.measurement.clone();
        plain.channel_course = None;
        let unasked = run(&experiment(&study(routers, WINDOW)), 1).measurement;
        assert_eq!(unasked, plain);
        let threads = run(&asked_point, 3);
        assert_eq!(threads.measurement, recorded.measurement);
        let again = Details::decode(&details.encode());
        assert_eq!(again, Some(details));
    }
}

#[test]
fn a_program_is_recorded_to_its_end() {
    let text = "[network]\nkind = 'torus'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n\
        [router]\nvirtual_channels = 8\n[workload]\nkind = 'barrier'\nrepeat = 40\n\
        [simulation]\nchannel_interval_cycles = 1\n";
    let experiment = experiment(text);
    let recorded = run(&experiment, 1);
    let course = recorded.measurement.channel_course.clone().unwrap();
    let (intervals, cycles) = (course.flits.len() as u64, recorded.makespan.unwrap() + 1);
    assert!(course.interval > 1, "there are too many cycles");
    assert_eq!(intervals, cycles.div_ceil(course.interval));
    let details = Details::new(&experiment, &recorded);
    let all: u64 = course.flits.iter().flatten().copied().map(u64::from).sum();
    assert_eq!(all, details.channels.iter().sum::<u64>());
    let threads = run(&experiment, 2);
    assert_eq!(threads.measurement, recorded.measurement);
}

#[test]
fn what_cannot_be_recorded_is_said() {
    let complaint = |simulation: &str| {
        let text = study(ROUTERS[0], simulation);
        let errors = try_plan(&text).map(|_| ()).unwrap_err();
        format!("{errors:?}")
    };
    let too_short = complaint(&format!("{WINDOW}channel_interval_cycles = 1"));
    assert!(
        too_short.contains("expected 2 to 1000000 cycles, found 1"),
        "{too_short}"
    );
    let nothing = complaint(&format!(
        "{WINDOW}details = false\nchannel_interval_cycles = 9"
    ));
    assert!(nothing.contains("nothing is kept of channels"), "{nothing}");
}
