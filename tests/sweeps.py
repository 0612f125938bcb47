"""Sweeps of many cases over a few values, of which the plain test command runs a part.

Cases marked `exhaustive` are left out by the plain command (pyproject.toml) and run by `pytest -m exhaustive`, as CI
does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from _pytest.mark.structures import ParameterSet

    from kernels.catalog import Kernel

HANDFUL: Final = (
    "hello_grid",  # no arrays
    "index_map",  # an output, and no sum
    "cpu_parallel",  # a CPU baseline
    "matmul_tiled",  # tiles in shared memory, in blocks of two dimensions
    "matmul_vectorized",  # accesses of 16 bytes, several results a thread
    "matmul_async",  # blocks of one dimension, copies and products in inline PTX
    "mmt_stripe",  # atomic functions, dynamic shared memory
    "mmt_symmetric:x=column",  # an option, blocks that do nothing
    "lesson_missing_barrier",  # a data race
    "lesson_missing_guard",  # accesses outside of arrays
)
"""One kernel of the catalogue of each kind: of a sweep over all of them, the plain command takes these."""

RIGHT_BY_LUCK: Final = ("lesson_barrier_in_guard",)
"""Lessons whose behaviour is undefined, though the simulator's result is correct."""


def in_handful(kernel: Kernel) -> bool:
    """Whether the plain command takes a kernel where it does not take all; an option's first choice stands for both."""
    return kernel.id in HANDFUL or any(name.startswith(f"{kernel.id}:") for name in HANDFUL)


def handful(kernels: Iterable[Kernel]) -> list[ParameterSet]:
    """Mark all kernels exhaustive but one of each kind."""
    return [
        pytest.param(kernel, id=kernel.id, marks=() if in_handful(kernel) else (pytest.mark.exhaustive,))
        for kernel in kernels
    ]


def in_turn(
    cases: Iterable[Any],
    values: Sequence[Any],
    name: Callable[[Any], str] | None = None,
    first: int = 1,
    plain: Callable[[Any], bool] = lambda case: True,
) -> list[ParameterSet]:
    """Pair every case with every value; all but `first` of the pairs of each case are marked exhaustive.

    The values rotate, so that the plain command runs every case and every value: with four schedules and `first` = 1,
    case 0 runs under schedule 0, case 1 under schedule 1, ..., case 4 under schedule 0 again. Cases that are not
    `plain` are exhaustive under every value, and do not count. `name` gives the part of a test's id that names the
    case; without it this is the number of the case.
    """
    found = []
    turn = 0
    for number, case in enumerate(cases):
        takes_part = plain(case)
        for at, value in enumerate(values):
            parts = case if isinstance(case, tuple) else (case,)
            chosen = takes_part and (at - turn) % len(values) < first
            label = f"{name(case) if name else number}-{value}"
            marks = () if chosen else (pytest.mark.exhaustive,)
            found.append(pytest.param(*parts, value, id=label, marks=marks))
        turn += takes_part
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


def mark_repetitions(items: Iterable[pytest.Item]) -> None:
    """Mark repetitions of a case under other schedules, and without a record, exhaustive.

    For tests that take `schedule` or `record` by a decorator of its own: of each case the plain command takes one
    combination in turn, and two where there is only one case. The digests hold the hazard corpus and the catalogue
    under every schedule.
    """
    tests: dict[tuple[str, str], dict[str, list[pytest.Function]]] = {}
    for item in items:
        swept = [mark.args[0] for mark in item.iter_markers("parametrize") if mark.args[0] in ("schedule", "record")]
        if not swept or not isinstance(item, pytest.Function) or item.get_closest_marker("exhaustive"):
            continue
        assert item.parent is not None
        case = f"-{item.callspec.id}-"
        for name in swept:
            case = case.replace(f"-{item.callspec.params[name]}-", "-", 1)
        tests.setdefault((item.parent.nodeid, item.originalname), {}).setdefault(case, []).append(item)
    for number, cases in enumerate(tests.values()):
        taken = 2 if len(cases) == 1 else 1
        for turn, repetitions in enumerate(cases.values(), number):
            for at, item in enumerate(repetitions):
                if (at - turn) % len(repetitions) >= taken:
                    item.add_marker(pytest.mark.exhaustive)


def exhaustive(*values: Any) -> list[ParameterSet]:
    """Mark values of a parameter exhaustive."""
    return [pytest.param(value, marks=pytest.mark.exhaustive) for value in values]
