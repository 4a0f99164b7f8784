//! `turnwise plan`: what a study would do, without doing it.

use super::run::print_advice;
use crate::arguments::{Format, PlanArguments};
use crate::failure::{Failure, Status};
use crate::loading::{load_for, output_folder};
use crate::{output, progress};
use serde_json::{Map, Value as Json, json};
use std::io::{self, Write};
use turnwise_study::Plan;
use turnwise_study::costs::{Cost, Costs};
use turnwise_study::estimate::Estimate;
use turnwise_study::export::quoted;
use turnwise_study::memory::memory_limit;
use turnwise_study::naming::Names;
use turnwise_study::proof_costs::ProofCosts;
use turnwise_study::row::{number, point_fields};
use turnwise_study::runner::{all_cores, threads_each};
use turnwise_study::specification::Scope;
use turnwise_study::store::Results;

/// A table of more points shows so many of the first and of the last.
const MOST_SHOWN: usize = 200;
const FIRST: usize = 50;
const LAST: usize = 10;

pub(crate) fn plan(arguments: &PlanArguments) -> Result<Status, Failure> {
    let processes = arguments
        .processes
        .map_or(1, |processes| processes as usize);
    let plan = load_for(&arguments.study, Scope::Simulation, processes)?;
    let results = plan.results(&output_folder(&plan, None).join("results"))?;
    let missing = plan.missing(&results).count();
    let crew = Crew::of(arguments, &plan, missing);
    print_advice(&plan)?;
    let costs = Costs::new(&plan, crew.of_point, memory_limit());
    let mut lines = Lines {
        plan: &plan,
        results: &results,
        costs: match arguments.study.format {
            Format::Table => costs.with_proofs(),
            Format::Json | Format::Csv => costs,
        },
        total: Total::default(),
    };
    match arguments.study.format {
        Format::Json => lines.print_all(None, &mut |out, line| writeln!(out, "{}", line.json()))?,
        Format::Csv => {
            let header = lines.swept();
            let header = header.iter().map(String::as_str).chain(FACTS);
            let header: Vec<String> = header.map(String::from).collect();
            lines.print_all(Some(&csv(&header)), &mut |out, line| {
                writeln!(out, "{}", csv(&line.figures()))
            })?;
        }
        Format::Table => {
            let (header, mut rows, points) = (lines.header(), Vec::new(), plan.len());
            let is_shown =
                |index: usize| points <= MOST_SHOWN || index < FIRST || index + LAST >= points;
            let bar = progress::bar(points as u64, "planning");
            for index in 0..points {
                bar.set_position(index as u64);
                match is_shown(index) {
                    true => rows.push(lines.line(index)?),
                    false => drop(lines.cost(index)?),
                }
            }
            bar.finish_and_clear();
            let names = Names::of(rows.iter().map(|line| &line.point));
            let rows: Vec<Vec<String>> = rows.iter().map(|line| line.cells(&names)).collect();
            let hidden = points - rows.len();
            let mut text = output::table(&header, &rows);
            if hidden > 0 {
                let end = text
                    .lines()
                    .take(1 + FIRST)
                    .map(|line| line.len() + 1)
                    .sum();
                text.insert_str(
                    end,
                    &format!("... {hidden} more: --format csv shows all ...\n"),
                );
            }
            text.push_str(&lines.total.words(points, missing));
            let scale = plan.study.other_scale();
            text.extend(scale.map(|scale| format!("scale: {scale}\n")));
            text.extend(lines.costs.proofs().and_then(of_proofs));
            text.push_str(&units(&plan));
            if arguments.threads.is_some() || arguments.processes.is_some() {
                text.push_str(&lines.total.by(crew));
            }
            output::print(&text)?;
        }
    }
    Ok(Status::Fine)
}

/// Who simulates.
#[derive(Clone, Copy)]
struct Crew {
    /// Threads of all that is done at a time.
    threads: usize,
    /// Points at a time.
    points: usize,
    /// Processes and threads of each.
    of_point: turnwise_sim::Crew,
}

impl Crew {
    /// As `run` would have it for so many points that are missing, or `run --on mpi` if processes are asked for.
    fn of(arguments: &PlanArguments, plan: &Plan, missing: usize) -> Self {
        let threads = arguments.threads.or(plan.first.simulation.threads);
        let threads = threads.map(|threads| threads as usize);
        match arguments.processes {
            Some(processes) => {
                let (processes, threads) = (processes as usize, threads.unwrap_or(1));
                Self {
                    threads: processes * threads,
                    points: 1,
                    of_point: turnwise_sim::Crew { processes, threads },
                }
            }
            None => {
                let threads = threads.unwrap_or_else(all_cores);
                Self {
                    threads,
                    points: threads.clamp(1, missing.max(1)),
                    of_point: threads_each(threads, missing).into(),
                }
            }
        }
    }

