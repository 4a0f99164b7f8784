"""Reports in a real browser: the studies they are of, and Chromium without a window.

Needs chromium and the Python packages playwright and axe-playwright-python. Nothing is loaded from outside.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from command import REPOSITORY, turnwise

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]

# Studies that have little in common, as small as they can be.
STUDIES = {
    # A curve for each routing, at several loads, with channels over time.
    "loads": """
[study]
name = "loads"
[network]
kind = "dragonfly"
groups = 9
routers_per_group = 4
terminals_per_router = 2
[router]
virtual_channels = 6
[traffic]
packet_flits = 4
[sweep]
routing = [{ kind = "minimal" }, { kind = "valiant" }]
"traffic.pattern" = ["uniform", "adversarial"]
"traffic.load" = [0.05, 0.1, 0.2, 0.3, 0.4, 0.6]
[simulation]
warmup_cycles = 500
measure_cycles = 1_000
cycles_limit = 2_000
channel_interval_cycles = 100
""",
    # An axis with zero beside decades.
    "stale": """
[study]
name = "stale"
[network]
kind = "megafly"
half_radix = 2
groups = 5
[routing]
kind = "ku-gcn"
[traffic]
pattern = "uniform"
load = 0.3
[sweep]
"routing.feedback_delay" = [0, 10, 100, 1_000, 10_000]
[simulation]
warmup_cycles = 200
measure_cycles = 500
[report]
x = "routing.feedback_delay"
""",
    # A page of one table, and a word that is wider than a phone.
    "one-point": f"""
[study]
name = "one-point"
description = "As in https://example.org/{'longer' * 30}"
[network]
kind = "torus"
sizes = [4, 4]
[routing]
kind = "dimension-order"
[router]
virtual_channels = 4
[traffic]
pattern = "uniform"
load = 0.2
[simulation]
warmup_cycles = 200
measure_cycles = 500
""",
    "networks": """
[study]
name = "networks"
title = "Three networks of 64 terminals"
[router]
virtual_channels = 4
[traffic]
pattern = "uniform"
[sweep]
network = [
    { kind = "torus", sizes = [8, 8] },
    { kind = "hypercube", dimensions = 6 },
    { kind = "k-ary-n-tree", arity = 4, levels = 3 },
]
routing = [{ kind = "dimension-order" }, { kind = "dimension-order" }, { kind = "d-mod-k" }]
zip = [["network", "routing"]]
"traffic.load" = [0.1, 0.3, 0.5]
[simulation]
warmup_cycles = 200
measure_cycles = 500
cycles_limit = 1_000
""",
    "transient": """
[study]
name = "transient"
repeat = 2
[network]
kind = "dragonfly"
groups = 9
routers_per_group = 4
terminals_per_router = 2
[router]
flow_control = "virtual-cut-through"
virtual_channels = 6
buffer_flits = "round-trip"
[traffic]
pattern = "uniform"
load = 0.1
[[traffic.then]]
at = 1_000
pattern = "adversarial"
[sweep]
routing = [{ kind = "minimal" }, { kind = "valiant" }]
[simulation]
warmup_cycles = 500
measure_cycles = 1_500
cycles_limit = 4_000
interval_cycles = 16
""",
    "jobs": """
[study]
name = "jobs"
clock = "1 GHz"
flit_size = "16 B"
[network]
kind = "xgft"
m = [4, 4]
w = [1, 2]
[routing]
kind = "d-mod-k"
[router]
flow_control = "virtual-cut-through"
buffer_flits = 64
[workload]
kind = "jobs"
[[workload.jobs]]
name = "sums"
kind = "npb"
program = "cg"
class = "S"
ranks = 8
iterations = 1
computing = 0
host = { packet_flits = 32 }
[[workload.jobs]]
name = "transform"
kind = "npb"
program = "ft"
class = "S"
ranks = 8
iterations = 1
computing = 0
host = { packet_flits = 32 }
[simulation]
cycles_limit = 10_000_000
[sweep]
placement = [{ kind = "linear" }, { kind = "random" }]
""",
    # Time lines, with figures in two units beside each other.
    "timelines": """
[study]
name = "timelines"
clock = "1 GHz"
flit_size = "16 B"
[network]
kind = "torus"
sizes = [4, 4]
[routing]
kind = "dimension-order"
[router]
flow_control = "virtual-cut-through"
buffer_flits = 64
virtual_channels = 2
[workload]
kind = "npb"
program = "lu"
class = "S"
ranks = 16
iterations = 2
host = { packet_flits = 32, eager_bytes = 16_384, overhead_cycles = 50 }
[simulation]
cycles_limit = 10_000_000
timeline = true
""",
}


def missing():
    """Why no browser can be used here; nothing if one can."""
    if not chromium():
        return "no chromium"
    try:
        import axe_playwright_python.sync_playwright  # noqa: F401
        import playwright.sync_api  # noqa: F401
    except ImportError as error:
        return f"no Python package {error.name}"
    return None


def chromium():
    """Where the browser is."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Reports:
    """The reports of all studies, in a scratch folder."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="turnwise-browser-"))
        for name, text in STUDIES.items():
            study = self.folder / f"{name}.toml"
            study.write_text(text)
            output = self.folder / name
            command = [turnwise(), "run", study, "--output", output]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if not (output / "report.html").exists():
                raise RuntimeError(f"{name}: {done.stderr}")

    def page(self, name):
        """The address of a report."""
        return (self.folder / name / "report.html").as_uri()

    def remove(self):
        """Leaves nothing behind."""
        shutil.rmtree(self.folder)
