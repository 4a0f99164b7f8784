//! Several ranks at a terminal, through the whole stack.

use crate::stack::{figure, plan, rows, run, try_plan};

/// A benchmark of 16 ranks on 16 terminals, of which so many are used.
fn study(each: u32, more: &str) -> String {
    format!(
        "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n\
         [network]\nkind = 'k-ary-n-tree'\narity = 4\nlevels = 2\n[routing]\nkind = 'd-mod-k'\n\
         [workload]\nkind = 'npb'\nprogram = 'cg'\nclass = 'S'\nranks = 16\niterations = 1\ncomputing = 0\n\
         host = {{ overhead_cycles = '100 ns', copy_rate = '80 Gb/s', eager_bytes = 4096 }}\n\
         [placement]\nkind = 'linear'\nranks_per_terminal = {each}\n\
         [simulation]\ncycles_limit = 10_000_000\ncheck = true\n{more}"
    )
}

#[test]
fn what_stays_at_a_terminal_is_not_sent() {
    let packets = |each: u32| figure(&rows(&study(each, ""))[0], "packets");
    let of_all: Vec<f64> = [1, 2, 4, 16].map(packets).to_vec();
    assert!(
        of_all.windows(2).all(|pair| pair[0] > pair[1]),
        "{of_all:?}"
    );
    assert_eq!(of_all[3], 0.0);
}

/// One is what it is without.
#[test]
fn one_rank_at_a_terminal_is_what_workloads_do_anyway() {
    let text = study(1, "");
    let plain = text.replace("ranks_per_terminal = 1\n", "");
    assert_eq!(
        rows(&text)[0].text("fingerprint"),
        rows(&plain)[0].text("fingerprint")
    );
}

/// On routers as on Ethernet, and whoever else is there.
#[test]
fn ranks_share_terminals_on_ethernet_and_beside_other_jobs() {
    let ethernet = study(4, "[ethernet]\n");
    let row = &rows(&ethernet)[0];
    assert_eq!(row.text("ending"), Some("completed"));
    assert!(figure(row, "packets") > 0.0);
    let job = |name: &str, each: u32| {
        format!(
            "[[workload.jobs]]\nname = '{name}'\nkind = 'npb'\nprogram = 'is'\nclass = 'S'\nranks = 8\niterations = 1\n\
             computing = 0\nplacement = {{ kind = 'random', ranks_per_terminal = {each} }}\n"
        )
    };
    let head = "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n[network]\nkind = 'k-ary-n-tree'\narity = 4\nlevels = 2\n\
                [routing]\nkind = 'd-mod-k'\n[simulation]\ncycles_limit = 10_000_000\ncheck = true\n";
    let both = format!(
        "{head}[workload]\nkind = 'jobs'\n{}{}",
        job("one", 2),
        job("four", 8)
    );
    let row = &rows(&both)[0];
    assert_eq!(row.text("ending"), Some("completed"));
    let jobs = row.jobs.as_deref().unwrap();
    assert_eq!(jobs[1]["ranks"], 8);
    assert!(jobs[1]["makespan"].as_u64() < jobs[0]["makespan"].as_u64());
}

/// Places that are searched for put ranks that talk to each other together.
#[test]
fn searched_places_use_seats_too() {
    let linear = figure(&rows(&study(4, ""))[0], "packets");
    let row = &rows(&study(4, "").replace("'linear'", "'optimised'\nmoves = 2000"))[0];
    let jobs = row.jobs.as_deref().unwrap();
    let load = |name: &str| jobs[0][name].as_f64().unwrap();
    assert!(load("largest_channel_bytes") <= load("largest_channel_bytes_linear"));
    assert!(figure(row, "packets") <= linear);
}

/// Everybody who waits is told of, also several of a terminal.
#[test]
fn a_stall_names_all_ranks_of_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.goal");
    let schedule = "num_ranks 4\nrank 0 {\nrecv 8b from 1 tag 3\n}\nrank 1 {\nrecv 8b from 2\n}\n\
                    rank 2 {\nsend 9b to 3\n}\nrank 3 {\nrecv 9b from 2\n}";
    std::fs::write(&file, schedule).unwrap();
    let text = format!(
        "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n[network]\nkind = 'torus'\nsizes = [2]\n[routing]\nkind = 'dimension-order'\n\
         [workload]\nkind = 'goal'\nfile = '{}'\n[placement]\nkind = 'linear'\nranks_per_terminal = 3\n",
        file.display()
    );
    let (_, summary) = run(&plan(&text), 1, None);
    let error = format!("{:?}", summary.failures);
    for words in [
        "rank 0 waits to receive 8 B from rank 1, tag 3",
        "rank 1 waits to receive 8 B from rank 2",
    ] {
        assert!(error.contains(words), "{error}");
    }
    assert!(!error.contains("more"), "{error}");
}

#[test]
fn what_makes_no_sense_says_where() {
    let refused = |text: &str| {
        let error = try_plan(text).err().unwrap().remove(0);
        let span = error.place.unwrap();
        let written = &text[span.start as usize..span.end as usize];
        (
            written.to_owned(),
            error.message,
            error.help.unwrap_or_default(),
        )
    };
    let is = |text: &str, written: &str, message: &str, help: &str| {
        let found = refused(text);
        assert!(
            found.0.contains(written) && found.1.contains(message) && found.2.contains(help),
            "{found:?}"
        );
    };
    for each in [0, 257] {
        let message = format!("ranks_per_terminal: expected 1 to 256, found {each}");
        is(&study(each, ""), &each.to_string(), &message, "");
    }
    let many = study(2, "").replace("ranks = 16", "ranks = 64");
    is(
        &many,
        "64",
        "64 ranks do not fit on 16 terminals with 2 ranks each",
        "ranks_per_terminal = 4",
    );
    let without = study(2, "")
        .replace("ranks = 16", "ranks = 64")
        .replace("[placement]\nkind = 'linear'\nranks_per_terminal = 2\n", "");
    is(
        &without,
        "64",
        "64 ranks do not fit on 16 terminals",
        "ranks_per_terminal = 4",
    );
    is(
        &study(2, "").replace("linear'", "linear'\nfirst = 9"),
        "9",
        "first: 16 ranks do not fit on the 7 terminals that are left",
        "",
    );
    is(
        &study(2, "").replace("80 Gb/s", "0 Gb/s"),
        "0 Gb/s",
        "copy_rate: expected more than 0",
        "",
    );
    let barrier = "[network]\nkind = 'torus'\nsizes = [4]\n[routing]\nkind = 'dimension-order'\n[workload]\nkind = 'barrier'\n\
                   [placement]\nkind = 'linear'\nranks_per_terminal = 2\n";
    is(barrier, "2", "only ranks of programs share terminals", "");
}
