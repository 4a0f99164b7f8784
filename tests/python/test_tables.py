"""Results as columns that other libraries take over."""

import json

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import turnwise
from pyarrow import feather, parquet

SWEPT = {
    "network": {"kind": "torus", "sizes": [4, 4]},
    "routing": {"kind": "dimension-order"},
    "traffic": {"pattern": "uniform"},
    "simulation": {"warmup_cycles": 200, "measure_cycles": 800},
    "sweep": {"traffic.load": [0.1, 0.2], "network.sizes": [[4, 4], [3, 3]], "traffic.pattern": ["uniform", "neighbor"]},
    "study": {"clock": "1 GHz"},
}


@pytest.fixture(scope="module")
def results() -> turnwise.Results:
    return turnwise.Study(SWEPT).run()


def test_columns_have_types_units_and_meanings(results):
    table = results.table
    assert len(table) == len(results) == 8
    assert table.columns[:3] == ["traffic.load", "network.sizes", "traffic.pattern"]
    assert [table[name].dtype.kind for name in ("traffic.load", "cycles", "accepted_load", "verdict")] == ["f", "i", "f", "O"]
    assert table["network.sizes"][0] == "[4,4]"
    assert table["saturated"].dtype == bool and not table["saturated"].any()
    assert table.units["mean_packet_latency"] == "cycles"
    assert table.units["mean_packet_latency_ns"] == "ns"
    assert table.units["accepted_load"] == "flits per terminal and cycle"
    assert table.meanings["fingerprint"] == "digest of every delivered packet and its times"
    assert set(table.columns) == set(table.meanings)


def test_what_is_missing_is_nan_or_none(results):
    assert np.isnan(results.table["saturation_load"]).all()
    unproved = turnwise.Study(SWEPT).run(prove=False)
    assert unproved.table["verdict"].tolist() == [None] * 8


def test_a_column_that_is_not_there_is_a_key_error(results):
    with pytest.raises(KeyError, match="did you mean `accepted_load`"):
        results.table["acepted_load"]


def test_pyarrow_takes_the_columns_where_they_lie(results):
    twice = [pyarrow.table(results).column("accepted_load").chunk(0) for _ in range(2)]
    addresses = {chunk.buffers()[1].address for chunk in twice}
    assert len(addresses) == 1, "both look at the same memory"
    assert twice[0].to_pylist() == results.table["accepted_load"].tolist()


def test_columns_outlive_the_results():
    table = pyarrow.table(turnwise.Study(SWEPT).run())
    assert table.column("cycles").to_pylist()[0] > 0


def test_polars_and_pandas_have_the_same_values(results):
    of_polars, of_pandas, of_pyarrow = results.to_polars(), results.to_pandas(), results.to_pyarrow()
    assert isinstance(of_polars, polars.DataFrame) and isinstance(of_pandas, pandas.DataFrame)
    for name in ("traffic.load", "network.sizes", "latency_p99", "fingerprint", "saturated"):
        assert of_polars[name].to_list() == of_pandas[name].tolist() == of_pyarrow.column(name).to_pylist()


def test_field_metadata_reach_pyarrow(results):
    field = results.to_pyarrow().schema.field("latency_p99")
    assert field.metadata[b"unit"] == b"cycles"


@pytest.mark.parametrize("name", ["results.csv", "results.parquet", "results.arrow"])
def test_files_of_any_format_have_the_same_columns(results, name, tmp_path):
    read = {"csv": pandas.read_csv, "parquet": pandas.read_parquet, "arrow": pandas.read_feather}
    results.export(tmp_path / name)
    of_file = read[name.rsplit(".", 1)[-1]](tmp_path / name)
    assert of_file.columns.tolist() == results.table.columns
    for column in ("accepted_load", "latency_p99", "fingerprint", "saturated"):
        assert of_file[column].tolist() == results.table[column].tolist()


def test_files_of_the_command_know_their_units(command, tmp_path):
    study = turnwise.Study(SWEPT)
    (tmp_path / "study.toml").write_text(study.text)
    ran = command("run", "study.toml", "--export", "r.parquet", "--export", "r.arrow", "--no-report")
    assert ran.returncode == 0, ran.stderr
    of_parquet = parquet.read_table(tmp_path / "r.parquet")
    of_arrow = feather.read_table(tmp_path / "r.arrow")
    columns = json.loads(command("schema", "--columns").stdout)
    assert of_parquet.equals(of_arrow)
    for about in columns:
        if about["name"] in of_parquet.column_names:
            metadata = of_parquet.schema.field(about["name"]).metadata
            assert metadata[b"meaning"].decode() == about["meaning"]
            assert metadata.get(b"unit", b"").decode() == (about["unit"] or "")
    for table in (of_parquet, of_arrow, turnwise.Study(SWEPT).run().to_pyarrow()):
        assert set(table.schema.metadata) >= {b"turnwise", b"study digest", b"seed", b"platform"}
    assert set(of_parquet.column_names) <= {about["name"] for about in columns} | set(study.swept)


def test_a_format_that_is_not_there_is_told(results, command, tmp_path):
    with pytest.raises(ValueError, match="the extensions are `csv`, `parquet` and `arrow`"):
        results.export(tmp_path / "results.xlsx")
    ran = command("run", "study.toml", "--export", "r.xlsx")
    assert (ran.returncode, ran.stderr.splitlines()[0]) == (2, "error: cannot tell the format of r.xlsx by its extension")


def test_notebooks_show_tables(results):
    assert results._repr_html_().count("<tr>") == 9
