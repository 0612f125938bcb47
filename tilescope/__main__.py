"""The command `tilescope`, which opens the window unless a subcommand is named; also `python -m tilescope`."""

from typing import NoReturn

from kernels.startup import start


def main() -> NoReturn:
    """Run the command line."""
    start("gui.shell.command")


if __name__ == "__main__":
    main()
