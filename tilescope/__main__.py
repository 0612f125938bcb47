"""The command `tilescope`, which opens the window unless a subcommand is named; also `python -m tilescope`."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from kernels.startup import start


def main() -> NoReturn:
    """Run the command line."""
    # `tilescope-window` has no console on Windows, and pythonw no streams: what is written is lost.
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")
    start("gui.shell.command")


if __name__ == "__main__":
    main()
