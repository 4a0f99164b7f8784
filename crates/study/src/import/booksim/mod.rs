//! BookSim2 (Jiang and others, ISPASS 2013).

mod keys;
mod settings;
mod tables;

use super::Tables;
use crate::source::Source;
use settings::Settings;
use turnwise_config::diagnostic::{Diagnostic, Span};

/// The study's tables.
pub(super) fn tables(name: &str, source: &Source) -> Result<Tables, Vec<Diagnostic>> {
    let mut settings = Settings::read(source);
    let tables = vec![
        ("study", tables::study(name, &mut settings)),
        ("network", tables::network(&mut settings)),
        ("routing", tables::routing(&mut settings)),
        ("router", tables::router(&mut settings)),
        ("traffic", tables::traffic(&mut settings)),
        ("simulation", tables::simulation(&mut settings)),
    ];
    match settings.errors.is_empty() {
        true => Ok(tables),
        false => Err(settings.errors),
    }
}

/// The first line that is a setting.
pub(super) fn recognised(text: &str) -> Option<Span> {
    let mut lines = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((*end - line.len(), line))
    });
    let (start, line) = lines.find(|(_, line)| {
        let plain = line.split("//").next().unwrap_or_default().trim();
        let setting = plain
            .strip_suffix(';')
            .and_then(|plain| plain.split_once('='));
        setting.is_some_and(|(name, value)| {
            keys::names().any(|known| known == name.trim())
                && !value.contains('"')
                && !value.contains(';')
        })
    })?;
    let end = start + line.trim_end().len();
    Some(Span::new(0, start as u32, end as u32))
}

#[cfg(test)]
mod tests;
