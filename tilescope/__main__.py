"""The command `tilescope`, which opens the window unless a subcommand is named; also `python -m tilescope`."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from kernels.startup import start


def main() -> NoReturn:
    """Run the command line."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        # A process without a console, as of `tilescope-window` on Windows, has no streams.
        sys.stdout = sys.stdout or nowhere
        sys.stderr = sys.stderr or nowhere
        start("gui.shell.command")


if __name__ == "__main__":
    main()
