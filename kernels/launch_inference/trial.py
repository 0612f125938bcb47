"""Trial of a launch for a few steps, with repairs: sizes of arrays, undefined macros, shapes of textures."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.arguments import TYPES
from kernels.cancellation import Cancelled, cancellable
from kernels.custom_launch.run import perform
from kernels.errors import ImageShape, ImageType, SourceError, TilescopeError, UnknownArrayLength, UnknownName
from kernels.simt import Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.custom_launch.model import CustomLaunch, LaunchValue
    from kernels.errors import Cause
    from kernels.trace import Trace

_MOST_STEPS: Final = 20_000
_MOST_BYTES: Final = 1 << 26
_TRIES: Final = 4
_LARGEST: Final = 1 << 16
"""The most elements to which an array is enlarged."""

_MOST_SHARED_BYTES: Final = 48 * 1024

PROPOSED_SHARED_BYTES: Final = 1024
"""Dynamic shared memory of a first trial, which is then reduced to what the kernel accesses."""

_BY_FAR: Final = 1.5
"""An index that exceeds an array by a smaller factor is taken for a bug of the kernel, which the user should see; by a
larger one, for a wrong guess of the size."""

_MACRO: Final = re.compile(r"[A-Z_][A-Z\d_]*")
"""A name that is that of a macro by convention."""

_SIDE: Final = 8
"""Value of an unknown macro, and length of an unknown side of an image."""

_TYPE: Final = re.compile(r"^\w+")
_DIMENSIONS: Final = re.compile(r"\[([\d,]+)\]")


@dataclass(frozen=True, slots=True)
class Trial:
    """A launch after repairs, and the problems of its run."""

    launch: CustomLaunch
    problems: int
    """Hazards, with a penalty for a run that stopped early or was refused; 0 for none."""


_REFUSED: Final = 1_000_000
_STOPPED: Final = 1000


def try_out(custom: CustomLaunch, cancelled: Callable[[], bool]) -> Trial:
    """Run a launch for at most `_MOST_STEPS` steps, repair it by the errors or hazards, and repeat."""
    trial = Trial(custom, _REFUSED)
    for _ in range(_TRIES):
        options = Options(max_steps=_MOST_STEPS, max_memory_bytes=_MOST_BYTES, cancelled=cancelled, advise=False)
        try:
            with cancellable(cancelled):
                trace = perform(custom, options)
        except Cancelled:
            break
        except SourceError as error:
            repaired = _repair(custom, error.cause)
        except TilescopeError:
            break
        else:
            problems = len(trace.hazards) + _STOPPED * bool(trace.stopped)
            if problems < trial.problems:
                trial = Trial(custom, problems)
            repaired = _fit_arrays(custom, trace)
        if repaired == custom or cancelled():
            break
        custom = repaired
    return trial


def _repair(custom: CustomLaunch, cause: Cause | None) -> CustomLaunch:
    """Return a launch without the cause of an error; the same launch if none of its values is the cause."""
    match cause:
        case UnknownName(name):
            return _define(custom, (name,))
        case UnknownArrayLength(names):
            return _define(custom, names)
        case ImageShape(array, shape):
            sides = ",".join(str(_SIDE if side is None else side) for side in shape)
            return _substitute(custom, array, _DIMENSIONS, f"[{sides}]")
        case ImageType(array, dtype):
            letters = next((word for word, name in TYPES.items() if name == dtype), None)
            return custom if letters is None else _substitute(custom, array, _TYPE, letters)
    return custom


def _define(custom: CustomLaunch, names: tuple[str, ...]) -> CustomLaunch:
    """Define the first of these names that is a macro by convention; its definition is in another file."""
    name = next(filter(_MACRO.fullmatch, names), None)
    return custom if name is None else replace(custom, defines=f"{custom.defines} {name}={_SIDE}".strip())


def _substitute(custom: CustomLaunch, name: str, part: re.Pattern[str], text: str) -> CustomLaunch:
    """Replace a part of one value by a text."""
    values = (
        replace(value, text=part.sub(text, value.text, count=1)) if value.name == name else value
        for value in custom.values
    )
    return replace(custom, values=tuple(values))


def _fit_arrays(custom: CustomLaunch, trace: Trace) -> CustomLaunch:
    """Enlarge arrays that indices exceed by far; reduce arrays of which at most half is written.

    Arrays of a launch of three dimensions get as many elements as the kernel accesses: their lengths are unknown, and
    only a size that these divide can be shown as slices.
    """
    missed = {hazard.array for hazard in trace.hazards if hazard.kind == "out-of-bounds"}
    unwritten = {hazard.array for hazard in trace.hazards if hazard.kind == "result-never-written"} - missed
    needs: dict[str, int] = {}
    shared_bytes = _shared_bytes(custom, trace)
    deep = trace.launch.grid.z > 1 or trace.launch.block.z > 1
    for number, info in enumerate(trace.arrays):
        need = _reach(trace, number) if deep or info.name in missed | unwritten else 0
        if info.name in missed | unwritten:
            too_small = info.name in missed and need > _BY_FAR * info.size
            if too_small and info.space == "shared":
                shared_bytes = max(shared_bytes, need * info.dtype.itemsize)
            elif too_small or (info.name in unwritten and 2 * need <= info.size):
                needs[info.name] = need
        elif deep and info.space == "global" and 0 < need < info.size:
            needs[info.name] = need
    if max(needs.values(), default=0) > _LARGEST:
        return custom
    values = tuple(_with_elements(value, needs.get(value.name, 0)) for value in custom.values)
    return replace(custom, values=values, shared=str(min(shared_bytes, _MOST_SHARED_BYTES)))


def _shared_bytes(custom: CustomLaunch, trace: Trace) -> int:
    """Return the dynamic shared memory of a launch; of the proposed size, the bytes that the kernel accesses."""
    whole = int(custom.shared)
    used = [
        _reach(trace, number) * info.dtype.itemsize
        for number, info in enumerate(trace.arrays)
        if info.space == "shared" and info.size * info.dtype.itemsize == whole
    ]
    return min(whole, max(used, default=0) or whole) if whole == PROPOSED_SHARED_BYTES else whole


def _reach(trace: Trace, array: int) -> int:
    """Return the number of elements that an array needs for every access to it."""
    most = 0
    for number, site in enumerate(trace.sites):
        if site.array == array:
            for group in np.flatnonzero(trace.group_site == number):
                index = trace.index[trace.group_first[group] : trace.group_first[group + 1]]
                most = max(most, int(index.max(initial=-1)) + site.width)
    return most


def _with_elements(value: LaunchValue, need: int) -> LaunchValue:
    """Return a value with as many rows of its array, or elements of a one-dimensional one, as needed."""
    dimensions = _DIMENSIONS.search(value.text)
    if dimensions is None or not need or value.kind.count("*") > 1:
        return value
    _, *rest = (int(length) for length in dimensions[1].split(","))
    shape = ",".join(map(str, (-(-need // math.prod(rest)), *rest)))
    return replace(value, text=value.text.replace(dimensions[0], f"[{shape}]", 1))
