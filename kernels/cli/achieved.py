"""`tilescope occupancy KERNEL --achieved`: the occupancy of one launch on this machine's GPU, block by block."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from kernels.files import check_writable
from kernels.occupancy.block_timeline import timeline_json, write_timeline_file
from kernels.occupancy.timeline_words import launch_words, sentences

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.catalog import Kernel
    from kernels.launch import Dim3
    from kernels.workload import Size


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
