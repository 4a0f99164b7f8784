//! From settings to the tables of a study, a line for each of their fields. The larger tables have files of their own.

use super::fixed::APPLICATION;
use super::settings::Settings;
use crate::import::{Lines, quoted};
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_config::units::MOST_CYCLES;

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
            true => (flits as f64 / rate).ceil().min(MOST_CYCLES as f64) as u64,
            false => flits,
        };
        let samples = u64::from(terminal.warmup_interval) * u64::from(terminal.warmup_window);
        let warm_up = cycles(samples);
        let window = cycles(u64::from(transactions) * u64::from(flits)).max(1);
        if transactions == 0 {
            let path = format!("{APPLICATION}.blast_terminal.num_transactions");
            self.complain(&path, "expected at least one, found 0", None);
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
