//! From settings to the tables of a study, a line for each of their fields. The larger tables have files of their own.

use super::fixed::APPLICATION;
use super::settings::{ChannelMode, Settings};
use crate::import::{Lines, quoted};
use crate::simulation::MOST_CYCLES;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;

/// Makes tables of settings, and says what cannot be.
pub(super) struct Importer {
    pub(super) settings: Settings,
    /// Where they are written.
    pub(super) tree: Value,
    pub(super) errors: Vec<Diagnostic>,
}

impl Importer {
    pub(super) fn study(&mut self, name: &str) -> Lines {
        let simulator = &self.settings.simulator;
        let clock = simulator.channel_cycle_time;
        let others = [
            ("router_cycle_time", Some(simulator.router_cycle_time)),
            ("interface_cycle_time", Some(simulator.interface_cycle_time)),
            ("terminal_cycle_time", simulator.terminal_cycle_time),
        ];
        let seed = simulator.random_seed;
        for (field, time) in others {
            if let Some(time) = time.filter(|&time| time != clock) {
                let message =
                    format!("is {time}, and channels have {clock}: there is one clock here");
                self.complain(&format!("simulator.{field}"), message, None);
            }
        }
        vec![format!("name = {}", quoted(name)), format!("seed = {seed}")]
    }

    pub(super) fn simulation(&mut self) -> Lines {
        let terminal = &self.settings.workload.applications[0].blast_terminal;
        let flits = terminal.message_size_distribution.message_size;
        let transactions = terminal.num_transactions;
        let rate = terminal.request_injection_rate;
        // In which a terminal sends so many flits.
        let cycles = |flits: u64| match rate > 0.0 {
            true => (flits as f64 / rate).ceil() as u64,
            false => flits,
        };
        let samples = u64::from(terminal.warmup_interval) * u64::from(terminal.warmup_window);
        let warm_up = cycles(samples);
        let window = cycles(u64::from(transactions) * u64::from(flits)).max(1);
        let at = |field: &str| format!("{APPLICATION}.blast_terminal.{field}");
        if transactions == 0 {
            self.complain(
                &at("num_transactions"),
                "expected at least one, found 0",
                None,
            );
        }
        for (field, cycles) in [("warmup_interval", warm_up), ("num_transactions", window)] {
            if cycles > MOST_CYCLES {
                let message =
                    format!("that takes {cycles} cycles, and {MOST_CYCLES} are the most here");
                self.complain(&at(field), message, None);
            }
        }
        vec![
            format!(
                "warmup_cycles = {warm_up}  # SuperSim goes on until the flits under way stand still"
            ),
            format!(
                "measure_cycles = {window}  # until the slowest terminal has sent as many messages"
            ),
        ]
    }

    /// What SuperSim asserts of numbers, as far as they are there and decide anything.
    pub(super) fn check_numbers(&mut self) {
        let network = &self.settings.network;
        let sensor = &network.router.congestion_sensor;
        let terminal = &self.settings.workload.applications[0].blast_terminal;
        let is_scalar = network.channel_mode == ChannelMode::Scalar;
        let scalar = |cycles: Option<f32>| cycles.filter(|_| is_scalar).map(f64::from);
        let latency = |cycles: Option<u32>| cycles.filter(|_| !is_scalar).map(f64::from);
        let of_network = |field: &str| format!("network.{field}");
        let of_sensor = |field: &str| format!("network.router.congestion_sensor.{field}");
        let of_terminal = |field: &str| format!("{APPLICATION}.blast_terminal.{field}");
        let warm_up = Some(terminal.warmup_interval).filter(|&interval| interval > 0);
        let external = network.external_channel.latency.map(f64::from);
        let checked = [
            (of_network("external_channel.latency"), external, 1.0),
            (
                of_network("local_channel.latency"),
                latency(network.local_channel.latency),
                1.0,
            ),
            (
                of_network("global_channel.latency"),
                latency(network.global_channel.latency),
                1.0,
            ),
            (
                of_network("local_scalar"),
                scalar(network.local_scalar),
                f64::MIN_POSITIVE,
            ),
            (
                of_network("global_scalar"),
                scalar(network.global_scalar),
                f64::MIN_POSITIVE,
            ),
            (
                of_network("router.input_queue_depth"),
                Some(network.router.input_queue_depth),
                f64::MIN_POSITIVE,
            ),
            (of_sensor("latency"), Some(sensor.latency.into()), 1.0),
            (of_sensor("minimum"), Some(sensor.minimum), 0.0),
            (of_sensor("offset"), Some(sensor.offset), 0.0),
            (
                of_terminal("warmup_interval"),
                warm_up.map(f64::from),
                100.0,
            ),
            (
                of_terminal("warmup_window"),
                Some(terminal.warmup_window.into()),
                5.0,
            ),
        ];
        for (path, number, least) in checked {
            if let Some(number) = number.filter(|&number| number < least) {
                let expected = match least == f64::MIN_POSITIVE {
                    true => "more than 0".to_owned(),
                    false => format!("at least {least}"),
                };
                let message = format!("expected {expected}, found {number}");
                self.complain(&path, message, None);
            }
        }
    }

    pub(super) fn complain(&mut self, path: &str, message: impl Into<String>, help: Option<&str>) {
        let mut invalid = Invalid::new(path, message);
        invalid.help = help.map(str::to_owned);
        self.errors.push(invalid.locate(&self.tree));
    }

    /// As of what is always there.
    pub(super) fn miss(&mut self, path: &str) {
        let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
        let place = self.tree.at_path(table).map(|table| table.span);
        self.errors.push(Diagnostic {
            place,
            message: format!("missing key `{key}`"),
            help: None,
        });
    }
}
