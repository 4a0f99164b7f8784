//! Butterflies: stages of switches, with channels from each stage to the next only.

use crate::ids::Port;

/// A k-ary n-fly whose first and last stages share their routers.
///
/// Routers are numbered stage by stage from stage 0, which is also stage `n - 1`, up to stage `n - 2`; each has
/// `k^(n-1)`, named by `n - 1` digits in base k. A router of stage 0 has its `k` terminals first, then `k` ports;
/// other routers have `k` ports. Output `o` of stage `i` leads to the router of the next stage whose digit
/// `n - 2 - i`, counted from the lowest, is `o`; it arrives at the input with the number that this digit had.
///
/// Source: Dally and Towles, Principles and Practices of Interconnection Networks, chapter 4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Butterfly {
    /// k: inputs and outputs of a switch.
    pub arity: u32,
    /// n: number of stages, 3 or more.
    pub stages: u32,
}

impl Butterfly {
    /// Routers of a stage, `k^(n-1)`.
    pub fn width(&self) -> u32 {
        self.arity.pow(self.stages - 1)
    }

    /// A router's stage (0 for those that are of the last one as well) and its number in the stage.
    pub fn stage_and_index(&self, router: u32) -> (u32, u32) {
        (router / self.width(), router % self.width())
    }

    /// The router of a stage up to `n - 1` with this number in it.
    pub fn router_at(&self, stage: u32, index: u32) -> u32 {
        stage % (self.stages - 1) * self.width() + index
    }

    /// The digit of a router's number that a hop out of a stage chooses.
    pub fn digit(&self, stage: u32, index: u32) -> u32 {
        index / self.place(stage) % self.arity
    }

    /// The port of a router of this stage that is its output, or input, with this number.
    pub fn port(&self, stage: u32, number: u32) -> Port {
        match stage {
            0 => (self.arity + number) as Port,
            _ => number as Port,
        }
    }

    /// Where an output leads: the number of the router in the next stage.
    pub fn next(&self, stage: u32, index: u32, output: u32) -> u32 {
        let place = self.place(stage);
        index - self.digit(stage, index) * place + output * place
    }

    fn place(&self, stage: u32) -> u32 {
        self.arity.pow(self.stages - 2 - stage)
    }
}
