//! Messages of open-loop traffic that are cut into frames: as many as in the flit engine, none longer than switches leave room for, and
//! none that is counted before it is whole.

use super::lossless::draw;
use super::{UNITS, experiment, run, tree};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Injector, PacketRequest, TerminalId};
use turnwise_sim::{Demand, Ending, Ethernet, Setup, Simulation};
use turnwise_study::demand;

/// What is created does not depend on who carries it, and all of it arrives, in as many packets and messages.
#[test]
fn messages_are_cut_as_in_the_flit_engine() {
    let network = tree(4, 4, 4);
    let uniform = "pattern = 'uniform'\n";
    let classes = "classes = [{ name = 'a', share = 0.3, pattern = 'shift', offset = 5 }, { name = 'b', share = 0.7, pattern = 'uniform' }]\n";
    let phases = "pattern = 'uniform'\nthen = [{ at = 20_000, pattern = 'shift', offset = 5, load = 0.5 }]\n";
    for routing in ["d-mod-k", "nca"] {
        for (traffic, load) in [
            (uniform, 0.2),
            (classes, 0.3),
            (phases, 0.1),
            (uniform, 1.0),
        ] {
            let drains = load < 1.0;
            let text = |ethernet: &str| {
                format!(
                    "{network}[routing]\nkind = '{routing}'\n{ethernet}[traffic]\n{traffic}load = {load}\n\
                     packet_flits = 100\nmessage_flits = 730\n\
                     [simulation]\nwarmup_cycles = 1_000\nmeasure_cycles = 60_000\ndrain = {drains}\n"
                )
            };
            let flits = experiment(&text("[router]\nbuffer_flits = 600\n"));
            let flits = Simulation::new(flits.setup()).run().unwrap().measurement;
            let frames = run(&experiment(&text("[ethernet]\n"))).measurement;
            let text = text("");
            let created = frames.packets + frames.undelivered;
            assert!(created > 1_000, "{text}");
            assert_eq!(created, flits.packets + flits.undelivered, "{text}");
            assert_eq!(frames.injected_load, flits.injected_load, "{text}");
            for (frames, flits) in frames.classes.iter().zip(&flits.classes) {
                assert_eq!(frames.packets, flits.packets, "{text}");
            }
            if drains {
                assert_eq!(frames.undelivered, 0, "{text}");
                let messages = frames.transactions.completed;
                assert_eq!(messages, flits.transactions.completed, "{text}");
                assert_eq!(messages * 8, frames.packets, "{text}");
            } else {
                assert!(frames.undelivered > 100, "{text}");
                assert!(
                    frames.transactions.completed * 8 <= frames.packets,
                    "{text}"
                );
            }
        }
    }
}

/// Frames of a message follow each other without a gap, so it takes as long as its last one, which sets out when the others have.
#[test]
fn a_message_takes_as_long_as_its_formula_says() {
    let network = tree(4, 4, 4);
    let text = format!(
        "{network}[routing]\nkind = 'd-mod-k'\n[ethernet]\n\
         [traffic]\npattern = 'shift'\noffset = 4\nload = 0.1\ninjection = 'periodic'\n\
         packet_flits = 1500\nmessage_flits = 30_000\n\
         [simulation]\nwarmup_cycles = 0\nmeasure_cycles = 2_000_000\n"
    );
    let measured = run(&experiment(&text)).measurement;
    let times = &measured.transactions.times;
    let time = 30_000 + 3 * 1500 + 2 * 125 + 2 + 3 * 625;
    for share in [0.0, 0.5, 1.0] {
        assert_eq!(times.quantile(share), Some(time));
    }
    assert!(measured.packet_latency.mean < measured.transactions.mean_time);
}

