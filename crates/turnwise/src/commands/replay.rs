//! `turnwise replay`: a parallel program on a network in which nothing is in the way.

use super::places::Places;
use super::replayed::{wanted, write_journals};
use super::route::printed;
use crate::arguments::{BenchmarkArguments, Library, ReplayArguments};
use crate::failure::{Failure, Status};
use crate::output;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Map, Value as Json};
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use turnwise_application::collectives::{Preset, Selection};
use turnwise_application::formats::{Format, Reading, goal, trace};
use turnwise_application::replay::{LogGops, Replay, replay as play, replay_kept};
use turnwise_application::skeletons::{BENCHMARKS, Benchmark, Class, Options};
use turnwise_application::{Calls, Graph, Program};
use turnwise_config::File;
use turnwise_config::diagnostic::suggestion;
use turnwise_study::files::{beside, plain, read_all, read_at_most};
use turnwise_study::row::{exactly, number};

/// Files are not larger than this, also when they are decompressed.
const MOST_MIB: u64 = 4096;
const PICOSECONDS: f64 = 1000.0;

pub(crate) fn replay(arguments: &ReplayArguments) -> Result<Status, Failure> {
    let files = arguments.files.iter();
    let files = files.filter(|file| file.as_os_str() != "-");
    let places = Places::default()
        .reads(files.map(|file| ("FILE", Some(file))))
        .writes([
            ("--ranks", arguments.ranks.as_ref()),
            ("--messages", arguments.messages.as_ref()),
            ("--timeline", arguments.timeline.as_ref()),
            ("--critical-path", arguments.critical_path.as_ref()),
            ("--export", arguments.export.as_ref()),
        ]);
    places.check(|_, _| false)?;
    let (name, program) = match &arguments.benchmark.npb {
        None => recorded(arguments, &places)?,
        Some(name) => (name.clone(), benchmark(name, &arguments.benchmark)?),
    };
    if let Some(file) = &arguments.export {
        export(&*program, file)?;
        return Ok(Status::Fine);
    }
    let costs = &arguments.costs;
    let parameters = LogGops {
        latency: costs.latency,
        overhead: costs.overhead,
        gap: costs.gap,
        gap_per_byte: costs.gap_per_byte,
        overhead_per_byte: costs.overhead_per_byte,
        eager: costs.eager,
    };
    let start = Instant::now();
    let journals = wanted(arguments, &*program)?;
    let played = match &journals {
        None => play(&*program, &parameters),
        Some(journals) => replay_kept(&*program, &parameters, journals),
    };
    let seconds = start.elapsed().as_secs_f64();
    if let Some(rank) = played.out_of_time() {
        let message = format!(
            "{name}: rank {rank} goes beyond the end of time, which is after 2^64 picoseconds, 213 days"
        );
        return Err(Failure::plain(message));
    }
    if let Some(file) = &arguments.ranks {
        ranks(&played, file)?;
    }
    let row = row(&name, &*program, &played, seconds);
    output::print(&printed(&[row], arguments.format))?;
    let strange = [
        played.unreceived.words("received by nobody"),
        played.truncated.words("longer than what receives them"),
    ];
    for remark in program
        .remarks()
        .into_iter()
        .chain(strange.into_iter().flatten())
    {
        output::talk(&format!("warning: {remark}"));
    }
    if let Some(stall) = &played.stall {
        stall.to_string().lines().for_each(output::talk);
    }
    if let Some(journals) = &journals {
        write_journals(arguments, &name, journals)?;
    }
    Ok(match played.stall {
        None => Status::Fine,
        Some(_) => Status::Negative,
    })
}

