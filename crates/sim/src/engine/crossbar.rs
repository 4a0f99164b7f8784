//! Crossbars with more ports than their routers have, and connections that packets keep.
//!
//! With an input speedup of `i`, virtual channel `v` of an input uses crossbar input `v mod i` of
//! the `i` it has; with an output speedup of `o`, an output is seen from input `p` as crossbar output
//! `p mod o` of its `o`. So in BookSim2. Routers without any of this allocate nothing here.

use super::extent::Extent;
use super::matcher::{Matcher, Pointers, after};
use super::unchecked::Part;
use super::wiring::{NOWHERE, Wiring};
use crate::model::RouterModel;

/// A crossbar input and a crossbar output of one router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Connection {
    pub(super) input: u32,
    pub(super) output: u32,
}

/// One crossbar input.
#[derive(Clone, Copy, Debug)]
struct Input {
    /// The crossbar output that was accepted last.
    accept: u32,
    /// The virtual channel that won last.
    choice: u32,
    /// The lane that keeps its connection, [`NOWHERE`] if none does, and where that leads.
    keeper: u32,
    output: u32,
}

/// One crossbar output.
#[derive(Clone, Copy, Debug)]
struct Output {
    /// The crossbar input that was granted last.
    grant: u32,
    /// Does a lane keep its connection to it?
    kept: bool,
    /// The lane whose packet has begun to cross to it and not ended; [`NOWHERE`] if none has.
    holder: u32,
}

/// The expanded crossbars of a domain's routers.
#[derive(Clone, Debug)]
pub(super) struct Crossbar {
    input_speedup: u32,
    output_speedup: u32,
    /// Has every output virtual channel a crossbar output of its own?
    by_vc: bool,
    /// Crossbar inputs and outputs of all routers, port by port.
    inputs: Part<Input>,
    outputs: Part<Output>,
    /// By router: connections that are kept.
    kept: Part<u32>,
    pub(super) matcher: Matcher,
}

impl Crossbar {
    /// Crossbars without connections; empty if the model does not need them.
    pub(super) fn new(wiring: &Wiring, model: &RouterModel, extent: &Extent) -> Self {
        let i = model.input_speedup;
        let o = match model.vc_crossbar_outputs {
            true => wiring.stride,
            false => model.output_speedup,
        };
        let mut crossbar = Self {
            input_speedup: i,
            output_speedup: o,
            by_vc: model.vc_crossbar_outputs,
            inputs: Part::default(),
            outputs: Part::default(),
            kept: Part::default(),
            matcher: Matcher::default(),
        };
        if !Self::is_needed(model) {
            return crossbar;
        }
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for at in extent.routers.clone().map(|router| wiring.routers[router]) {
            let input = Input {
                accept: (at.ports * o).wrapping_sub(1),
                choice: wiring.stride - 1,
                keeper: NOWHERE,
                output: 0,
            };
            let output = Output {
                grant: (at.ports * i).wrapping_sub(1),
                kept: false,
                holder: NOWHERE,
            };
            inputs.extend(std::iter::repeat_n(input, (at.ports * i) as usize));
            outputs.extend(std::iter::repeat_n(output, (at.ports * o) as usize));
        }
        let first = extent.ports.start;
        crossbar.inputs = Part::new(first * i, inputs);
        crossbar.outputs = Part::new(first * o, outputs);
        crossbar.kept = Part::filled(extent.routers.clone(), 0);
        crossbar.matcher = Matcher::new(wiring.max_radix * i.max(o) as usize);
        crossbar
    }

    /// Does the crossbar have more than one input and output a port, or keep connections?
    pub(super) fn is_needed(model: &RouterModel) -> bool {
        model.input_speedup > 1
            || model.output_speedup > 1
            || model.vc_crossbar_outputs
            || model.lock_outputs
            || model.hold_switch
    }

    /// The connection that virtual channel `vc` of an input port needs to virtual channel `to` of an output port.
    pub(super) fn connection(&self, input: u32, vc: u32, output: u32, to: u32) -> Connection {
        let among = if self.by_vc { to } else { input };
        Connection {
            input: input * self.input_speedup + vc % self.input_speedup,
            output: output * self.output_speedup + among % self.output_speedup,
        }
    }

