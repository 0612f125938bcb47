"""Digests of recorded runs: a rearrangement of the simulator must not change one byte of a trace.

`digests.csv` has a row for every schedule of every catalogue kernel and every kernel of the hazard corpus, and a
column for each member of a trace or report, and of a report's counts: the first digits of a SHA-256. A failing test
names the members that differ. Messages and cures have a column apart. `python -m tests.renew` writes the rows of a
new or edited kernel. After a change of the simulator that is meant:

    python -m tests.kernels.golden.digests
"""

from __future__ import annotations

import csv
import hashlib
import json
import tempfile
import zipfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kernels.catalog import catalog
from kernels.simt import Options
from kernels.trace.file import save
from kernels.tracing import trace_kernel
from tests.kernels.hazards.corpus import cases
from tests.kernels.hazards.reports import report as cached_report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kernels.catalog import Kernel
    from tests.kernels.hazards.corpus import Case

    Members = defaultdict[str, hashlib._Hash]
    Table = Mapping[str, Mapping[str, Mapping[str, str]]]

SCHEDULES: Final = ("lockstep", "warps", "reversed", "shuffle:1")
FILE: Final = Path(__file__).with_name("digests.csv")

MESSAGES: Final = "messages"

_DIGITS: Final = 8

_MESSAGE: Final = 7
"""Column of a hazard's message in the header of a saved trace."""

_CURE: Final = 12
"""Column of its cure, where it has one; the races that are told with it come last."""


def kernels() -> list[Kernel]:
    """Every catalogue kernel that the simulator runs, each with its options."""
    return [variant for kernel in catalog() if kernel.runs_on == "cuda" for variant in kernel.variants()]


def row_name(name: str, schedule: str) -> str:
    """Return the name in the table of a kernel's run under a schedule."""
    return f"{name} {schedule}"


def row_names() -> dict[str, list[str]]:
    """Return the names of all rows by collection, in the order of the file."""
    names = {"catalogue": [kernel.id for kernel in kernels()], "hazards": [case.name for case in cases()]}
    return {part: [row_name(name, order) for name in found for order in SCHEDULES] for part, found in names.items()}


def rows_of(kernel: Kernel) -> dict[str, dict[str, str]]:
    """Return the rows of a catalogue kernel: of each set of options under each schedule."""
    return {row_name(one.id, order): of_kernel(one, order) for one in kernel.variants() for order in SCHEDULES}


def of_kernel(kernel: Kernel, schedule: str) -> dict[str, str]:
    """Return the digests of a catalogue kernel's trace at the size and block that it opens with."""
    members: Members = defaultdict(hashlib.sha256)
    trace = trace_kernel(kernel, kernel.size, kernel.block, options=Options(schedule))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.trace"
        save(trace, file)
        _add_archive(file, members)
    return _digits(members)


def of_case(
    case: Case, schedule: str, report_on: Callable[[Case, str], dict[str, Any]] = cached_report
) -> dict[str, str]:
    """Return the digests of the report on a kernel of the hazard corpus."""
    members: Members = defaultdict(hashlib.sha256)
    report = report_on(case, schedule)
    del report["elapsed_s"]
    told = [one for hazard in report["hazards"] for one in (hazard, *hazard.get("others", ()))]
    _add(members, MESSAGES, [one.pop("message") for one in told])
    for cure in [one.pop("cure") for one in told if "cure" in one]:
        _add(members, MESSAGES, cure)
    for rows in report.pop("counts", {}).values():
        for column in dict.fromkeys(name for row in rows for name in row):
            _add(members, f"counts.{column}", [row.get(column) for row in rows])
    for member, value in report.items():
        _add(members, member, value)
    return _digits(members)


def of_fields(report: Mapping[str, Any]) -> dict[str, str]:
    """Return the digest of each field of a report."""
    members: Members = defaultdict(hashlib.sha256)
    for member, value in report.items():
        _add(members, member, value)
    return _digits(members)


def differing(found: dict[str, str], expected: dict[str, str]) -> list[str]:
    """Return the members whose digests differ, or that one of the two lacks."""
    return sorted(member for member in found.keys() | expected.keys() if found.get(member) != expected.get(member))


def _add_archive(file: Path, members: Members) -> None:
    # The members, not the file: compressed bytes depend on the version of zlib.
    with zipfile.ZipFile(file) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".json"):
                header: dict[str, Any] = json.loads(archive.read(name))
                header["file"] = Path(header["file"]).name
                told = [one for row in header["hazards"] for one in (row, *(row[-1] if len(row) > _CURE else ()))]
                cures = [row.pop(_CURE) for row in header["hazards"] if len(row) > _CURE]
                _add(members, MESSAGES, [row.pop(_MESSAGE) for row in told])
                for cure in cures:
                    _add(members, MESSAGES, cure)
                for member, value in header.items():
                    _add(members, member, value)
            else:
                # All columns of a table count as one member: step_statement.npy, step_mask.npy …
                members[f"{name.removesuffix('.npy').split('_')[0]}.npy"].update(name.encode() + archive.read(name))


def _add(members: Members, member: str, data: object) -> None:
    members[member].update(json.dumps(data, sort_keys=True, ensure_ascii=False).encode())


def _digits(members: Members) -> dict[str, str]:
    return {member: members[member].hexdigest()[:_DIGITS] for member in sorted(members)}


def stored(path: Path = FILE) -> dict[str, dict[str, dict[str, str]]]:
    """Return the digests that are kept in the repository, by collection, kernel and member."""
    found: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    if not path.exists():
        return found
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            collection, name = row.pop("collection"), row.pop("name")
            found[collection][name] = {member: digits for member, digits in row.items() if digits}
    return found


def store(rows: Table, names: Mapping[str, Sequence[str]], path: Path = FILE) -> None:
    """Write rows in place of those that the file has, and remove rows that have none of the names.

    Parameters
    ----------
    rows : mapping
        Digests by member, by name, by collection.
    names : mapping
        The names of each collection's rows, in their order.
    """
    table = {collection: {**stored(path).get(collection, {}), **rows.get(collection, {})} for collection in names}
    lines = [
        {"collection": collection, "name": name, **table[collection][name]}
        for collection, found in names.items()
        for name in found
        if name in table[collection]
    ]
    members = sorted({member for line in lines for member in line} - {"collection", "name"})
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["collection", "name", *members], lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


if __name__ == "__main__":
    store(
        {
            "catalogue": {
                name: row for kernel in catalog() if kernel.runs_on == "cuda" for name, row in rows_of(kernel).items()
            },
            "hazards": {row_name(case.name, order): of_case(case, order) for case in cases() for order in SCHEDULES},
        },
        row_names(),
    )
