//! Results as files of tables, whose format is told by the file's extension.
//!
//! Parquet and Arrow carry the type, unit and meaning of every column, see [`columns`](crate::columns); CSV is for people and for
//! all other programs, and in a folder of results [a file beside it](csv_metadata) says the same of it.

use crate::csv_metadata;
use crate::export::csv;
use crate::plan::Plan;
use crate::proofs::Proofs;
use crate::record_batch::record_batch;
use crate::store::Results;
use arrow_ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::io::{self, Write};

/// All that is known of a study, a row for each point that has a result.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// The study.
    pub plan: &'a Plan,
    /// Its results.
    pub results: &'a Results,
    /// What was proved.
    pub proofs: &'a Proofs,
}

/// A format that results can be written in.
#[derive(Clone, Copy, Debug)]
pub struct TableFormat {
    /// The extension of its files.
    pub name: &'static str,
    /// One line, without a full stop.
    pub summary: &'static str,
    /// Writes the rows.
    pub write: WriteRows,
}

/// Writes rows in some form; its errors are whatever writing says.
pub type WriteRows = fn(Rows<'_>, &mut dyn Write) -> io::Result<()>;

/// Every format.
pub const TABLE_FORMATS: &[TableFormat] = &[
    TableFormat {
        name: "csv",
        summary: "Comma-separated values with a header",
        write: write_csv,
    },
    TableFormat {
        name: "parquet",
        summary: "Apache Parquet, compressed with Snappy; columns know their units",
        write: write_parquet,
    },
    TableFormat {
        name: "arrow",
        summary: "Apache Arrow IPC (Feather); columns know their units",
        write: write_arrow,
    },
];

/// The files of a folder of results beside its report, by name: the rows, and what they are of.
pub const RESULT_FILES: &[(&str, WriteRows)] = &[
    (RESULTS, write_csv),
    ("results.csv-metadata.json", |rows, out| {
        let schema = record_batch(rows.plan, rows.results, rows.proofs);
        let schema = schema.map_err(io::Error::other)?.schema();
        csv_metadata::write(rows.plan, rows.results, &schema, RESULTS, out)
    }),
];

const RESULTS: &str = "results.csv";

/// The format of files with an extension.
pub fn table_format(extension: &str) -> Option<&'static TableFormat> {
    TABLE_FORMATS
        .iter()
        .find(|format| format.name.eq_ignore_ascii_case(extension))
}

/// Writes rows as CSV.
///
/// # Errors
/// Whatever writing says.
pub fn write_csv(rows: Rows<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Rows {
        plan,
        results,
        proofs,
    } = rows;
    let also = plan.columns();
    let rows = proofs.rows(plan, results).map(|(_, row)| row);
    csv(out, &plan.keys, plan.is_repeated(), &also, rows)
}

fn write_parquet(rows: Rows<'_>, out: &mut dyn Write) -> io::Result<()> {
    let batch = record_batch(rows.plan, rows.results, rows.proofs).map_err(io::Error::other)?;
    let provenance = rows.plan.provenance_of(rows.results).into_iter();
    let provenance = provenance.map(|(key, value)| KeyValue::new(key, value));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("turnwise {}", env!("CARGO_PKG_VERSION")))
        // For readers that know nothing of Arrow's schema.
        .set_key_value_metadata(Some(provenance.collect()))
        .build();
    let writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties));
    let mut writer = writer.map_err(io::Error::other)?;
    writer.write(&batch).map_err(io::Error::other)?;
    out.write_all(&writer.into_inner().map_err(io::Error::other)?)
}

fn write_arrow(rows: Rows<'_>, out: &mut dyn Write) -> io::Result<()> {
    let batch = record_batch(rows.plan, rows.results, rows.proofs).map_err(io::Error::other)?;
    let writer = FileWriter::try_new(out, &batch.schema());
    let mut writer = writer.map_err(io::Error::other)?;
    writer.write(&batch).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

    use super::*;
    use crate::results::Results;
    use crate::testing::plan;
    use serde_json::Value as Json;

    /// Its columns are those of the CSV file, in that order, and each says what it holds.
    #[test]
    fn every_column_of_the_file_is_described() {
        let plan = plan(
            "[study]\nrepeat = 2\n[network]\nkind = 'torus'\nsizes = [4]\n[routing]\nkind = 'dimension-order'\n\
             [traffic]\npattern = 'uniform'\nload = 0.1\n[sweep]\n'router.buffer_flits' = [4, 'round-trip']\n'traffic.load' = [0.1, 0.2]\n",
            &[],
        );
        let (results, proofs) = (Results::default(), Proofs::default());
        let rows = Rows {
            plan: &plan,
            results: &results,
            proofs: &proofs,
        };
        let [csv, metadata] = RESULT_FILES else {
            panic!()
        };
        let written = |(_, write): &(&str, WriteRows)| {
            let mut bytes = Vec::new();
            write(rows, &mut bytes).unwrap();
            bytes
        };
        let (csv, metadata) = (written(csv), written(metadata));
        let metadata: Json = serde_json::from_slice(&metadata).unwrap();
        let columns = metadata["tableSchema"]["columns"].as_array().unwrap();
        let titles: Vec<&str> = columns
            .iter()
            .map(|column| column["titles"].as_str().unwrap())
            .collect();
        let header = String::from_utf8(csv).unwrap();
        assert_eq!(header.lines().next().unwrap(), titles.join(","));
        for column in columns {
            assert!(column["dc:description"].is_string(), "{column}");
        }
        assert!(
            metadata["notes"][0]["study digest"].is_string(),
            "{metadata}"
        );
    }
}
