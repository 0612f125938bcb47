"""Stable ids of a plan's points: the same on every machine, for the same source, block, size and conditions."""

from __future__ import annotations

import hashlib
import json
from pathlib import PurePath
from typing import TYPE_CHECKING

from kernels.bench.kernel_texts import source_hashes
from kernels.catalog import split_options

if TYPE_CHECKING:
    from kernels.bench.plan import Plan
    from kernels.bench.sample import Point


def point_ids(plan: Plan) -> dict[Point, str]:
    """Return an id of sixteen digits for each point: a hash of all that its time depends on, except the machine.

    The folder of a `.cu` file is not part of it, nor are the order of the points and their number.
    """
    hashes = source_hashes(plan)
    conditions = [str(plan.fill), plan.fmad, plan.task, plan.every_element, plan.budget_s, plan.min_samples]
    conditions += [] if plan.graphs else ["no graphs"]
    baselines = [entry.to_json() for entry in plan.baselines]
    return {point: _id(point, hashes, [*conditions, baselines]) for point in plan.points}


def _id(point: Point, hashes: dict[str, str], conditions: list[object]) -> str:
    name, _ = split_options(point.entry.kernel)
    options = point.entry.kernel.removeprefix(name)
    fields = {**point.to_json(), "kernel": PurePath(name.replace("\\", "/")).stem + options}
    text = json.dumps([hashes[name], fields, conditions], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
