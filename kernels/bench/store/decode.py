"""Decoding of stored rows; values that no measurement can have written are refused.

A file is used for years, copied between machines, and may be damaged. A bad row must cost that row only, so the type
and range of every column are checked here before anything is computed from it.
"""

from __future__ import annotations

import json
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kernels.bench.measure.conditions import Conditions
from kernels.bench.measure.environment import Environment
from kernels.bench.measure.stopping import STOPS
from kernels.bench.sample import MEMORIES, OUTCOMES, PARTS, REPEATS, Entry, Point, Sample
from kernels.errors import TilescopeError
from kernels.launch import Dim3
from kernels.verify.model import Checks
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.gpu.memory import Memory

Word = TypeVar("Word", bound=str)

SHORTEST_MS: Final = 1e-9
"""A picosecond: no clock of a CPU or GPU counts faster."""

LONGEST_MS: Final = 1e12
"""Thirty years."""


class RowError(Exception):
    """A row that cannot be used. The message has none of its values, so that rows with the same reason are counted."""


def decode_sample(values: Mapping[str, Any]) -> Sample:
    """Return the sample in a row of the table of samples; raises RowError."""
    _whole(values, "run")
    block = _field(values, "block")
    entry = _entry(
        _text(values, "kernel", empty=False),
        None if block is None else _text(values, "block"),
        _whole(values, "threads"),
        _one_of(MEMORIES, _field(values, "memory"), "the memory of its arrays is not known"),
        bool(_whole(values, "cold")),
        _text(values, "launch"),
    )
    size = _size(_whole(values, "m", 1), _whole(values, "n", 1), _whole(values, "k", 1))
    return Sample(
        Point(entry, size),
        _one_of(OUTCOMES, _field(values, "outcome"), "its outcome is not known"),
        _times(_json(values, "times_ms"), SHORTEST_MS),
        _whole(values, "launches"),
        _whole(values, "flops"),
        _text(values, "checked"),
        _text(values, "error"),
        _text(values, "taken"),
        _text(values, "environment"),
        _parts(_json(values, "parts_ms")),
        _checks(_json(values, "checks")),
        _one_of(STOPS, _field(values, "stopped"), "why its timing stopped is not known"),
        bool(_whole(values, "captured")),
        _one_of(REPEATS, _field(values, "repeat"), "the result of its second measurement is not known"),
        _seconds(values, "duration_s"),
        _text(values, "baseline"),
        _times(_json(values, "baseline_ms"), SHORTEST_MS),
        _conditions(_json(values, "conditions")),
    )


def decode_environment(fields: Any) -> Environment:
    """Return the environment that a column of JSON describes; raises RowError."""
    found = _json({"fields": fields}, "fields")
    if not isinstance(found, dict):
        raise RowError("“fields” is not a JSON object")
    return Environment.from_json(found)


def decode_started(value: Any) -> str:
    """Return the time at which a run was started, ISO 8601; "" where the column has none."""
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return ""
    return str(value)


def decode_point_count(plan: Any) -> int | None:
    """Return the number of points in a run's plan; None where it cannot be read."""
    try:
        return len(_json({"plan": plan}, "plan")["points"])
    except (RowError, KeyError, TypeError):
        return None


def decode_options(plan: Any) -> dict[str, Any]:
    """Return the fields of a run's plan except its points; empty where it cannot be read."""
    try:
        fields = _json({"plan": plan}, "plan")
    except RowError:
        return {}
    return {name: value for name, value in fields.items() if name != "points"} if isinstance(fields, dict) else {}


def _field(values: Mapping[str, Any], name: str) -> Any:
    try:
        return values[name]
    except KeyError:
        raise RowError(f"the column “{name}” is missing") from None


def _text(values: Mapping[str, Any], name: str, *, empty: bool = True) -> str:
    value = _field(values, name)
    if not isinstance(value, str) or not (value or empty):
        raise RowError(f"“{name}” is not a text")
    return value


def _whole(values: Mapping[str, Any], name: str, least: int = 0) -> int:
    value = _field(values, name)
    if not isinstance(value, int) or value < least:
        raise RowError(f"“{name}” is not a whole number from {least} up")
    return value


def _seconds(values: Mapping[str, Any], name: str) -> float:
    value = _field(values, name)
    if type(value) not in (int, float) or not 0 <= value <= LONGEST_MS:
        raise RowError(f"“{name}” is not a number of seconds")
    return float(value)


def _json(values: Mapping[str, Any], name: str) -> Any:
    try:
        return json.loads(_text(values, name))
    except (ValueError, RecursionError):
        raise RowError(f"“{name}” is not JSON") from None


def _one_of(words: tuple[Word, ...], value: Any, problem: str) -> Word:
    if value not in words:
        raise RowError(problem)
    return words[words.index(value)]


# A run has many rows, but few entries and sizes. Caching makes equal ones one object: Python's garbage collector then
# visits a few objects instead of one for every row.


@lru_cache(maxsize=4096)
def _entry(kernel: str, block: str | None, threads: int, memory: Memory, cold: bool, launch: str) -> Entry:
    try:
        return Entry(kernel, None if block is None else Dim3.parse(block), threads, memory, cold, launch)
    except TilescopeError:
        raise RowError("its block is not one to three whole numbers from 1 up") from None


@lru_cache(maxsize=16384)
def _size(m: int, n: int, k: int) -> Size:
    return Size(m, n, k)


def _times(value: Any, shortest_ms: float) -> tuple[float, ...]:
    if not isinstance(value, list) or not all(type(time) in (int, float) for time in value):
        raise RowError("its times are not a list of numbers")
    if not all(shortest_ms <= time <= LONGEST_MS for time in value):  # false for NaN, too
        raise RowError("a time is zero, negative, not a number or infinite")
    return tuple(map(float, value))


def _parts(value: Any) -> dict[str, tuple[float, ...]]:
    if not isinstance(value, dict) or not set(value) <= set(PARTS):
        raise RowError("the parts of its times are not known")
    return {part: _times(times_ms, 0.0) for part, times_ms in value.items()}


def _checks(value: Any) -> Checks | None:
    try:
        return Checks.from_json(value) if value else None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise RowError("“checks” is not the checks of a result") from None


def _conditions(value: Any) -> Conditions | None:
    try:
        return Conditions.from_json(value) if value else None
    except (AttributeError, TypeError, ValueError):
        raise RowError("“conditions” is not the conditions of a measurement") from None
