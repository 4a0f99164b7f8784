//! Files beside a study: read as they are, or as they were before they were compressed.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use turnwise_config::File;
use turnwise_config::diagnostic::nearest;

/// Why a file was not read.
#[derive(Debug)]
pub struct Unread {
    /// A sentence with the file's name in it.
    pub message: String,
    /// A file of a name that is close.
    pub near: Option<String>,
}

/// How files begin that are compressed with zstd.
const ZSTANDARD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Files by a name relative to a folder, each of at most so many MiB, also when it has been decompressed. `*` in the name stands
/// for 0, 1, 2, ... as long as there are such files.
///
/// # Errors
/// A file that cannot be read, or one that is missing among those of a `*`.
pub fn read_all(folder: &Path, name: &str, most_mib: u64) -> Result<Vec<File>, Unread> {
    let exists = |name: &str| folder.join(name).exists();
    numbered(name, &exists, &|name| read_one(folder, name, most_mib))
}

/// The same for files that exist and are read in another way.
pub(crate) fn numbered(
    name: &str,
    exists: &dyn Fn(&str) -> bool,
    read: &dyn Fn(&str) -> Result<File, Unread>,
) -> Result<Vec<File>, Unread> {
    if !name.contains('*') {
        return Ok(vec![read(name)?]);
    }
    let mut files = Vec::new();
    loop {
        let numbered = name.replace('*', &files.len().to_string());
        if !files.is_empty() && !exists(&numbered) {
            break;
        }
        files.push(read(&numbered)?);
    }
    let missing = files.len();
    let later = (missing + 1..=2 * missing + LOOKED_BEYOND)
        .map(|number| name.replace('*', &number.to_string()))
        .find(|later| exists(later));
    let Some(later) = later else {
        return Ok(files);
    };
    let numbered = name.replace('*', &missing.to_string());
    Err(Unread {
        message: format!(
            "{later}: expected {numbered} before it: `*` stands for 0, 1, 2, ..., and number {missing} is missing"
        ),
        near: None,
    })
}

/// So many numbers beyond one that is missing are looked for, and as many again as there were files before it.
const LOOKED_BEYOND: usize = 1_000;

fn read_one(folder: &Path, name: &str, most_mib: u64) -> Result<File, Unread> {
    let path = folder.join(name);
    let bytes = read_file(&path, most_mib).map_err(|message| Unread {
        message,
        near: neighbour(&path),
    })?;
    let bytes = plain(bytes, most_mib).map_err(|why| Unread {
        message: format!("{}: {why}", path.display()),
        near: None,
    })?;
    Ok(File {
        name: name.to_owned(),
        bytes: Arc::from(bytes),
    })
}

/// Contents as they were before they were compressed, if they have been.
///
/// # Errors
/// Damage, or more than so many MiB.
pub fn plain(bytes: Vec<u8>, most_mib: u64) -> Result<Vec<u8>, String> {
    if !bytes.starts_with(&ZSTANDARD) {
        return Ok(bytes);
    }
    let wrong = |what: String| format!("cannot decompress this: {what}");
    let reader = ruzstd::decoding::StreamingDecoder::new(&bytes[..]);
    let reader = reader.map_err(|error| wrong(error.to_string()))?;
    match read_at_most(reader, most_mib) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(wrong(format!("it is larger than {most_mib} MiB"))),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// The name of a file that is beside another: `runs/a.txt`, beside which is `b.txt`.
pub fn beside(file: &str, name: &str) -> String {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    folder.join(name).to_string_lossy().into_owned()
}

/// Reads a file of at most so many MiB: `/dev/zero` must not fill the memory.
///
/// # Errors
/// A sentence with the file's name in it.
pub fn read_file(path: &Path, most_mib: u64) -> Result<Vec<u8>, String> {
    let read = fs::File::open(path).and_then(|file| read_at_most(file, most_mib));
    let name = path.display();
    match read {
        Err(error) => Err(format!("cannot read {name}: {error}")),
        Ok(None) => Err(format!("{name} is larger than {most_mib} MiB")),
        Ok(Some(bytes)) => Ok(bytes),
    }
}

/// Reads everything, or nothing if it is more than so many MiB.
///
/// # Errors
/// Whatever the reader says.
pub fn read_at_most(reader: impl Read, most_mib: u64) -> io::Result<Option<Vec<u8>>> {
    let most = most_mib << 20;
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// The name of a file in the same folder that is close to the name of a missing one.
pub fn neighbour(path: &Path) -> Option<String> {
    if path.exists() {
        return None;
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let names = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let own = path.file_name()?.to_str()?;
    // A link to nowhere is there by this very name.
    let mut names: Vec<String> = names.filter(|name| name != own).collect();
    names.sort();
    let near = nearest(own, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near).display().to_string())
}

/// Line and column of a byte, both counted from 1.
pub(crate) fn place_of_byte(bytes: &[u8], offset: usize) -> (usize, usize) {
    let before = String::from_utf8_lossy(&bytes[..offset]);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    (line, column)
}
