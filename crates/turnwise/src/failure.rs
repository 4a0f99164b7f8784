//! What ends a command early, and how it is told: on stderr, pointing at the user's text.

use crate::excerpt::Excerpt;
use crate::output::talk;
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report,
};
use std::io::IsTerminal;
use std::path::PathBuf;
use turnwise_config::visible::{shortened, visible};
use turnwise_network::Diagnostic;
use turnwise_study::Source;
use turnwise_study::export::check_target;
use turnwise_study::store::StoreError;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// All is well.
    Fine,
    /// A deadlock is possible or was found, or a pair cannot be reached.
    Negative,
    /// Some points of a study failed.
    PointsFailed,
    /// Stopped by the user; the same command goes on where it stopped.
    Interrupted,
}

impl From<Status> for u8 {
    fn from(status: Status) -> Self {
        match status {
            Status::Fine => 0,
            Status::Negative => 1,
            Status::PointsFailed => 3,
            Status::Interrupted => 130,
        }
    }
}

/// Why a command could not do what it was asked for. Exit code 2.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Things wrong with a study, each at its place.
    Study(Box<Source>, Vec<Diagnostic>),
    /// Anything else, in one sentence, perhaps with help.
    Plain(String, Option<String>),
}

impl Failure {
    pub(crate) fn plain(message: impl Into<String>) -> Self {
        Self::Plain(message.into(), None)
    }

    /// A failure to write `what`.
    pub(crate) fn writing(what: &str, error: &std::io::Error) -> Self {
        Self::plain(format!("cannot write {what}: {error}"))
    }

    /// Nothing, if `file` can be written as far as one can tell; else why not.
    pub(crate) fn unless_writable(file: Option<&PathBuf>) -> Result<(), Self> {
        let Some(file) = file else { return Ok(()) };
        if file.as_os_str() == "-" {
            return Err(Self::Plain(
                "`-` is not the name of a file here".into(),
                Some("to print it, write to /dev/stdout".into()),
            ));
        }
        check_target(file).map_err(|error| Self::writing(&file.display().to_string(), &error))
    }

    /// What is wrong in a few words, for another process to tell.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Plain(message, _) => message.clone(),
            Self::Study(_, diagnostics) => diagnostics
                .first()
                .map_or_else(|| "the study is wrong".into(), ToString::to_string),
        }
    }

    /// Says it; the exit code.
    pub(crate) fn report(self) -> u8 {
        match self {
            Self::Plain(message, help) => {
                talk(&format!("error: {}", line(&message, MOST_MESSAGE)));
                if let Some(help) = help {
                    talk(&format!("  help: {}", line(&help, MOST_HELP)));
                }
            }
            Self::Study(source, diagnostics) => {
                for diagnostic in diagnostics.iter().take(MOST_ERRORS) {
                    talk(&render(&source, diagnostic));
                }
                match diagnostics.len() {
                    0 | 1 => {}
                    count if count <= MOST_ERRORS => talk(&format!("{count} errors")),
                    count => talk(&format!("{count} errors, of which {MOST_ERRORS} are shown")),
                }
            }
        }
        2
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::plain(error.to_string())
    }
}

/// `error: FILE:LINE:COLUMN: message`, then the lines of the text with the place marked.
fn render(source: &Source, diagnostic: &Diagnostic) -> String {
    let help = diagnostic.help.as_deref().map(|help| line(help, MOST_HELP));
    let message = line(&diagnostic.message, MOST_MESSAGE);
    let Some(span) = diagnostic.place else {
        let name = line(source.name(0).unwrap_or("study"), MOST_MESSAGE);
        let help = help.map_or(String::new(), |help| format!("  help: {help}\n"));
        return format!("error: {name}: {message}\n{help}");
    };
    let (name, row, column) = source.position(span);
    let name = line(name, MOST_MESSAGE);
    let place = format!("{name}:{row}:{column}");
    let Excerpt { text, mark } = Excerpt::new(source.text(span.source).unwrap_or_default(), span);
    let line_start = text[..mark.start].rfind('\n').map_or(0, |end| end + 1);
    let shown_column = text[line_start..mark.start].chars().count() + 1;
    let label = LabeledSpan::new(Some("here".into()), mark.start, mark.len().max(1));
    let mut shown = MietteDiagnostic::new(format!("{place}: {message}")).with_label(label);
    shown.help.clone_from(&help);
    let report = Report::new(shown).with_source_code(NamedSource::new(&name, text));
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut theme = if colour {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    theme.characters.error = "error:".to_owned();
    let mut rendered = String::new();
    // A position that is broken into two lines cannot be clicked on or searched for.
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_wrap_lines(false)
        .with_context_lines(1);
    match handler.render_report(&mut rendered, report.as_ref()) {
        // Columns are those of the text, also where the excerpt leaves out how its line begins.
        Ok(()) => rendered.trim_start_matches(' ').replacen(
            &format!("[{name}:{row}:{shown_column}]"),
            &format!("[{place}]"),
            1,
        ),
        Err(_) => {
            let help = help.map_or(String::new(), |help| format!(" (help: {help})"));
            format!("error: {place}: {message}{help}\n")
        }
    }
}

/// Nobody reads more errors than this at once.
const MOST_ERRORS: usize = 100;

/// Longer messages and advice are cut: they quote what the user wrote.
const MOST_MESSAGE: usize = 400;
const MOST_HELP: usize = 2_000;

/// On one line whatever it quotes, and not too long a line.
fn line(text: &str, most: usize) -> String {
    visible(&shortened(text, most), &[]).into_owned()
}
