"""The wheel brings the command, which is the same as in Rust."""

import json
import signal
import subprocess
import sys
import time

import turnwise
from conftest import COMMAND


def test_the_command_is_installed_and_of_the_same_version(command):
    assert command("--version").stdout == f"turnwise {turnwise.__version__}\n"


def test_exit_codes_come_through(command, root):
    study = root / "studies/quickstart.toml"
    assert command("verify", study).returncode == 0
    assert command("verify", study, "--set", "router.virtual_channels=1").returncode == 1
    assert command("verify", "nowhere.toml").returncode == 2


def test_the_module_is_the_command(root):
    words = [sys.executable, "-m", "turnwise", "list", "formats", "--format", "json"]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert [json.loads(line)["name"] for line in listed.splitlines()] == ["dot", "graphml", "json", "net", "conf"]


def test_a_study_has_the_fingerprints_of_the_command(command, root):
    study = root / "studies/quickstart.toml"
    printed = command("run", study, "--fresh", "--format", "json").stdout
    theirs = [json.loads(line)["fingerprint"] for line in printed.splitlines()]
    ours = turnwise.Study.from_file(study).run()
    assert len(theirs) > 1
    assert ours.table["fingerprint"].tolist() == theirs


def test_the_readme_shows_the_commands_fingerprint(command, root):
    study = root / "studies/quickstart.toml"
    printed = command("run", study, "--fresh", "--format", "json").stdout
    first = json.loads(printed.splitlines()[0])["fingerprint"]
    assert f"deadlock-free {first}\n" in (root / "README.md").read_text()


def test_both_go_on_where_the_other_stopped(command, root, tmp_path):
    study = root / "studies/quickstart.toml"
    ours = turnwise.Study.from_file(study)
    first = ours.run(output=tmp_path / "out")
    assert (first.simulated, first.reused) == (len(ours), 0)
    again = command("run", study, "--output", tmp_path / "out")
    assert f"({len(ours)} points were there from an earlier run.)" in again.stdout
    second = ours.run(output=tmp_path / "out")
    assert (second.simulated, second.reused) == (0, len(ours))
    assert second.table["seconds"].tolist() == first.table["seconds"].tolist()


def test_ctrl_c_stops_the_command_in_order(root, tmp_path):
    words = [str(COMMAND), "run", str(root / "studies/quickstart.toml"), "--set", "simulation.measure_cycles=30000000"]
    running = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    running.send_signal(signal.SIGINT)
    _, talk = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "the same command goes on from here" in talk
