//! `turnwise replay`: a parallel program on a network in which nothing is in the way.

use super::route::printed;
use crate::arguments::{BenchmarkArguments, Library, ReplayArguments};
use crate::failure::{Failure, Status};
use crate::output;
use serde_json::{Map, Value as Json};
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::time::Instant;
use turnwise_application::collectives::{Kind, Preset, Selection};
use turnwise_application::formats::goal;
use turnwise_application::replay::{LogGops, Replay, replay as play};
use turnwise_application::skeletons::{BENCHMARKS, Benchmark, Class, Options};
use turnwise_application::{Calls, Graph, Program};
use turnwise_config::diagnostic::suggestion;
use turnwise_study::export::{fill_atomically, write_atomically};
use turnwise_study::row::number;
use turnwise_study::workshop::{neighbour, read_at_most, read_file};

/// Schedules are not larger than this, also when they are decompressed.
const MOST_MIB: u64 = 4096;
const PICOSECONDS: f64 = 1000.0;

pub(crate) fn replay(arguments: &ReplayArguments) -> Result<Status, Failure> {
    Failure::unless_writable(arguments.ranks.as_ref())?;
    Failure::unless_writable(arguments.export.as_ref())?;
    let (name, program) = match (&arguments.schedule, &arguments.benchmark.npb) {
        (Some(file), _) => (file.display().to_string(), schedule(file)?),
        (None, name) => {
            let name = name.clone().unwrap_or_default();
            let program = benchmark(&name, &arguments.benchmark)?;
            (name, program)
        }
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
    let played = play(&*program, &parameters);
    let seconds = start.elapsed().as_secs_f64();
    if let Some(file) = &arguments.ranks {
        ranks(&played, file)?;
    }
    let row = row(&name, &*program, &played, seconds);
    output::print(&printed(&[row], arguments.format))?;
    Ok(match &played.stall {
        None => Status::Fine,
        Some(stall) => {
            stall.to_string().lines().for_each(output::talk);
            Status::Negative
        }
    })
}

fn schedule(file: &Path) -> Result<Box<dyn Program>, Failure> {
    let name = file.display();
    let bytes = match file.as_os_str() == "-" {
        true => match read_at_most(std::io::stdin().lock(), MOST_MIB) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(format!("standard input is larger than {MOST_MIB} MiB")),
            Err(error) => Err(format!("cannot read standard input: {error}")),
        },
        false => read_file(file, MOST_MIB),
    };
    let mut bytes = bytes.map_err(|message| {
        let near = neighbour(file).map(|near| format!("did you mean `{near}`?"));
        Failure::Plain(message, near)
    })?;
    if bytes.starts_with(&ZSTANDARD) {
        bytes = decompressed(&bytes).map_err(|why| Failure::plain(format!("{name}: {why}")))?;
    }
    let graph = goal::read(&bytes).map_err(|flaw| {
        let place = flaw
            .place
            .map_or(String::new(), |offset| place(&bytes, offset));
        Failure::Plain(format!("{name}:{place} {}", flaw.message), flaw.help)
    })?;
    Ok(Box::new(graph))
}

/// How files begin that are compressed.
const ZSTANDARD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

fn decompressed(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let wrong = |what: String| format!("cannot decompress this: {what}");
    let reader = ruzstd::decoding::StreamingDecoder::new(bytes);
    let reader = reader.map_err(|error| wrong(error.to_string()))?;
    match read_at_most(reader, MOST_MIB) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(wrong(format!("it is larger than {MOST_MIB} MiB"))),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// Line and column in text, the byte in what is none.
fn place(bytes: &[u8], offset: usize) -> String {
    let before = &bytes[..offset.min(bytes.len())];
    if bytes.contains(&0) {
        return format!(" byte {offset}:");
    }
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let start = before
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    format!("{line}:{column}:")
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
        let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name() == name) else {
            let names = || Kind::ALL.into_iter().map(Kind::name);
            let help = suggestion(name, "the collectives are", names(), names());
            let message = format!("--collective: there is no collective `{name}`");
            return Err(Failure::Plain(message, Some(help)));
        };
        selection = selection.with(kind, algorithm).map_err(|unknown| {
            Failure::Plain(
                format!("--collective: {}", unknown.message),
                Some(unknown.help),
            )
        })?;
    }
    Ok(selection)
}

fn export(program: &dyn Program, file: &Path) -> Result<(), Failure> {
    let graph = Graph::of(program);
    let bytes = match file.extension() == Some(OsStr::new("bin")) {
        true => goal::write_binary(&graph),
        false => goal::write_text(&graph).into_bytes(),
    };
    let failed = |error| Failure::writing(&file.display().to_string(), &error);
    write_atomically(file, &bytes).map_err(failed)
}

fn ranks(played: &Replay, file: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::writing(&file.display().to_string(), &error);
    let fill = &mut |out: &mut dyn Write| {
        writeln!(out, "rank,finished_ns")?;
        for (rank, &finished) in played.finished.iter().enumerate() {
            writeln!(out, "{rank},{}", finished as f64 / PICOSECONDS)?;
        }
        Ok(())
    };
    fill_atomically(file, fill).map_err(failed)
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
            number(played.makespan() as f64 / PICOSECONDS),
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
