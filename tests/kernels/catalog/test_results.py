"""Every kernel of the catalogue gives the right result at awkward sizes, without hazards, whatever the schedule.

In the plain command one kernel of each kind runs with a third of the pairs of a size and a block, in which every size
and every block occurs, and under one schedule besides lockstep, in turn; the exhaustive command runs the rest. The
known answers of every kernel are in the plain command.
"""

from __future__ import annotations

import numpy as np
import pytest

from kernels.catalog import Kernel, catalog, find_kernel
from kernels.errors import LaunchError
from kernels.fill import Fill
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size, verify
from tests.sweeps import in_handful, in_turn

KERNELS = [v for k in catalog() if k.file is not None and not k.flaw for v in k.variants()]
SIZES = [
    *(Size(n, n, n) for n in (1, 2, 3, 7, 17, 31, 32, 33)),
    Size(5, 3, 7),
    Size(1, 33, 2),
    Size(33, 1, 17),
    Size(16, 32, 8),
]
BLOCKS = [
    *(Dim3(w, w) for w in (1, 2, 4, 8, 16, 32)),
    Dim3(8, 4),
    Dim3(5, 3),
    Dim3(1, 7),
    Dim3(3),
    Dim3(40),
    Dim3(64),
    Dim3(96),
    Dim3(160),
    Dim3(32, 3),
]
RANDOM = Fill("random", (1,))
LEAST = 6
"""Blocks that a kernel takes at least if its launch rule requires nothing."""


def outputs(
    kernel: Kernel, size: Size, block: Dim3, fill: Fill = RANDOM, schedule: str = "lockstep"
) -> dict[str, np.ndarray]:
    trace = trace_kernel(kernel, size, block, fill, Options(schedule, record=False))
    assert trace.hazards == ()
    assert not trace.stopped
    return dict(trace.outputs)


def is_legal(kernel: Kernel, size: Size, block: Dim3) -> bool:
    try:
        kernel.launch(size, block)
    except LaunchError:
        return False
    return True


@pytest.mark.parametrize(("kernel", "third"), in_turn(KERNELS, range(3), lambda kernel: kernel.id, plain=in_handful))
def test_results_are_right_at_every_size_and_block(kernel: Kernel, third: int) -> None:
    taken: set[Dim3] = set()
    most = 17 if kernel.runs_on == "cpu" else 33  # one worker takes as many steps as there are products
    sizes = dict.fromkeys(kernel.workload.fit(s) for s in SIZES if max(s) <= most)
    for number, size in enumerate(sizes):
        inputs = kernel.workload.inputs(size, RANDOM)
        legal = [block for block in dict.fromkeys((*BLOCKS, kernel.block)) if is_legal(kernel, size, block)]
        for block in legal[(third - number) % 3 :: 3]:
            found = outputs(kernel, size, block)
            verdict = verify(kernel.workload, size, inputs, found, tolerance=kernel.tolerance)
            assert verdict.correct, f"{size}, {block}: {verdict.message}"
        taken.update(legal)
    assert len(taken) >= (1 if kernel.require else LEAST)


@pytest.mark.parametrize(
    ("kernel", "schedule"),
    in_turn(KERNELS, ["warps", "reversed", "shuffle:1"], lambda kernel: kernel.id, plain=in_handful),
)
def test_the_schedule_changes_nothing(kernel: Kernel, schedule: str) -> None:
    size, fill = kernel.workload.fit(Size(16, 16, 16)), Fill("mod", (5,))
    for block in dict.fromkeys((Dim3(16, 16), Dim3(8, 8), Dim3(16, 4), Dim3(4), Dim3(1), kernel.block)):
        try:
            plain = outputs(kernel, size, block, fill)
        except LaunchError:
            continue
        for name, values in outputs(kernel, size, block, fill, schedule).items():
            np.testing.assert_array_equal(values, plain[name])


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.workload.id == "mmt"], ids=lambda k: k.id)
def test_known_answers_of_m_times_its_transpose(kernel: Kernel) -> None:
    """M·Mᵀ of 7×7 iota, by hand."""
    block = Dim3(7, 7) if is_legal(kernel, Size(7, 7, 7), Dim3(7, 7)) else kernel.block
    found = outputs(kernel, Size(7, 7, 7), block, Fill("iota"))["P"]
    assert found[0].tolist() == [91, 238, 385, 532, 679, 826, 973]
    assert found[-1, -1] == 14203


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.workload.id.startswith("matmul")], ids=lambda k: k.id)
def test_known_answers_of_a_product(kernel: Kernel) -> None:
    """A·B of 4×4, where row i holds i."""
    block = Dim3(4, 4)
    if kernel.runs_on != "cuda" or not is_legal(kernel, kernel.size, block):
        block = kernel.block
    found = outputs(kernel, Size(4, 4, 4), block, Fill("rows"))["C"]
    assert found.tolist() == [[row] * 4 for row in (0, 6, 12, 18)]


@pytest.mark.parametrize(
    ("kernel", "size", "block", "reason"),
    [
        ("matmul_tiled_exact", "4,4,6", "4,4", "choose M, N and K that are multiples of the tile, or matmul_tiled"),
        ("mmt_tiled_exact", "6", "4,4", "choose an n that is a multiple of the tile, or mmt_tiled"),
        ("matmul_single_block", "33", "32,32", "choose a block as wide as N and as high as M"),
        ("matmul_single_block", "33", "33,33", "block 33×33 has 1,089 threads, the device allows 1,024 a block"),
        ("index_map", "8", "1024,2", "block 1024×2 has 2,048 threads, the device allows 1,024 a block"),
        ("mmt_stripe", "7265", "8,8", "a block needs 232,480 bytes of shared memory, the device allows 232,448"),
        ("mmt_stripe_transposed", "4", "4,2", "choose a block with equal sides"),
        ("matmul_tiled_dynamic", "4", "4,2", "choose a block with equal sides"),
        ("cpu_sequential", "4", "2", "it runs on one core: choose block 1"),
        ("cpu_parallel", "4", "2,2", "choose one number, as in block 4"),
    ],
)
def test_illegal_launches_are_explained(kernel: str, size: str, block: str, reason: str) -> None:
    with pytest.raises(LaunchError, match=reason.replace("(", r"\(")):
        trace_kernel(find_kernel(kernel), Size.parse(size), Dim3.parse(block))


@pytest.mark.parametrize(("kernel", "n"), [("mmt_stripe", 1024), ("mmt_stripe_transposed", 1536)])
def test_the_largest_stripe_that_fits_into_shared_memory(kernel: str, n: int) -> None:
    assert find_kernel(kernel).launch(Size(n, n, n), Dim3(8, 8)).dynamic_shared_bytes == 32 * n
