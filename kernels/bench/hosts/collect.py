"""Collection of a plan's shards: the JSON lines of their tasks become one run of the store.

A folder holds `plan.json` and, below it, files of JSON lines, one or more for each shard. A task that was killed leaves
a part of its shard, perhaps with half a line at the end; then the shard is measured again into another file. Of several
outcomes of a point the first verified one counts, else the first: collecting a folder again adds only what is new.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kernels.bench.hosts.shards import divide
from kernels.bench.point_ids import point_ids
from kernels.bench.protocol import read_plan_file
from kernels.bench.store.database import skip_reasons
from kernels.bench.store.run_file import RunFileReader
from kernels.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.bench.plan import Plan
    from kernels.bench.sample import Point, Sample
    from kernels.bench.store.database import Row
    from kernels.bench.store.run_history import RunHistory

PLAN_FILE: Final = "plan.json"


@dataclass(frozen=True, slots=True)
class Collection:
    """Outcomes of a plan's points in a folder."""

    plan: Plan
    rows: tuple[Row, ...]
    """One for each point that has an outcome, and one for each second measurement of an outlier."""
    repeated_count: int
    """Number of outcomes that are left out because a task ran twice: their points have another one."""
    problems: tuple[str, ...]
    """What cannot be used, a sentence for each file."""

    @property
    def missing(self) -> dict[int, int]:
        """Number of points without an outcome, by shard; shards that are complete are left out."""
        found = {row.sample.point for row in self.rows}
        missing = {number: len(set(part.points) - found) for number, part in enumerate(divide(self.plan), 1)}
        return {number: count for number, count in missing.items() if count}

    @property
    def begun(self) -> set[int]:
        """Numbers of the shards that have an outcome."""
        found = {row.sample.point for row in self.rows}
        return {number for number, part in enumerate(divide(self.plan), 1) if found.intersection(part.points)}


def collect(folder: Path) -> Collection:
    """Read the plan of a folder and the outcomes of its points.

    Raises
    ------
    InputError
        When the folder has no plan of shards, or a file cannot be read.
    """
    path = folder / PLAN_FILE
    if not path.is_file():
        raise InputError(f"{folder}: has no {PLAN_FILE}: give the folder that 'tilescope plan' has written")
    plan = read_plan_file(path)
    if not plan.run:
        raise InputError(f"{path}: was not written by 'tilescope plan', so its results belong to no run")
    ids = {name: point for point, name in point_ids(plan).items()}
    chosen: dict[tuple[Point, bool], Row] = {}
    problems: list[str] = []
    count = 0
    for file in sorted(folder.rglob("*.jsonl")):
        reader = RunFileReader(file)
        strange = 0
        for row in reader:
            if ids.get(reader.point_id) != row.sample.point:
                strange += 1
                continue
            count += not row.sample.repeat
            key = _key(row.sample)
            if key not in chosen or (row.sample.verified and not chosen[key].sample.verified):
                chosen[key] = row
        if strange:
            problems.append(
                f"{file}: {strange} of its results belong to another plan, or to another text of a kernel: "
                "they are left out"
            )
        if reader.skipped:
            problems.append(f"{file}: lines that cannot be used: {skip_reasons(reader.skipped)}")
    return Collection(plan, tuple(chosen.values()), count - sum(not again for _, again in chosen), tuple(problems))


def import_into(store: RunHistory, collection: Collection) -> int:
    """Add the rows to the run of the plan, which is begun if there is none; return the number of new points.

    A point that the store has is new only if it failed there, and is verified now. A deleted run is restored.

    Raises
    ------
    StoreError
        When the file cannot be read or written.
    """
    number = store.find_run(collection.plan.run)
    if number is not None:
        store.restore(number)
    stored: dict[tuple[Point, bool], bool] = {}
    for row in store.rows(number) if number else ():
        for key in {_key(row.sample), (row.sample.point, False)}:
            stored[key] = stored.get(key, False) or row.sample.verified
    new = [row for row in collection.rows if row.sample.verified > stored.get(_key(row.sample), -1)]
    if not new:
        return 0
    number = number or store.begin_run(collection.plan)
    for row in new:
        if row.environment is not None:
            store.add_environment(row.environment)
        # A point that failed and was measured by a later task has one outcome, too: the second replaces the first.
        again = not row.sample.repeat and _key(row.sample) in stored
        store.add(number, replace(row.sample, repeat="recovered") if again else row.sample)
    return sum(not row.sample.repeat for row in new)


def _key(sample: Sample) -> tuple[Point, bool]:
    return sample.point, bool(sample.repeat)
