//! Patterns that send every packet of a terminal to the same place: a flat table.

use crate::choice::Choice;
use crate::pattern::{Context, Pattern, unfit};
use turnwise_network::random::Random;
use turnwise_network::{Invalid, Network, RouterId, Shape, TerminalId};

/// One destination for each terminal, or none; four bytes a terminal.
pub(crate) struct Fixed {
    destinations: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

impl Fixed {
    /// Asks `map` for every living terminal; dead destinations, and without `send_to_self` the
    /// terminal itself, count as none.
    pub(crate) fn new(
        network: &Network,
        context: &Context,
        map: impl Fn(TerminalId) -> Option<TerminalId>,
    ) -> Self {
        let destination = |source: TerminalId| {
            let destination = map(source).filter(|_| network.is_terminal_alive(source))?;
            let sends = context.send_to_self || destination != source;
            (sends && network.is_terminal_alive(destination)).then_some(destination.0)
        };
        let destinations = network
            .terminals()
            .map(|source| destination(source).unwrap_or(NOBODY));
        Self {
            destinations: destinations.collect(),
        }
    }

    /// Maps the numbers of terminals as words of `b` bits, of which there are `2^b`.
    pub(crate) fn of_bits(
        name: &str,
        network: &Network,
        context: &Context,
        map: impl Fn(u32, u32) -> u32,
    ) -> Result<Box<dyn Pattern>, Invalid> {
        let terminals = network.terminal_count();
        if !terminals.is_power_of_two() {
            let message =
                format!("`{name}` needs a power of two of terminals; this network has {terminals}");
            let help = "`random-permutation` and `uniform` work with any number of terminals";
            return Err(Invalid::new("pattern", message).with_help(help));
        }
        let bits = terminals.trailing_zeros();
        Ok(Box::new(Self::new(network, context, |source| {
            Some(TerminalId(map(source.0, bits)))
        })))
    }

    /// Maps the coordinates of routers; terminals keep their index at the router.
    pub(crate) fn of_coordinates(
        name: &str,
        network: &Network,
        context: &Context,
        map: impl Fn(&mut [u32], &[u32]),
    ) -> Result<Box<dyn Pattern>, Invalid> {
        let sizes = sizes_of(name, network)?;
        let coordinates = |router| match network.shape() {
            Shape::HyperX(shape) => shape.coordinates(router),
            Shape::Grid(shape) => shape.coordinates(router),
            _ => Vec::new(),
        };
        Ok(Box::new(Self::new(network, context, |source| {
            let router = network.router_of(source);
            let mut place = coordinates(router.0);
            map(&mut place, sizes);
            let there = match network.shape() {
                Shape::HyperX(shape) => shape.router_at(&place),
                Shape::Grid(shape) => shape.router_at(&place),
                _ => return None,
            };
            let index = source.0 - network.terminals_of(router).start;
            network
                .terminals_of(RouterId(there))
                .nth(index as usize)
                .map(TerminalId)
        })))
    }
}

/// The sizes of a mesh, torus, hypercube or HyperX.
pub(crate) fn sizes_of<'a>(name: &str, network: &'a Network) -> Result<&'a [u32], Invalid> {
    match network.shape() {
        Shape::Grid(shape) => Ok(&shape.sizes),
        Shape::HyperX(shape) => Ok(&shape.sizes),
        _ => {
            let help = "meshes, tori, hypercubes and HyperX have coordinates";
            Err(unfit(name, "routers with coordinates", network, help))
        }
    }
}

/// The dimensions a study names, or all.
pub(crate) fn chosen(
    written: Option<&[u32]>,
    name: &str,
    network: &Network,
) -> Result<Vec<usize>, Invalid> {
    let count = sizes_of(name, network)?.len();
    let Some(written) = written else {
        return Ok((0..count).collect());
    };
    if let Some(index) = written
        .iter()
        .position(|&dimension| dimension as usize >= count)
    {
        let message = format!("there is no dimension {}", written[index]);
        let help = format!("dimensions are numbered 0 to {}", count - 1);
        return Err(Invalid::new(format!("dimensions[{index}]"), message).with_help(help));
    }
    let is_listed = |(index, dimension)| written[..index].contains(dimension);
    if let Some((index, dimension)) = written.iter().enumerate().find(|&place| is_listed(place)) {
        let message = format!("dimension {dimension} is listed twice");
        return Err(Invalid::new(format!("dimensions[{index}]"), message));
    }
    Ok(written
        .iter()
        .map(|&dimension| dimension as usize)
        .collect())
}

/// The lowest so many bits.
pub(crate) fn mask(bits: u32) -> u32 {
    ((1u64 << bits) - 1) as u32
}

impl Pattern for Fixed {
    fn destination(&self, source: TerminalId, _: &mut Random) -> Option<TerminalId> {
        let destination = *self.destinations.get(source.index())?;
        (destination != NOBODY).then_some(TerminalId(destination))
    }

    fn choice(&self, source: TerminalId) -> Option<Choice<'_>> {
        let destination = *self.destinations.get(source.index())?;
        Some(Choice::only(
            (destination != NOBODY).then_some(TerminalId(destination)),
        ))
    }
}
