"""Every notebook runs from beginning to end; `target/notebooks` has them as pages with their plots."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_it_runs_and_draws(file: Path):
    notebook = nbformat.read(file, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are kept without what they print"
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(file.parent)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not any(output.get("name") == "stderr" for output in outputs)
    page, _ = HTMLExporter().from_notebook_node(notebook)
    folder = ROOT / "target/notebooks"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{file.stem}.html").write_text(page)


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 4
