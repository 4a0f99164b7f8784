"""Every example of the documentation does what it says."""

import doctest
import re
import shutil
from pathlib import Path

import pytest
import turnwise



def examples(page: Path) -> str:
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return "\n".join(blocks)


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_examples_print_what_is_shown(page, root, tmp_path, monkeypatch):
    shutil.copytree(root / "studies", tmp_path / "studies")
    monkeypatch.chdir(tmp_path)
    text = examples(root / page)
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert len(test.examples) >= 5
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert not said, "".join(said)


def test_the_examples_of_the_package_run():
    assert doctest.testmod(turnwise).failed == 0