    fn words(self) -> String {
        let turnwise_sim::Crew { processes, threads } = self.of_point;
        match processes {
            1 => output::count(self.threads, "thread"),
            _ => format!(
                "{processes} processes of {}",
                output::count(threads, "thread")
            ),
        }
    }
}

/// Makes the lines of the points.
struct Lines<'a> {
    plan: &'a Plan,
    results: &'a Results,
    costs: Costs<'a>,
    total: Total,
}

/// What programs are told of a point, beside what is swept.
const FACTS: [&str; 11] = [
    "done",
    "network",
    "routers",
    "terminals",
    "channels",
    "virtual_channels",
    "buffer_flits",
    "memory_bytes",
    "threads",
    "estimated_flit_hops",
    "estimated_seconds",
];

/// What is known of a point.
struct Line {
    swept: Vec<String>,
    point: Map<String, Json>,
    is_done: bool,
    cost: Cost,
}

impl Lines<'_> {
    /// What a point costs, and whether it is done; added to what all cost.
    fn cost(&mut self, index: usize) -> Result<(Cost, bool), Failure> {
        let plan = self.plan;
        let cost = self.costs.of(index);
        let cost =
            cost.map_err(|error| Failure::Study(Box::new(plan.source.clone()), vec![error]))?;
        let id = plan.id(index);
        let is_done = id.is_some_and(|id| self.results.contains_key(&id));
        self.total.add(&cost, is_done);
        Ok((cost, is_done))
    }

    fn line(&mut self, index: usize) -> Result<Line, Failure> {
        let (plan, (cost, is_done)) = (self.plan, self.cost(index)?);
        let point = plan.point(index);
        Ok(Line {
            swept: self.swept(),
            point: point.map_or_else(Map::new, |planned| {
                point_fields(&planned.point, plan.is_repeated())
            }),
            is_done,
            cost,
        })
    }

    fn swept(&self) -> Vec<String> {
        let mut names = self.plan.keys.clone();
        names.extend(self.plan.is_repeated().then(|| "repeat".to_owned()));
        names
    }

    fn header(&self) -> Vec<String> {
        let mut header = self.swept();
        let facts = [
            "network",
            "routers",
            "terminals",
            "VCs",
            "buffer",
            "memory",
            "seconds",
            "state",
        ];
        header.extend(facts.map(String::from));
        header
    }

    /// Prints a line for every point as it is made: a study may have a million.
    fn print_all(
        &mut self,
        header: Option<&str>,
        print: &mut dyn FnMut(&mut dyn Write, &Line) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut failure = None;
        output::stream(&mut |out| {
            if let Some(header) = header {
                writeln!(out, "{header}")?;
            }
            for index in 0..self.plan.len() {
                match self.line(index) {
                    Ok(line) => print(out, &line)?,
                    Err(error) => {
                        failure = Some(error);
                        break;
                    }
                }
            }
            Ok(())
        })?;
        failure.map_or(Ok(()), Err)
    }
}

impl Line {
    fn seconds(&self) -> f64 {
        self.cost.estimate.seconds + self.cost.setup_seconds
    }

    fn json(&self) -> Json {
        let Cost {
            basis, estimate, ..
        } = &self.cost;
        json!({
            "point": self.point, "done": self.is_done, "network": basis.network,
            "routers": basis.size.routers, "terminals": basis.size.terminals,
            "channels": basis.channels, "virtual_channels": basis.virtual_channels(),
            "buffer_flits": basis.buffer_flits(), "memory_bytes": estimate.bytes,
            "threads": estimate.threads, "estimated_flit_hops": estimate.flit_hops,
            "estimated_seconds": number(self.seconds()),
        })
    }

    /// What [`json`](Self::json) says, as cells.
    fn figures(&self) -> Vec<String> {
        let json = self.json();
        let mut cells = self.fields();
        cells.extend(FACTS.map(|fact| output::csv_cell(&json[fact])));
        cells
    }

    /// What is swept.
    fn fields(&self) -> Vec<String> {
        let field = |key: &String| {
            self.point
                .get(key)
                .map_or_else(String::new, output::csv_cell)
        };
        self.swept.iter().map(field).collect()
    }

