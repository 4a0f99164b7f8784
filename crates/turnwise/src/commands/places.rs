//! Where a command reads and writes: no file is written twice, and none that is read is overwritten.

use crate::arguments::SubjectArguments;
use crate::failure::Failure;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use turnwise_study::Plan;

/// An option, and what it names.
type Named<'a> = (&'static str, &'a Path);

/// Called as options are: the study's own file, and the files that it names.
const STUDY: &str = "STUDY";
const OF_STUDY: &str = "the study";

/// Whether a file of this name is written in a folder.
type Writes = fn(&str) -> bool;

/// All files and folders that options of a command name.
#[derive(Default)]
pub(crate) struct Places<'a> {
    read: Vec<Named<'a>>,
    written: Vec<Named<'a>>,
    /// Folders, and which files in them are written.
    filled: Vec<(Named<'a>, Writes)>,
}

impl<'a> Places<'a> {
    /// Those of a study or a fabric.
    pub(crate) fn of(subject: &'a SubjectArguments) -> Self {
        let places = Self::default().reads([("--fabric", subject.fabric.as_ref())]);
        match &subject.study {
            Some(study) => places.reads_study(study),
            None => places,
        }
    }

    /// And a study, unless it comes from standard input.
    pub(crate) fn reads_study(self, study: &'a PathBuf) -> Self {
        let file = Some(study).filter(|file| file.as_os_str() != "-");
        self.reads([(STUDY, file)])
    }

    /// And files that are read.
    pub(crate) fn reads(
        mut self,
        files: impl IntoIterator<Item = (&'static str, Option<&'a PathBuf>)>,
    ) -> Self {
        self.read.extend(given(files));
        self
    }

    /// And files that are written.
    pub(crate) fn writes(
        mut self,
        files: impl IntoIterator<Item = (&'static str, Option<&'a PathBuf>)>,
    ) -> Self {
        self.written.extend(given(files));
        self
    }

    /// And a folder in which files of some names are written.
    pub(crate) fn fills(
        mut self,
        option: &'static str,
        folder: Option<&'a PathBuf>,
        writes: Writes,
    ) -> Self {
        let folder = folder.map(|folder| ((option, folder.as_path()), writes));
        self.filled.extend(folder);
        self
    }

    /// Refuses files that cannot be written, two in one, and one in the place of another one that is read, unless `replaces` says of
    /// the two options that the one is meant to take the place of the other.
    pub(crate) fn check(&self, replaces: fn(&str, &str) -> bool) -> Result<(), Failure> {
        let mut known: Vec<(&str, PathBuf)> = Vec::new();
        for &(option, file) in &self.written {
            Failure::unless_writable(Some(&file.to_owned()))?;
            // Devices, as /dev/null and /dev/stdout are, take anything one after the other.
            if file.exists() && !file.is_file() {
                continue;
            }
            let (at, name) = (place(file)?, file.display());
            if let Some((other, _)) = known.iter().find(|(_, other)| *other == at) {
                let message = format!("{other} and {option} would both write {name}");
                return Err(needs_its_own(option, message));
            }
            for &(other, read) in &self.read {
                if !replaces(option, other) && place(read)? == at {
                    return Err(overwritten(option, file, other));
                }
            }
            known.push((option, at));
        }
        for &(other, file) in &self.read {
            known.push((other, place(file)?));
        }
        self.check_filled(&known)
    }

    /// Refuses folders that would be filled with files of these, each with the option that names it.
    fn check_filled(&self, known: &[(&str, PathBuf)]) -> Result<(), Failure> {
        for &((option, folder), writes) in &self.filled {
            let folder = place(folder)?;
            let is_in = |file: &Path| {
                let name = file.file_name().and_then(|name| name.to_str());
                file.parent() == Some(&folder) && name.is_some_and(writes)
            };
            if let Some((other, file)) = known.iter().find(|(_, file)| is_in(file)) {
                let message = format!(
                    "{option} writes a file of the same name as that of {other}, {}",
                    file.display()
                );
                let help = format!("give {option} a folder of its own");
                return Err(Failure::Plain(message, Some(help)));
            }
        }
        Ok(())
    }

    /// Refuses files in the place of those that a study names, which are known once it has been read.
    pub(crate) fn spare(&self, plan: &Plan) -> Result<(), Failure> {
        match self.writes_nothing() {
            true => Ok(()),
            false => self.spare_files(&plan.places_of_files(), OF_STUDY),
        }
    }

    /// Refuses files in the place of those that a folder of results has anyway: its page, and whatever is stored.
    pub(crate) fn spare_results(&self, folder: &Path) -> Result<(), Failure> {
        let (page, stored) = (
            place(&folder.join("report.html"))?,
            place(&folder.join("results"))?,
        );
        for &(option, file) in &self.written {
            let at = place(file)?;
            let what = match at.parent() == Some(&stored) {
                true => "where results are stored",
                false if at == page => "the report",
                false => continue,
            };
            let message = format!("{option} would overwrite {}, {what}", file.display());
            return Err(needs_its_own(option, message));
        }
        Ok(())
    }

    fn writes_nothing(&self) -> bool {
        self.written.is_empty() && self.filled.is_empty()
    }

    /// Refuses files in the place of these, which something that is read has led to.
    pub(crate) fn spare_files(&self, files: &[PathBuf], reader: &str) -> Result<(), Failure> {
        if self.writes_nothing() {
            return Ok(());
        }
        // Those that options name have been looked at.
        let named = self.read.iter().map(|(_, file)| place(file));
        let named: BTreeSet<PathBuf> = named.collect::<Result<_, _>>()?;
        let files = files.iter().map(|file| place(file));
        let files: BTreeSet<PathBuf> = files.collect::<Result<_, _>>()?;
        for &(option, file) in self.written.iter().filter(|(_, file)| file.is_file()) {
            let at = place(file)?;
            if files.contains(&at) && !named.contains(&at) {
                return Err(overwritten(option, file, reader));
            }
        }
        let others = files.into_iter().filter(|file| !named.contains(file));
        let others: Vec<(&str, PathBuf)> = others.map(|file| (reader, file)).collect();
        self.check_filled(&others)
    }
}

/// `other` reads what `option` would write.
fn overwritten(option: &str, file: &Path, other: &str) -> Failure {
    let reader = match other {
        STUDY => "which is the study".to_owned(),
        other => format!("which {other} reads"),
    };
    let message = format!("{option} would overwrite {}, {reader}", file.display());
    needs_its_own(option, message)
}

fn needs_its_own(option: &str, message: String) -> Failure {
    Failure::Plain(message, Some(format!("give {option} a file of its own")))
}

fn given<'a>(
    files: impl IntoIterator<Item = (&'static str, Option<&'a PathBuf>)>,
) -> impl Iterator<Item = Named<'a>> {
    let files = files.into_iter();
    files.filter_map(|(option, file)| Some((option, file?.as_path())))
}

/// The same for all ways to call a file or folder, which may not be there yet.
fn place(file: &Path) -> Result<PathBuf, Failure> {
    if let Ok(found) = file.canonicalize() {
        return Ok(found);
    }
    let absolute = std::path::absolute(file)
        .map_err(|error| Failure::writing(&file.display().to_string(), &error))?;
    let parent = absolute
        .parent()
        .and_then(|parent| parent.canonicalize().ok());
    Ok(match (parent, absolute.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => absolute,
    })
}
