"""Sweeps of many cases over a few values, of which the plain test command runs a part.

Cases marked `exhaustive` are left out by the plain command (pyproject.toml) and run by `pytest -m exhaustive`, as CI
does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from _pytest.mark.structures import ParameterSet


def in_turn(
    cases: Iterable[Any], values: Sequence[Any], name: Callable[[Any], str] | None = None, first: int = 1
) -> list[ParameterSet]:
    """Pair every case with every value; all but `first` of the pairs of each case are marked exhaustive.

    The values rotate, so that the plain command runs every case and every value: with four schedules and `first` = 1,
    case 0 runs under schedule 0, case 1 under schedule 1, ..., case 4 under schedule 0 again. `name` gives the part of
    a test's id that names the case; without it this is the number of the case.
    """
    found = []
    for number, case in enumerate(cases):
        for at, value in enumerate(values):
            parts = case if isinstance(case, tuple) else (case,)
            chosen = (at - number) % len(values) < first
            label = f"{name(case) if name else number}-{value}"
            marks = () if chosen else (pytest.mark.exhaustive,)
            found.append(pytest.param(*parts, value, id=label, marks=marks))
    return found


def one_in(
    count: int, cases: Iterable[Any], name: Callable[[Any], str] | None = None, offset: int = 0
) -> list[ParameterSet]:
    """Mark all cases exhaustive but one in `count`, from the one at `offset` on."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            id=name(case) if name else None,
            marks=() if number % count == offset else (pytest.mark.exhaustive,),
        )
        for number, case in enumerate(cases)
    ]


def exhaustive(*values: Any) -> list[ParameterSet]:
    """Mark values of a parameter exhaustive."""
    return [pytest.param(value, marks=pytest.mark.exhaustive) for value in values]
