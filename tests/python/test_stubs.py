"""Types: the stub of the native module is what the binary says, and all of the package passes a strict check."""

import subprocess
import sys
import tempfile
from pathlib import Path

import turnwise

PACKAGE = Path(turnwise.__file__).parent


def checked(*arguments: object, folder: Path) -> str:
    words = [sys.executable, "-m", *map(str, arguments)]
    ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_stub_is_what_the_binary_says(root):
    # `scripts/test-python.sh` has written it.
    made = (root / "target/stubs/turnwise/_native.pyi").read_text()
    kept = root / "crates/python/turnwise/_native.pyi"
    assert kept.read_text() == made, "crates/python/turnwise/_native.pyi is stale: run `make docs`"


def test_the_stub_is_complete(tmp_path):
    assert "Incomplete" not in (PACKAGE / "_native.pyi").read_text()
    checked("mypy.stubtest", "turnwise._native", folder=tmp_path)


def test_the_package_and_its_users_are_typed_strictly(root, tmp_path):
    checked("mypy", "--cache-dir", tmp_path, "turnwise", folder=root / "crates/python")
    with tempfile.TemporaryDirectory() as folder:
        user = Path(folder) / "user.py"
        user.write_text(
            "from typing import assert_type\n"
            "import turnwise\n"
            "study = turnwise.Study({'network': {'kind': 'torus', 'sizes': [4]}})\n"
            "from distributed import Client\n"
            "assert_type(study.run(), turnwise.Results)\n"
            "def elsewhere(client: Client) -> None: assert_type(study.run(client=client), turnwise.Results)\n"
            "assert_type(study.verify(), list[turnwise.Proof])\n"
            "assert_type(study.run().table.units, dict[str, str])\n"
        )
        checked("mypy", "--strict", user, folder=Path(folder))
        user.write_text(user.read_text() + "study.run(threads='all')\n")
        refused = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(user)], cwd=folder, capture_output=True, text=True)
        assert 'Argument "threads" to "run" of "Study" has incompatible type' in refused.stdout
