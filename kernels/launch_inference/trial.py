"""Trial of a launch for a few steps, with repairs: sizes of arrays, undefined macros, shapes of textures."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.arguments import TYPES
from kernels.cancellation import Cancelled, cancellable
from kernels.custom_launch.run import perform
from kernels.errors import ImageShape, ImageType, SourceError, TilescopeError, UnknownArrayLength, UnknownName
from kernels.launch_inference.fitting import fit_arrays, probe
from kernels.launch_inference.sizes import is_pitch
from kernels.launch_inference.values import with_fill
from kernels.simt import Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.custom_launch.model import CustomLaunch
    from kernels.errors import Cause
    from kernels.launch_inference.drafts import Draft
    from kernels.trace import Trace

_MOST_STEPS: Final = 20_000
_MOST_BYTES: Final = 1 << 26
_TRIES: Final = 5

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
    """Hazards, with a penalty for a run that failed; 0 for none."""

    @property
    def failed(self) -> bool:
        """Whether the run was refused, stopped early, or had no result: no thread passed the guard."""
        return self.problems >= _FAILED


_REFUSED: Final = 1_000_000
_FAILED: Final = 1000


def try_out(draft: Draft, cancelled: Callable[[], bool]) -> Trial:
    """Run a launch for at most `_MOST_STEPS` steps with long arrays, fit these to what it accesses, and run it again.

    Errors and results that are not complete lead to repairs and another run.
    """
    trial = Trial(draft.launch, _REFUSED)
    custom = probe(draft)
    fitted = draft.kernel is None
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
            if not fitted:
                fitted, repaired = True, fit_arrays(draft, custom, trace)
                trial = Trial(repaired, _REFUSED)
            else:
                problems = len(trace.hazards) + _FAILED * (bool(trace.stopped) or not _has_result(trace))
                if problems < trial.problems:
                    trial = Trial(custom, problems)
                repaired = _initialise(custom, trace, filters=draft.kernel is not None and draft.kernel.uses.filters)
        if repaired == custom or cancelled():
            break
        custom = repaired
    return trial


def _has_result(trace: Trace) -> bool:
    """Return whether a thread wrote to an argument, or printed."""
    written = {
        site.array for site in map(trace.sites.__getitem__, np.unique(trace.group_site)) if site.access != "read"
    }
    return bool(trace.printf) or any(trace.arrays[array].space in ("global", "texture") for array in written)


def _initialise(custom: CustomLaunch, trace: Trace, *, filters: bool) -> CustomLaunch:
    """Fill with zeros the results of which the kernel means to leave some elements.

    It leaves the border if the first element is not written, the ends of rows that are longer than the matrix is wide,
    and elements that do not pass a condition on the data.
    """
    left = {
        hazard.array
        for hazard in trace.hazards
        if hazard.kind == "result-never-written" and (hazard.index == 0 or filters or any(map(is_pitch, trace.scalars)))
    }
    values = tuple(
        replace(value, text=with_fill(value.text, "zeros")) if value.name in left else value for value in custom.values
    )
    return replace(custom, values=values)


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