    /// Do these crossbar inputs belong to the same port?
    pub(super) fn share_port(&self, one: u32, other: u32) -> bool {
        one / self.input_speedup == other / self.input_speedup
    }

    /// The crossbar of the router whose first port this is, and that has so many.
    pub(super) fn of(&mut self, first_port: u32, ports: u32) -> (&mut Matcher, OneCrossbar<'_>) {
        let of_ports = |of_port| first_port * of_port..(first_port + ports) * of_port;
        let inputs = self.inputs.get_range_mut(of_ports(self.input_speedup));
        let outputs = self.outputs.get_range_mut(of_ports(self.output_speedup));
        let crossbar = OneCrossbar {
            inputs: inputs.unwrap_or_default(),
            outputs: outputs.unwrap_or_default(),
        };
        (&mut self.matcher, crossbar)
    }

    /// Connections of a router that are kept.
    pub(super) fn kept(&mut self, router: u32) -> &mut u32 {
        &mut self.kept[router]
    }

    /// The first router that has lost count of the connections its lanes keep.
    pub(super) fn audit(&mut self, wiring: &Wiring) -> Result<(), String> {
        for router in self.kept.numbers() {
            let at = wiring.routers[router];
            let counted = self.kept[router];
            let (_, crossbar) = self.of(at.first_port, at.ports);
            let inputs = crossbar
                .inputs
                .iter()
                .filter(|input| input.keeper != NOWHERE);
            let outputs = crossbar.outputs.iter().filter(|output| output.kept);
            let (inputs, outputs) = (inputs.count(), outputs.count());
            if inputs != counted as usize || outputs != inputs {
                return Err(format!(
                    "router {router} keeps {counted} connections of {inputs} inputs to {outputs} outputs"
                ));
            }
        }
        Ok(())
    }

    /// Does any lane of a router keep a connection?
    #[inline]
    pub(super) fn keeps(&self, router: u32) -> bool {
        self.kept.get(router).is_some_and(|&kept| kept > 0)
    }
}

/// The crossbar of one router.
pub(super) struct OneCrossbar<'a> {
    inputs: &'a mut [Input],
    outputs: &'a mut [Output],
}

impl OneCrossbar<'_> {
    /// The lane that keeps a crossbar input; [`NOWHERE`] if none does.
    pub(super) fn keeper(&self, input: u32) -> u32 {
        self.inputs[input as usize].keeper
    }

    /// Is neither end of a connection kept?
    pub(super) fn is_open(&self, way: Connection) -> bool {
        self.keeper(way.input) == NOWHERE && !self.outputs[way.output as usize].kept
    }

    /// The lane whose packet has begun to cross to a crossbar output and not ended.
    pub(super) fn holder(&mut self, output: u32) -> &mut u32 {
        &mut self.outputs[output as usize].holder
    }

    /// The virtual channel of a crossbar input that won last.
    pub(super) fn choice(&mut self, input: u32) -> &mut u32 {
        &mut self.inputs[input as usize].choice
    }

    /// A lane keeps its connection from now on.
    pub(super) fn keep(&mut self, way: Connection, lane: u32) {
        let input = &mut self.inputs[way.input as usize];
        (input.keeper, input.output) = (lane, way.output);
        self.outputs[way.output as usize].kept = true;
    }

    /// A connection is free again.
    pub(super) fn release(&mut self, input: u32) {
        let input = &mut self.inputs[input as usize];
        input.keeper = NOWHERE;
        self.outputs[input.output as usize].kept = false;
    }
}

impl Pointers for OneCrossbar<'_> {
    fn grant(&self, output: u32) -> u32 {
        after(self.outputs[output as usize].grant, self.inputs())
    }

    fn accept(&self, input: u32) -> u32 {
        after(self.inputs[input as usize].accept, self.outputs())
    }

    fn advance(&mut self, input: u32, output: u32) {
        self.outputs[output as usize].grant = input;
        self.inputs[input as usize].accept = output;
    }

    fn inputs(&self) -> u32 {
        self.inputs.len() as u32
    }

    fn outputs(&self) -> u32 {
        self.outputs.len() as u32
    }
}
