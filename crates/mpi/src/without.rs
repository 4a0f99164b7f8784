//! In the place of MPI: nobody.

use super::NoMpi;
use turnwise_sim::Processes;

/// The part that this process has in a run of several: there is no such thing without MPI.
pub enum Session {}

impl Session {
    /// Joins the other processes; `ended` would be called where MPI ends this one.
    ///
    /// # Errors
    /// Always [`NoMpi::NotBuilt`].
    pub fn start(_: impl Fn() + Send + 'static) -> Result<Self, NoMpi> {
        Err(NoMpi::NotBuilt)
    }
}

impl Processes for Session {
    fn rank(&self) -> usize {
        match *self {}
    }

    fn count(&self) -> usize {
        match *self {}
    }

    fn exchange(&self, _: &[Vec<u8>], _: &mut [Vec<u8>]) {
        match *self {}
    }
}
