"""Launches that can be compared with a selection: other options, other blocks, other kernels of its workload."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gui.explore.playback.eligibility import refusal
from gui.selection.shapes import Shape, is_legal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gui.selection.session import Selection
    from kernels.catalog import Kernel


class Comparable(NamedTuple):
    """A launch to compare with."""

    group: str
    title: str
    selection: Selection


def comparables(selection: Selection, kernels: Iterable[Kernel]) -> tuple[Comparable, ...]:
    """List launches of the same size: variants, blocks, then kernels."""
    found: list[Comparable] = []
    kernel, size = selection.kernel, selection.size
    for variant in kernel.variants():
        if variant.id != kernel.id:
            found.append(Comparable("Options", _options_words(variant, kernel), replace(selection, kernel=variant)))
    for block in dict.fromkeys((kernel.block, *kernel.blocks)):
        if block != selection.block and is_legal(kernel, Shape(size, block)):
            found.append(Comparable("Blocks", f"Block {block}", replace(selection, block=block)))
    for other in kernels:
        if other.base == kernel.base or other.workload != kernel.workload or other.runs_on != "cuda":
            continue
        shapes = (Shape(size, selection.block), Shape(size, other.block))
        shape = next((shape for shape in shapes if is_legal(other, shape)), None)
        if shape is not None:
            chosen = replace(selection, kernel=other, block=shape.block, revision=0)
            found.append(Comparable("Kernels", other.title, chosen))
    return tuple(c for c in found if not refusal(c.selection))


def launch_title(selection: Selection, before: Selection) -> str:
    """Return what distinguishes a launch from another one: its kernel, its options or its block."""
    kernel = selection.kernel
    if kernel.base != before.kernel.base:
        return kernel.title
    if kernel.id != before.kernel.id:
        return f"{kernel.title}, {_options_words(kernel, before.kernel)}"
    if selection.block != before.block:
        return f"{kernel.title}, block {selection.block}"
    return f"{kernel.title}, before the edit" if selection.revision < before.revision else kernel.title


def _options_words(kernel: Kernel, before: Kernel) -> str:
    """Return the options of a variant in which it differs from another one, as the bar of options names them."""
    chosen = [{o.name: k.chosen.get(o.name, o.choices[0].word) for o in k.options} for k in (kernel, before)]
    differing = (o for o in kernel.options if chosen[0][o.name] != chosen[1].get(o.name))
    return ", ".join(f"{option.title} {chosen[0][option.name]}" for option in differing)