    /// The same for people: of tables what tells them apart.
    fn cells(&self, names: &Names) -> Vec<String> {
        let basis = &self.cost.basis;
        let words = |key: &String| match self.point.get(key) {
            Some(table @ Json::Object(_)) => {
                let alone = Map::from_iter([(key.clone(), table.clone())]);
                names.words(&alone, &|_| true).join(", ")
            }
            value => value.map_or_else(String::new, output::csv_cell),
        };
        let mut cells: Vec<String> = self.swept.iter().map(words).collect();
        cells.extend([
            basis.network.clone(),
            basis.size.routers.to_string(),
            basis.size.terminals.to_string(),
            basis.virtual_channels().to_string(),
            output::text(&basis.buffer_flits()),
            megabytes(self.cost.estimate.bytes),
            output::rough(self.seconds()),
            if self.is_done { "done" } else { "to do" }.to_owned(),
        ]);
        cells
    }
}

/// What all points together cost.
#[derive(Default)]
struct Total {
    /// CPU-seconds of those that are to be done, and the most of one of them.
    seconds: f64,
    longest: f64,
    /// Seconds of the same by those who simulate each.
    lasting: f64,
    longest_lasting: f64,
    /// The most that one of all takes.
    bytes: u64,
}

impl Total {
    fn add(&mut self, cost: &Cost, is_done: bool) {
        self.bytes = self.bytes.max(cost.estimate.bytes);
        if !is_done {
            let seconds = cost.estimate.seconds + cost.setup_seconds;
            self.seconds += seconds;
            self.longest = self.longest.max(seconds);
            // Every process builds alone what it simulates.
            let lasting = cost.estimate.seconds / speedup(&cost.estimate) + cost.setup_seconds;
            self.lasting += lasting;
            self.longest_lasting = self.longest_lasting.max(lasting);
        }
    }

    fn words(&self, points: usize, missing: usize) -> String {
        format!(
            "\n{}, {} of them done; about {} CPU-seconds to go, at most {} for one of them\n",
            output::count(points, "point"),
            points - missing,
            output::rough(self.seconds),
            megabytes(self.bytes),
        )
    }

    /// The same by those who simulate.
    fn by(&self, crew: Crew) -> String {
        let seconds = (self.lasting / crew.points as f64).max(self.longest_lasting);
        let (at_a_time, who) = match crew.of_point.processes {
            1 => (crew.points as u64, "at a time"),
            _ => (1, "in each process"),
        };
        format!(
            "on {}: about {} seconds, at most {} {who}\n",
            crew.words(),
            output::rough(seconds),
            megabytes(self.bytes.saturating_mul(at_a_time)),
        )
    }
}

/// How many times as fast as one core those are that simulate a point.
fn speedup(estimate: &Estimate) -> f64 {
    /// How much a further core adds to the first one's speed.
    const GAIN: f64 = 0.6;
    let cores = estimate.processes * estimate.threads;
    1.0 + GAIN * cores.saturating_sub(1) as f64
}

/// What the proofs for the report cost, if that is worth mentioning.
fn of_proofs(proofs: &ProofCosts) -> Option<String> {
    const LITTLE_SECONDS: f64 = 1.0;
    const LITTLE_BYTES: u64 = 64 << 20;
    let is_much = proofs.seconds >= LITTLE_SECONDS || proofs.bytes >= LITTLE_BYTES;
    is_much.then(|| {
        format!(
            "proving {} for the report: about {} CPU-seconds and {} more; --no-report does without\n",
            output::count(proofs.count, "routing"),
            output::rough(proofs.seconds),
            megabytes(proofs.bytes)
        )
    })
}

/// What a cycle, a flit and a channel are, and which values they did not divide; empty if the study
/// does not say.
fn units(plan: &Plan) -> String {
    /// More are of no more use to anybody.
    const MOST: usize = 20;
    let facts = plan.units.facts();
    let facts = facts
        .iter()
        .map(|(name, words)| format!("{name}: {words}\n"));
    let rounded = plan.rounded().iter().take(MOST);
    let rounded = rounded.map(|rounded| format!("rounded up: {rounded}\n"));
    let mut text: String = facts.chain(rounded).collect();
    let more = plan.rounded().len().saturating_sub(MOST);
    if more > 0 {
        text.push_str(&format!("rounded up: {more} more\n"));
    }
    text
}

fn csv(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
    cells.join(",")
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
