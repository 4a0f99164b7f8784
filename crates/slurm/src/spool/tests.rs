use super::*;
use tempfile::TempDir;

fn files(content: &str) -> Vec<(String, Vec<u8>)> {
    let name = |index: usize| (format!("n{index}.csv"), content.as_bytes().to_vec());
    (0..5).map(name).collect()
}

fn names(folder: &TempDir) -> Vec<String> {
    let mut names = Spool::new(folder.path()).names().unwrap();
    names.retain(|name| name != ".lock");
    names.sort();
    names
}

#[test]
fn a_folder_is_replaced_and_nothing_else_remains() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::new(folder.path().join("deep/inside"));
    for content in ["old", "new"] {
        let path = spool.publish("job-7", &files(content)).unwrap();
        assert_eq!(fs::read_to_string(path.join("n3.csv")).unwrap(), content);
    }
    let mut names = spool.names().unwrap();
    names.sort();
    assert_eq!(names, [".lock", "job-7"]);
    assert_eq!(spool.remove(|name| name.starts_with("job-7")).unwrap(), 1);
    assert_eq!(spool.names().unwrap(), [".lock"]);
}

#[test]
fn what_the_dead_left_is_removed_and_what_the_living_have_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::new(folder.path());
    let alive = Writer::new(folder.path(), "job-1").unwrap();
    fs::create_dir(alive.part()).unwrap();
    for dead in [
        ".job-2.1-0.part",
        ".job-2.1-0.old",
        ".job-3.9-1.part",
        "job-4",
    ] {
        fs::create_dir(folder.path().join(dead)).unwrap();
        fs::write(folder.path().join(dead).join("n1.csv"), "half").unwrap();
    }
    fs::write(folder.path().join(".job-2.1-0.lock"), "").unwrap();
    spool.publish("job-5", &files("x")).unwrap();
    let own = |path: PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut expected = vec![own(alive.lock_path()), own(alive.part())];
    expected.extend(["job-4".to_owned(), "job-5".to_owned()]);
    assert_eq!(names(&folder), expected);
    drop(alive);
    spool.remove(|_| false).unwrap();
    assert_eq!(names(&folder), ["job-4", "job-5"]);
}

#[test]
fn a_failed_write_leaves_the_old_folder() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::new(folder.path());
    spool.publish("job-7", &files("old")).unwrap();
    let twice = [files("a"), files("b")].concat();
    assert!(spool.publish("job-7", &twice).is_err());
    let kept = fs::read_to_string(spool.path("job-7").join("n0.csv"));
    assert_eq!(kept.unwrap(), "old");
    assert_eq!(names(&folder), ["job-7"]);
}

#[test]
fn many_writers_at_once_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let spool = Spool::new(folder.path());
            scope.spawn(move || {
                for round in 0..10 {
                    let own = format!("job-{writer}");
                    spool.publish(&own, &files(&round.to_string())).unwrap();
                    spool.publish("job-shared", &files("same")).unwrap();
                }
            });
        }
    });
    let mut expected: Vec<String> = (0..8).map(|writer| format!("job-{writer}")).collect();
    expected.push("job-shared".into());
    assert_eq!(names(&folder), expected);
    for name in expected {
        assert_eq!(fs::read_dir(folder.path().join(name)).unwrap().count(), 5);
    }
}

#[test]
fn a_job_that_has_ended_gets_no_tables_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::new(folder.path());
    spool.publish("job-8", &files("x")).unwrap();
    let begun = Writer::new(folder.path(), "job-7").unwrap();
    fs::create_dir(begun.part()).unwrap();
    let about_to = Writer::new(folder.path(), "job-7.0").unwrap();
    let other = Writer::new(folder.path(), "job-8").unwrap();
    fs::create_dir(other.part()).unwrap();

    let ended = |name: &str| name == "job-7" || name.starts_with("job-7.");
    assert_eq!(spool.remove(ended).unwrap(), 0);
    assert!(!begun.part().exists(), "what it had written is taken away");
    assert!(about_to.fill(&files("y")).is_err());
    assert!(other.part().is_dir(), "another job goes on");
    for writer in [begun, about_to, other] {
        writer.clear();
    }
    assert_eq!(names(&folder), ["job-8"]);
}
