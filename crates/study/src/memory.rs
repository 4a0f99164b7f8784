//! How much memory there is, and who takes it.

use std::fs;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::Value;

/// Bytes of memory that this process can have at most: what it has and what is free, or what its
/// control groups (versions 1 and 2) and its address space are limited to if that is less.
/// `None` where the system does not tell.
pub fn memory_limit() -> Option<u64> {
    memory_limit_of_each(1)
}

/// The same of each of several processes on this machine that take as much.
pub(crate) fn memory_limit_of_each(processes: usize) -> Option<u64> {
    let processes = processes.max(1) as u64;
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let (status, limits) = (read("/proc/self/status"), read("/proc/self/limits"));
    let own = kib_field(&status, "VmRSS:").unwrap_or(0);
    let free =
        kib_field(&read("/proc/meminfo"), "MemAvailable:").map(|free| free / processes + own);
    let groups = group_limit(&read("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"))
        .map(|limit| limit / processes);
    // Addresses that were set aside for what will never be touched count there.
    let set_aside = kib_field(&status, "VmSize:")
        .unwrap_or(0)
        .saturating_sub(own);
    let addresses = address_limit(&limits).map(|limit| limit.saturating_sub(set_aside));
    free.into_iter().chain(groups).chain(addresses).min()
}

/// A field of a table in `/proc` that is given in kB, in bytes.
fn kib_field(table: &str, name: &str) -> Option<u64> {
    let value = table.lines().find_map(|line| line.strip_prefix(name))?;
    Some(
        value
            .trim()
            .strip_suffix("kB")?
            .trim()
            .parse::<u64>()
            .ok()?
            << 10,
    )
}

/// The soft limit of the address space.
fn address_limit(limits: &str) -> Option<u64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The least limit of the control groups that a process is in, and of those around them.
/// `membership` has lines such as `0::/user.slice` (version 2) and `4:memory:/job` (version 1).
fn group_limit(membership: &str, root: &Path) -> Option<u64> {
    let limits = membership.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (kind, path) = (fields.next().unwrap_or(""), fields.next().unwrap_or("/"));
        let (folder, file) = match kind {
            "" => (root.to_owned(), "memory.max"),
            _ if kind.split(',').any(|kind| kind == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => return Vec::new(),
        };
        let inside = path.trim_start_matches('/');
        let groups = Path::new(inside).ancestors();
        groups.map(|group| folder.join(group).join(file)).collect()
    });
    let limit = |file| fs::read_to_string(file).ok()?.trim().parse().ok();
    limits.filter_map(limit).min()
}

/// Refuses what does not fit, before it is allocated, at the table of the study that asks for it.
///
/// # Errors
/// What needs how much, and what there is.
pub(crate) fn refuse_beyond(what: &str, bytes: u64, table: &Value) -> Result<(), Diagnostic> {
    /// So much is always there; asking the system takes longer than most networks.
    const LITTLE: u64 = 64 << 20;
    if bytes < LITTLE {
        return Ok(());
    }
    match memory_limit().filter(|&limit| bytes > limit) {
        Some(limit) => Err(Diagnostic::at(table.span, too_much(what, bytes, limit))),
        None => Ok(()),
    }
}

/// What needs memory, in each of so many processes on this machine.
pub(crate) fn of_several(what: &str, processes: usize) -> String {
    match processes {
        0 | 1 => what.to_owned(),
        _ => format!("{what} in each of {processes} processes on a machine"),
    }
}

/// In words: something needs so many bytes, and there are only so many.
pub(crate) fn too_much(what: &str, bytes: u64, limit: u64) -> String {
    let gib = |bytes: u64, digits: usize| {
        let gib = bytes as f64 / f64::from(1 << 30);
        format!("{gib:.digits$}")
    };
    if bytes == u64::MAX {
        return format!("{what} takes more virtual channels than can be numbered");
    }
    // As many as it takes to see the difference.
    let digits = (1..6).find(|&digits| gib(bytes, digits) != gib(limit, digits));
    let digits = digits.unwrap_or(6);
    format!(
        "{what} needs {} GiB of memory, and there are only {}",
        gib(bytes, digits),
        gib(limit, digits)
    )
}

/// Memory that several threads share: what does not fit beside others waits until they are done.
#[derive(Debug, Default)]
pub struct Budget {
    taken: Mutex<u64>,
    given_back: Condvar,
}

/// A part of a [`Budget`], given back when it is dropped.
#[derive(Debug)]
pub struct Share<'a>(&'a Budget, u64);

impl Budget {
    /// Waits until so many bytes fit into a limit beside what others have, or nobody has any.
    pub fn take(&self, bytes: u64, limit: Option<u64>) -> Share<'_> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken > 0 && limit.is_some_and(|limit| taken.saturating_add(bytes) > limit) {
            let woken = self.given_back.wait(taken);
            taken = woken.unwrap_or_else(PoisonError::into_inner);
        }
        *taken = taken.saturating_add(bytes);
        Share(self, bytes)
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let Self(budget, bytes) = self;
        let mut taken = budget.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(*bytes);
        budget.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_looks_like_more_than_there_is() {
        let mib = |mib: u64| mib << 20;
        let words = too_much("this", mib(3 << 10), mib(1 << 10));
        assert_eq!(
            words,
            "this needs 3.0 GiB of memory, and there are only 1.0"
        );
        let words = too_much("this", mib(120), mib(110));
        assert_eq!(
            words,
            "this needs 0.12 GiB of memory, and there are only 0.11"
        );
    }

    #[test]
    fn the_least_limit_of_all_groups_counts() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("memory.max", "max\n");
        write("a/memory.max", "7000\n");
        write("a/b/memory.max", "9000\n");
        write("memory/job/memory.limit_in_bytes", "8000\n");
        let limit = |membership: &str| group_limit(membership, root.path());
        assert_eq!(limit("0::/a/b\n"), Some(7000));
        assert_eq!(limit("0::/\n"), None);
        assert_eq!(
            limit("3:cpu:/x\n4:hugetlb,memory:/job\n1:name=systemd:/\n"),
            Some(8000)
        );
        assert_eq!(limit("0::/a\n4:memory:/job\n"), Some(7000));
        assert_eq!(limit(""), None);
    }

    #[test]
    fn limits_of_the_system_are_read() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max address space         4096000              unlimited            bytes     \n";
        assert_eq!(address_limit(limits), Some(4_096_000));
        assert_eq!(address_limit(&limits.replace("4096000", "unlimited")), None);
        assert_eq!(kib_field("VmRSS:\t    12 kB\n", "VmRSS:"), Some(12 << 10));
    }

    #[test]
    fn what_fits_does_not_wait_and_what_does_not_waits() {
        let budget = Budget::default();
        let first = budget.take(60, Some(100));
        drop(budget.take(40, Some(100)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| drop(budget.take(50, Some(100))));
            drop(first);
            waiting.join().unwrap();
        });
        // What fits nowhere waits for nobody.
        drop(budget.take(500, Some(100)));
        assert_eq!(*budget.taken.lock().unwrap(), 0);
    }
}
