//! Ranks through the whole stack, elsewhere than at the first terminals.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod jobs;
mod optimised;
mod sharing;

use crate::stack::{figure, plan, rows, try_plan};
use turnwise_study::row::Row;

const STUDY: &str = "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n\
    [network]\nkind = 'k-ary-n-tree'\narity = 4\nlevels = 2\n[routing]\nkind = 'd-mod-k'\n\
    [workload]\nkind = 'npb'\nprogram = 'cg'\nclass = 'S'\nranks = 16\niterations = 1\ncomputing = 0\n\
    [simulation]\ncycles_limit = 10_000_000\n";

fn makespans(text: &str) -> Vec<f64> {
    let makespan = |row: &Row| figure(row, "makespan");
    rows(text).iter().map(makespan).collect()
}

/// Ranks are where they are anyway, so that the very same packets arrive in the very same cycles.
#[test]
fn linear_is_what_workloads_do_anyway() {
    let plain = rows(STUDY);
    let linear = rows(&format!("{STUDY}[placement]\nkind = 'linear'\n"));
    assert_eq!(plain[0].text("fingerprint"), linear[0].text("fingerprint"));
    assert_eq!(
        figure(&plain[0], "makespan"),
        figure(&linear[0], "makespan")
    );
    for kind in [
        "exchange'\npattern = 'uniform",
        "barrier",
        "request-reply'\nrequests = 9\npattern = 'tornado",
    ] {
        let text = format!(
            "[network]\nkind = 'torus'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n[workload]\nkind = '{kind}'\n"
        );
        let placed = rows(&format!("{text}[placement]\nkind = 'linear'\n"));
        assert_eq!(
            rows(&text)[0].text("fingerprint"),
            placed[0].text("fingerprint")
        );
    }
}

/// What ranks send each other stays the same, and how far it goes does not.
#[test]
fn placements_are_swept_like_anything_else() {
    let rows = rows(&format!(
        "{STUDY}[sweep]\nplacement = [{{ kind = 'linear' }}, {{ kind = 'round-robin' }}, {{ kind = 'by-group' }}]\n"
    ));
    let figures =
        |column: &str| -> Vec<f64> { rows.iter().map(|row| figure(row, column)).collect() };
    let (packets, hops) = (figures("packets"), figures("mean_hops"));
    assert_eq!(packets, [packets[0]; 3]);
    // With two levels the subtrees are the leaf switches.
    assert!(hops[0] < hops[1] && hops[1] == hops[2], "{hops:?}");
    assert_eq!(rows[1].text("fingerprint"), rows[2].text("fingerprint"));
}

#[test]
fn repetitions_place_anew_unless_a_seed_keeps_them() {
    let study = STUDY.replace("[network]", "repeat = 3\n[network]");
    let anew = makespans(&format!("{study}[placement]\nkind = 'random'\n"));
    assert!(anew[0] != anew[1] || anew[1] != anew[2], "{anew:?}");
    let kept = makespans(&format!("{study}[placement]\nkind = 'random'\nseed = 1\n"));
    assert_eq!(kept, [kept[0]; 3]);
    let swept = makespans(&format!(
        "{STUDY}[placement]\nkind = 'random'\n[sweep]\n'placement.seed' = {{ from = 1, to = 4, step = 1 }}\n"
    ));
    assert_eq!(swept[0], kept[0]);
    assert!(swept.iter().any(|&other| other != swept[0]), "{swept:?}");
}

/// The proof of a routing does not depend on where ranks are.
#[test]
fn placements_share_a_proof() {
    let plan = plan(&format!(
        "{STUDY}[sweep]\n'placement.kind' = ['linear', 'random']\n"
    ));
    assert_eq!((plan.len(), plan.routings().count()), (2, 1));
}

#[test]
fn what_makes_no_sense_says_where() {
    let refused = |placement: &str| {
        let text = format!("{STUDY}{placement}");
        let error = try_plan(&text).err().unwrap().remove(0);
        let span = error.place.unwrap();
        let written = &text[span.start as usize..span.end as usize];
        (written.to_owned(), error.message)
    };
    let is = |placement: &str, written: &str, message: &str| {
        let found = refused(placement);
        assert!(
            found.0.contains(written) && found.1.contains(message),
            "{found:?}"
        );
    };
    is("[placement]\nkind = 'liner'\n", "liner", "unknown kind");
    is(
        "[placement]\nkind = 'linear'\nfirst = 1\n",
        "1",
        "first: 16 ranks do not fit",
    );
    is(
        "[placement]\nkind = 'round-robin'\nblock = 0\n",
        "0",
        "block: expected 1",
    );
    is(
        "[placement]\nkind = 'file'\nfile = 'nowhere'\n",
        "nowhere",
        "cannot read",
    );
    is("[placement]\nkind = 'file'\n", "placement", "file");
    let text = STUDY.replace("[workload]\nkind = 'npb'\nprogram = 'cg'\nclass = 'S'\nranks = 16\niterations = 1\ncomputing = 0\n",
        "[traffic]\npattern = 'uniform'\nload = 0.1\n") + "[placement]\nkind = 'linear'\n";
    let errors = try_plan(&text).err().unwrap();
    assert!(
        errors[0].message.contains("this study has none"),
        "{errors:?}"
    );
}
