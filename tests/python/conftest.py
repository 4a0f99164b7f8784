"""What the tests of the Python package share: the project's folder and the installed command."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What tests of the command share is there.
sys.path.append(str(ROOT / "tests"))
COMMAND = Path(sysconfig.get_path("scripts")) / "turnwise"


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def command(tmp_path: Path):
    """Runs the command that came with the package in a folder of its own."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        words = [str(COMMAND), *map(str, arguments)]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run