/// The program in files, and what the first of them is called.
fn recorded(
    arguments: &ReplayArguments,
    places: &Places<'_>,
) -> Result<(String, Box<dyn Program>), Failure> {
    let mut files = Vec::new();
    for file in &arguments.files {
        files.extend(read(file)?);
    }
    let Some(first) = files.first() else {
        return Err(Failure::plain("there is no file"));
    };
    let name = first.name.clone();
    let format = match &arguments.trace_format {
        Some(name) => Format::named(name).map_err(|invalid| {
            Failure::Plain(format!("--trace-format: {}", invalid.message), invalid.help)
        })?,
        None => Format::of(first).map_err(|flaw| {
            let help = "say which one it has: --trace-format, see `turnwise replay --help`";
            let help = flaw.help.unwrap_or_else(|| help.into());
            Failure::Plain(format!("{name}: {}", flaw.message), Some(help))
        })?,
    };
    for companion in format.companions(&first.bytes) {
        files.extend(read(Path::new(&beside(&name, &companion)))?);
    }
    // Patterns and lists lead to files that nobody has named.
    let read_from: Vec<PathBuf> = files.iter().map(|file| file.name.as_str().into()).collect();
    places.spare_files(&read_from, "FILE")?;
    let reading = Reading {
        selection: selection(&arguments.benchmark)?,
        speed: speed(arguments.speed)?,
    };
    let files: Arc<[File]> = files.into();
    let read = format.read(&files, &reading);
    let program = read.map_err(|fault| {
        let invalid = fault.in_files("file", &files);
        Failure::Plain(invalid.message, invalid.help)
    })?;
    Ok((name, program))
}

fn read(file: &Path) -> Result<Vec<File>, Failure> {
    if file.as_os_str() != "-" {
        let read = read_all(Path::new(""), &file.to_string_lossy(), MOST_MIB);
        return read.map_err(|unread| {
            let near = unread.near.map(|near| format!("did you mean `{near}`?"));
            Failure::Plain(unread.message, near)
        });
    }
    let bytes = match read_at_most(std::io::stdin().lock(), MOST_MIB) {
        Ok(Some(bytes)) => plain(bytes, MOST_MIB).map_err(|why| format!("standard input: {why}")),
        Ok(None) => Err(format!("standard input is larger than {MOST_MIB} MiB")),
        Err(error) => Err(format!("cannot read standard input: {error}")),
    };
    let file = |bytes: Vec<u8>| File {
        name: "-".into(),
        bytes: bytes.into(),
    };
    bytes.map(|bytes| vec![file(bytes)]).map_err(Failure::plain)
}

fn speed(speed: f64) -> Result<f64, Failure> {
    match (1.0..=1e24).contains(&speed) {
        true => Ok(speed),
        false => Err(Failure::plain(
            "--speed: expected operations in a second, 1 to 10^24",
        )),
    }
}

fn benchmark(name: &str, arguments: &BenchmarkArguments) -> Result<Box<dyn Program>, Failure> {
    let fail = |message: String, help: String| Failure::Plain(message, Some(help));
    let parts: Vec<&str> = name.split('.').collect();
    let [benchmark, class, ranks] = parts[..] else {
        let message = format!("--npb: expected a benchmark, a class and ranks, found `{name}`");
        return Err(fail(message, "for example --npb cg.A.64".into()));
    };
    let Some(known) = Benchmark::named(&benchmark.to_lowercase()) else {
        let names = || BENCHMARKS.iter().map(|benchmark| benchmark.name);
        let help = suggestion(benchmark, "the benchmarks are", names(), names());
        return Err(fail(
            format!("--npb: there is no benchmark `{benchmark}`"),
            help,
        ));
    };
    let classes: Vec<String> = Class::ALL.iter().map(Class::to_string).collect();
    let class_of = classes
        .iter()
        .position(|name| name.eq_ignore_ascii_case(class));
    let Some(class) = class_of.map(|index| Class::ALL[index]) else {
        let message = format!("--npb: there is no class `{class}`");
        return Err(fail(
            message,
            format!("the classes are: {}", classes.join(", ")),
        ));
    };
    let Ok(ranks @ 1..=MOST_RANKS) = ranks.parse() else {
        let message = format!("--npb: expected 1 to {MOST_RANKS} ranks, found `{ranks}`");
        return Err(Failure::plain(message));
    };
    if !(arguments.computing.is_finite() && arguments.computing >= 0.0) {
        return Err(Failure::plain("--computing: expected a speed, 0 or more"));
    }
    let options = Options {
        class,
        ranks,
        iterations: arguments.iterations,
        computing: arguments.computing,
    };
    let program = known
        .build(&options)
        .map_err(|invalid| Failure::Plain(format!("--npb: {}", invalid.message), invalid.help))?;
    Ok(Box::new(Calls::new(program, selection(arguments)?)))
}

