//! The files that a study names: where they are, and which they are.
//!
//! They lie in a folder, or in memory, as they do for a worker that has no such folder.

use crate::files::{Unread, neighbour, numbered, place_of_byte, plain, read_file};
use crate::provenance::digest;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use turnwise_config::File;

/// Contents of files, as they lie on the disk, by the names that a study has for them.
pub type Contents = BTreeMap<String, Arc<[u8]>>;

/// Files larger than this list more than any network can have.
const MOST_MIB: u64 = 4096;

/// What has come out of pipes, which can be read only once, by whomever: clones share it.
#[derive(Clone, Debug, Default)]
pub struct Drained(Arc<Mutex<BTreeMap<PathBuf, Arc<[u8]>>>>);

impl Drained {
    /// A file as it is now, or what came out of it before if it is a pipe.
    fn read(&self, path: &Path) -> Result<Vec<u8>, String> {
        let is_lasting = |found: fs::Metadata| found.is_file() || found.is_dir();
        if fs::metadata(path).map_or(true, is_lasting) {
            return read_file(path, MOST_MIB);
        }
        // Whoever asks meanwhile gets what is read here.
        let mut drained = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = drained.get(path) {
            return Ok(bytes.to_vec());
        }
        let bytes = read_file(path, MOST_MIB)?;
        drained.insert(path.to_owned(), bytes.as_slice().into());
        Ok(bytes)
    }
}

/// Reads files, and remembers which. A file that is another one when it is read again is refused: what was made of the first would pass for
/// what the second says, in stored results too.
pub(crate) struct Supply {
    folder: PathBuf,
    given: Contents,
    drained: Drained,
    /// By name: the digest of what was read, where it lies in the folder.
    read: Mutex<BTreeMap<String, Option<u64>>>,
    /// By name with a `*`: the names of the files that there were.
    patterns: Mutex<BTreeMap<String, Vec<String>>>,
}

impl Supply {
    /// `given` are files that are not in the folder.
    pub(crate) fn new(folder: PathBuf, given: Contents) -> Self {
        Self {
            folder,
            given,
            drained: Drained::default(),
            read: Mutex::default(),
            patterns: Mutex::default(),
        }
    }

    /// The same, with what others have got out of pipes.
    pub(crate) fn sharing(self, drained: &Drained) -> Self {
        Self {
            drained: drained.clone(),
            ..self
        }
    }

    /// A text.
    ///
    /// # Errors
    /// A file that cannot be read, or is no UTF-8.
    pub(crate) fn text(&self, name: &str) -> Result<String, Unread> {
        let bytes = self.bytes(name)?;
        String::from_utf8(bytes).map_err(|error| {
            let (line, column) = place_of_byte(error.as_bytes(), error.utf8_error().valid_up_to());
            let message = format!(
                "{}:{line}:{column}: this is not UTF-8 text; `iconv -f latin1 -t utf-8` makes it so",
                self.shown(name)
            );
            Unread {
                message,
                near: None,
            }
        })
    }

    /// Files as they were before they were compressed: several if there is a `*` in the name.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(crate) fn files(&self, name: &str) -> Result<Vec<File>, Unread> {
        let exists = |name: &str| self.given.contains_key(name) || self.path(name).exists();
        let files = numbered(name, &exists, &|name| {
            let bytes = plain(self.bytes(name)?, MOST_MIB).map_err(|why| Unread {
                message: format!("{}: {why}", self.shown(name)),
                near: None,
            })?;
            Ok(File {
                name: name.to_owned(),
                bytes: Arc::from(bytes),
            })
        })?;
        let names: Vec<String> = files.iter().map(|file: &File| file.name.clone()).collect();
        let mut patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        match *patterns.entry(name.to_owned()).or_insert(names.clone()) == names {
            true => Ok(files),
            false => Err(changed(&self.shown(name))),
        }
    }

    /// All files that have been read.
    ///
    /// # Errors
    /// A file that is there no more, or is another one.
    pub(crate) fn contents(&self) -> Result<Contents, Unread> {
        let names = self.names().clone();
        let content = |name: String| {
            let bytes = match self.given.get(&name) {
                Some(bytes) => bytes.clone(),
                None => self.bytes(&name)?.into(),
            };
            Ok((name, bytes))
        };
        names.into_keys().map(content).collect()
    }

    /// Where those of them are that lie in the folder, in the order of their names.
    pub(crate) fn places(&self) -> Vec<PathBuf> {
        let names = self.names();
        let own = names.keys().filter(|name| !self.given.contains_key(*name));
        own.map(|name| self.path(name)).collect()
    }

    fn names(&self) -> MutexGuard<'_, BTreeMap<String, Option<u64>>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, Unread> {
        self.names().entry(name.to_owned()).or_default();
        if let Some(bytes) = self.given.get(name) {
            return Ok(bytes.to_vec());
        }
        let path = self.path(name);
        let bytes = self.drained.read(&path).map_err(|message| Unread {
            message,
            near: neighbour(&path),
        })?;
        let now = digest(&bytes);
        let before = *self
            .names()
            .entry(name.to_owned())
            .or_default()
            .get_or_insert(now);
        match before == now {
            true => Ok(bytes),
            false => Err(changed(&self.shown(name))),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(Path::new(name))
    }

    /// What a file is called in messages.
    fn shown(&self, name: &str) -> String {
        match self.given.contains_key(name) {
            true => name.to_owned(),
            false => self.path(name).display().to_string(),
        }
    }
}

