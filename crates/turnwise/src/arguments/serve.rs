//! What `turnwise serve` can be asked.

use super::{Format, StudyArguments};
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(
    after_help = "Ends with Ctrl-C, and with the program that started it. Nothing can be changed through it."
)]
pub(crate) struct ServeArguments {
    /// The study file; `-` reads standard input.
    pub(crate) study: PathBuf,
    /// Override a field of the study, for example `--set traffic.load=0.4`.
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Folder that the results are in, or will be [default: turnwise-out/NAME].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) results: Option<PathBuf>,
    /// Where to listen; port 0 is any free one. Where others can connect, the address that is printed has a
    /// token in it, and nobody sees anything without.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    pub(crate) listen: SocketAddr,
    /// What others call this machine [default: its host name].
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Ask for a token on this machine too, whose other users could look otherwise.
    #[arg(long)]
    pub(crate) token: bool,
}

impl ServeArguments {
    /// The study. Nothing is printed of it, so nobody can say how.
    pub(crate) fn of_study(&self) -> StudyArguments {
        StudyArguments {
            study: self.study.clone(),
            overrides: self.overrides.clone(),
            format: Format::Table,
        }
    }
}
