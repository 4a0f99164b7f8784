//! What theory says of each topology, from formulas or from the definition.

use turnwise_network::Network;
use turnwise_network::metrics::{Distances, is_connected};
use turnwise_network::shape::Arrangement;

/// What theory says of a network; `total` is the sum of distances over ordered pairs of terminals.
#[derive(Debug, PartialEq)]
pub(crate) struct Form {
    pub(crate) routers: u64,
    pub(crate) terminals: u64,
    pub(crate) channels: u64,
    pub(crate) diameter: u64,
    pub(crate) total: u64,
}

pub(crate) fn assert_form(network: &Network, form: &Form) {
    let distances = Distances::of(network);
    let found = Form {
        routers: network.router_count() as u64,
        terminals: network.terminal_count() as u64,
        channels: network.channel_count() as u64,
        diameter: distances.diameter.into(),
        total: distances.total,
    };
    assert_eq!(&found, form, "{}", network.description());
    assert_eq!(distances.disconnected, 0);
    let pairs = form.terminals * (form.terminals - 1);
    let mean = if pairs == 0 {
        0.0
    } else {
        form.total as f64 / pairs as f64
    };
    assert!((distances.mean() - mean).abs() < 1e-12);
    assert!(is_connected(network));
}

/// A product of one-dimensional graphs, each given by its size, its links, its diameter and the
/// sum of its distances over ordered pairs.
pub(crate) fn product(lines: &[[u64; 4]], terminals: u64) -> Form {
    let routers: u64 = lines.iter().map(|line| line[0]).product();
    let sum = |of: &dyn Fn(&[u64; 4]) -> u64| lines.iter().map(of).sum::<u64>();
    Form {
        routers,
        terminals: routers * terminals,
        channels: sum(&|[size, links, ..]| routers / size * links * 2),
        diameter: sum(&|line| line[2]),
        total: sum(&|[size, _, _, total]| (routers / size).pow(2) * total) * terminals * terminals,
    }
}

pub(crate) fn ring(k: u64) -> [u64; 4] {
    let links = if k < 3 { k - 1 } else { k };
    [k, links, k / 2, k * (k * k / 4)]
}

pub(crate) fn path(k: u64) -> [u64; 4] {
    [k, k - 1, k - 1, k * (k * k - 1) / 3]
}

pub(crate) fn complete(k: u64) -> [u64; 4] {
    [k, k * (k - 1) / 2, u64::from(k > 1), k * (k - 1)]
}

pub(crate) fn lines(sizes: &[u32], line: fn(u64) -> [u64; 4]) -> Vec<[u64; 4]> {
    sizes.iter().map(|&size| line(size.into())).collect()
}

pub(crate) fn tree_form(m: &[u32], w: &[u32]) -> Form {
    let (m, w) = (lift(m), lift(w));
    let height = m.len();
    let below = |level: usize| m[..level].iter().product::<u64>();
    let switches =
        |level: usize| m[level..].iter().product::<u64>() * w[..level].iter().product::<u64>();
    let terminals = below(height);
    let meeting_at = |level: usize| below(level) - below(level - 1);
    Form {
        routers: (1..=height).map(switches).sum(),
        terminals,
        channels: (2..=height)
            .map(|level| 2 * switches(level) * m[level - 1])
            .sum(),
        diameter: 2
            * (2..=height)
                .rev()
                .find(|&l| m[l - 1] > 1)
                .map_or(0, |l| l as u64 - 1),
        total: (2..=height)
            .map(|l| terminals * meeting_at(l) * 2 * (l as u64 - 1))
            .sum(),
    }
}

pub(crate) fn lift(numbers: &[u32]) -> Vec<u64> {
    numbers.iter().map(|&number| number.into()).collect()
}

/// The global links of one group of a dragonfly to another, as pairs of routers' indices, from
/// the definition of the arrangement.
pub(crate) fn dragonfly_links(
    (g, a, h): (u32, u32, u32),
    arrangement: Arrangement,
    from: u32,
    to: u32,
) -> Vec<(u32, u32)> {
    let m = a * h / (g - 1);
    let place = |here: u32, there: u32, link: u32| {
        let ahead = (there + g - here) % g - 1;
        let numeric = (0..g)
            .filter(|&other| other != here)
            .position(|other| other == there);
        let port = match arrangement {
            Arrangement::Absolute => link * (g - 1) + numeric.unwrap() as u32,
            Arrangement::Relative => link * (g - 1) + ahead,
            Arrangement::Palmtree => a * h - 1 - (ahead * m + link),
            Arrangement::Circulant => {
                let (half, behind) = ((g - 1) / 2, g - 2 - ahead);
                let pair = link * half + ahead.min(behind);
                2 * pair + u32::from(behind < ahead)
            }
            Arrangement::Random => panic!("nobody knows"),
        };
        port / h
    };
    let far = |link| {
        if arrangement == Arrangement::Palmtree {
            m - 1 - link
        } else {
            link
        }
    };
    (0..m)
        .map(|link| (place(from, to, link), place(to, from, far(link))))
        .collect()
}

pub(crate) fn dragonfly_form((g, a, p, h): (u32, u32, u32, u32), arrangement: Arrangement) -> Form {
    let n = (g * a) as usize;
    let mut distance = vec![vec![u64::MAX / 4; n]; n];
    let mut channels = u64::from(g * a * (a - 1));
    for (i, row) in distance.iter_mut().enumerate() {
        for (j, slot) in row.iter_mut().enumerate() {
            let same_group = i / a as usize == j / a as usize;
            *slot = if i == j {
                0
            } else if same_group {
                1
            } else {
                *slot
            };
        }
    }
    for (from, to) in (0..g).flat_map(|from| (0..g).map(move |to| (from, to))) {
        if from == to {
            continue;
        }
        let links = dragonfly_links((g, a, h), arrangement, from, to);
        channels += links.len() as u64;
        for (near, far) in links {
            distance[(from * a + near) as usize][(to * a + far) as usize] = 1;
        }
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                distance[i][j] = distance[i][j].min(distance[i][k] + distance[k][j]);
            }
        }
    }
    let all = || distance.iter().flatten().copied();
    Form {
        routers: n as u64,
        terminals: n as u64 * u64::from(p),
        channels,
        diameter: all().max().unwrap(),
        total: all().sum::<u64>() * u64::from(p * p),
    }
}

pub(crate) fn megafly_form(r: u64, g: u64) -> Form {
    let m = if g > 1 { r * r / (g - 1) } else { 0 };
    let terminals = r * r * g;
    Form {
        routers: 2 * r * g,
        terminals,
        channels: 2 * r * r * g + m * g * (g - 1),
        diameter: if g > 1 { 3 } else { 2 * u64::from(r > 1) },
        total: terminals * (2 * r * (r - 1) + 3 * r * r * (g - 1)),
    }
}
