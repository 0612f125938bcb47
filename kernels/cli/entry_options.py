"""Options of `bench` and `verify` that choose curves: --block, --threads and --memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kernels.cpu.matmul import core_count
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.catalog import Kernel
    from kernels.gpu.memory import Memory
    from kernels.launch import Dim3


def thread_counts(texts: Sequence[str]) -> list[int]:
    """Read every --threads, each a list such as `1,2,4`.

    Raises
    ------
    InputError
        When a part is not a number, or more than the machine has cores.
    """
    cores = core_count()
    choice = f"1 to {cores}" if cores > 1 else "1"
    counts = []
    for part in (part.strip() for text in texts for part in text.split(",")):
        if not (part.isascii() and part.isdecimal() and int(part) > 0):
            raise InputError(
                f"'{part}' is not a number of threads: give whole numbers from 1 up, as in --threads 1,2,4"
            )
        counts.append(int(part))
        if counts[-1] > cores:
            words = "1 core" if cores == 1 else f"{cores} cores"
            raise InputError(f"{counts[-1]:,} threads: this machine has {words}: choose {choice}")
    return counts


def check_options(
    kernels: Sequence[Kernel],
    *,
    blocks: Sequence[Dim3],
    threads: Sequence[int],
    memories: Sequence[Memory] = (),
    cold: bool = False,
    no_graphs: bool = False,
) -> None:
    """Refuse an option that applies to none of the kernels; name the kernels that ignore it if it applies to others.

    Raises
    ------
    InputError
        With the option and the reason.
    """
    for option, values, unused, why in (
        ("--block", blocks, [k for k in kernels if k.runs_on != "cuda"], "there is no block to choose for"),
        ("--threads", threads, [k for k in kernels if not k.threaded], "there are no CPU threads to choose for"),
        ("--memory", memories, [k for k in kernels if k.runs_on == "cpu"], "there are no copies to a GPU to time for"),
        ("--cold", cold, [k for k in kernels if k.runs_on == "cpu"], "there is no GPU cache to flush for"),
        ("--no-graphs", no_graphs, [k for k in kernels if k.runs_on == "cpu"], "there are no launches to capture for"),
    ):
        if not values or not unused:
            continue
        names = ", ".join(dict.fromkeys(kernel.id for kernel in unused))
        if len(unused) == len(kernels):
            raise InputError(f"{option}: {why} {names}: omit it")
        click.echo(f"tilescope: {option} is for the other kernels only: {why} {names}", err=True)
