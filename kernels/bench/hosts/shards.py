"""Division of a plan among GPUs and machines: groups of points that are compared with each other stay together."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.bench.prediction import predict
from kernels.bench.sample import Point
from kernels.catalog import find_kernel
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.bench.plan import Plan


Group = tuple[Point, ...]


def groups(points: Iterable[Point]) -> tuple[Group, ...]:
    """Return the points in groups, each in the order of its first point.

    The points of a group solve the same problem on the same kind of processor, with their arrays in the same memory.
    They are compared with each other, so one GPU measures them all: two GPUs of one model differ by some percent.
    """
    found: defaultdict[tuple[object, ...], list[Point]] = defaultdict(list)
    for point in points:
        found[_problem(point)].append(point)
    return tuple(map(tuple, found.values()))


def on_cpu(point: Point) -> bool:
    """Return whether a point is measured on the CPU; False for a kernel that is not known."""
    try:
        return find_kernel(point.entry.kernel).runs_on == "cpu"
    except InputError:
        return False


def _problem(point: Point) -> tuple[object, ...]:
    try:
        workload = find_kernel(point.entry.kernel).workload.id
    except InputError:  # the worker refuses the point, with the reason
        workload = ""
    return workload, on_cpu(point), point.size, point.entry.memory, point.entry.cold


def divide(plan: Plan) -> tuple[Plan, ...]:
    """Return the `plan.shards` parts of a plan; together they have every point once.

    Groups are dealt out by their predicted time, the longest first, each to the part with the least so far. The result
    depends on nothing but the plan.
    """
    loads = [0.0] * plan.shards
    parts: dict[Point, int] = {}
    for seconds, group in _timed(plan):
        least = loads.index(min(loads))
        loads[least] += seconds
        parts |= dict.fromkeys(group, least)
    return tuple(
        replace(plan, points=tuple(point for point in plan.points if parts[point] == number))
        for number in range(plan.shards)
    )


def longest_first(plan: Plan) -> tuple[Point, ...]:
    """Return the points by groups, the one of the longest predicted time first: several GPUs then end together."""
    return tuple(point for _, group in _timed(plan) for point in group)


def shard(plan: Plan, number: int) -> Plan:
    """Return one part of a plan, counted from 1.

    Raises
    ------
    InputError
        When the plan has no part of that number.
    """
    if not 1 <= number <= plan.shards:
        parts = f"shards 1 to {plan.shards}" if plan.shards > 1 else "one shard, 1"
        raise InputError(f"there is no shard {number}: this plan has {parts}")
    return divide(plan)[number - 1]


def _timed(plan: Plan) -> list[tuple[float, Group]]:
    """Return the groups with their predicted times, the longest first."""
    timed = [(_seconds(plan, group), group) for group in groups(plan.points)]
    return sorted(timed, key=lambda pair: -pair[0])


def _seconds(plan: Plan, group: Group) -> float:
    try:
        return predict(replace(plan, points=group, total_s=None)).seconds
    except InputError:
        return 0.0
