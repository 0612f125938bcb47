from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis.registers import last_assignment
from kernels.analysis.step_values import step_values
from tests.cases import Cases
from tests.kernels.analysis.traces import source, step_of

if TYPE_CHECKING:
    from kernels.trace import Trace

CASES = Cases(__file__)


@pytest.mark.parametrize(("on", "name", "stored", "values"), CASES("values"))
def test_values(on: str, name: str, stored: bool, values: list[float]) -> None:
    trace = source(CASES.source("kernel"), "1", "4", "A=f32[4]:iota")
    found = step_values(trace, step_of(trace, on), 0, np.arange(4, dtype=np.int32))
    assert found is not None
    assert (found.name, found.stored, found.values.tolist()) == (name, stored, values)
    assert found.known.all()


def test_a_barrier_has_none() -> None:
    trace = source(CASES.source("kernel"), "1", "4", "A=f32[4]:iota")
    assert step_values(trace, step_of(trace, "__syncthreads"), 0, np.arange(4, dtype=np.int32)) is None


def test_a_value_is_found_however_long_ago_each_lane_has_assigned_it() -> None:
    text = CASES.source("a_value_is_found_however_long")
    trace = source(text, "1", "4", "A=f32[4]:iota")
    found = last_assignment(trace, register_named(trace, "v"), trace.steps - 1, np.array([3, 0, 1], np.int32))
    assert found.values.tolist() == [3.0, 0.0, 7.0]
    assert (np.diff(found.rows) > 0).all()
    assert found.rows[2] - found.rows[1] > 3000
    loop = int(trace.set_step[found.rows[2]]) - 1
    assert last_assignment(trace, register_named(trace, "v"), loop, np.array([1], np.int32)).values.tolist() == [10.0]


def register_named(trace: Trace, name: str) -> int:
    return next(number for number, register in enumerate(trace.registers) if register.name == name)
