"""The command `turnwise`, as installed with the package; `python -m turnwise` is the same."""

import signal
import sys

from turnwise import _native


def main() -> None:
    """Does what the arguments ask for and leaves with the command's exit code."""
    # The command minds Ctrl-C itself, and prints itself: Python has nothing left to do.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.command(["turnwise", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
