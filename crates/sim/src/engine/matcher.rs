//! Matching requests of inputs for outputs: iSLIP and the separable allocators.
//!
//! Works on a sparse list of requests, so that its cost follows the requests and not
//! the radix. Source: McKeown, "The iSLIP scheduling algorithm for input-queued switches",
//! IEEE/ACM ToN 1999. Details are as in BookSim2 (`docs/simulator.md`): its separable allocators always
//! make one iteration, and the output-first one is then the same as iSLIP.

use crate::model::Allocator;

/// An input asks for an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) input: u32,
    pub(super) output: u32,
    /// The lane that asks; the matcher does not use it.
    pub(super) lane: u32,
}

/// Round-robin pointers of one router's allocator.
pub(super) trait Pointers {
    /// The input an output looks at first.
    fn grant(&self, output: u32) -> u32;
    /// The output an input looks at first.
    fn accept(&self, input: u32) -> u32;
    /// Number of inputs.
    fn inputs(&self) -> u32;
    /// Number of outputs.
    fn outputs(&self) -> u32;

    /// Moves both pointers behind a match.
    fn advance(&mut self, input: u32, output: u32);
}

/// The next index, going round.
#[inline(always)]
pub(super) fn after(index: u32, count: u32) -> u32 {
    if index + 1 == count { 0 } else { index + 1 }
}

/// The best offer a chooser has got: how far behind its pointer, and which request.
type Offer = (u32, u32);
const NOBODY: Offer = (u32::MAX, 0);

/// Scratch space for matching, shared by all routers.
#[derive(Clone, Debug, Default)]
pub(super) struct Matcher {
    at_output: Vec<Offer>,
    at_input: Vec<Offer>,
    outputs: Vec<u32>,
    inputs: Vec<u32>,
    done: Vec<bool>,
}

impl Matcher {
    /// For routers of at most `most` inputs and outputs.
    pub(super) fn new(most: usize) -> Self {
        Self {
            at_output: vec![NOBODY; most],
            at_input: vec![NOBODY; most],
            ..Self::default()
        }
    }

    /// Fills `matches` with the indices of matched requests, in the order inputs first appear.
    ///
    /// No two requests may have the same input and output. O(requests) a round.
    #[inline]
    pub(super) fn run(
        &mut self,
        allocator: Allocator,
        iterations: u32,
        requests: &[Request],
        pointers: &mut impl Pointers,
        matches: &mut Vec<u32>,
    ) {
        matches.clear();
        match requests {
            [] => {}
            [only] => {
                pointers.advance(only.input, only.output);
                matches.push(0);
            }
            _ => match allocator {
                Allocator::Islip => {
                    self.output_first(requests, pointers, |_| true, true, matches);
                    if iterations > 1 {
                        self.further_rounds(iterations, requests, pointers, matches);
                    }
                }
                Allocator::SeparableInputFirst => self.input_first(requests, pointers, matches),
                Allocator::SeparableOutputFirst => {
                    self.output_first(requests, pointers, |_| true, true, matches);
                }
            },
        }
    }

    /// A round of iSLIP over the requests that are still open: outputs grant, inputs accept.
    #[inline]
    fn output_first(
        &mut self,
        requests: &[Request],
        pointers: &mut impl Pointers,
        open: impl Fn(usize) -> bool,
        advance: bool,
        matches: &mut Vec<u32>,
    ) {
        let inputs = pointers.inputs();
        for (index, request) in requests
            .iter()
            .enumerate()
            .filter(|&(index, _)| open(index))
        {
            let output = request.output as usize;
            let behind = distance(request.input, pointers.grant(request.output), inputs);
            consider(
                &mut self.at_output[output],
                &mut self.outputs,
                request.output,
                (behind, index as u32),
            );
        }
        let outputs = pointers.outputs();
        for output in self.outputs.drain(..) {
            let (_, index) = std::mem::replace(&mut self.at_output[output as usize], NOBODY);
            let input = requests[index as usize].input;
            let behind = distance(output, pointers.accept(input), outputs);
            consider(
                &mut self.at_input[input as usize],
                &mut self.inputs,
                input,
                (behind, index),
            );
        }
        for input in self.inputs.drain(..) {
            let (_, index) = std::mem::replace(&mut self.at_input[input as usize], NOBODY);
            if advance {
                let matched = &requests[index as usize];
                pointers.advance(matched.input, matched.output);
            }
            matches.push(index);
        }
    }

    fn further_rounds(
        &mut self,
        iterations: u32,
        requests: &[Request],
        pointers: &mut impl Pointers,
        matches: &mut Vec<u32>,
    ) {
        let mut done = std::mem::take(&mut self.done);
        done.clear();
        done.resize(requests.len(), false);
        let mut seen = 0;
        for _ in 1..iterations {
            for &matched in &matches[seen..] {
                let matched = requests[matched as usize];
                for (done, request) in done.iter_mut().zip(requests) {
                    *done |= request.input == matched.input || request.output == matched.output;
                }
            }
            seen = matches.len();
            self.output_first(requests, pointers, |index| !done[index], false, matches);
            if matches.len() == seen {
                break;
            }
        }
        self.done = done;
    }

    /// Inputs choose one request each, outputs one of the choosers.
    fn input_first(
        &mut self,
        requests: &[Request],
        pointers: &mut impl Pointers,
        matches: &mut Vec<u32>,
    ) {
        let (inputs, outputs) = (pointers.inputs(), pointers.outputs());
        for (index, request) in requests.iter().enumerate() {
            let input = request.input as usize;
            let behind = distance(request.output, pointers.accept(request.input), outputs);
            consider(
                &mut self.at_input[input],
                &mut self.inputs,
                request.input,
                (behind, index as u32),
            );
        }
        for input in self.inputs.drain(..) {
            let (_, index) = std::mem::replace(&mut self.at_input[input as usize], NOBODY);
            let output = requests[index as usize].output;
            let behind = distance(input, pointers.grant(output), inputs);
            consider(
                &mut self.at_output[output as usize],
                &mut self.outputs,
                output,
                (behind, index),
            );
        }
        for output in self.outputs.drain(..) {
            let (_, index) = std::mem::replace(&mut self.at_output[output as usize], NOBODY);
            let matched = &requests[index as usize];
            pointers.advance(matched.input, matched.output);
            matches.push(index);
        }
    }
}

/// How many places an index is behind the pointer, going round.
#[inline(always)]
pub(super) fn distance(index: u32, pointer: u32, count: u32) -> u32 {
    if index >= pointer {
        index - pointer
    } else {
        index + count - pointer
    }
}

#[inline]
fn consider(best: &mut Offer, choosers: &mut Vec<u32>, chooser: u32, offer: Offer) {
    if best.0 == u32::MAX {
        choosers.push(chooser);
    }
    if offer.0 < best.0 {
        *best = offer;
    }
}

#[cfg(test)]
mod tests;
