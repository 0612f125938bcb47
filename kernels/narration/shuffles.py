"""Captions of shuffles: whose value each lane gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.analysis.syntax.evaluate import values, without_updates
from kernels.analysis.values.registers import Names
from kernels.analysis.values.shuffles import shuffles_at
from kernels.frontend.ast import Assign, Declare, Do
from kernels.launch import WARP_SIZE
from kernels.narration.divergence import lane_ranges
from kernels.words import agree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.values.shuffles import Shuffle
    from kernels.narration.step_view import StepView


class ShuffleWords(NamedTuple):
    """Caption of a shuffle."""

    warps: str
    """Name of the warp, or of those whose lanes read alike."""
    text: str


def shuffle(view: StepView) -> ShuffleWords | None:
    """Return what the lanes of a step read; None for other steps, and for those that access memory or shuffle twice.

    Of several warps, those whose lanes read as those of the first one are named together.
    """
    found = shuffles_at(view.trace, view.step, view.block)
    if len(found) != 1 or any(group.array.space != "local" for group in view.groups):
        return None
    own = found[0].lanes.astype(np.int64) - view.block * view.trace.launch.block.count
    warps = np.unique(own // WARP_SIZE)
    parts = {int(warp): _of_warp(found[0], own // WARP_SIZE == warp, own) for warp in warps}
    first = parts[int(warps[0])]
    alike = [warp for warp, part in parts.items() if all(map(np.array_equal, part, first))]
    others = len(warps) - len(alike)
    text = _sentence(view, found[0], *first)
    rest = f"; {others} other {agree(others, 'warp reads', 'warps read')} other lanes" if others else ""
    return ShuffleWords(f"{agree(len(alike), 'warp', 'warps')} {lane_ranges(np.array(alike))}", f"{text}{rest}")


_Lanes = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.bool_]"]
"""Numbers of lanes in their warp, the lanes that they read, and whether that is undefined."""


def _of_warp(found: Shuffle, which: NDArray[np.bool_], own: NDArray[np.int64]) -> _Lanes:
    lanes = own[which] % WARP_SIZE
    return lanes, lanes + found.sources[which] - found.lanes[which], found.undefined[which]


def _sentence(
    view: StepView, found: Shuffle, lanes: NDArray[np.int64], sources: NDArray[np.int64], undefined: NDArray[np.bool_]
) -> str:
    whole = min(WARP_SIZE, view.trace.launch.block.count)
    every = "each lane" if len(lanes) == whole else f"each of lanes {lane_ranges(lanes)}"
    if len(lanes) == 1:
        every = f"lane {lanes[0]}"
    moves = (sources != lanes) & ~undefined
    if not moves.any():
        text = f"{every} gets its own value"
    else:
        text = f"{every} {_verb(view, found)} {_whose(view, found, lanes[moves], sources[moves])}"
        kept = lanes[(sources == lanes) & ~undefined]
        if len(kept) and found.operands.way != "":
            text += f"; {_named(kept)} {agree(len(kept), 'gets its', 'get their')} own"
    if undefined.any():
        lane, source = int(lanes[undefined][0]), int(sources[undefined][0])
        text += f"; lane {lane} reads lane {source}, which takes no part: its value is undefined"
    return text


def _verb(view: StepView, found: Shuffle) -> str:
    """Return the verb for the statement: `sum += __shfl…` adds."""
    node = view.place.node
    root = node.expression if isinstance(node, Do) else None
    if isinstance(root, Assign) and root.value is found.call:
        return {"+=": "adds", "*=": "multiplies by"}.get(root.op, "takes")
    if isinstance(node, Declare) and any(variable.value is found.call for variable in node.variables):
        return "takes"
    return "reads"


def _whose(view: StepView, found: Shuffle, lanes: NDArray[np.int64], sources: NDArray[np.int64]) -> str:
    """Say which lane is read: by its distance, by its partner, or by its number."""
    way = found.operands.way
    by = values(without_updates(found.operands.by), Names.at(view.trace, view.step - 1, view.lanes, view.place))
    same = by is not None and bool((by == by[0]).all())
    if way == "_xor" and by is not None and same:
        return f"the value of lane ^ {int(by[0])}: lanes {lanes[0]} and {sources[0]} exchange theirs, and so on"
    if way in ("_up", "_down") and same:
        return f"the value of the lane {abs(int(sources[0] - lanes[0]))} {'above' if way == '_down' else 'below'} it"
    if (sources == sources[0]).all():
        return f"the value of lane {sources[0]}"
    width = None if found.operands.width is None or not same or by is None else _width(view, found)
    if width is not None and by is not None:
        return f"the value of lane {int(by[0]) % width} of its {width} lanes"
    return f"the value of the lane that it names: lane {lanes[0]} that of lane {sources[0]}"


def _width(view: StepView, found: Shuffle) -> int | None:
    """Return the number of lanes in each section of the warp, where all have one."""
    names = Names.at(view.trace, view.step - 1, view.lanes, view.place)
    width = None if found.operands.width is None else values(found.operands.width, names)
    return int(width[0]) if width is not None and (width == width[0]).all() else None


def _named(lanes: NDArray[np.int64]) -> str:
    return f"{agree(len(lanes), 'lane', 'lanes')} {lane_ranges(lanes)}"
