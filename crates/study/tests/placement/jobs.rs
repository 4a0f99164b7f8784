//! Several programs at once.

use crate::stack::{figure, plan, rows, run, try_plan};
use arrow_array::StringArray;
use serde_json::Value as Json;
use turnwise_study::export::quoted;
use turnwise_study::proofs::Proofs;
use turnwise_study::record_batch::record_batch;
use turnwise_study::row::Row;
use turnwise_study::store::Results;
use turnwise_study::tables::{Rows, write_csv};

const HEAD: &str = "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n\
    [network]\nkind = 'k-ary-n-tree'\narity = 4\nlevels = 2\n[routing]\nkind = 'd-mod-k'\n\
    [simulation]\ncycles_limit = 10_000_000\ncheck = true\n[workload]\n";
const FIRST: &str =
    "kind = 'npb'\nprogram = 'cg'\nclass = 'S'\nranks = 8\niterations = 1\ncomputing = 0\n";
const SECOND: &str =
    "kind = 'npb'\nprogram = 'is'\nclass = 'S'\nranks = 8\niterations = 1\ncomputing = 0\n";

/// Both, with these placements.
fn both(first: &str, second: &str, more: &str) -> String {
    format!(
        "{HEAD}kind = 'jobs'\n{more}\n[[workload.jobs]]\nname = 'sums'\n{FIRST}{first}\n\
         [[workload.jobs]]\nname = 'sort'\n{SECOND}{second}\n"
    )
}

fn job(row: &Row, index: usize, field: &str) -> f64 {
    let jobs = row.jobs.as_deref().and_then(Json::as_array).unwrap();
    jobs[index][field].as_f64().unwrap()
}

/// On different leaf switches nothing is shared, so each takes as long as alone, to the cycle.
#[test]
fn jobs_that_share_no_channel_take_as_long_as_alone() {
    let alone =
        [FIRST, SECOND].map(|program| figure(&rows(&format!("{HEAD}{program}"))[0], "makespan"));
    let both = rows(&both("", "", ""));
    assert_eq!([0, 1].map(|index| job(&both[0], index, "makespan")), alone);
    assert_eq!(figure(&both[0], "makespan"), alone[0].max(alone[1]));
    assert_eq!(
        [0, 1].map(|index| job(&both[0], index, "ranks")),
        [8.0, 8.0]
    );
}

/// Where they share channels, each is the slower for the other; alone at the same terminals it is not.
#[test]
fn what_jobs_cost_each_other_is_seen_in_two_points() {
    let apart = "placement = { kind = 'round-robin', block = 1 }";
    let study = both(apart, "", "") + "[sweep]\n'workload.only' = ['all', 'sums', 'sort']\n";
    // All that leaves a switch goes by one channel.
    let slim = "kind = 'xgft'\nm = [4, 4]\nw = [1, 1]";
    let study = study.replace("kind = 'k-ary-n-tree'\narity = 4\nlevels = 2", slim);
    let rows = rows(&study);
    let [all, sums, sort] = [0, 1, 2].map(|index| &rows[index]);
    let slowed = job(all, 0, "makespan") / job(sums, 0, "makespan");
    assert!(slowed >= 1.0 && job(all, 1, "makespan") >= job(sort, 0, "makespan"));
    assert!(
        slowed > 1.0 || job(all, 1, "makespan") > job(sort, 0, "makespan"),
        "{slowed}"
    );
    // Nothing of one comes to the other.
    let packets = |row| figure(row, "packets");
    assert_eq!(packets(all), packets(sums) + packets(sort));
    let names = |row: &Row| -> Vec<String> {
        let classes = row.classes.as_deref().and_then(Json::as_array).unwrap();
        let name = |class: &Json| class["name"].as_str().unwrap().to_owned();
        classes.iter().map(name).collect()
    };
    assert_eq!(
        names(all),
        ["sums data", "sums control", "sort data", "sort control"]
    );
    assert_eq!(names(sort), ["sort data", "sort control"]);
}

/// Who does not say how many ranks it has takes as many places as those before it have left.
#[test]
fn a_job_without_a_number_of_ranks_takes_what_is_left() {
    let rest = |second: &str| {
        let rows = rows(&format!(
            "{HEAD}kind = 'jobs'\n[[workload.jobs]]\nname = 'some'\n{}\n[[workload.jobs]]\nname = 'rest'\n{second}\n",
            FIRST.replace("ranks = 8", "ranks = 4"),
        ));
        job(&rows[0], 1, "ranks")
    };
    assert_eq!(rest("kind = 'collective'\ncollective = 'barrier'"), 12.0);
    // The benchmark takes powers of two.
    assert_eq!(rest(&SECOND.replace("ranks = 8\n", "")), 8.0);
}

