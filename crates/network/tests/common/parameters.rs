//! The parameters of an example, as formulas want them.

use toml::Table;

/// What a study says, with the usual values for what it leaves out.
pub(crate) struct Parameters(pub(crate) Table);

impl Parameters {
    pub(crate) fn number(&self, name: &str, usual: u32) -> u32 {
        let number = self.0.get(name).map(|value| value.as_integer().unwrap());
        number.map_or(usual, |number| number as u32)
    }

    pub(crate) fn wide(&self, name: &str) -> u64 {
        self.number(name, 1).into()
    }

    pub(crate) fn word(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.as_str().unwrap())
    }

    pub(crate) fn list(&self, name: &str) -> Vec<u32> {
        let list = self.0[name].as_array().unwrap().iter();
        list.map(|value| value.as_integer().unwrap() as u32)
            .collect()
    }
}
