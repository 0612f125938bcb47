"""`tilescope kernels`: list the kernels of the catalogue in teaching order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import click

from kernels.catalog import catalog

if TYPE_CHECKING:
    from kernels.catalog import Kernel

_PLACES: Final = {"cuda": "GPU", "cpu": "CPU", "library": "GPU library"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with every field.")
def command(as_json: bool) -> None:
    """List the kernels that come with tilescope, in teaching order.

    Where a table chooses the block by GPU and size, its rows follow: the first that applies is used.
    Options of a kernel follow its id, as in mmt_naive:x=column. A lesson is wrong on purpose.
    """
    if as_json:
        click.echo(json.dumps({"kernels": [_kernel_json(kernel) for kernel in catalog()]}))
        return
    width = max(len(kernel.id) for kernel in catalog())
    problem = max(len(kernel.workload.title) for kernel in catalog())
    indent = " " * (width + problem + 17)
    for kernel in catalog():
        place, title = _PLACES[kernel.runs_on], kernel.workload.title
        click.echo(f"{kernel.id:<{width}}  {place:<11}  {title:<{problem}}  {kernel.teaches}")
        for option in kernel.options:
            first, *others = (choice.word for choice in option.choices)
            words = " or ".join((f"{first} (default)", *(f"{kernel.id}:{option.name}={o}" for o in others)))
            click.echo(f"{indent}option {option.name}: {option.title} {words}")
        for rule in kernel.block_rules:
            click.echo(f"{indent}{rule}")
        if kernel.flaw:
            click.echo(f"{indent}lesson: {kernel.flaw}")


def _kernel_json(kernel: Kernel) -> dict[str, Any]:
    return {
        "id": kernel.id,
        "title": kernel.title,
        "teaches": kernel.teaches,
        "workload": kernel.workload.id,
        "runs_on": kernel.runs_on,
        "size": list(kernel.size),
        "block": list(kernel.block),
        "blocks": [list(block) for block in kernel.blocks],
        "block_rules": [
            {"arch": rule.arch, "when": rule.when, "block": list(rule.block), "why": rule.why}
            for rule in kernel.block_rules
        ],
        "memory": kernel.memory,
        "clear": list(kernel.clear),
        "flaw": kernel.flaw,
        "options": {option.name: [choice.word for choice in option.choices] for option in kernel.options},
    }
