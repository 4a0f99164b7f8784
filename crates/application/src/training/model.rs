//! The model, and how much there is of what in it: parameters, activations, operations.
//!
//! A layer is attention, 4 h^2 parameters, and a network of two matrices, 8 h^2, for a hidden size h.

use super::experts::Experts;
use turnwise_config::diagnostic::Invalid;

/// What is trained.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// How many layers it has.
    pub layers: u32,
    /// Length of the vector that stands for a word: h.
    pub hidden: u32,
    /// Words of an example: s.
    pub sequence: u32,
    /// Examples of a micro-batch: b.
    pub micro_batch: u32,
    /// Bytes of a number of activations and parameters.
    pub number_bytes: u32,
    /// Do those who share a layer also share the words between its parts? Then sums become a part of the sum to each, and back.
    pub sequence_parallel: bool,
    /// What becomes of gradients.
    pub gradients: Gradients,
    /// Experts instead of the second half of each layer.
    pub experts: Option<Experts>,
    /// Operations of a rank in a picosecond, which are TFLOP/s; nothing if computing takes no time.
    pub operations: Option<f64>,
}

/// What becomes of gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradients {
    /// They are summed up over all replicas, so many bytes at a time and so many for each.
    Summed {
        /// Bytes of a bucket.
        bucket: u64,
        /// Bytes of a gradient.
        each: u32,
    },
    /// Each replica has a part of them and of the parameters, which are gathered before each use (ZeRO, FSDP).
    Sharded,
}

/// Halves of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    Attention,
    Network,
}

impl Model {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        let within = |field: &str, value: u32, most: u32| match (1..=most).contains(&value) {
            true => Ok(()),
            false => {
                let message = format!("expected 1 to {most}, found {value}");
                Err(Invalid::new(field, message))
            }
        };
        within("layers", self.layers, 1 << 16)?;
        within("hidden", self.hidden, 1 << 18)?;
        within("sequence", self.sequence, 1 << 24)?;
        within("micro_batch", self.micro_batch, 1 << 12)?;
        within("number_bytes", self.number_bytes, 8)?;
        if let Gradients::Summed { bucket, each } = self.gradients {
            within("gradient_bytes", each, 8)?;
            if bucket < u64::from(each) {
                let message = format!("expected at least {each}, found {bucket}");
                return Err(Invalid::new("bucket_bytes", message));
            }
        }
        if self
            .operations
            .is_some_and(|fast| !(fast.is_finite() && fast > 0.0))
        {
            return Err(Invalid::new("teraflops", "expected a number above 0"));
        }
        self.experts.as_ref().map_or(Ok(()), Experts::check)
    }

    /// Bytes of a micro-batch between layers: V = b s h of e bytes.
    pub(super) fn activations(&self) -> u64 {
        let words = u64::from(self.micro_batch) * u64::from(self.sequence);
        words * u64::from(self.hidden) * u64::from(self.number_bytes)
    }

    /// Parameters of half a layer; experts count once.
    pub(super) fn parameters(&self, half: Half) -> u64 {
        let square = u64::from(self.hidden).pow(2);
        match half {
            Half::Attention => 4 * square,
            Half::Network => 8 * square,
        }
    }

    /// Picoseconds of a rank for half a layer forward, if so many share it: two operations for each parameter and
    /// word, and 4 b s^2 h for who attends to whom.
    pub(super) fn computing(&self, half: Half, tensor: u32) -> f64 {
        let Some(fast) = self.operations else {
            return 0.0;
        };
        let words = f64::from(self.micro_batch) * f64::from(self.sequence);
        let all = 2.0 * words * self.parameters(half) as f64;
        let all = match half {
            Half::Attention => {
                all + 4.0 * words * f64::from(self.sequence) * f64::from(self.hidden)
            }
            Half::Network => all,
        };
        all / f64::from(tensor) / fast
    }
}
