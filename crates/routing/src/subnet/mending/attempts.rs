//! Columns that are mended one after the other, and once more in another order where one of them finds nothing.
//!
//! Each takes what closes no circle with the columns before it, so that a later one may find no way though there are ways for all. Then
//! everything is taken back, and who has found nothing comes before the others. Such a column tries arcs in a drawn order instead of by load, and
//! in every other attempt those as well that are a little farther from the destination than the nearest. After [`ATTEMPTS`] of these nothing
//! has been found, which does not say that there is nothing. Adapters that are new get their levels behind all attempts, in one.
//!
//! Source: none; columns by how often they have failed as variables in Boussemart, Hemery, Lecoutre, Sais, "Boosting systematic search by
//! weighting constraints", ECAI 2004.

use super::{Broken, Mending};
use crate::irregular::by_destination::NONE;
use turnwise_network::Invalid;

/// Most are mended in a few; on a torus of 16x16 with one lane some take a hundred.
const ATTEMPTS: u32 = 128;
/// Who has found nothing so often before all others is not helped by another order.
const ALONE: u32 = 32;
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
        let (mut first, mut alone) = (None, 0);
        let attempts = ROUTERS / self.graph.routers().max(1) as u32;
        for attempt in 0..attempts.clamp(FEWEST, ATTEMPTS) {
            let Err((failing, why)) = self.mend_in_order(broken, &order, (attempt, &failures))
            else {
                return Ok(());
            };
            first.get_or_insert(why);
            failures[failing] += 1;
            alone += u32::from(order.first() == Some(&failing));
            if alone == ALONE {
                break;
            }
            order.sort_by_key(|&column| std::cmp::Reverse(failures[column]));
            self.forget();
            broken.iter_mut().for_each(Broken::take_back);
        }
        first.map_or(Ok(()), Err)
    }

    /// One attempt, in which columns that have failed before are mended otherwise; the number of the column that has failed, and why.
    fn mend_in_order(
        &mut self,
        broken: &mut [Broken],
        order: &[usize],
        (attempt, failures): (u32, &[u32]),
    ) -> Result<(), (usize, Invalid)> {
        for &column in order {
            self.attempt = if failures[column] > 0 { attempt } else { 0 };
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
