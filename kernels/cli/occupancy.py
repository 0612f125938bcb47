"""`tilescope occupancy KERNEL`: resident blocks per SM, their limiting resource, and changes that lift the limit."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernels.catalog import find_kernel
from kernels.cli.devices import choose
from kernels.control_characters import escape_lines
from kernels.errors import InputError
from kernels.files import check_writable
from kernels.launch import Dim3
from kernels.occupancy import words
from kernels.occupancy.advice import advise
from kernels.occupancy.block_timeline import timeline_json, write_timeline_file
from kernels.occupancy.curve import curve, occupancy_of
from kernels.occupancy.resources import refuse_without_source, resources_for, shipped_or_compiled
from kernels.occupancy.suggest import suggest
from kernels.occupancy.timeline_words import launch_words, sentences
from kernels.words import percent, plural
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.catalog import Kernel
    from kernels.occupancy import Occupancy
    from kernels.occupancy.curve import Point


_BAR = 25


@click.command()
@click.argument("kernel")
@click.option("--block", metavar="X,Y,Z", help="Threads in the block; the kernel's own block unless given.")
@click.option("--device", metavar="NAME", help="A name that 'tilescope devices' lists, or present.")
@click.option("--size", metavar="N or M,N,K", help="Problem size; the kernel's own unless given.")
@click.option("--curve", "with_curve", is_flag=True, help="Every block size that the kernel can have.")
@click.option("--suggest", "suggested", is_flag=True, help="Let occupancy choose the block, and show how.")
@click.option("--achieved", is_flag=True, help="Run it on this machine's GPU, and record SM and time of every block.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write that record to a file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object; with --achieved, one a line.")
def command(
    kernel: str,
    block: str | None,
    device: str | None,
    size: str | None,
    with_curve: bool,
    suggested: bool,
    achieved: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Show how many blocks of KERNEL, an id or a .cu file, fit on an SM, what limits them, and what would help."""
    chosen = find_kernel(kernel)
    refuse_without_source(chosen)
    n = Size.parse(size) if size else chosen.size
    if suggested and block:
        raise InputError("--suggest chooses the block: give it without --block")
    if output and not achieved:
        raise InputError("--output is for the record of --achieved: give both")
    if achieved:
        if device or with_curve or suggested:
            raise InputError(
                "--achieved runs one block on this machine's GPU: give it without --device, --curve, --suggest"
            )
        record(chosen, n, Dim3.parse(block) if block else chosen.block, as_json=as_json, output=output)
        return
    target = choose(device)
    suggestion = suggest(chosen, n, target) if suggested else None
    threads = suggestion.block if suggestion else Dim3.parse(block) if block else chosen.block
    found = occupancy_of(chosen, n, threads, target)
    points = curve(chosen, n, threads, target, resources_for if with_curve else shipped_or_compiled)
    if as_json:
        derived = {"suggestion": asdict(suggestion)} if suggestion else {}
        shown = points if with_curve else ()
        remedy = {"remedy": advise(found, points)}
        click.echo(json.dumps({**report(chosen, n, threads, found, shown), **remedy, **derived}))
    else:
        if suggestion:
            click.echo("\n".join([*suggestion.lines, ""]))
        click.echo(escape_lines("\n".join(describe(chosen, threads, found, points))))
        if with_curve:
            click.echo("\n".join(["", *tabulate(points, threads)]))


def report(kernel: Kernel, size: Size, block: Dim3, occupancy: Occupancy, points: Sequence[Point]) -> dict[str, Any]:
    """Build the object of `--json`; every point of the curve has the same figures as the block."""
    return {
        "kernel": kernel.id,
        "size": list(size),
        "device": occupancy.device.id,
        **_figures(block, occupancy),
        "sentence": words.sentence(occupancy),
        "curve": [_figures(point.block, point.occupancy) for point in points],
    }


