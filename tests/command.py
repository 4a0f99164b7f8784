"""What tests of the command with real parts share: where the repository and the command are."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


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
