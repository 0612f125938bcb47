"""The command line, `tilescope COMMAND …`. A command's module is imported on use."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from kernels import __version__
from kernels.child_process import END_WITH_PARENT, end_with_parent
from kernels.cli.encoding import write_plain_forms
from kernels.control_characters import escape_controls, escape_lines
from kernels.errors import NOT_ENOUGH_MEMORY, InputError, TilescopeError
from kernels.files import reason_of
from kernels.startup import INTERRUPTED, OUTPUT_CLOSED, UNUSABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

COMMANDS: Final = {
    "kernels": ("kernels.cli.kernels", "The kernels that come with tilescope, in teaching order."),
    "trace": ("kernels.cli.trace", "Run a kernel in the simulator: output, hazards, counts."),
    "bench": ("kernels.cli.bench", "Measure kernels, verify them, store and print the figures."),
    "plan": ("kernels.cli.plan", "Write a plan for other machines, with a script for Slurm."),
    "collect": ("kernels.cli.collect", "Add what other machines have measured of a plan to the samples."),
    "hosts": ("kernels.cli.hosts", "The machines that measure for this one, and a test of them."),
    "experiment": ("kernels.cli.experiment", "Run a published table here and compare the figures."),
    "verify": ("kernels.cli.verify", "Check what kernels compute, in every way, at the sizes that matter."),
    "exercise": ("kernels.cli.exercise", "Kernels to complete: list, show, check, and submit answers."),
    "grade": ("kernels.cli.grade", "Judge a folder of submitted answers: a table and a page."),
    "occupancy": ("kernels.cli.occupancy", "How many blocks fit on an SM, and what limits them."),
    "devices": ("kernels.cli.devices", "The GPU of this machine, and the known GPUs."),
    "paths": ("kernels.cli.paths", "Where settings, samples, hosts and drafts are stored."),
}
"""By name: module with a `command`, and one line of help, which is shown without importing the module."""

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of an output that cannot take more: a full disk, a quota, a limit of the file's size, a broken device. Files
that a command names refuse with an InputError; what is left is standard output."""

_HELP: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""Error of a command line without a command, since click 8.2: its message is the help text."""


class LazyGroup(click.Group):
    """A group whose commands are imported on use and whose errors are one line each."""

    def __init__(self, *args: Any, lazy: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = dict(lazy)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every command's name."""
        return [*self._lazy, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        command: click.Command = importlib.import_module(self._lazy[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._lazy.items()])

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the arguments; --help prints here."""
        with _output_may_close():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _output_may_close():
            return super().invoke(ctx)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run; every error is one line on stderr, and bad input exit status 2.

        Any exception that is not an input error passes through.
        """
        write_plain_forms()
        try:
            with _output_may_close():
                status = super().main(*args, **{**kwargs, "standalone_mode": False})
                sys.stdout.flush()
        except click.ClickException as error:
            text = error.format_message()
            click.echo(escape_lines(text if isinstance(error, _HELP) else f"tilescope: {text}"), err=True)
            sys.exit(UNUSABLE)
        except click.Abort:
            click.echo("tilescope: stopped by the user", err=True)
            sys.exit(INTERRUPTED)
        except TilescopeError as error:
            click.echo(f"tilescope: {escape_controls(str(error))}", err=True)
            sys.exit(UNUSABLE)
        except MemoryError:
            click.echo(f"tilescope: {NOT_ENOUGH_MEMORY}", err=True)
            sys.exit(UNUSABLE)
        sys.exit(status if isinstance(status, int) else 0)


@contextmanager
def _output_may_close() -> Iterator[None]:
    """Exit with `OUTPUT_CLOSED` and no message when the output is closed. Click and Rich would exit with status 1.

    Raises
    ------
    InputError
        When the output is full.
    """
    try:
        yield
    except (BrokenPipeError, SystemExit) as end:
        if not isinstance(end, BrokenPipeError) and not isinstance(end.__context__, BrokenPipeError):
            raise
        _discard_output()
        sys.exit(OUTPUT_CLOSED)
    except OSError as error:
        if error.errno not in _FULL:
            raise
        _discard_output()
        raise InputError(f"standard output cannot be written: {reason_of(error)}") from error


def _discard_output() -> None:
    """Lead standard output nowhere, so that flushing the rest of its buffer does not fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


child_option: Final = click.option(
    END_WITH_PARENT,
    is_flag=True,
    is_eager=True,
    hidden=True,
    expose_value=False,
    callback=lambda _context, _option, chosen: end_with_parent() if chosen else None,
)
"""Option of a process that another one starts, here or through a host's command."""


@click.group(name="tilescope", cls=LazyGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tilescope")
@child_option
def main() -> None:
    """See how a CUDA kernel works, then measure it: one .cu source for both."""
