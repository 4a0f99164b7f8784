"""The wheel in a fresh environment: what pip installs from it and nothing else."""

import subprocess
import venv
from pathlib import Path

import pytest

QUICKSTART = """
import turnwise
study = turnwise.Study.from_file("quickstart.toml", set={"sweep.traffic.load": [0.05]})
(proof,) = study.verify()
results = study.run()
print(proof.verdict, results.table["fingerprint"][0])
"""


def test_a_fresh_environment_needs_the_wheel_alone(root, tmp_path):
    wheels = list((root / "target/wheel").glob("turnwise-*.whl"))
    assert len(wheels) == 1, "scripts/test-python.sh builds it"
    venv.create(tmp_path / "fresh", with_pip=True)
    programs: Path = tmp_path / "fresh/bin"
    install = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheels[0]]
    installed = subprocess.run(install, capture_output=True, text=True, check=False)
    if installed.returncode != 0 and "NewConnectionError" in installed.stderr:
        pytest.skip("pip does not get NumPy")
    assert installed.returncode == 0, installed.stderr
    (tmp_path / "quickstart.toml").write_text((root / "studies/quickstart.toml").read_text())
    ran = subprocess.run([programs / "python", "-c", QUICKSTART], cwd=tmp_path, capture_output=True, text=True, check=True)
    printed = subprocess.run(
        [programs / "turnwise", "run", "quickstart.toml", "--set", "sweep.traffic.load=[0.05]", "--fresh", "--format", "json"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout
    verdict, fingerprint = ran.stdout.split()
    assert verdict == "deadlock-free"
    assert f'"fingerprint":"{fingerprint}"' in printed
