"""Rules that choose a block, and lessons that show their flaw in the simulator, every time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kernels.bench.plan import all_entries, entries
from kernels.bench.sample import Entry
from kernels.catalog import catalog, find_kernel, read_kernel
from kernels.catalog.footer import kernel_of
from kernels.device import devices
from kernels.errors import InputError, LaunchError
from kernels.fill import Fill
from kernels.launch import Dim3, Limits, check
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size, verify
from tests.cases import Cases
from tests.sweeps import RIGHT_BY_LUCK

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from kernels.trace import Trace

CASES = Cases(__file__)

RULED = [kernel for kernel in catalog() if kernel.block_rules]
SIZES = [Size(n, n, n) for n in (1, 512, 1000, 1024, 2048, 2051, 4096, 16384)]
SIZES += [Size(2051, 1027, 2051), Size(1, 100_000, 7), Size(100_000, 1, 7)]


@pytest.mark.parametrize("kernel", RULED, ids=lambda kernel: kernel.id)
def test_every_gpu_has_a_block_that_fits_for_every_size(kernel: Kernel) -> None:
    for device in devices():
        limits = Limits(shared_per_block_bytes=device.shared_per_block_optin_bytes)
        for size in SIZES:
            rule = kernel.chosen_rule(size, device.arch)
            assert rule is not None
            assert rule.block in (kernel.block, *kernel.blocks)
            assert rule.why.endswith(".")
            check(kernel.launch(kernel.workload.fit(size), rule.block), limits, 128)


@pytest.mark.parametrize("kernel", RULED, ids=lambda kernel: kernel.id)
def test_every_row_is_used(kernel: Kernel) -> None:
    sizes = [*SIZES, Size(3000, 1281, 64), Size(8572, 606, 6945)]
    used = {kernel.chosen_rule(s, arch) for s in sizes for arch in ("sm_75", "sm_80", "sm_90", "sm_120")}
    assert used == set(kernel.block_rules)


@pytest.mark.parametrize(
    ("name", "size", "arch", "block"),
    [
        ("matmul_fast", Size(512, 512, 512), "sm_90", Dim3(32, 6)),
        ("matmul_fast", Size(1024, 1024, 1024), "sm_90", Dim3(128, 3)),
        ("matmul_fast", Size(2051, 1027, 2051), "sm_90", Dim3(128, 3)),
        ("matmul_fast", Size(2051, 1027, 2051), "sm_89", Dim3(256)),
        ("matmul_fast", Size(2051, 1027, 2051), "sm_120", Dim3(256)),
        ("matmul_fast", Size(2051, 1027, 600), "sm_90", Dim3(256)),
        ("matmul_fast", Size(8572, 606, 6945), "sm_90", Dim3(256)),
        ("matmul_fast", Size(2048, 2048, 2048), "sm_90", Dim3(384)),
        ("matmul_fast", Size(2048, 2048, 2048), "sm_75", Dim3(32, 6)),
        ("matmul_3xtf32", Size(8, 8, 8), "sm_90", Dim3(384)),
        ("matmul_3xtf32", Size(8, 8, 8), "sm_120", Dim3(192)),
        ("mmt_fast", Size(2048, 2048, 2048), "sm_90", Dim3(64, 3)),
        ("mmt_fast", Size(4096, 4096, 4096), "sm_90", Dim3(384)),
    ],
)
def test_the_first_row_that_applies_is_chosen(name: str, size: Size, arch: str, block: Dim3) -> None:
    rule = find_kernel(name).chosen_rule(size, arch)
    assert rule is not None
    assert rule.block == block


def test_a_kernel_with_a_table_is_one_curve() -> None:
    kernel = find_kernel("matmul_fast")
    assert entries(kernel) == (Entry("matmul_fast"),)
    assert all_entries(kernel)[0].label == "matmul_fast"
    assert entries(kernel, [Dim3(384)]) == (Entry("matmul_fast", Dim3(384)),)
    assert find_kernel("matmul_tiled").chosen_rule(Size(8, 8, 8), "sm_90") is None


def test_a_size_without_a_row_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.cu").write_text(CASES.source("footer"), encoding="utf-8")
    row = '[[row]]\narch = "sm_80"\nwhen = "N > 4"\nblock = [4]\nwhy = "Because."\n'
    (tmp_path / "mine.toml").write_text(row, encoding="utf-8")
    kernel = read_kernel(tmp_path / "mine.cu")
    assert str(kernel.block_rules[0]) == "from sm_80, N > 4: block 4×1. Because."
    for size, arch in ((Size(4, 4, 4), "sm_90"), (Size(8, 8, 8), "sm_75")):
        with pytest.raises(LaunchError, match=f"mine has no block for .* on {arch}: choose a block"):
            kernel.chosen_rule(size, arch)


@pytest.mark.parametrize("table", ["", "[[row]]\n", "[[row]]\narch = 1\n", "row"])
def test_what_is_no_table_is_refused(tmp_path: Path, table: str) -> None:
    (tmp_path / "mine.cu").write_text(CASES.source("footer"), encoding="utf-8")
    (tmp_path / "mine.toml").write_text(table, encoding="utf-8")
    with pytest.raises(InputError, match=r"mine.toml: is not a table of blocks"):
        read_kernel(tmp_path / "mine.cu")


@pytest.mark.parametrize("value", ["1e999", "nan", "3.7", "true", '"7"', "[1]"])
@pytest.mark.parametrize("name", ["order", "roundings"])
def test_a_number_of_the_footer_is_a_whole_number(name: str, value: str) -> None:
    footer = 'title = "t"\nteaches = "t"\nworkload = "matmul"\nblock = [8]\nblocks = [[8]]\ngrid = ["1"]\n'
    with pytest.raises(InputError, match=f"{name} must be a whole number") as error:
        kernel_of(Path("k.cu"), f"__global__ void k() {{}}\n/* tilescope\n{footer}{name} = {value}\n*/\n")
    assert "\n" not in str(error.value)


SCHEDULES = ("lockstep", "warps", "reversed", "shuffle:1", "shuffle:2")
RACE = {"data-race"}
HAZARDS = {
    "lesson_single_block": {"result-never-written"},
    "lesson_missing_barrier": RACE,
    "lesson_missing_second_barrier": RACE,
    "lesson_missing_guard": RACE | {"out-of-bounds"},
    "lesson_uncleared_target": {"uninitialised-read"},
    "lesson_lost_last_tile": set(),
    "lesson_swapped_index": set(),
    "lesson_barrier_in_guard": {"barrier-divergence"},
}
"""The hazards of lessons in every schedule. Others must show a hazard or a wrong result."""

HIDDEN = {("lesson_missing_barrier", "lockstep"), ("lesson_missing_second_barrier", "lockstep")}
"""Schedules in which the result is correct, because no warp runs ahead."""


def is_right(name: str, trace: Trace, size: Size, fill: Fill | None = None) -> bool:
    workload = find_kernel(name).workload
    return verify(workload, size, workload.inputs(size, fill or workload.fill), trace.outputs).correct


@pytest.mark.parametrize(
    "kernel", [variant for k in catalog() if k.flaw for variant in k.variants()], ids=lambda k: k.id
)
def test_a_lesson_shows_a_hazard_or_a_wrong_result_as_it_opens(kernel: Kernel) -> None:
    trace = trace_kernel(kernel, kernel.size, kernel.block, options=Options(kernel.schedule))
    assert trace.hazards or not is_right(kernel.id, trace, kernel.size)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", HAZARDS)
def test_a_lesson_shows_its_flaw_as_it_opens(name: str, schedule: str) -> None:
    for kernel in find_kernel(name).variants():
        trace = trace_kernel(kernel, kernel.size, kernel.block, options=Options(schedule))
        assert {hazard.kind for hazard in trace.hazards} == HAZARDS[name]
        assert is_right(name, trace, kernel.size) == ((name, schedule) in HIDDEN or name in RIGHT_BY_LUCK)


@pytest.mark.parametrize("name", [name for name in HAZARDS if name not in RIGHT_BY_LUCK])
def test_a_lesson_opens_in_an_order_in_which_it_fails(name: str) -> None:
    for kernel in find_kernel(name).variants():
        trace = trace_kernel(kernel, kernel.size, kernel.block, options=Options(kernel.schedule))
        assert not is_right(name, trace, kernel.size)


@pytest.mark.parametrize(("name", "line"), [("lesson_missing_barrier", 24), ("lesson_missing_second_barrier", 29)])
def test_one_missing_line_has_one_cure(name: str, line: int) -> None:
    kernel = find_kernel(name)
    trace = trace_kernel(kernel, kernel.size, kernel.block, options=Options(kernel.schedule))
    [hazard] = trace.hazards
    assert hazard.cure is not None
    assert [(edit.line, edit.text.strip()) for edit in hazard.cure.edits] == [(line, "__syncthreads();")]


@pytest.mark.parametrize("block", [Dim3(2, 2), Dim3(8, 8), Dim3(16, 16)], ids=str)
@pytest.mark.parametrize("n", [17, 33])  # more than one phase
@pytest.mark.parametrize("name", ["lesson_missing_barrier", "lesson_missing_second_barrier"])
def test_a_missing_barrier_is_a_race_at_every_size(name: str, n: int, block: Dim3) -> None:
    for schedule in ("lockstep", "reversed"):
        trace = trace_kernel(find_kernel(name), Size(n, n, n), block, options=Options(schedule, record=False))
        assert {hazard.kind for hazard in trace.hazards} == RACE


@pytest.mark.parametrize(("n", "width"), [(4, 2), (8, 8), (32, 16), (1, 1)])
def test_the_last_tile_is_lost_where_the_width_divides_n(n: int, width: int) -> None:
    trace = trace_kernel(find_kernel("lesson_lost_last_tile"), Size(n, n, n), Dim3(width, width), Fill("ones"))
    assert trace.outputs["P"].tolist() == [[n - width] * n] * n


@pytest.mark.parametrize(("n", "width"), [(3, 2), (7, 8), (33, 16)])
def test_it_is_there_where_the_width_does_not(n: int, width: int) -> None:
    trace = trace_kernel(find_kernel("lesson_lost_last_tile"), Size(n, n, n), Dim3(width, width))
    assert is_right("lesson_lost_last_tile", trace, Size(n, n, n))


@pytest.mark.parametrize(("name", "n"), [("lesson_missing_guard", 4), ("lesson_single_block", 4)])
def test_a_size_that_the_block_covers_hides_a_flaw(name: str, n: int) -> None:
    trace = trace_kernel(find_kernel(name), Size(n, n, n), Dim3(4, 4))
    assert not trace.hazards
    assert is_right(name, trace, Size(n, n, n))


def test_one_block_over_1024_threads_is_refused() -> None:
    kernel = find_kernel("lesson_single_block")
    with pytest.raises(LaunchError, match="block 33×33 has 1,089 threads, the device allows 1,024 a block"):
        trace_kernel(kernel, Size(33, 33, 33), Dim3(33, 33))
    largest = trace_kernel(kernel, Size(33, 33, 33), Dim3(32, 32), options=Options(record=False))
    (hazard,) = largest.hazards
    assert (hazard.kind, hazard.count) == ("result-never-written", 33 * 33 - 32 * 32)


@pytest.mark.parametrize(("fill", "hidden"), [(Fill("rows"), True), (Fill("iota"), False)], ids=str)
def test_the_published_inputs_hide_the_swapped_index(fill: Fill, hidden: bool) -> None:
    size = Size(4, 4, 4)
    trace = trace_kernel(find_kernel("lesson_swapped_index"), size, Dim3(1), fill)
    assert is_right("lesson_swapped_index", trace, size, fill) == hidden
