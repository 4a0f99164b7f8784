//! The search for two networks of which only is known what they did to up*/down* routing.
//!
//! Koibuchi, Watanabe, Kono, Jouraku, Amano, "Performance evaluation of routing algorithms in RHiNET-2 cluster", CLUSTER 2003, measured on two
//! irregular networks of 16 switches, A and B, whose figures are lost. What the text says of them: diameters of 4 and 5, ways of up*/down*
//! routing longer than need be, more so in A, and in one of them a pair at 7 hops that is 4 hops apart. So A is, of ten
//! thousand random networks, the one of diameter 4 with such a pair on which up*/down* ways are longest, and B the one of diameter 5 on which
//! they are half as much too long.

use turnwise_network::RouterId;
use turnwise_network::topologies::{RandomIrregular, Topology};

pub(crate) const SWITCHES: usize = 16;
/// A switch has eight ports, so many for hosts and so many that lead to others.
const PORTS: u32 = 4;
pub(crate) const SEEDS: u64 = 10_000;

/// Links between switches.
pub(crate) type Links = Vec<(usize, usize)>;

/// Distances of all pairs.
type Hops = [[u32; SWITCHES]; SWITCHES];

/// What is known of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) diameter: u32,
    /// Mean hops of up*/down* ways, of minimal ones.
    pub(crate) ratio: f64,
    /// Is there a pair of 7 hops that is 4 hops apart?
    pub(crate) has_pair: bool,
}

/// A random network of 24 to 26 links, with four hosts at a switch.
pub(crate) fn topology(seed: u64) -> RandomIrregular {
    RandomIrregular {
        routers: SWITCHES as u32,
        links: 24 + (seed % 3) as u32,
        most_links: PORTS,
        terminals_per_router: PORTS,
        seed,
        ..RandomIrregular::default()
    }
}

/// Its links.
pub(crate) fn links(seed: u64) -> Option<Links> {
    let network = topology(seed).build(None).ok()?;
    let pairs = network.channels().filter_map(|(_, channel)| {
        let ends = [channel.from_router()?, channel.to_router()?];
        Some(ends.map(RouterId::index))
    });
    let mut links: Links = pairs
        .filter(|[one, other]| one < other)
        .map(<(usize, usize)>::from)
        .collect();
    links.sort_unstable();
    Some(links)
}

/// Distances, and those of ways up and then down from switch 0; `None` if the network is not connected.
pub(crate) fn known(links: &[(usize, usize)]) -> Option<Known> {
    let mut neighbours = vec![Vec::new(); SWITCHES];
    for &(one, other) in links {
        neighbours[one].push(other);
        neighbours[other].push(one);
    }
    let any = |_: usize, _: usize, phase: usize| Some(phase);
    let minimal = hops(&neighbours, any)?;
    let level = minimal[0];
    let is_up = |from: usize, to: usize| (level[to], to) < (level[from], from);
    let legal = hops(&neighbours, |from, to, phase| {
        match (phase, is_up(from, to)) {
            (0, true) => Some(0),
            (_, false) => Some(1),
            (_, true) => None,
        }
    })?;
    let sum = |hops: &Hops| hops.iter().flatten().sum::<u32>();
    let pairs = (0..SWITCHES).flat_map(|from| (0..SWITCHES).map(move |to| (from, to)));
    let is_far = |&(from, to): &(usize, usize)| legal[from][to] == 7 && minimal[from][to] == 4;
    Some(Known {
        diameter: minimal.iter().flatten().copied().max()?,
        ratio: f64::from(sum(&legal)) / f64::from(sum(&minimal)),
        has_pair: pairs.into_iter().any(|pair| is_far(&pair)),
    })
}

/// Breadth first over switches and phases; `next` says the phase behind a link, if it may be taken.
fn hops(
    neighbours: &[Vec<usize>],
    next: impl Fn(usize, usize, usize) -> Option<usize>,
) -> Option<Hops> {
    let mut all = [[u32::MAX; SWITCHES]; SWITCHES];
    for (from, row) in all.iter_mut().enumerate() {
        let mut seen = [[false; 2]; SWITCHES];
        let mut queue = vec![(from, 0, 0)];
        seen[from][0] = true;
        let mut done = 0;
        while let Some(&(at, phase, hops)) = queue.get(done) {
            done += 1;
            row[at] = row[at].min(hops);
            for &to in &neighbours[at] {
                if let Some(phase) = next(at, to, phase)
                    && !std::mem::replace(&mut seen[to][phase], true)
                {
                    queue.push((to, phase, hops + 1));
                }
            }
        }
        if row.contains(&u32::MAX) {
            return None;
        }
    }
    Some(all)
}

/// The seeds of A and B.
pub(crate) fn search() -> Option<(u64, u64)> {
    let found = (0..SEEDS).filter_map(|seed| Some((seed, known(&links(seed)?)?)));
    let found: Vec<(u64, Known)> = found.collect();
    let (a, of_a) = found
        .iter()
        .filter(|(_, known)| known.diameter == 4 && known.has_pair)
        .max_by(|one, other| one.1.ratio.total_cmp(&other.1.ratio))?;
    let half = (of_a.ratio - 1.0) / 2.0;
    let away = |known: &Known| (known.ratio - 1.0 - half).abs();
    let (b, _) = found
        .iter()
        .filter(|(_, known)| known.diameter == 5)
        .min_by(|one, other| away(&one.1).total_cmp(&away(&other.1)))?;
    Some((*a, *b))
}

/// A network as an edge list of a study.
pub(crate) fn edge_list(name: &str, seed: u64, links: &[(usize, usize)], known: Known) -> String {
    let mut text = format!(
        "# Topology {name} of the RHiNET-2 study, as searched for: a random irregular graph, seed {seed}, {} links, diameter {},\n\
         # up*/down* ways from switch 0 {:.1} % longer than minimal ones.\nterminals_per_router 4\n",
        links.len(),
        known.diameter,
        100.0 * (known.ratio - 1.0)
    );
    for (one, other) in links {
        text.push_str(&format!("{one} {other}\n"));
    }
    text
}
