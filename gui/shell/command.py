"""The `tilescope` command: headless commands, the tour, and the window by default."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kernels import __version__
from kernels.child_process import END_WITH_PARENT
from kernels.cli import COMMANDS, LazyGroup, child_option
from kernels.errors import InputError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gui.theming.style import ThemeChoice

_DEMO: Final = ("gui.demo.command", "A tour of everything; --headless renders it into files.")
_WINDOW: Final = "window"


class Program(LazyGroup):
    """Command group that opens the window unless the first word is a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the name of the hidden window command before a file or an option."""
        names = {"-h", "--help", "--version", END_WITH_PARENT, *self.list_commands(ctx)}
        if args and args[0] in names:
            return super().parse_args(ctx, args)
        if args and not args[0].startswith("-"):
            _check(args[0], self.list_commands(ctx))
        return super().parse_args(ctx, [_WINDOW, *args])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return both ways to start."""
        return ["[FILE.cu | FILE.trace | FILE.tilescope] [--theme light|dark|system] | COMMAND …"]


@click.group(
    name="tilescope",
    cls=Program,
    lazy={"demo": _DEMO, **COMMANDS},
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="tilescope")
@child_option
def program() -> None:
    """See how a CUDA kernel works, then measure it: one .cu source for both.

    Without a command the window opens. A .cu file with a tilescope comment at its end is added to the kernels. A .trace
    file, written by the trace command, is shown without running anything. A .tilescope file is a saved session.
    """


@program.command(_WINDOW, hidden=True)
@click.argument("file", required=False)
@click.option("--theme", type=click.Choice(["light", "dark", "system"]), help="Colours, for this start only.")
@click.pass_context
def window(ctx: click.Context, file: str | None, theme: ThemeChoice | None) -> None:
    """Open the window."""
    if file is not None:
        _check(file, ())
        if not Path(file).is_file():
            raise InputError(f"{file}: there is no such file")
    ctx.exit(_run(Path(file) if file else None, theme))


def _check(word: str, commands: Iterable[str]) -> None:
    """Raise InputError for a word that is neither a file nor a command."""
    if word.endswith((".cu", ".trace", ".tilescope")):
        return
    matches = get_close_matches(word, commands, 1)
    hint = f"did you mean '{matches[0]}'?" if matches else "'tilescope --help' lists them"
    raise InputError(f"'{word}' is neither a .cu, .trace or .tilescope file nor a command: {hint}")


def main(prog_name: str = "tilescope") -> Any:  # click sets the exit status
    """Run the command line."""
    return program(prog_name=prog_name)


def _run(file: Path | None, theme: ThemeChoice | None) -> int:
    """Import Qt only here: the headless commands must work where it cannot be loaded."""
    from gui.shell.display import keep_plain_imports, library_words, missing_qt, obstacle

    words = missing_qt() or obstacle()
    if words:
        raise UnavailableError(words)
    try:
        keep_plain_imports()
        from gui.shell.application import run
    except ImportError as error:
        library = re.match(r"lib\S+?\.so[.\d]*", str(error))
        if library is None:
            raise
        raise UnavailableError(library_words(library[0])) from error
    return run(file, theme)
