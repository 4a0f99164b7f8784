use super::*;

/// Creation times of a terminal's packets before a cycle.
fn created(process: &Process, terminal: u32, until: u64) -> Vec<u64> {
    let (mut times, mut next) = (Vec::new(), 0);
    loop {
        let sequence = times.len() as u32;
        let mut rng = Random::new(9, Purpose::Injection, terminal, sequence);
        let wait = process.wait(&mut rng, (9, terminal, sequence), sequence == 0);
        match wait.map(|wait| next + wait).filter(|&cycle| cycle < until) {
            Some(cycle) => times.push(cycle),
            None => return times,
        }
        next = times.last().map_or(0, |last| last + 1);
    }
}

const BURSTS: [(f64, f64, f64); 5] = [
    // Load, mean burst, peak load, in packets of one flit.
    (0.1, 10.0, 1.0),
    (0.3, 50.0, 0.6),
    (0.02, 4.0, 0.25),
    (0.5, 200.0, 1.0),
    // Bursts become longer than asked for, because a source is off for a cycle at least.
    (0.95, 8.0, 1.0),
];

fn bursts((load, mean_burst, peak_load): (f64, f64, f64), table: bool) -> Process {
    let injection = Injection::OnOff {
        mean_burst,
        peak_load,
    };
    injection.check(load, 1.0).unwrap();
    Process::new(injection, load, 1.0, table)
}

/// The rates of going on and off that give the load asked for.
fn rates((load, mean_burst, peak): (f64, f64, f64)) -> (f64, f64) {
    let on = load / (peak - load) / mean_burst;
    match on <= 1.0 {
        true => (on, 1.0 / mean_burst),
        false => (1.0, (peak - load) / load),
    }
}

/// The number of packets in a long window has mean `load` and, asymptotically, the index of
/// dispersion `1 - r + 2 peak (1 - share) c / (1 - c)`, where `c = 1 - on - off` is the correlation of the
/// state from one cycle to the next and `share` the share of time that a source is on.
#[test]
fn bursts_have_the_mean_and_the_index_of_dispersion_of_the_closed_form() {
    for (case, table) in BURSTS
        .into_iter()
        .flat_map(|case| [(case, true), (case, false)])
    {
        let (load, _, peak) = case;
        let process = bursts(case, table);
        let (on, off) = rates(case);
        let (share, c) = (on / (on + off), 1.0 - on - off);
        let index = 1.0 - load + 2.0 * peak * (1.0 - share) * c / (1.0 - c);
        // Windows many times as long as the state is remembered; each from another terminal, in the stationary state.
        let window = (60.0 / (on + off)).max(2_000.0) as u64;
        let counts: Vec<f64> = (0..3_000)
            .map(|terminal| created(&process, terminal, window).len() as f64)
            .collect();
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        let variance = counts
            .iter()
            .map(|count| (count - mean).powi(2))
            .sum::<f64>()
            / counts.len() as f64;
        let expected = load * window as f64;
        let error = 4.0 * (index * expected / counts.len() as f64).sqrt();
        assert!(
            (mean - expected).abs() < error,
            "{case:?}: {mean} instead of {expected}"
        );
        // The error of a variance from 3,000 samples is 2.6 %, and what is left of the asymptote at most 3 %.
        let ratio = variance / mean / index;
        assert!(
            (0.88..1.12).contains(&ratio),
            "{case:?}: index of dispersion {ratio} of {index}"
        );
    }
}

/// At a peak load of 1, bursts are runs of packets in successive cycles. A run ends when the source goes
/// off, so that its length is geometric with the mean that was asked for.
#[test]
fn bursts_are_as_long_as_asked_for() {
    let mean_burst = 25.0;
    let process = bursts((0.05, mean_burst, 1.0), true);
    let (mut runs, mut packets) = (0.0, 0.0);
    for terminal in 0..50 {
        let times = created(&process, terminal, 100_000);
        runs += 1.0
            + times
                .windows(2)
                .filter(|pair| pair[1] > pair[0] + 1)
                .count() as f64;
        packets += times.len() as f64;
    }
    let (mean, deviation) = (packets / runs, mean_burst / f64::sqrt(runs));
    assert!((mean - mean_burst).abs() < 4.0 * deviation, "{mean}");
}

