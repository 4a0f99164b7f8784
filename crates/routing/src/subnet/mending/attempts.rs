//! Columns that are mended one after the other, and once more in another order where one of them finds nothing.
//!
//! Each takes what closes no circle with the columns before it, so that a later one may find no way though there are ways for all. Then
//! everything is taken back, who has found nothing comes before the others, and arcs are tried in a drawn order instead of by load; in every
//! other attempt those as well that are a little farther from the destination than the nearest. After [`ATTEMPTS`] of these nothing has been
//! found, which does not say that there is nothing.
//!
//! Source: none; columns by how often they have failed as variables in Boussemart, Hemery, Lecoutre, Sais, "Boosting systematic search by
//! weighting constraints", ECAI 2004.

use super::{Broken, Mending};
use crate::irregular::by_destination::NONE;
use turnwise_network::Invalid;

/// Most are mended in a few; on a torus of 16x16 with one lane some take a hundred.
const ATTEMPTS: u32 = 128;
/// Where there are many routers an attempt takes long, and there are fewer: so many routers are looked at in all of them.
const ROUTERS: u32 = 1 << 16;
/// But never fewer than this.
const FEWEST: u32 = 8;

impl Mending<'_> {
    /// Gives entries to all who no longer get to some destination, and service levels to their packets.
    ///
    /// # Errors
    /// Whose packets closed a circle in the first attempt, if some did in each.
    pub(in crate::subnet) fn mend_all(&mut self, broken: &mut [Broken]) -> Result<(), Invalid> {
        let mut order: Vec<usize> = (0..broken.len()).collect();
        let mut failures = vec![0; broken.len()];
        let mut first = None;
        let attempts = ROUTERS / self.graph.routers().max(1) as u32;
        for attempt in 0..attempts.clamp(FEWEST, ATTEMPTS) {
            self.attempt = attempt;
            let Err((failing, why)) = self.mend_in_order(broken, &order) else {
                return Ok(());
            };
            first.get_or_insert(why);
            failures[failing] += 1;
            order.sort_by_key(|&column| std::cmp::Reverse(failures[column]));
            self.forget();
            broken.iter_mut().for_each(Broken::take_back);
        }
        first.map_or(Ok(()), Err)
    }

    /// One attempt; the number of the column that has failed, and why.
    fn mend_in_order(
        &mut self,
        broken: &mut [Broken],
        order: &[usize],
    ) -> Result<(), (usize, Invalid)> {
        for &column in order {
            self.mend(&mut broken[column])
                .map_err(|why| (column, why))?;
        }
        for &column in order {
            self.tell_levels(&broken[column])
                .map_err(|why| (column, why))?;
        }
        Ok(())
    }
}

impl Broken {
    /// As it was before anything was mended.
    fn take_back(&mut self) {
        for &(at, arc) in &self.lost {
            self.ways[at as usize] = arc;
        }
        self.lost.retain(|&(_, arc)| arc == NONE);
        self.unsettled.clear();
    }
}
