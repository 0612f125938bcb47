"""Launches of the kernels that other tests have found free of hazards."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from kernels.architecture import SM_80, Architecture
from kernels.arguments import parse_arguments, parse_defines
from kernels.catalog import catalog
from kernels.errors import SourceError
from kernels.frontend import parse_with_instances
from kernels.launch import Dim3, Launch
from kernels.recorder.instrument import instrument
from kernels.simt import choose_kernel
from kernels.tracing import Job
from tests.kernels.hazards.corpus import Case, cases

_BY_TIMING: Final = (
    "bfs_step",
    "total_by_last_block",
    "total_by_last_block_counter_reset",
    "persistent_blocks",
    "union_find",
    "scan_look_back",
    "scan_look_back_packed",
    "product_by_macro",
)
"""Kernels whose first or last thread to arrive does more than the others."""

RECORDED: Final = [
    k
    for k in catalog()
    if k.runs_on == "cuda" and not k.flaw and not any(word in k.text for word in ("mbarrier", "expf"))
]
"""Kernels of the catalogue but the lessons, those with barriers that the recorder does not know, and those with
functions of CUDA's mathematics library, which differ in the last digits."""

NOT_RECORDED: Final = (
    "chained_scan",
    "chained_sum_ptx",
    "last_block_acq_rel",
    "lock_test_and_set",
    "named_barriers",
    "producer_and_consumers",
    "spin_lock_ptx_acquires",
    "split_k_semaphore",
    "sum_pipeline",
    "tensor_tiles",
    "warps_of_two_kinds",
    "wgmma_mbarrier",
    "wgmma_tile",
    "wgmma_tile_wrong_swizzle",
    "wgmma_two_tiles",
)
"""Kernels that the recorder refuses, since to try each takes seconds: see `is_recorded`."""

_LAST_DIGITS: Final = ("softmax",)
"""Kernels whose results contain functions of CUDA's mathematics library, which differ in the last digits."""


def _by_timing(case: Case) -> bool:
    """Return whether the steps of a thread depend on its time of arrival, as while it waits for others."""
    return case.name in _BY_TIMING or "while (atomic" in case.file.read_text(encoding="utf-8")


def is_recorded(case: Case) -> bool:
    """Return whether a GPU can record it: not atomics and barriers that are objects of a library, for example."""
    job = job_of_case(case)
    try:
        instrument(job.program, job.function, job.launch, job.arguments, job.instances)
    except SourceError:
        return False
    return True


def job_of_case(case: Case) -> Job:
    """Return the launch that a case's words for `tilescope trace` mean."""
    given: dict[str, list[str]] = defaultdict(list)
    for option, value in zip(case.words[::2], case.words[1::2], strict=True):
        given[option].append(value)
    architecture = Architecture.parse(given["--arch"][0]) if given["--arch"] else SM_80
    defines = architecture.among(parse_defines(given["-D"]).items())
    program, instances = parse_with_instances(case.file.read_text(encoding="utf-8"), case.file.name, defines)
    shared = int(given["--dynamic-shared"][0]) if given["--dynamic-shared"] else 0
    launch = Launch(Dim3.parse(given["--grid"][0]), Dim3.parse(given["--block"][0]), shared)
    return Job(
        program, choose_kernel(program, None, instances=instances), launch, parse_arguments(given["--arg"]), instances
    )


ALL_CLEAN: Final = {
    case.name: case for case in cases() if not case.hazards and not _by_timing(case) and case.name not in _LAST_DIGITS
}
CLEAN: Final = {name: case for name, case in ALL_CLEAN.items() if name not in NOT_RECORDED}
