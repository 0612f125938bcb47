"""Random kernels do in the simulator what they do in the oracle: bit for bit, line by line, access by access."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import HealthCheck, given, settings

from kernels.simt import Options, run
from kernels.source import parse
from tests.kernels.simt.fuzz_programs import programs
from tests.kernels.simt.oracle import launch as oracle

if TYPE_CHECKING:
    from kernels.trace import Trace
    from tests.kernels.simt.fuzz_frame import Random

LONG = os.environ.get("TILESCOPE_FUZZ")
"""How many programs a long run tries, other ones every time; otherwise it is the same few, to be quick."""


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


@settings(
    max_examples=int(LONG or 60), derandomize=not LONG, deadline=None, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(random=programs())
def test_the_simulator_does_what_the_oracle_does(random: Random) -> None:
    program = parse(random.source, "random.cu")
    arguments = random.arguments()
    found = run(program, random.launch, arguments, options=Options(random.schedule, contract=False))
    expected = oracle.run(program, random.launch, arguments)
    assert [hazard for hazard in found.hazards if hazard.kind != "index-overflow"] == []  # ints wrap in both
    for name, values in found.outputs.items():
        np.testing.assert_array_equal(values.reshape(-1), expected.outputs[name], strict=True, err_msg=name)
    assert Counter(found.printf) == Counter(expected.printed)
    names = {name for log in expected.logs for name, _ in log}
    assert accesses(found, names) == expected.logs
