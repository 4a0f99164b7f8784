//! From arguments to a plan: reads the study and makes sense of it.

use crate::arguments::StudyArguments;
use crate::failure::Failure;
use crate::progress;
use std::path::{Path, PathBuf};
use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::Value;
use turnwise_study::specification::Scope;
use turnwise_study::supply::Drained;
use turnwise_study::{Plan, Source, Workshop, files, import};

/// Nobody writes a study of more than this.
const MOST_MIB: u64 = 64;

/// Reads a study, applies overrides and plans as much of it as the command needs.
pub(crate) fn load(arguments: &StudyArguments, scope: Scope) -> Result<Plan, Failure> {
    load_for(arguments, scope, 1)
}

/// The same for so many processes that simulate every point together.
pub(crate) fn load_for(
    arguments: &StudyArguments,
    scope: Scope,
    processes: usize,
) -> Result<Plan, Failure> {
    let path = &arguments.study;
    let from_stdin = is_stdin(path);
    let (name, bytes) = read(path)?;
    let (source, parsed) = Source::parse(&name, &bytes, &arguments.overrides);
    let document = match parsed {
        Ok(document) => document,
        Err(errors) => {
            let in_file = |error: &Diagnostic| error.place.is_some_and(|place| place.source == 0);
            let text = source.text(0).filter(|_| errors.iter().all(in_file));
            let other = text.and_then(import::is_one);
            let errors = other.map_or(errors, |this| vec![this]);
            return Err(Failure::Study(Box::new(source), errors));
        }
    };
    let folder = if from_stdin {
        Path::new(".")
    } else {
        path.parent().unwrap_or(Path::new("."))
    };
    plan(
        source,
        &document,
        Workshop::new(folder).for_processes(processes),
        scope,
        &default_name(path),
    )
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What a study of this file is called if it does not say.
pub(crate) fn default_name(path: &Path) -> String {
    let stem = path.file_stem().filter(|_| !is_stdin(path));
    stem.map_or("study".into(), |stem| stem.to_string_lossy().into_owned())
}

/// Reads what people write: a file, or standard input in the place of `-`. What it is called, and its bytes.
pub(crate) fn read(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    Ok(match is_stdin(path) {
        true => ("standard input".to_owned(), read_stdin()?),
        false => (path.display().to_string(), read_file(path)?),
    })
}

/// Plans a study that nobody wrote: its text is made of arguments, whose files lie where the command runs, or are pipes.
pub(crate) fn load_text(
    name: &str,
    text: &str,
    overrides: &[String],
    drained: &Drained,
    scope: Scope,
) -> Result<Plan, Failure> {
    let workshop = Workshop::new(".").sharing(drained);
    let (source, parsed) = Source::parse(name, text.as_bytes(), overrides);
    match parsed {
        Ok(document) => plan(source, &document, workshop, scope, "fabric"),
        Err(errors) => Err(Failure::Study(Box::new(source), errors)),
    }
}

fn plan(
    source: Source,
    document: &Value,
    workshop: Workshop,
    scope: Scope,
    default_name: &str,
) -> Result<Plan, Failure> {
    // Tables of large networks take a while. They are made here to see whether routers have what these need.
    let clock = progress::clock("planning");
    let plan = Plan::new(source, document, workshop, scope, default_name);
    clock.finish_and_clear();
    plan.map_err(|(source, errors)| Failure::Study(Box::new(source), errors))
}

/// Reads a file that people write.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    files::read_file(path, MOST_MIB).map_err(|message| {
        let help = files::neighbour(path).map(|near| format!("did you mean `{near}`?"));
        Failure::Plain(message, help)
    })
}

fn read_stdin() -> Result<Vec<u8>, Failure> {
    match files::read_at_most(std::io::stdin(), MOST_MIB) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(Failure::plain(format!(
            "standard input is larger than {MOST_MIB} MiB"
        ))),
        Err(error) => Err(Failure::plain(format!(
            "cannot read standard input: {error}"
        ))),
    }
}

/// Where a study's results go.
pub(crate) fn output_folder(plan: &Plan, chosen: Option<&PathBuf>) -> PathBuf {
    // The name comes from the study; it must stay one folder.
    let safe = |c: char| {
        if c.is_alphanumeric() || "-_. ".contains(c) {
            c
        } else {
            '-'
        }
    };
    let name: String = plan.name.chars().map(safe).collect();
    let name = if name.trim_matches(['.', ' ']).is_empty() {
        "study"
    } else {
        &name
    };
    chosen
        .cloned()
        .unwrap_or_else(|| Path::new("turnwise-out").join(name))
}
