"""Every barrier of the catalogue is needed: without it the simulator reports a race, whatever the order of warps.

In the plain command the barriers of one kernel of each kind are removed, each under one schedule, in turn; the
exhaustive command takes all kernels and all schedules.
"""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from kernels import CUDA_FOLDER
from kernels.catalog import Kernel, catalog, read_kernel
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size
from tests.sweeps import in_handful, in_turn

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.trace import Hazard

BARRIER = re.compile(r"\b__syncthreads\(\);")
CASES = [
    (kernel, number)
    for kernel in catalog()
    if kernel.file is not None and not kernel.flaw
    for number in range(len(BARRIER.findall(kernel.text)))
]


def hazards(kernel: Kernel, schedule: str) -> tuple[Hazard, ...]:
    blocks = (kernel.block,) if kernel.block_rules else (*kernel.blocks, kernel.block)
    block = max(blocks, key=lambda block: (block.count <= 128, block.count))
    sides = {block.x, block.y} - {1}
    size = kernel.workload.fit(Size(*(2 * max(sides, default=4),) * 3)) if block.y > 1 else kernel.size
    return trace_kernel(kernel, size, Dim3(*block), options=Options(schedule, record=False)).hazards


@pytest.mark.parametrize(
    ("kernel", "number", "schedule"),
    in_turn(
        CASES,
        ["lockstep", "warps", "reversed", "shuffle:2"],
        lambda case: f"{case[0].id}-{case[1]}",
        plain=lambda case: in_handful(case[0]),
    ),
)
def test_without_it_there_is_a_race(kernel: Kernel, number: int, schedule: str, tmp_path: Path) -> None:
    assert hazards(kernel, schedule) == ()
    where = list(BARRIER.finditer(kernel.text))[number]
    file = tmp_path / f"{kernel.id}.cu"
    file.write_text(kernel.text[: where.start()] + kernel.text[where.end() :], encoding="utf-8")
    for rules in CUDA_FOLDER.glob("*.toml"):  # of blocks, beside the kernels that they are for
        shutil.copy(rules, tmp_path)
    found = hazards(read_kernel(file), schedule)
    if "mbarrier" in kernel.text:  # some schedules wait at a barrier that has not been initialised
        assert found
        return
    assert {hazard.kind for hazard in found} == {"data-race"}
    assert all("__sync" in hazard.message for hazard in found)
