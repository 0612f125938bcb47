"""The lanes of one warp in a step, in words: "warp 0: lanes 0–15 run this side, 16–31 wait for theirs"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.order.divergence import RETURNED, RUNS, WAITS
from kernels.words import agree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.order.divergence import Side, Split, Turn, WarpState

    Lanes = NDArray[np.int64]

_MOST_RANGES: Final = 3

_TURNS: Final[dict[Turn, str]] = {"now": "now", "later": "next", "before": "done", "none": "skip"}
"""When a side of a branch runs, in one word."""

_ALONE: Final = {
    WAITS: ("waits at the barrier", "wait at the barrier"),
    RETURNED: ("has returned", "have returned"),
}
_OTHERS: Final[dict[Turn, tuple[str, str]]] = {
    "later": ("waits for its turn", "wait for their turn"),
    "before": ("has had its turn", "have had their turn"),
}
_INNERMOST: Final[dict[Turn, tuple[str, str]]] = {
    "later": ("waits for its own", "wait for theirs"),
    "before": ("has run its own", "have run theirs"),
}
_OUTER: Final[dict[Turn, tuple[str, str]]] = {
    "later": ("waits for the other side of", "wait for the other side of"),
    "before": ("has run the other side of", "have run the other side of"),
}


def warp_clause(state: WarpState) -> str:
    """Say which lanes of a warp run, and what the others do."""
    running, count = state.lanes(RUNS), len(state.state)
    split = state.splits[-1] if state.splits else None
    parts = []
    if split is not None and all(side.turn != "now" for side in split.sides):
        parts.append(_decision(split))  # the step evaluates the condition
    else:
        if len(running):
            parts.append(_running(running, split, count))
        if split is not None:
            parts.append(_others(split, innermost=True))
    parts += [_others(split, innermost=False) for split in state.splits[-2::-1]]
    for number, (one, many) in _ALONE.items():
        lanes = state.lanes(number)
        if len(lanes):
            parts.append(f"{_who(lanes, count)} {agree(len(lanes), one, many)}")
    return f"warp {state.warp}: {', '.join(parts)}" if parts else f"warp {state.warp} does not run this"


def split_words(split: Split) -> str:
    """Return "line 12: if (x < 16)", or the head of the loop."""
    head = {"branch": f"if ({split.text})", "loop": f"loop while {split.text}" if split.text else "endless loop"}
    return f"line {split.line}: {head.get(split.kind, split.text)}"


def side_words(split: Split, side: Side) -> str:
    """Return the value of the condition and when the side runs: "true: now"; of a loop, "goes on: now"."""
    if split.kind == "loop":
        return "has left" if side.taken is False else f"goes on: {_TURNS[side.turn]}"
    name = {True: "true", False: "false", None: "these" if side.turn == "now" else "others"}[side.taken]
    return f"{name}: {_TURNS[side.turn]}"


def lane_ranges(lanes: Lanes) -> str:
    """Return numbers of lanes as ranges: "0–15", "0, 2–4", "1, 3, … 31"."""
    breaks = np.flatnonzero(np.diff(lanes) != 1) + 1
    runs = np.split(lanes, breaks)
    if len(runs) <= _MOST_RANGES:
        return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
    if len(np.unique(np.diff(lanes))) == 1:
        return f"{lanes[0]}, {lanes[1]}, … {lanes[-1]}"
    first = ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs[: _MOST_RANGES - 1])
    return f"{first}, … {lanes[-1]} ({len(lanes)} lanes)"


def _who(lanes: Lanes, count: int) -> str:
    """Return "lanes 0–15", "lane 3", or "all 32 lanes"."""
    if len(lanes) == count:
        return f"all {count} lanes" if count > 1 else "its only lane"
    return f"{agree(len(lanes), 'lane', 'lanes')} {lane_ranges(lanes)}"


def _running(lanes: Lanes, split: Split | None, count: int) -> str:
    who = _who(lanes, count)
    if split is not None and split.kind == "loop":
        return f"{who} {agree(len(lanes), 'goes', 'go')} round the loop"
    side = " side" if split is not None and split.has_else else ""
    return f"{who} {agree(len(lanes), 'runs', 'run')} this{side}"


def _others(split: Split, *, innermost: bool) -> str:
    """Say what the lanes do that are apart from the running ones since a split."""
    side = next(side for side in split.sides if side.turn != "now")
    who, one = _who(side.lanes, 0), len(side.lanes) == 1
    if split.kind == "loop":
        return f"{who} {'has' if one else 'have'} left the loop"
    if split.kind == "other":
        words, of = _OTHERS, ""
    elif innermost:
        words, of = _INNERMOST, ""
    else:
        words, of = _OUTER, f" “{split.text}”"
    skip = ("skips the side of", "skip the side of") if of else ("skips it", "skip it")
    return f"{who} {words.get(side.turn, skip)[0 if one else 1]}{of}"


def _decision(split: Split) -> str:
    """Say which lanes take which side of the branch that this step evaluates."""
    yes, no = split.sides
    if split.kind == "loop":
        return (
            f"{_who(yes.lanes, 0)} {agree(len(yes.lanes), 'goes', 'go')} on with the loop, "
            f"{_who(no.lanes, 0)} {agree(len(no.lanes), 'leaves', 'leave')} it"
        )
    skip = ", which skips the branch" if len(no.lanes) == 1 else ", which skip the branch"
    then = ": the sides take turns" if split.has_else else skip
    return f"{split.text} is true for {_who(yes.lanes, 0)}, false for {_who(no.lanes, 0)}{then}"
