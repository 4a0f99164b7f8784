//! An Angara table from a file: somebody else's, or one of ours after it was edited.
//!
//! The file is what `turnwise route --source-routes FILE` writes, one row a pair:
//!
//! ```csv
//! source,destination,fs,bits,counts,ls
//! 0,1,none,000+,0:0:0:1,none
//! 0,9,+Y,+00-,1:0:0:1,-X
//! ```
//!
//! `fs` and `ls` are the directions of first and last step or `none`, `bits` is one of `+`, `-`, `0`
//! a dimension and `counts` the hops along each. Routes are taken as they are: whether they
//! arrive, and whether they can deadlock, is for the verifier to find out. Pairs without a row are not
//! routed.
//!
//! Source: header of Mukosey, Semenov, Tretiakov, arXiv:2110.00851, 2021; the file's form is ours.
//!
//! Complexity: O(rows) to read, 7 bytes a pair.

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::angara::{Generator, RouteTable, Rules, Settings, SourceRouted, System, TurnRule};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Angara: a table of source routes from a file",
        source: "Mukosey, Semenov, Tretiakov, Optimized Graph Based Routing Algorithm for the Angara Interconnect, 2021",
        example: "file = \"routes.csv\"",
        schema: schema_of::<AngaraTable>,
        parse: |table, errors| {
            Some(Box::new(SourceRouted(parse_as::<
                AngaraTable,
                dyn Algorithm,
            >(table, errors)?)))
        },
    },
    fits: System::fits,
};

const NAME: &str = "angara-table";

/// Parameters of a table read from a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AngaraTable {
    /// The file, relative to the study.
    pub file: String,
    /// All directions in the order routes take them; positive ones first by default.
    #[serde(default)]
    pub order: Option<Vec<String>>,
    /// Virtual channels to use: by default all the router has, or else 1.
    #[serde(default)]
    pub virtual_channels: Option<Vc>,
}

impl Generator for AngaraTable {
    fn settings(&self) -> Settings<'_> {
        Settings {
            kind: NAME,
            order: self.order.as_deref(),
            turns: TurnRule::None,
            first_step: true,
            last_step: true,
            virtual_channels: self.virtual_channels,
        }
    }

    fn generate(&self, rules: &Rules, context: &Context<'_>) -> Result<RouteTable, Invalid> {
        let text = context.files.first().map_or("", String::as_str);
        let table = RouteTable::read(rules.system(), text);
        table.map_err(|(line, message)| {
            Invalid::new("file", format!("{}:{line}: {message}", self.file))
        })
    }

    fn turns(&self) -> Option<&'static str> {
        None
    }

    fn source_file(&self) -> Option<&str> {
        Some(&self.file)
    }
}
