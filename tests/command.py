"""What tests of the command with real parts share: where the repository and the command are, and a study of many points."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]

# A study for clusters, whose points are small, and how many it has.
POINTS = 400


def study_of_points(cycles):
    """Its text; so many cycles are measured of each point."""
    return f"""
[study]
repeat = 10
[network]
kind = "torus"
sizes = [4, 4]
[routing]
kind = "dimension-order"
[traffic]
pattern = "uniform"
[simulation]
measure_cycles = {cycles}
[sweep]
"traffic.load" = {{ from = 0.01, to = 0.40, step = 0.01 }}
"""


def turnwise():
    """The command under test: $TURNWISE, or the build that is newest."""
    if "TURNWISE" in os.environ:
        return Path(os.environ["TURNWISE"]).resolve()
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    built = [target / profile / "turnwise" for profile in ("release", "debug")]
    built = [path for path in built if path.exists()]
    if not built:
        raise FileNotFoundError("build turnwise first: cargo build --package turnwise")
    return max(built, key=lambda path: path.stat().st_mtime).resolve()