/// Whatever the network, the routing and the cutting: flits that are sent in messages arrive in messages, and these take as long as what
/// takes longest of them, also where receivers put frames in order.
#[test]
fn flits_of_messages_are_conserved() {
    let mut held = 0.0;
    for number in 0..60 {
        let mut random = Random::new(2, Purpose::Other, 7, number);
        let drawn = draw(number);
        let frame: u64 = drawn
            .split_once("packet_flits = ")
            .and_then(|(_, rest)| rest.lines().next()?.parse().ok())
            .unwrap();
        let flits = frame + u64::from(random.below(60_000.min(65_535 - frame as u32)));
        let load = ["load = 1\n", "load = 0.9\n", "load = 0.5\n"];
        let cut = load
            .iter()
            .fold(drawn, |text, load| text.replace(load, "load = 0.3\n"))
            .replace(
                "packet_flits",
                &format!("message_flits = {flits}\npacket_flits"),
            )
            .replace(
                "drain = false",
                "drain = true\ncycles_limit = 1_000_000_000",
            )
            .replace("1_100_000", "300_000")
            // Before the window ends nothing more is created, so that all that is created is recorded.
            .replace(
                "[traffic]\n",
                "[traffic]\nthen = [{ at = 200_000, load = 0 }]\n",
            );
        let outcome = run(&experiment(cut.strip_prefix(UNITS).unwrap()));
        assert_eq!(outcome.ending, Ending::Completed, "{cut}");
        let measured = outcome.measurement;
        let messages = measured.transactions.completed;
        let created: u64 = (measured.terminals.iter())
            .map(|terminal| terminal.injected)
            .sum();
        assert!(messages > 0, "{cut}");
        assert_eq!(created, messages * flits, "{cut}");
        assert_eq!(measured.undelivered, 0, "{cut}");
        assert_eq!(measured.packets, messages * flits.div_ceil(frame), "{cut}");
        assert_eq!(outcome.packets, measured.packets, "{cut}");
        let times = &measured.transactions.times;
        assert_eq!(times.max(), measured.latencies.max(), "{cut}");
        held += measured.ethernet.unwrap().resequencing_delay;
    }
    assert!(held > 0.0);
}

/// Messages of more than a buffer holds, whose frames it has room for: what may still come is told from their length.
#[test]
fn messages_longer_than_buffers_find_room() {
    let network = "[network]\nkind = 'dragonfly'\ngroups = 5\nrouters_per_group = 2\nterminals_per_router = 2\n\
                   global_ports_per_router = 2\nchannel_latency = '100 ns'\n[routing]\nkind = 'valiant'\n";
    let text = format!(
        "{network}[ethernet]\nbuffer_flits = '32 KiB'\n\
         [traffic]\npattern = 'hotspot'\nterminals = [0]\nload = 0.3\npacket_flits = '1500 B'\nmessage_flits = 40_000\n\
         [simulation]\nwarmup_cycles = 20_000\nmeasure_cycles = 200_000\ndrain = false\n"
    );
    let outcome = run(&experiment(&text));
    assert_eq!(outcome.ending, Ending::Completed);
    let ethernet = outcome.measurement.ethernet.unwrap();
    assert!(ethernet.pauses > 0);
    assert!(ethernet.most_held <= 32 << 10);
}

/// Sends a frame that is longer than it has said, some day.
struct Longer<'a>(&'a dyn Injector);

impl Injector for Longer<'_> {
    fn next(&self, from: TerminalId, number: u32, after: Option<u64>) -> Option<PacketRequest> {
        let packet = self.0.next(from, number, after)?;
        let flits = packet.flits + u16::from(number == 20);
        Some(PacketRequest { flits, ..packet })
    }

    fn longest_packet(&self) -> u16 {
        self.0.longest_packet()
    }
}

#[test]
fn no_frame_is_longer_than_switches_leave_room_for() {
    let network = tree(4, 4, 4);
    let experiment = experiment(&format!(
        "{network}[routing]\nkind = 'd-mod-k'\n[ethernet]\n\
         [traffic]\npattern = 'uniform'\nload = 0.5\npacket_flits = 1500\n\
         [simulation]\nmeasure_cycles = 200_000\n"
    ));
    let demand::Demand::Open { injector, .. } = &experiment.demand else {
        panic!("[traffic] depends on nothing");
    };
    let longer = Longer(&**injector);
    let setup = Setup {
        demand: Demand::Open(&longer),
        check: true,
        ..experiment.setup()
    };
    let model = experiment.ethernet.as_ref().unwrap();
    let violation = Ethernet::new(setup, model).run_while(|_| true).unwrap_err();
    assert!(
        violation
            .what
            .contains("1501 flits, although none is longer than 1500"),
        "{violation}"
    );
}

/// A terminal's flits were once counted in 32 bits, which 4 GiB of one-byte flits run over.
#[test]
fn long_messages_are_counted_whole() {
    const BYTES: u64 = (1 << 32) + 1;
    let text = format!(
        "[network]\nkind = 'torus'\nsizes = [2]\n[routing]\nkind = 'dimension-order'\n[ethernet]\nbuffer_flits = 500000\n\
         [workload]\nkind = 'phases'\nranks = 2\nphases = [{{ shift = 1, bytes = {BYTES} }}]\nhost = {{ packet_flits = 60000 }}\n"
    );
    let measured = run(&experiment(&text)).measurement;
    let [sender, receiver] = measured.terminals[..] else {
        panic!("{:?}", measured.terminals)
    };
    assert!(sender.injected >= BYTES && sender.accepted >= BYTES);
    assert!(receiver.received >= BYTES);
    let busiest = measured.terminal_loads().fold(0.0, f64::max);
    assert!(busiest > 0.9, "{busiest}");
}