fn changed(name: &str) -> Unread {
    Unread {
        message: format!(
            "{name} has changed since the study was read: read it again, and results will be those of the file as it is"
        ),
        near: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(files: &[(&str, &str)]) -> Contents {
        let files = files.iter();
        files
            .map(|(name, text)| ((*name).to_owned(), Arc::from(text.as_bytes())))
            .collect()
    }

    #[test]
    fn what_was_read_is_enough_where_there_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("net", "a"), ("step.0.et", "b"), ("step.1.et", "c")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let here = Supply::new(
            folder.path().into(),
            given(&[("mine", "d"), ("unread", "e")]),
        );
        let read = |supply: &Supply| {
            let texts = ["net", "mine"].map(|name| supply.text(name).ok());
            let steps = supply.files("step.*.et").ok();
            let steps = steps.map(|steps| steps.into_iter().map(|file| (file.name, file.bytes)));
            (texts, steps.map(Vec::from_iter))
        };
        let found = read(&here);
        assert_eq!(found.1.as_ref().map(Vec::len), Some(2));
        let contents = here.contents().ok().unwrap();
        let names: Vec<&str> = contents.keys().map(String::as_str).collect();
        assert_eq!(names, ["mine", "net", "step.0.et", "step.1.et"]);
        let elsewhere = Supply::new(folder.path().join("nowhere"), contents);
        assert_eq!(read(&elsewhere), found);
        std::fs::remove_file(folder.path().join("net")).unwrap();
        let gone = here.contents().err().unwrap();
        assert!(gone.message.contains("net"), "{}", gone.message);
    }

    /// Points are stored under what was read when they were planned.
    #[test]
    fn a_file_that_has_changed_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let write = |text: &str| std::fs::write(folder.path().join("net"), text).unwrap();
        write("a");
        let supply = Supply::new(folder.path().into(), Contents::new());
        assert_eq!(supply.text("net").unwrap(), "a");
        write("b");
        let why = supply.text("net").unwrap_err().message;
        assert!(
            why.contains("net has changed since the study was read"),
            "{why}"
        );
        assert!(supply.contents().is_err());
        write("a");
        assert_eq!(supply.text("net").unwrap(), "a");
        let step = |number: u32| folder.path().join(format!("step.{number}.et"));
        fs::write(step(0), "a").unwrap();
        assert_eq!(supply.files("step.*.et").unwrap().len(), 1);
        fs::write(step(1), "b").unwrap();
        let why = supply.files("step.*.et").unwrap_err().message;
        assert!(why.contains("step.*.et has changed"), "{why}");
    }

    /// A pipe is empty when it has been read.
    #[cfg(unix)]
    #[test]
    fn pipes_are_read_once_for_all() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let drained = Drained::default();
        let [one, other] = [(), ()]
            .map(|()| Supply::new(folder.path().into(), Contents::default()).sharing(&drained));
        let writer = std::thread::spawn(move || std::fs::write(pipe, "a"));
        assert_eq!(one.text("pipe").ok().as_deref(), Some("a"));
        writer.join().unwrap().unwrap();
        assert_eq!(one.text("pipe").ok().as_deref(), Some("a"));
        assert_eq!(other.text("pipe").ok().as_deref(), Some("a"));
        assert_eq!(other.contents().ok().unwrap()["pipe"][..], *b"a");
    }

    #[test]
    fn files_of_a_star_have_no_gap() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["step.0.et", "step.1.et", "step.3.et"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let supply = Supply::new(folder.path().into(), Contents::default());
        let message = supply.files("step.*.et").err().unwrap().message;
        assert!(
            message.starts_with("step.3.et: expected step.2.et before it"),
            "{message}"
        );
    }
}
