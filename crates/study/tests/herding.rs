//! How much the load of global channels swings.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{MEGAFLY, ROUTERS, figure, plan, rows, try_plan};
use turnwise_network::ChannelClass;
use turnwise_sim::{Outcome, Setup, Simulation};
use turnwise_study::workshop::Experiment;

fn study(routers: &str, routing: &str, simulation: &str) -> String {
    format!(
        "{MEGAFLY}{routers}[routing]\n{routing}\n\
         [traffic]\npattern = 'shift'\ngroup_offset = 1\nload = 0.5\npacket_flits = 4\n\
         [simulation]\ndrain = false\n{simulation}\n"
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
    let simulation = Simulation::new(setup).with_herding(experiment.herding);
    simulation.run().unwrap()
}

/// Shares of cycles in which global channels are occupied, in the window of a run without herding.
fn busy(routers: &str, warmup: u64, measure: u64) -> Vec<f64> {
    let window = format!("warmup_cycles = {warmup}\nmeasure_cycles = {measure}");
    let experiment = experiment(&study(routers, "kind = 'par'", &window));
    let outcome = run(&experiment, 1);
    assert_eq!(outcome.measurement.herding, None);
    let channels = experiment.routed.network.channels();
    let busy = channels.zip(outcome.measurement.utilisation);
    let global = busy.filter(|((_, channel), _)| channel.class == ChannelClass::Global);
    global.map(|(_, share)| share).collect()
}

/// Two windows are two runs that measure one of them each.
#[test]
fn it_is_the_variance_of_what_windows_measure() {
    for routers in ROUTERS {
        let window = "warmup_cycles = 300\nmeasure_cycles = 450\nherding_cycles = 200";
        let both = run(&experiment(&study(routers, "kind = 'par'", window)), 1);
        let (first, second) = (busy(routers, 300, 200), busy(routers, 500, 200));
        let variances = first.iter().zip(&second);
        let variances = variances.map(|(one, other)| (one - other).powi(2) / 2.0);
        let expected = variances.sum::<f64>() / first.len() as f64;
        let found = both.measurement.herding.unwrap();
        assert!(expected > 1e-4, "{expected}, {routers}");
        assert!(
            (found / expected - 1.0).abs() < 1e-9,
            "{found}, {expected}, {routers}"
        );
    }
}

#[test]
fn who_asks_changes_nothing_else_and_threads_leave_no_trace() {
    for routers in ROUTERS {
        let window = "warmup_cycles = 300\nmeasure_cycles = 700";
        let routing = "kind = 'ku-gcn'\nfeedback_delay = 40";
        let asked = experiment(&study(
            routers,
            routing,
            &format!("{window}\nherding_cycles = 40"),
        ));
        let alone = run(&asked, 1);
        assert!(alone.measurement.herding.unwrap() > 0.0);
        for threads in 2..=4 {
            let several = run(&asked, threads);
            assert_eq!(
                several.measurement, alone.measurement,
                "{threads} threads, {routers}"
            );
            assert_eq!(several.fingerprint, alone.fingerprint);
        }
        let unasked = run(&experiment(&study(routers, routing, window)), 1);
        assert_eq!(unasked.fingerprint, alone.fingerprint);
        assert_eq!(unasked.flit_hops, alone.flit_hops);
        let mut measurement = alone.measurement;
        measurement.herding = None;
        assert_eq!(unasked.measurement, measurement);
    }
}

/// All sources that hear of a queue late go for the same channel until they hear of that.
#[test]
fn old_news_make_herds() {
    let herding = |delay: u32| {
        let window = "warmup_cycles = 2000\nmeasure_cycles = 4000\nherding_cycles = 100";
        let routing = format!("kind = 'ku-gcn'\nfeedback_delay = {delay}");
        figure(&rows(&study(ROUTERS[0], &routing, window))[0], "herding")
    };
    let (young, old) = (herding(1), herding(500));
    assert!(old > 2.0 * young, "{young} and {old}");
}

#[test]
fn rows_have_it_where_the_study_asks() {
    let window = "warmup_cycles = 200\nmeasure_cycles = 200";
    let asked = study(
        ROUTERS[0],
        "kind = 'par'",
        &format!("{window}\nherding_cycles = 50"),
    );
    let names: Vec<&str> = plan(&asked)
        .columns()
        .iter()
        .map(|column| column.name)
        .collect();
    assert_eq!(names, ["herding"]);
    let row = rows(&asked).remove(0);
    let again = turnwise_study::row::Row::from_object(row.clone().into_object()).unwrap();
    assert_eq!(again.figure("herding"), row.figure("herding"));
    let unasked = study(ROUTERS[0], "kind = 'par'", window);
    assert!(plan(&unasked).columns().is_empty());
    assert_eq!(rows(&unasked)[0].figure("herding"), None);
}

#[test]
fn what_has_no_herds_is_refused() {
    let of_mesh = "[network]\nkind = 'mesh'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n\
                   [traffic]\npattern = 'uniform'\nload = 0.1\n[simulation]\nherding_cycles = 50\n";
    let errors = try_plan(of_mesh).err().unwrap();
    assert!(
        errors[0].message.contains("no channels between groups"),
        "{errors:?}"
    );
    let of_switch = study(ROUTERS[0], "kind = 'par'", "herding_cycles = 50").replace(
        "[simulation]",
        "[[traffic.then]]\nat = 4000\nload = 0.1\n[simulation]",
    );
    let errors = try_plan(&of_switch).err().unwrap();
    assert!(
        errors[0]
            .message
            .starts_with("herding_cycles: where traffic switches"),
        "{errors:?}"
    );
}