const MOST_RANKS: u32 = 1 << 24;

fn selection(arguments: &BenchmarkArguments) -> Result<Selection, Failure> {
    let mut selection = Selection::new(match arguments.library {
        Library::Mpich => Preset::Mpich,
        Library::OpenMpi => Preset::OpenMpi,
        Library::Nccl => Preset::Nccl,
    });
    for text in &arguments.collectives {
        let Some((name, algorithm)) = text.split_once('=') else {
            let message = format!("--collective: expected NAME=ALGORITHM, found `{text}`");
            let help = "for example --collective all-to-all=pairwise";
            return Err(Failure::Plain(message, Some(help.into())));
        };
        selection = selection.with_named(name, algorithm).map_err(|unknown| {
            Failure::Plain(
                format!("--collective: {}", unknown.message),
                Some(unknown.help),
            )
        })?;
    }
    Ok(selection)
}

/// Writes a program: how the file's name ends says in which format, and whether compressed.
fn export(program: &dyn Program, file: &Path) -> Result<(), Failure> {
    let is_packed = file.extension().is_some_and(|end| end == "zst");
    let plain = if is_packed {
        file.with_extension("")
    } else {
        file.to_owned()
    };
    let extension = plain.extension().and_then(OsStr::to_str);
    let schedule = match extension {
        Some("trace") if !is_packed => {
            return output::fill(file, &mut |out| trace::write(program, out));
        }
        Some("trace") => {
            let mut text = Vec::new();
            trace::write(program, &mut text)
                .map(|()| text)
                .map_err(|error| error.to_string())
        }
        Some("bin") => goal::write_binary(&Graph::of(program)),
        _ => goal::write_text(&Graph::of(program)).map(String::into_bytes),
    };
    let schedule = schedule.map_err(|words| {
        let help = "a trace can say it: give the file a name that ends in .trace";
        Failure::Plain(words, Some(help.into()))
    })?;
    let written = match is_packed {
        true => compress_to_vec(&schedule[..], CompressionLevel::Fastest),
        false => schedule,
    };
    output::fill(file, &mut |out| out.write_all(&written))
}

fn ranks(played: &Replay, file: &Path) -> Result<(), Failure> {
    let fill = &mut |out: &mut dyn Write| {
        writeln!(out, "rank,finished_ns")?;
        for (rank, &finished) in played.finished.iter().enumerate() {
            writeln!(out, "{rank},{}", finished as f64 / PICOSECONDS)?;
        }
        Ok(())
    };
    output::fill(file, fill)
}

fn row(name: &str, program: &dyn Program, played: &Replay, seconds: f64) -> Map<String, Json> {
    let columns: [(&str, Json); 8] = [
        ("program", name.into()),
        ("ranks", program.ranks().into()),
        ("tasks", played.tasks.into()),
        ("messages", played.messages.into()),
        ("bytes", played.bytes.into()),
        (
            "makespan_ns",
            exactly(played.makespan() as f64 / PICOSECONDS),
        ),
        (
            "ending",
            if played.stall.is_none() {
                "completed"
            } else {
                "stalled"
            }
            .into(),
        ),
        ("seconds", number(seconds)),
    ];
    columns
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
