//! `mpirun ... turnwise run --on mpi`: one simulation by several processes.
//!
//! The first process is the command that users know; the others say nothing and do what it tells them.

use crate::arguments::RunArguments;
use crate::failure::{Failure, Status};
use crate::output;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use turnwise_mpi::Session;
use turnwise_sim::Processes;
use turnwise_study::Plan;
use turnwise_study::processes::{agree, follow, meet};

/// Is this the first process of several?
static FIRST: AtomicBool = AtomicBool::new(false);

/// Joins the other processes.
pub(super) fn join(arguments: &RunArguments) -> Result<Session, Failure> {
    if let Some(option) = arguments.cluster.of_jobs() {
        return Err(Failure::plain(format!(
            "{option} is for `--on slurm`: processes of MPI are started by mpirun or srun"
        )));
    }
    if arguments.study.study.as_os_str() == "-" {
        return Err(Failure::plain(
            "standard input reaches one process only; `--on mpi` needs the study in a file",
        ));
    }
    let session = Session::start(say_why_we_stop);
    let session = session.map_err(|error| Failure::plain(error.to_string()))?;
    FIRST.store(session.rank() == 0, Ordering::Relaxed);
    Ok(session)
}

/// What each process does that has a plan, or none: the others than the first one all that there is to do. The first one goes on,
/// if all have a plan or its own failure is to be told.
pub(super) fn part(
    session: &Session,
    plan: Result<&Plan, &Failure>,
    stop: &AtomicBool,
) -> Result<ControlFlow<Status>, Failure> {
    let agreed = agree(session, plan.map(|_| ()).map_err(Failure::words));
    let agreed = match (plan, agreed) {
        (Ok(plan), Ok(())) => meet(plan, session),
        (_, agreed) => agreed,
    };
    match (session.rank(), plan, agreed) {
        (0, Err(_), _) => Ok(ControlFlow::Continue(())),
        (0, Ok(_), Err(words)) => Err(Failure::plain(words)),
        (0, Ok(_), Ok(())) => Ok(ControlFlow::Continue(())),
        (_, plan, agreed) => {
            if let (Ok(plan), Ok(())) = (plan, agreed) {
                follow(plan, session, &|| stop.load(Ordering::Relaxed));
            }
            // The first one says what is wrong with any, and fails. Launchers would end it before it has spoken, if another
            // one failed.
            Ok(ControlFlow::Break(Status::Fine))
        }
    }
}

/// Says what it may mean that this process is to stop, if there are others.
fn say_why_we_stop() {
    if FIRST.load(Ordering::Relaxed) {
        output::talk(
            "stopped, or another process of this run has died: what is finished is kept, the same command goes on from there",
        );
    }
}
