"""Dispatch of points to slots."""

from __future__ import annotations

from kernels.bench.hosts.dispatch import Dispatch, Place
from kernels.bench.plan import points
from kernels.bench.sample import Entry
from kernels.launch import Dim3
from kernels.workload import Size

TILED, NAIVE = (Entry(name, Dim3(16, 16)) for name in ("matmul_tiled", "matmul_naive"))
ON_CPU = Entry("cpu_sequential")
SIZES = [Size(n, n, n) for n in (32, 64, 128)]
POINTS = points([TILED, NAIVE], SIZES)


def _two_gpus(first: str = "GPU-0", second: str = "GPU-1", entries: tuple[Entry, ...] = (TILED, NAIVE)) -> Dispatch:
    made = Dispatch(points(entries, SIZES))
    made.add(0, Place("machine", first))
    made.add(1, Place("machine", second))
    return made


def test_points_that_are_compared_are_measured_in_one_slot() -> None:
    made = _two_gpus()
    measured: dict[Size, set[int]] = {size: set() for size in SIZES}
    order = []
    while not made.finished:
        for slot in (0, 1):
            point = made.next_point(slot, others_start=False)
            if point is not None:
                measured[point.size].add(slot)
                order.append(point)
                assert made.done(slot, point)
    assert sorted(order, key=str) == sorted(POINTS, key=str)
    assert [len(slots) for slots in measured.values()] == [1, 1, 1]
    assert set().union(*measured.values()) == {0, 1}


def test_two_hosts_that_name_the_same_gpu_take_turns() -> None:
    made = Dispatch(POINTS)
    made.add(0, Place("machine", "GPU-0"))
    made.add(1, Place("a container that gives another id", "GPU-0"))
    point = made.next_point(0, others_start=False)
    assert point is not None
    assert made.next_point(1, others_start=False) is None
    made.done(0, point)
    assert made.next_point(1, others_start=False) is not None
    assert made.next_point(0, others_start=False) is None


def test_a_point_on_the_cpu_waits_until_its_machine_is_idle() -> None:
    made = Dispatch(points([TILED, ON_CPU], SIZES[:2]))
    made.add(0, Place("machine", "GPU-0"))
    made.add(1, Place("machine", ""))
    made.add(2, Place("another machine", ""))
    on_gpu = made.next_point(0, others_start=False)
    assert on_gpu is not None
    assert on_gpu.entry == TILED
    assert made.next_point(1, others_start=False) is None
    elsewhere = made.next_point(2, others_start=False)
    assert elsewhere is not None
    assert elsewhere.entry == ON_CPU
    made.done(0, on_gpu)
    here = made.next_point(1, others_start=False)
    assert here is not None
    assert here.entry == ON_CPU
    assert made.next_point(0, others_start=False) is None


def test_without_a_gpu_points_for_one_wait_for_the_slots_that_start() -> None:
    made = Dispatch(POINTS)
    made.add(0, Place("machine", ""))
    assert made.next_point(0, others_start=True) is None
    assert made.next_point(0, others_start=False) is not None  # a worker refuses it, with the reason


def test_a_slot_that_ends_gives_its_points_back() -> None:
    made = _two_gpus()
    first = made.next_point(0, others_start=False)
    assert first is not None
    assert made.remove(0) == first
    assert made.next_point(1, others_start=False) == first
    assert not made.blame(first)
    assert made.blame(first)


def test_outliers_are_measured_again_when_every_point_has_an_outcome() -> None:
    made = _two_gpus("GPU-0", "GPU-0", (ON_CPU,))
    assert not made.may_finish(0)
    while (point := made.next_point(0, others_start=False)) is not None:
        made.done(0, point)
    assert made.may_finish(0)
    assert not made.may_finish(1)  # one after another: the first has measured on the CPU
    made.remove(0)
    assert made.may_finish(1)
