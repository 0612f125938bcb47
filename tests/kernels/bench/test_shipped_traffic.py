"""Traffic for the roofline: measured, of a smaller problem, and shipped for the sources as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from kernels.analysis import counts
from kernels.bench import ship_traffic, shipped_traffic
from kernels.bench.sample import Entry, Point
from kernels.bench.ship_traffic import count, launches_of
from kernels.bench.shipped_traffic import CountedLaunches, fingerprint, read_counted, write_counted
from kernels.bench.store.recorded import recorded_runs
from kernels.bench.traffic import LARGEST_COUNTED, TrafficKey, count_traffic, counted_size, ideal_intensity, traffic_key
from kernels.catalog import find_kernel, kernel_name
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.start_tiles import story
from kernels.tracing import trace_kernel
from kernels.workload import Size
from tests.sweeps import HANDFUL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kernels.catalog import Kernel

_QUICK: Final = 300_000
"""Products of a launch that a test counts anew."""

SMALL = Size(16, 16, 16)


@pytest.fixture(scope="module")
def launches() -> Mapping[str, tuple[TrafficKey, ...]]:
    return launches_of(row for run in recorded_runs() for row in run.rows())


def test_the_file_is_of_these_sources(launches: Mapping[str, tuple[TrafficKey, ...]]) -> None:
    """If it fails, run python -m kernels.bench.ship_traffic."""
    counted = read_counted()
    assert set(counted) == set(launches)
    assert {name: known.fingerprint for name, known in counted.items()} == {
        name: fingerprint(find_kernel(name)) for name in launches
    }
    for name, known in counted.items():
        assert set(known.bytes) <= {(key.block, key.size) for key in launches[name]}


def test_every_launch_of_the_story_is_shipped(launches: Mapping[str, tuple[TrafficKey, ...]]) -> None:
    keys = [key for name in story() for key in launches.get(name, ())]
    assert {key.kernel for key in keys} == {name for name in story() if find_kernel(name).runs_on == "cuda"}
    assert all(shipped_traffic.shipped_traffic(key) for key in keys)


def _marks(name: str) -> tuple[pytest.MarkDecorator, ...]:
    return () if any(f"{listed}:".startswith(f"{name}:") for listed in HANDFUL) else (pytest.mark.exhaustive,)


@pytest.mark.parametrize("name", [pytest.param(name, marks=_marks(name)) for name in sorted(read_counted())])
def test_the_shipped_bytes_are_those_that_the_simulator_counts(name: str) -> None:
    kernel = find_kernel(name)
    known = read_counted()[kernel_name(kernel)].bytes
    quick = [place for place in known if place[1].m * place[1].n * place[1].k <= _QUICK]
    for block, size in quick[:2]:
        assert known[block, size] == count_traffic(kernel, block, size).bytes


def edited(kernel: Kernel, old: str, new: str) -> Kernel:
    assert old in kernel.text
    return replace(kernel, source=kernel.text.replace(old, new))


def test_a_comment_leaves_the_traffic_valid_and_an_edit_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = find_kernel("matmul_tiled")
    assert fingerprint(edited(kernel, "\n", "  // a remark\n")) == fingerprint(kernel)
    changed = edited(kernel, "+=", "-=")
    assert fingerprint(changed) != fingerprint(kernel)
    assert fingerprint(replace(kernel, grid=("1", "1"))) != fingerprint(kernel)
    key = TrafficKey("matmul_tiled", Dim3(16, 16), Size(32, 32, 32))
    assert shipped_traffic.shipped_traffic(key)
    monkeypatch.setattr(shipped_traffic, "find_kernel", lambda _name: changed)
    shipped_traffic._of_present_source.cache_clear()
    assert shipped_traffic.shipped_traffic(key) is None
    monkeypatch.undo()
    shipped_traffic._of_present_source.cache_clear()


def test_only_what_is_not_known_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, block = find_kernel("matmul_naive"), Dim3(8, 8)
    keys = [TrafficKey(kernel.id, block, size) for size in (SMALL, Size(8, 8, 8))]
    first = count(kernel.id, keys[:1], None, 60)
    assert first.bytes == {(block, SMALL): count_traffic(kernel, block, SMALL).bytes}
    known = replace(first, bytes={(block, SMALL): 1})
    assert count(kernel.id, keys, known, 60).bytes[block, SMALL] == 1
    assert count(kernel.id, keys, replace(known, fingerprint="old"), 60).bytes[block, SMALL] > 1


def test_a_launch_that_takes_too_long_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    key = TrafficKey("matmul_naive", Dim3(16, 16), Size(256, 256, 256))
    assert not count(key.kernel, [key], None, 0.0).bytes
    assert "left out: the simulator needs more than 0 s" in capsys.readouterr().out


def test_the_command_writes_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "traffic.json"
    keys = {name: (TrafficKey(name, Dim3(8, 8), SMALL),) for name in ("matmul_naive", "matmul_tiled")}
    monkeypatch.setattr(ship_traffic, "launches_of", lambda _rows: keys)
    monkeypatch.setattr(ship_traffic, "read_counted", lambda: read_counted(file))
    monkeypatch.setattr(ship_traffic, "write_counted", lambda counted: write_counted(counted, file))
    assert ship_traffic.main(()) == 0
    assert set(read_counted(file)) == set(keys)
    assert all(list(known.bytes) == [(Dim3(8, 8), SMALL)] for known in read_counted(file).values())


def test_a_table_survives_writing_and_reading(tmp_path: Path) -> None:
    file = tmp_path / "traffic.json"
    counted = {
        "one:by=thread": CountedLaunches("abc", {(Dim3(8, 8), SMALL): 32, (Dim3(8, 8), Size(1, 2, 3)): 64}),
        "two": CountedLaunches("def", {(Dim3(32), SMALL): 96}),
    }
    write_counted(counted, file)
    assert read_counted(file) == counted


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": {"fingerprint": "", "bytes": {"8": {"1,x": 2}}}}'])
def test_a_broken_table_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "traffic.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"traffic\.json: not a table"):
        read_counted(file)


def test_a_kernel_with_a_table_of_blocks_is_counted_with_that_of_the_measured_size() -> None:
    kernel = next(find_kernel(name) for name in story() if find_kernel(name).block_rules)
    for n in (256, 8192):
        size = Size(n, n, n)
        key, rule = traffic_key(Point(Entry(kernel.id), size), "sm_90"), kernel.chosen_rule(size, "sm_90")
        assert key is not None
        assert rule is not None
        assert (key.block, key.size) == (rule.block, counted_size(size))
    assert traffic_key(Point(Entry(kernel.id), SMALL), "") is None
    assert traffic_key(Point(Entry("cublas_sgemm"), SMALL), "sm_90") is None
    assert traffic_key(Point(Entry("no_such_kernel"), SMALL), "sm_90") is None


@pytest.mark.parametrize("name", ["matmul_naive", "matmul_tiled"])
def test_the_traffic_is_that_of_a_recorded_run(name: str) -> None:
    kernel, size, block = find_kernel(name), Size(48, 40, 56), Dim3(8, 8)
    recorded = counts(trace_kernel(kernel, size, block, options=Options(advise=False)))
    sectors = sum(array.sectors for array in recorded.arrays if array.space == "global")
    assert count_traffic(kernel, block, size).bytes == 32 * sectors


@pytest.mark.parametrize("n", [1, 64, 512, 513, 1000, 4095, 8192])
def test_a_large_problem_is_counted_at_a_smaller_one_with_equal_remainders(n: int) -> None:
    (counted, _, _) = counted_size(Size(n, n, n))
    assert counted <= max(LARGEST_COUNTED, n)
    assert counted == n if n <= LARGEST_COUNTED else counted > LARGEST_COUNTED - 128
    assert counted % 128 == n % 128


def test_the_intensity_at_a_smaller_size_is_close_to_that_of_the_large_one() -> None:
    kernel, block = find_kernel("matmul_tiled"), Dim3(16, 16)
    large, small = (
        count_traffic(kernel, block, Size(n, n, n)).intensity for n in (1023, counted_size(Size(1023, 1023, 1023)).n)
    )
    assert small == pytest.approx(large, rel=0.03)


def test_the_ideal_moves_every_array_once() -> None:
    assert ideal_intensity(find_kernel("matmul_naive"), Size(64, 64, 64)) == pytest.approx(64 / 6)


def test_a_library_routine_has_no_traffic_to_count() -> None:
    with pytest.raises(InputError, match="no CUDA source"):
        count_traffic(find_kernel("cublas_sgemm"), Dim3(16, 16), Size(64, 64, 64))


def test_a_launch_that_takes_too_long_is_not_counted() -> None:
    with pytest.raises(InputError, match=r"the simulator needs more than 0 s for .*, 16×16, n = 256"):
        count_traffic(find_kernel("matmul_naive"), Dim3(16, 16), Size(256, 256, 256), 0.0)


def test_a_block_whose_shared_memory_needs_an_opt_in_is_counted() -> None:
    kernel = find_kernel("matmul_split_k")
    block = Dim3(192)
    assert kernel.launch(Size(64, 64, 64), block).dynamic_shared_bytes > 48 * 1024
    assert count_traffic(kernel, block, Size(64, 64, 64)).bytes