/// A job that begins later ends as much later, in units too; and its makespan counts from its beginning.
#[test]
fn jobs_begin_when_they_say() {
    let makespans = |start: &str| {
        let rows = rows(&both("", &format!("start_cycles = {start}"), ""));
        (job(&rows[0], 1, "makespan"), figure(&rows[0], "makespan"))
    };
    let (own, _) = makespans("0");
    for start in ["70_000", "'70 us'"] {
        assert_eq!(makespans(start), (own, own + 70_000.0));
    }
}

/// What keeps a run from its end is no matter to jobs that are over by then.
#[test]
fn jobs_that_end_before_the_limit_say_when() {
    let shared = "placement = { kind = 'linear', ranks_per_terminal = 3 }";
    for (first, switches) in [("", ""), (shared, ""), (shared, "[ethernet]\n")] {
        let whole = both(first, "start_cycles = 1_000_000", "") + switches;
        let makespans = |limit: u64| {
            let limit = format!("cycles_limit = {limit}\n");
            let study = whole.replace("cycles_limit = 10_000_000\n", &limit);
            let row = rows(&study).remove(0);
            let jobs = row.jobs.as_deref().unwrap();
            let own = [0, 1].map(|index| jobs[index]["makespan"].as_u64());
            (row.figure("makespan").is_some(), own)
        };
        let (is_whole, own) = makespans(10_000_000);
        let [sums, sort] = own.map(Option::unwrap);
        assert!(is_whole && sums < 1_000_000);
        assert_eq!(makespans(sums - 1), (false, [None, None]));
        assert_eq!(makespans(sums + 1), (false, [Some(sums), None]));
        assert_eq!(makespans(1_000_000 + sort - 1), (false, [Some(sums), None]));
    }
}

/// `[placement]` is for all jobs that have none of their own, and swept jobs know clock and flits.
#[test]
fn jobs_share_a_placement_and_are_swept() {
    let hops = |text: &str| figure(&rows(text)[0], "mean_hops");
    let shared = both("", "", "") + "[placement]\nkind = 'random'\nseed = 3\n";
    let own = "placement = { kind = 'random', seed = 3 }";
    assert_eq!(hops(&shared), hops(&both(own, own, "")));
    assert!(hops(&shared) > hops(&both("", "", "")));
    let one = |program: &str| {
        let fields = program.trim_end().replace('\n', ", ");
        format!("[{{ name = 'only', {fields} }}]")
    };
    let swept = format!(
        "{HEAD}kind = 'jobs'\n[sweep]\n'workload.jobs' = [{}, {}]\n",
        one(FIRST),
        one(SECOND)
    );
    let swept = rows(&swept);
    let alone =
        [FIRST, SECOND].map(|program| figure(&rows(&format!("{HEAD}{program}"))[0], "makespan"));
    assert_eq!([0, 1].map(|index| job(&swept[index], 0, "makespan")), alone);
}

/// A row with jobs comes back from its text as it was, and is the same with several threads.
#[test]
fn rows_with_jobs_come_back() {
    let row = rows(&both("", "", "")).remove(0);
    let object = row.clone().into_object();
    assert_eq!(
        Row::from_object(object.clone()).unwrap().into_object(),
        object
    );
    let plan = plan(&both("placement = { kind = 'random' }", "", ""));
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    let [alone, several] = [1, 2].map(|threads| {
        let setup = turnwise_sim::Setup {
            threads,
            ..experiment.setup()
        };
        turnwise_sim::Simulation::new(setup).run().unwrap()
    });
    assert_eq!(alone.last_events, several.last_events);
    assert_eq!(alone.last_events.iter().max().copied(), alone.makespan);
}