#[test]
fn periodic_packets_come_at_equal_distances_from_a_random_phase_on() {
    for rate in [1.0, 0.5, 0.3, 1.0 / 7.0, 0.001] {
        let process = Process::new(Injection::Periodic, rate, 1.0, true);
        let mut firsts = Vec::new();
        for terminal in 0..200 {
            let times = created(&process, terminal, 20_000);
            let expected = 20_000.0 * rate;
            assert!(
                (times.len() as f64 - expected).abs() <= 1.0,
                "{rate}: {}",
                times.len()
            );
            let (shortest, longest) = ((1.0 / rate).floor() as u64, (1.0 / rate).ceil() as u64);
            let regular = |pair: &[u64]| (shortest..=longest).contains(&(pair[1] - pair[0]));
            assert!(times.windows(2).all(regular), "{rate}");
            firsts.push(times[0] as f64);
        }
        // Uniform in the first period: mean about half of it.
        let mean = firsts.iter().sum::<f64>() / 200.0;
        let (middle, deviation) = (
            (1.0 / rate - 1.0) / 2.0,
            1.0 / rate / f64::sqrt(12.0 * 200.0),
        );
        assert!(
            (mean - middle).abs() <= 4.0 * deviation + 0.5,
            "{rate}: {mean}"
        );
    }
}

#[test]
fn dithered_distances_are_the_two_whole_ones_next_to_the_mean() {
    for rate in [0.3, 0.25, 0.9, 1.0, 0.013] {
        let process = Process::new(Injection::Dithered, rate, 1.0, true);
        let wait = |number| {
            let mut rng = Random::new(3, Purpose::Injection, 5, number);
            process.wait(&mut rng, (3, 5, number), number == 0).unwrap()
        };
        let gaps: Vec<u64> = (1..20_000).map(|number| wait(number) + 1).collect();
        let (least, most) = ((1.0 / rate).floor() as u64, (1.0 / rate).ceil() as u64);
        assert!(wait(0) < most, "{rate}");
        assert_eq!(gaps.iter().min(), Some(&least), "{rate}");
        assert_eq!(gaps.iter().max(), Some(&most), "{rate}");
        let mean = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
        assert!((mean * rate - 1.0).abs() < 0.005, "{rate}: {mean}");
    }
    let none = Process::new(Injection::Dithered, 0.0, 1.0, true);
    let mut rng = Random::new(3, Purpose::Injection, 5, 0);
    assert_eq!(none.wait(&mut rng, (3, 5, 0), true), None);
}

#[test]
fn periodic_packets_go_on_when_their_numbers_wrap() {
    let period = 5 << 32;
    assert_eq!(periodic(period, 0, u32::MAX, false), Some(4));
    assert_eq!(periodic(period, 0, 0, false), Some(4));
    assert_eq!(periodic(period, u64::MAX, 0, true), Some(4));
}

#[test]
fn bursts_that_cannot_be_are_refused() {
    let field = |mean_burst, peak_load, load| {
        let injection = Injection::OnOff {
            mean_burst,
            peak_load,
        };
        injection.check(load, 2.0).err().map(|error| error.place)
    };
    let named = |field: &str| Some(field.to_owned());
    assert_eq!(field(8.0, 0.5, 0.5), None);
    assert_eq!(field(8.0, 0.5, 0.6), named("load"));
    assert_eq!(field(0.5, 0.5, 0.1), named("injection.mean_burst"));
    assert_eq!(
        field(f64::INFINITY, 0.5, 0.1),
        named("injection.mean_burst")
    );
    assert_eq!(field(1.0, 0.1, 0.05), named("injection.mean_burst"));
    assert_eq!(field(8.0, 2.5, 0.1), named("injection.peak_load"));
    assert_eq!(field(8.0, 0.0, 0.0), named("injection.peak_load"));
}

/// Nothing but noise where there is no load.
#[test]
fn without_a_rate_there_are_no_packets() {
    let on_off = Injection::OnOff {
        mean_burst: 10.0,
        peak_load: 1.0,
    };
    for injection in [
        Injection::Bernoulli,
        Injection::Periodic,
        Injection::Dithered,
        on_off,
    ] {
        for table in [true, false] {
            let process = Process::new(injection, 0.0, 1.0, table);
            assert!(created(&process, 3, 10_000).is_empty(), "{injection:?}");
        }
    }
}
