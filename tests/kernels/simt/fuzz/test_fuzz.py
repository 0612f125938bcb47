"""Random kernels do in the simulator what they do in the interpreter: bit for bit, line by line, access by access.

The plain command tries a few programs, the exhaustive command more of the same sequence; with TILESCOPE_FUZZ=n both
try n programs, different ones every time.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from kernels.frontend import parse
from kernels.simt import Options, run
from tests.kernels.simt.fuzz.frame import HEAD
from tests.kernels.simt.fuzz.interpreter import launch as oracle
from tests.kernels.simt.fuzz.interpreter.races import has_race
from tests.kernels.simt.fuzz.programs import programs
from tests.kernels.simt.programs import assert_same

if TYPE_CHECKING:
    from kernels.frontend.ast import Program
    from kernels.trace import Trace
    from tests.kernels.simt.fuzz.frame import Random

LONG = os.environ.get("TILESCOPE_FUZZ")
"""Number of programs of a long run, or nothing."""

BREAKABLE = re.compile(r"__syncthreads\(\);|(?<=[\w\]]\[)[tg](?=\])")
"""Barriers, and indices of elements that only one thread uses."""

few, more = (
    settings(
        max_examples=int(LONG or count),
        derandomize=not LONG,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    for count in (4, 40)
)


def accesses(trace: Trace, names: set[str]) -> list[dict[tuple[str, int], list[tuple[str, int]]]]:
    """What each lane did to each element, in order: (access, width)."""
    logs: list[dict[tuple[str, int], list[tuple[str, int]]]] = [{} for _ in range(trace.launch.thread_count)]
    for number in range(len(trace.group_step)):
        group = trace.group(number)
        if group.array.name not in names:
            continue
        for lane, index in zip(group.lanes.tolist(), group.index.tolist(), strict=True):
            for element in range(index, index + group.site.width):
                done = logs[lane].setdefault((group.array.name, element), [])
                done.append((group.site.access, group.site.width))
    return logs


def found_by(random: Random, program: Program, *, record: bool = True) -> Trace:
    options = Options(random.schedule, contract=False, record=record)
    return run(program, random.launch, random.arguments(), options=options)


@few
@given(random=programs())
def test_the_simulator_does_what_the_interpreter_does(random: Random) -> None:
    compare_with_interpreter(random)


@pytest.mark.exhaustive
@more
@given(random=programs())
def test_the_simulator_does_what_the_interpreter_does_in_more_programs(random: Random) -> None:
    compare_with_interpreter(random)


def compare_with_interpreter(random: Random) -> None:
    program = parse(random.source, "random.cu")
    found = found_by(random, program)
    expected = oracle.run(program, random.launch, random.arguments())
    assert [hazard for hazard in found.hazards if hazard.kind != "index-overflow"] == []  # ints wrap in both
    for name, values in found.outputs.items():
        np.testing.assert_array_equal(values.reshape(-1), expected.outputs[name], strict=True, err_msg=name)
    assert Counter(found.printf) == Counter(expected.printed)
    names = {name for log in expected.logs for name, _ in log}
    assert accesses(found, names) == expected.logs
    assert_same(found, found_by(random, program, record=False))


@few
@given(random=programs(), where=st.integers(0, 1 << 16))
def test_a_race_is_reported_where_there_is_one(random: Random, where: int) -> None:
    compare_races(random, where)


@pytest.mark.exhaustive
@more
@given(random=programs(), where=st.integers(0, 1 << 16))
def test_a_race_is_reported_where_there_is_one_in_more_programs(random: Random, where: int) -> None:
    compare_races(random, where)


def compare_races(random: Random, where: int) -> None:
    """Remove a barrier, or use another thread's element: often, but not always, a race."""
    begin = random.source.index(HEAD) + len(HEAD)
    places = [match.span() for match in BREAKABLE.finditer(random.source, begin)]
    assume(places)
    start, end = places[where % len(places)]
    removed = random.source[start:end]
    replaced = ";" if removed.startswith("__") else f"{removed} / 2"
    program = parse(random.source[:start] + replaced + random.source[end:], "random.cu")
    found = found_by(random, program)
    assert_same(found, found_by(random, program, record=False))
    kinds = {hazard.kind for hazard in found.hazards}
    assume("uninitialised-read" not in kinds)  # what is read then is anything
    expected = oracle.run(program, random.launch, random.arguments())
    spaces = {space: {a.name for a in found.arrays if a.space == space} for space in ("shared", "local")}
    race = has_race(expected, random.launch.block.count, spaces["shared"], spaces["local"])
    event("a race" if race else "no race")
    assert ("data-race" in kinds) == race