/// What rows have of classes and jobs is in tables, too, as text that says as much as JSON does.
#[test]
fn tables_have_what_came_of_each_job() {
    let study = both("", "", "");
    let (plan, row) = (plan(&study), rows(&study).remove(0));
    let mut object = row.clone().into_object();
    plan.units.extend(&mut object);
    assert!(object["jobs"][1]["makespan_ns"].is_number());
    let mut results = Results::new();
    results.insert(plan.id(0).unwrap(), &row);
    let proofs = &Proofs::default();
    let batch = record_batch(&plan, &results, proofs).unwrap();
    let mut csv = Vec::new();
    let (plan, results) = (&plan, &results);
    let all = Rows {
        plan,
        results,
        proofs,
    };
    write_csv(all, &mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    for (name, known) in ["classes", "jobs"].map(|name| (name, &object[name])) {
        let column = batch.column_by_name(name).unwrap();
        let texts: &StringArray = column.as_any().downcast_ref().unwrap();
        assert_eq!(texts.value(0).parse::<Json>().unwrap(), *known);
        assert!(csv.contains(&quoted(texts.value(0))), "{csv}");
    }
    assert!(csv.contains(",transaction_time_p99,classes,jobs,"), "{csv}");
    // Elsewhere there are none.
    let alone = format!("{HEAD}{FIRST}");
    let columns = |text: &str| crate::stack::plan(text).columns();
    let names = |text: &str| {
        columns(text)
            .iter()
            .map(|column| column.name)
            .collect::<Vec<_>>()
    };
    assert!(names(&alone).contains(&"classes") && !names(&alone).contains(&"jobs"));
    assert!(names(&(alone + "[placement]\nkind = 'random'\n")).contains(&"jobs"));
}

#[test]
fn jobs_that_make_no_sense_say_where() {
    let is = |text: &str, written: &str, message: &str| {
        let errors = try_plan(text).err().unwrap();
        let span = errors[0].place.unwrap();
        let found = &text[span.start as usize..span.end as usize];
        assert!(
            found.contains(written) && errors[0].message.contains(message),
            "{found}: {errors:?}"
        );
    };
    is(
        &both("", "", "").replace("'sort'", "'sums'"),
        "sums",
        "another job has this name",
    );
    is(
        &both("", "", "").replace("'sort'", "'all'"),
        "all",
        "expected 1 to 64 characters",
    );
    is(
        &both("", "", "only = 'sorts'"),
        "sorts",
        "there is no job `sorts`",
    );
    is(
        &both("", "", "").replace("ranks = 8", "ranks = 16"),
        "16",
        "16 ranks do not fit on 0 terminals",
    );
    is(
        &both("", "", "").replace("'cg'", "'gc'"),
        "gc",
        "unknown choice",
    );
    is(&both("", "colour = 1", ""), "colour", "colour");
    let errors = try_plan(&both("", "start_cycle = 1", "")).err().unwrap();
    let help = errors[0].help.as_deref().unwrap();
    assert!(
        help.ends_with("; a job also has `name`, `start_cycles` and `placement`"),
        "{help}"
    );
    let errors = try_plan(&both("", "host = { eager = 1 }", ""))
        .err()
        .unwrap();
    let help = errors[0].help.as_deref().unwrap();
    assert!(
        help.contains("`eager_bytes`") && !help.contains("a job"),
        "{help}"
    );
    is(
        &both("", "placement = { kind = 'none' }", ""),
        "none",
        "unknown kind",
    );
    is(
        &both("", "placement = { kind = 'linear', first = 1 }", ""),
        "1",
        "first: 8 ranks",
    );
    is(
        &both("", "start_cycles = 2_000_000_000_000", ""),
        "2_000",
        "start_cycles: expected",
    );
    is(
        &format!("{HEAD}kind = 'jobs'\njobs = []\n"),
        "[]",
        "expected 1 to 64",
    );
    let barrier = "[[workload.jobs]]\nname = 'third'\nkind = 'barrier'\n";
    is(
        &(both("", "", "") + barrier),
        "barrier",
        "only programs run side by side",
    );
    // Nor is it run as the only one, whose classes of messages and answers nobody would ask for: proofs of it were wrong.
    for kind in [
        "kind = 'request-reply'\npattern = 'uniform'",
        "kind = 'barrier'",
    ] {
        is(
            &format!("{HEAD}kind = 'jobs'\n[[workload.jobs]]\nname = 'one'\n{kind}\n"),
            kind.split('\n')
                .next()
                .unwrap()
                .trim_start_matches("kind = "),
            "only programs run side by side",
        );
    }
    let nested = "[[workload.jobs]]\nname = 'third'\nkind = 'jobs'\njobs = []\n";
    is(
        &(both("", "", "") + nested),
        "jobs",
        "a job is a program, not several",
    );
}

/// Ranks are numbered job by job, so a halt says whose they are; where there is but one job, there is nothing to say.
#[test]
fn a_stall_names_the_job() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.goal");
    let schedule = "num_ranks 2\nrank 0 {\nrecv 8b from 1 tag 6\n}\nrank 1 {\nsend 8b to 0\n}\n";
    std::fs::write(&file, schedule).unwrap();
    let halting = format!("kind = 'goal'\nfile = '{}'\n", file.display());
    let error = |more: &str| {
        let study = both("", "", more).replace(SECOND, &halting);
        let (_, summary) = run(&plan(&study), 1, None);
        format!("{:?}", summary.failures)
    };
    for (more, words) in [
        (
            "",
            "ever: rank 0 of job `sort` waits to receive 8 B from rank 1, tag 6 (line 3)",
        ),
        (
            "only = 'sort'",
            "ever: rank 0 waits to receive 8 B from rank 1, tag 6 (line 3)",
        ),
    ] {
        let error = error(more);
        assert!(error.contains(words), "{error}");
    }
}
