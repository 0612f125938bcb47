"""Digests of what `--json` prints: bench, verify, occupancy and exercise, a column for each field.

`reports.csv` is like `digests.csv`. Left out is what depends on the machine or the moment: the environment, when and
how long, the digits of a sum's error. The samples of bench are invented. `python -m tests.renew` writes the rows of a
new or edited kernel or exercise. After a change of the commands that is meant:

    python -m tests.kernels.golden.reports
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import pytest
from click.testing import CliRunner

from kernels.bench.hosts import supervise
from kernels.bench.measure.worker import work
from kernels.bench.plan import Plan, all_entries, points
from kernels.bench.store.database import Row
from kernels.catalog import catalog, find_kernel
from kernels.cli import bench_report, main
from kernels.errors import UnavailableError
from kernels.exercises import exercises, judge
from kernels.exercises.graded import grade_of
from kernels.exercises.submission import text_hash
from kernels.occupancy import resources
from kernels.workload import Size
from tests.bench.invented_run import ENVIRONMENT, invented_samples
from tests.kernels.exercises.answers import solution, wrong_answers
from tests.kernels.golden.digests import differing, of_fields, store, stored

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.exercises import Exercise, Judgement
    from tests.kernels.golden.digests import Table

    Digests = dict[str, str]

FILE: Final = Path(__file__).with_name("reports.csv")

_DEVICE: Final = "a100"
_CHECKED: Final = {"matmul_tiled": "8,8", "mmt_symmetric": "8,8", "reduce_shuffle": "128", "kmeans_assign": "128"}
"""Kernels that verify checks, with the block of each."""

_MACHINE_DEPENDENT: Final = ("taken", "environment", "duration_s", "max_error", "bound_share", "relative_error", "l2")
_PRECISION: Final = ".9g"
"""Of every number: sums of times may differ in the last digits from one processor to another."""


def _plain(value: Any) -> Any:
    """Return a JSON value without what depends on the machine, its numbers rounded."""
    match value:
        case dict():
            return {name: _plain(member) for name, member in value.items() if name not in _MACHINE_DEPENDENT}
        case list():
            return [_plain(member) for member in value]
        case float():
            return format(value, _PRECISION)
        case _:
            return value


def _columns(rows: list[dict[str, Any]]) -> Digests:
    """Return the digest of each field over all rows."""
    return of_fields({name: [row.get(name) for row in rows] for name in dict.fromkeys(n for row in rows for n in row)})


def of_bench(kernel: str) -> Digests:
    """Return the digests of invented samples as bench prints them."""
    found = find_kernel(kernel)
    sizes = [Size(n, n, n) for n in (31, 64, 512, 4096)]
    samples = invented_samples(Plan(points(all_entries(found, found.blocks[:4], (16,), ("device",)), sizes)))
    with pytest.MonkeyPatch.context() as patch:
        lines: list[str] = []
        patch.setattr(click, "echo", lines.append)
        bench_report.print_json([Row(1, sample, ENVIRONMENT) for sample in samples])
    return _columns(_plain(json.loads(lines[0]))["samples"])


def of_verify(kernel: str) -> Digests:
    """Return the digests of the checks of a simulated kernel, made in this process."""
    words = ("verify", kernel, "--in", "simulator", "--size", "9", "--block", _CHECKED[kernel], "--json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supervise, "supervise", work)
        return _columns(_plain(json.loads(CliRunner().invoke(main, words).stdout))["points"])


def of_occupancy(kernel: str) -> Digests:
    """Return the digests of a kernel's occupancy and of its curve, from the shipped table.

    Raises
    ------
    UnavailableError
        When the kernel has no table, or that of another source.
    """
    words = ("occupancy", kernel, "--device", _DEVICE, "--curve", "--json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resources, "can_compile", lambda: False)  # else the origin is this machine's NVRTC
        result = CliRunner().invoke(main, words)
    if result.exit_code:
        raise UnavailableError(result.stderr.strip())
    report = json.loads(result.stdout)
    curve = {f"curve.{name}": digits for name, digits in _columns(_plain(report.pop("curve"))).items()}
    return of_fields(_plain(report)) | curve


def of_judgement(judgement: Judgement, text: str) -> Digests:
    """Return the digests of the judgement of an answer."""
    return of_fields(_plain(grade_of(judgement, text, text_hash(text)).to_json()))


OF_TABLES: Final = "occupancy"
"""The collection whose digests are of the kernels' compiled tables."""

OF_KERNELS: Final[dict[str, tuple[Callable[[str], Digests], tuple[str, ...]]]] = {
    "bench": (of_bench, ("cpu_blas", "matmul_naive", "matmul_tiled", "mmt_symmetric", "cublas_sgemm")),
    "verify": (of_verify, tuple(_CHECKED)),
    OF_TABLES: (of_occupancy, tuple(kernel.id for kernel in catalog() if kernel.runs_on == "cuda")),
}
"""By collection: what makes the digests of a kernel, and the kernels."""

STORED: Final = stored(FILE)


def answers(exercise: Exercise) -> dict[str, str]:
    """Return the texts of the answers to an exercise, by their name in the table."""
    wrong = {f"{exercise.id}:{answer.number}": answer.text for answer in wrong_answers(exercise.id)}
    return {f"{exercise.id}:given": exercise.text, f"{exercise.id}:right": solution(exercise.id), **wrong}


def row_names() -> dict[str, list[str]]:
    """Return the names of all rows by collection, in the order of the file."""
    kernels = {collection: list(names) for collection, (_, names) in OF_KERNELS.items()}
    return {**kernels, "exercise": [name for exercise in exercises() for name in answers(exercise)]}


def collections_of(kernel: str) -> list[str]:
    """Return the collections that have a row of a kernel."""
    return [collection for collection, (_, kernels) in OF_KERNELS.items() if kernel in kernels]


def rows_of(exercise: Exercise) -> dict[str, Digests]:
    """Return the rows of the judgements of an exercise's answers."""
    return {name: of_judgement(judge(exercise, text), text) for name, text in answers(exercise).items()}


def store_rows(rows: Table) -> None:
    """Write rows in place of those that the file has."""
    store(rows, row_names(), FILE)


def differing_fields(collection: str, name: str, found: Digests) -> list[str]:
    """Return the fields that differ from the table."""
    return differing(found, STORED.get(collection, {}).get(name, {}))


if __name__ == "__main__":
    of_kernels = {name: {kernel: of(kernel) for kernel in kernels} for name, (of, kernels) in OF_KERNELS.items()}
    of_exercises = {name: digests for exercise in exercises() for name, digests in rows_of(exercise).items()}
    store_rows({**of_kernels, "exercise": of_exercises})