def describe(kernel: Kernel, block: Dim3, occupancy: Occupancy, points: Sequence[Point]) -> list[str]:
    """Write the figures and their explanation, line by line."""
    device, resources = occupancy.device, occupancy.resources
    lines = [
        f"{kernel.id}, block {block} ({plural(occupancy.block_threads, 'thread')}, "
        f"{plural(occupancy.warps_per_block, 'warp')}) on {device.name} ({device.arch})",
        f"{words.resources(occupancy)}; {resources.origin}",
        "",
        f"{plural(occupancy.resident_blocks, 'resident block')} per SM, {occupancy.resident_warps} of "
        f"{device.warps_per_sm} warps: {percent(occupancy.fraction)} occupancy",
        "",
        f"  {'':<24} {'blocks':>6}  {'a block takes':>14}  {'of the SM':>11}",
    ]
    for limit in occupancy.limits:
        blocks = "-" if limit.resident_blocks is None else f"{limit.resident_blocks}"
        mark = "  <- limits" if limit.kind in occupancy.limiters else ""
        lines.append(f"  {limit.title:<24} {blocks:>6}  {limit.per_block:>14,}  {limit.per_sm:>11,}{mark}")
    notes = [words.sentence(occupancy), advise(occupancy, points), words.idle_lanes(occupancy)]
    return [*lines, "", *(note for note in notes if note)]


def tabulate(points: Sequence[Point], block: Dim3) -> list[str]:
    """Write the curve as a table with the chosen block marked."""
    lines = [f"  {'block':>9} {'threads':>8} {'blocks/SM':>10} {'warps':>6} {'occupancy':>10}"]
    for point in points:
        found = point.occupancy
        mark = ">" if point.block == block else " "
        bar = "#" * round(found.fraction * _BAR)
        lines.append(
            f"{mark} {point.block!s:>9} {found.block_threads:>8,} {found.resident_blocks:>10} "
            f"{found.resident_warps:>6} {percent(found.fraction):>10}  {bar:<{_BAR}}  "
            f"{words.limiter_name(found)}"
        )
    return lines


def _figures(block: Dim3, occupancy: Occupancy) -> dict[str, Any]:
    return {
        "block": list(block),
        "threads": occupancy.block_threads,
        "registers": occupancy.resources.registers,
        "static_shared_bytes": occupancy.resources.static_shared_bytes,
        "dynamic_shared_bytes": occupancy.dynamic_shared_bytes,
        "spill_bytes": occupancy.resources.spill_bytes,
        "barriers": occupancy.resources.barriers,
        "origin": occupancy.resources.origin,
        "resident_blocks": occupancy.resident_blocks,
        "resident_warps": occupancy.resident_warps,
        "warps_per_sm": occupancy.device.warps_per_sm,
        "occupancy": occupancy.fraction,
        "limiters": list(occupancy.limiters),
        "block_limits": {limit.kind: limit.resident_blocks for limit in occupancy.limits},
    }


# --- `tilescope occupancy KERNEL --achieved`: the occupancy of one launch on this machine's GPU, block by block


def record(kernel: Kernel, size: Size, block: Dim3, *, as_json: bool, output: Path | None) -> None:
    """Record a launch, and print sentences about it, or JSON lines: `progress` with words, then one `timeline`."""
    from kernels.bench.plan import DEFAULT_FILL
    from kernels.occupancy.record_blocks import record_blocks

    def report(words: str) -> None:
        if as_json:
            click.echo(json.dumps({"event": "progress", "words": words}))
        elif sys.stderr.isatty():
            click.echo(f"{words} …", err=True)

    if output is not None:
        check_writable(output)
    timeline = record_blocks(kernel, size, block, DEFAULT_FILL, report)
    if as_json:
        click.echo(json.dumps({"event": "timeline", "timeline": timeline_json(timeline)}))
    else:
        click.echo("\n".join([f"{launch_words(timeline)}.", *sentences(timeline)]))
    if output is not None:
        write_timeline_file(timeline, output)
