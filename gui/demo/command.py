"""The command `tilescope demo`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gui.shell.display import keep_plain_imports, library_words, missing_qt, obstacle
from kernels.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.theming.style import ThemeChoice
    from kernels.bench.sample import Sample


@click.command(name="demo")
@click.option("--headless", is_flag=True, help="Render the tour into files instead of a window.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("tilescope-demo"),
    show_default=True,
    help="Folder for the files of --headless.",
)
@click.option(
    "--theme",
    type=click.Choice(["light", "dark", "system"]),
    default="light",
    show_default=True,
    help="Colours.",
)
def command(headless: bool, output: Path, theme: ThemeChoice) -> None:
    """Show everything once: an animation of tiles, live curves, occupancy, a published table measured again.

    With a display it plays in the window. Without one, or with --headless, it renders explore.gif, a picture of every
    page and gflops.csv, and prints a short table.
    """
    if words := missing_qt():
        raise UnavailableError(words)
    if not headless and not obstacle():
        keep_plain_imports()
        from gui.demo.guide import play_tour

        raise SystemExit(play_tour(theme))
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        from gui.demo.headless import render_tour
    except ImportError as error:
        raise UnavailableError(library_words(str(error))) from error
    rendered = render_tour(output, theme, lambda text: click.echo(f"· {text}"))
    print_tour(rendered.samples)
    click.echo(f"{rendered.occupancy}\n")
    for file in rendered.files:
        click.echo(f"{file}  ({file.stat().st_size / 1024:,.0f} KiB)")


def print_tour(samples: Sequence[Sample]) -> None:
    """Print what was measured as a short table."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    sizes = sorted({s.point.size for s in samples}, key=lambda size: size.n)
    table = Table(
        title="GFLOPS, each result verified before it was timed",
        title_justify="left",
        box=box.SIMPLE,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("n =", no_wrap=True)
    for size in sizes:
        table.add_column(str(size), justify="right", no_wrap=True)
    for entry in dict.fromkeys(s.point.entry for s in samples):
        rates = {s.point.size: s.gflops for s in samples if s.point.entry == entry}
        table.add_row(entry.label, *(_rate(rates.get(size)) for size in sizes))
    console.print(table)
    for error in dict.fromkeys(sample.error for sample in samples if sample.error):
        failed = [sample.point for sample in samples if sample.error == error]
        # All sizes of a kernel fail alike where Numba is missing.
        names = dict.fromkeys(point.entry.label for point in failed) if len(failed) > 1 else [str(failed[0])]
        console.print(f"{', '.join(names)}: {error}", markup=False, soft_wrap=True)


def _rate(gflops: float | None) -> str:
    """Format a rate with at least two digits; empty without one."""
    if gflops is None:
        return ""
    return f"{gflops:,.0f}" if gflops >= 10 else f"{gflops:.1f}"
