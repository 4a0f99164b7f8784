//! `turnwise serve`: the report while a study runs, in a browser on the same machine.
//!
//! Reads what the run stores and writes nothing. The run comes first: pages are made when somebody asks, once a second
//! at most and for a small share of the time, and routings are proved at the lowest priority.

use super::run::advice_of;
use crate::arguments::ServeArguments;
use crate::failure::{Failure, Status};
use crate::interruption::{self, STOP};
use crate::loading::{load, output_folder};
use crate::output;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::Duration;
use turnwise_report::Live;
use turnwise_serve::{Content, Moment, Pace, Server};
use turnwise_study::Plan;
use turnwise_study::advice::Advice;
use turnwise_study::proofs::{self, MOST_WORK, Proofs};
use turnwise_study::reporting::{self, Beside};
use turnwise_study::runner::{PointFailure, all_cores};
use turnwise_study::specification::Scope;
use turnwise_study::store::{Results, StoreError, read_details};

/// How often it looks whether it is to end.
const LOOK: Duration = Duration::from_millis(250);
/// How long it may take to end in order.
const LAST: Duration = Duration::from_secs(3);

pub(crate) fn serve(arguments: &ServeArguments) -> Result<Status, Failure> {
    // Before anybody can know of the server, and end.
    let parent = parent();
    let plan = load(&arguments.of_study(), Scope::Simulation)?;
    let advice = advice_of(&plan)?;
    let stored = output_folder(&plan, arguments.results.as_ref()).join("results");
    let name = arguments.name.clone().or_else(host_name);
    let server = Server::new(arguments.listen, name, arguments.token).map_err(|error| {
        Failure::plain(format!("cannot listen on {}: {error}", arguments.listen))
    })?;
    interruption::listen();
    output::print(&format!("report: {}\n", server.link()))?;
    std::thread::spawn(move || watch(parent));
    let go_on = || !STOP.load(Ordering::Relaxed);
    let proofs = OnceLock::new();
    let mut page = Page {
        plan: &plan,
        advice: &advice,
        stored,
        proofs: &proofs,
        results: Pace::default(),
        made: Pace::default(),
    };
    let served = std::thread::scope(|scope| {
        scope.spawn(|| prove(&plan, &proofs));
        let served = server.run(&mut page, &go_on);
        STOP.store(true, Ordering::Relaxed);
        served
    });
    match served {
        Ok(()) => Ok(Status::Interrupted),
        Err(error) => Err(Failure::plain(format!("the server has stopped: {error}"))),
    }
}

/// Ends the server with the program that started it, and whatever it is doing then if it does not come to an end.
fn watch(started_by: Option<u32>) {
    while !STOP.load(Ordering::Relaxed) && parent() == started_by {
        std::thread::sleep(LOOK);
    }
    STOP.store(true, Ordering::Relaxed);
    std::thread::sleep(LAST);
    std::process::exit(130);
}

/// Proves the study's routings, when nobody else needs the processors.
fn prove(plan: &Plan, proofs: &OnceLock<Result<Proofs, String>>) {
    // Without a lower priority it is only less polite.
    let _ = rustix::process::nice(19);
    let mut go_on = |_: usize, _: usize| !STOP.load(Ordering::Relaxed);
    match proofs::prove(plan, MOST_WORK, all_cores(), &mut go_on) {
        Ok(None) => {}
        Ok(Some(found)) => drop(proofs.set(Ok(found))),
        Err(error) => drop(proofs.set(Err(error.to_string()))),
    }
}

fn host_name() -> Option<String> {
    let system = rustix::system::uname();
    let name = system.nodename().to_str().ok()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// The process that started this one; another one when it has ended.
fn parent() -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::process::parent_id());
    #[cfg(not(unix))]
    None
}

/// The report as it is now.
struct Page<'a> {
    plan: &'a Plan,
    advice: &'a [Advice],
    stored: PathBuf,
    proofs: &'a OnceLock<Result<Proofs, String>>,
    results: Pace<Results>,
    /// The page, and the state that it is of.
    made: Pace<(Vec<u8>, String)>,
}

impl Page<'_> {
    fn html(&self, results: &Results) -> Result<(Vec<u8>, String), StoreError> {
        let none = Proofs::default();
        // Asked once: they may become ready while the page is made.
        let found = self.proofs.get();
        let proofs = match found {
            Some(Ok(proofs)) => proofs,
            _ => &none,
        };
        let beside = Beside {
            failures: &PointFailure::noted(self.plan, results, &self.stored)?,
            advice: self.advice,
            details: Some(&|id| read_details(&self.stored, id)),
        };
        let mut report = reporting::report(self.plan, results, proofs, &beside)?;
        let failed = match found {
            None => Some("The routings are still being proved.".to_owned()),
            Some(Ok(_)) => None,
            Some(Err(why)) => Some(format!("The routings are not proved: {why}.")),
        };
        report.advice.extend(failed);
        let live = self.live(results, found.is_some());
        let state = live.state.clone();
        report.live = Some(live);
        let mut html = Vec::new();
        // Writing to memory does not fail.
        let _ = turnwise_report::write_html(&report, &mut html);
        Ok((html, state))
    }

    /// How far the study is, and what differs as soon as a new page would.
    fn live(&self, results: &Results, proved: bool) -> Live {
        let done = self.plan.len() - self.plan.missing(results).count();
        Live {
            state: format!("{done}-{proved}"),
            words: format!("{done} of {}", output::count(self.plan.len(), "point")),
        }
    }
}

impl Content for Page<'_> {
    fn page(&mut self) -> Result<Vec<u8>, String> {
        let mut made = std::mem::take(&mut self.made);
        let page = made.get(&Moment::now, || {
            self.html(&self.plan.results(&self.stored)?)
        });
        let page = page.map(|(html, _)| html.clone());
        let page = page.map_err(|error: StoreError| error.to_string());
        self.made = made;
        page
    }

    fn state(&mut self) -> Result<String, String> {
        let mut read = std::mem::take(&mut self.results);
        let results = read.get(&Moment::now, || self.plan.results(&self.stored));
        let live = results.map(|results| self.live(results, self.proofs.get().is_some()));
        self.results = read;
        let Live { state, words } = live.map_err(|error: StoreError| error.to_string())?;
        // There is no other page while the last one rests, so nobody is told of one.
        let made = self.made.fresh(Moment::now());
        let state = made.map_or(state, |(_, of_page)| of_page.clone());
        Ok(format!("{{\"words\":\"{words}\",\"state\":\"{state}\"}}"))
    }
}
