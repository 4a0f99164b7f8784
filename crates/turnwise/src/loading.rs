//! From arguments to a plan: reads the study and makes sense of it.

use crate::arguments::StudyArguments;
use crate::failure::Failure;
use std::io::Read;
use std::path::{Path, PathBuf};
use turnwise_study::specification::Scope;
use turnwise_study::{Plan, Source, Workshop};

/// Reads a study, applies overrides and plans as much of it as the command needs.
pub(crate) fn load(arguments: &StudyArguments, scope: Scope) -> Result<Plan, Failure> {
    let path = &arguments.study;
    let from_stdin = path.as_os_str() == "-";
    let (name, bytes) = match from_stdin {
        true => ("standard input".to_owned(), read_stdin()?),
        false => (path.display().to_string(), read_file(path)?),
    };
    let (source, parsed) = Source::parse(&name, &bytes, &arguments.overrides);
    let document = match parsed {
        Ok(document) => document,
        Err(errors) => return Err(Failure::Study(Box::new(source), errors)),
    };
    let folder = if from_stdin { Path::new(".") } else { path.parent().unwrap_or(Path::new(".")) };
    let stem = path.file_stem().map_or("study".into(), |stem| stem.to_string_lossy().into_owned());
    let default_name = if from_stdin { "study".to_owned() } else { stem };
    Plan::new(source, &document, Workshop::new(folder), scope, &default_name)
        .map_err(|(source, errors)| Failure::Study(Box::new(source), errors))
}

fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| {
        let help = neighbour(path).map(|near| format!("did you mean {}?", near.display()));
        Failure::Plain(format!("cannot read {}: {error}", path.display()), help)
    })
}

/// A file in the same folder whose name is close to a missing one's.
fn neighbour(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> =
        std::fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let wanted = path.file_name()?.to_str()?;
    let near = turnwise_network::diagnostic::nearest(wanted, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near)).filter(|near| near != path)
}

fn read_stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    match std::io::stdin().read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::plain(format!("cannot read standard input: {error}"))),
    }
}

/// Where a study's results go.
pub(crate) fn output_folder(plan: &Plan, chosen: Option<&PathBuf>) -> PathBuf {
    // The name comes from the study; it must stay one folder.
    let safe = |c: char| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '-' };
    let name: String = plan.name.chars().map(safe).collect();
    let name = if name.trim_matches(['.', ' ']).is_empty() { "study" } else { &name };
    chosen.cloned().unwrap_or_else(|| Path::new("turnwise-out").join(name))
}
