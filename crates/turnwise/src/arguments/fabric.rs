//! A routing to look at: that of a study, or of a fabric and its tables.

use super::{Format, StudyArguments};
use clap::Args;
use std::path::PathBuf;
use turnwise_study::runner::all_cores;
use turnwise_study::supply::Drained;

/// A study, or the file of a fabric instead of one.
#[derive(Args, Debug, Clone)]
pub(crate) struct SubjectArguments {
    /// The study file; `-` reads standard input.
    #[arg(required_unless_present = "fabric", conflicts_with = "fabric")]
    pub(crate) study: Option<PathBuf>,
    /// Instead of a study: an InfiniBand fabric, as `ibnetdiscover` prints it or `ibsim` reads it.
    #[arg(long, value_name = "FILE")]
    pub(crate) fabric: Option<PathBuf>,
    /// Override a field of the study, for example `--set traffic.load=0.4`.
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
    /// Threads to use [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// What has come out of files that are pipes.
    #[arg(skip)]
    pub(crate) drained: Drained,
}

impl SubjectArguments {
    /// As many threads as are asked for, or else all cores.
    pub(crate) fn threads(&self) -> usize {
        self.threads
            .map_or_else(all_cores, |threads| threads as usize)
    }

    /// The study, unless there is a fabric instead.
    pub(crate) fn of_study(&self) -> Option<StudyArguments> {
        Some(StudyArguments {
            study: self.study.clone()?,
            overrides: self.overrides.clone(),
            format: self.format,
        })
    }
}

/// Files that the switches and the manager of a subnet are programmed with.
#[derive(Args, Debug, Clone)]
pub(crate) struct SubnetFiles {
    /// Write the forwarding tables, as OpenSM loads them (`-R file -U FILE`), to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) lft: Option<PathBuf>,
    /// Write the service level of each pair, as OpenSM's QoS policy (`-Q`, `qos_policy_file`), to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) service_levels: Option<PathBuf>,
    /// Write the virtual lane of each service level, by switch and ports, to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) sl2vl: Option<PathBuf>,
    /// Write the files that `ibdmchk` looks for credit loops in into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) ibdmchk: Option<PathBuf>,
}

/// Tables to keep to.
#[derive(Args, Debug, Clone)]
pub(crate) struct KeptTables {
    /// Keep the forwarding tables of this dump, and change only what must be changed because something has failed.
    #[arg(long, value_name = "FILE", requires = "fabric")]
    pub(crate) keep: Option<PathBuf>,
    /// The service levels of those tables; all are 0 without it.
    #[arg(long, value_name = "FILE", requires = "keep")]
    pub(crate) keep_service_levels: Option<PathBuf>,
}

impl KeptTables {
    /// Every option, with the file that is given for it.
    pub(crate) fn files(&self) -> [(&'static str, Option<&PathBuf>); 2] {
        let Self {
            keep,
            keep_service_levels,
        } = self;
        [
            ("--keep", keep.as_ref()),
            ("--keep-service-levels", keep_service_levels.as_ref()),
        ]
    }
}

/// Files of a subnet that runs.
#[derive(Args, Debug, Clone)]
pub(crate) struct ForeignTables {
    /// The forwarding tables of a fabric: a dump of OpenSM, `dump_lfts` or `ibroute`.
    #[arg(long, value_name = "FILE", requires = "fabric")]
    pub(crate) lft: Option<PathBuf>,
    /// The service levels of its pairs: a QoS policy, a list for `ibdmchk`, or path records; all are 0 without it.
    #[arg(long, value_name = "FILE", requires = "lft", alias = "path-sl")]
    pub(crate) service_levels: Option<PathBuf>,
    /// The virtual lanes of its service levels, as OpenSM dumps them; of the same number without it.
    #[arg(long, value_name = "FILE", requires = "lft")]
    pub(crate) sl2vl: Option<PathBuf>,
    /// Tables that the switches have now, as for `--lft`: is the change from them safe, whichever switch changes first?
    #[arg(long, value_name = "FILE", requires = "lft")]
    pub(crate) from: Option<PathBuf>,
    /// The service levels of those tables.
    #[arg(long, value_name = "FILE", requires = "from")]
    pub(crate) from_service_levels: Option<PathBuf>,
    /// The virtual lanes of those service levels.
    #[arg(long, value_name = "FILE", requires = "from")]
    pub(crate) from_sl2vl: Option<PathBuf>,
}

impl ForeignTables {
    /// Those of a dump alone.
    pub(crate) fn of(lft: PathBuf) -> Self {
        Self {
            lft: Some(lft),
            service_levels: None,
            sl2vl: None,
            from: None,
            from_service_levels: None,
            from_sl2vl: None,
        }
    }

    /// The tables that switches have now as those that are judged, if they are given.
    pub(crate) fn now(&self) -> Option<Self> {
        Some(Self {
            service_levels: self.from_service_levels.clone(),
            sl2vl: self.from_sl2vl.clone(),
            ..Self::of(self.from.clone()?)
        })
    }

    /// Every option, with the file that is given for it.
    pub(crate) fn files(&self) -> [(&'static str, Option<&PathBuf>); 6] {
        let Self {
            lft,
            service_levels,
            sl2vl,
            from,
            from_service_levels,
            from_sl2vl,
        } = self;
        [
            ("--lft", lft.as_ref()),
            ("--service-levels", service_levels.as_ref()),
            ("--sl2vl", sl2vl.as_ref()),
            ("--from", from.as_ref()),
            ("--from-service-levels", from_service_levels.as_ref()),
            ("--from-sl2vl", from_sl2vl.as_ref()),
        ]
    }
}

/// What to write of a change from some tables to others.
#[derive(Args, Debug, Clone)]
pub(crate) struct StepFiles {
    /// Write the tables that are safe to load one after the other, and in which order, into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) steps: Option<PathBuf>,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may")]
mod tests {
    use super::{ForeignTables, KeptTables};
    use clap::{Args, Command};

    /// The options of a group and what its files are told for are the same ones.
    #[test]
    fn every_option_of_tables_is_among_their_files() {
        fn all<T: Args>(files: &[(&str, Option<&std::path::PathBuf>)]) {
            let group = T::augment_args(Command::new("group"));
            let options = group
                .get_arguments()
                .map(|option| format!("--{}", option.get_long().unwrap()));
            let files = files.iter().map(|(option, _)| (*option).to_owned());
            assert_eq!(options.collect::<Vec<_>>(), files.collect::<Vec<_>>());
        }
        let tables = ForeignTables::of("a.lft".into());
        all::<ForeignTables>(&tables.files());
        let kept = KeptTables {
            keep: None,
            keep_service_levels: None,
        };
        all::<KeptTables>(&kept.files());
    }
}
