"""Digests of recorded runs: a rearrangement of the simulator must not change one byte of a trace.

`digests.json` holds a SHA-256 for every catalogue kernel and every kernel of the hazard corpus, under each schedule.
Messages and cures are hashed apart, so that a change of advice shows as such. After a change that is meant:

    python -m tests.kernels.golden.digests
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kernels.catalog import catalog
from kernels.simt import Options
from kernels.trace.file import save
from kernels.tracing import trace_kernel
from tests.kernels.hazards.corpus import cases
from tests.kernels.hazards.reports import report as cached_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.catalog import Kernel
    from tests.kernels.hazards.corpus import Case

SCHEDULES: Final = ("lockstep", "warps", "reversed", "shuffle:1")
FILE: Final = Path(__file__).with_name("digests.json")

_MESSAGE: Final = 7
"""Column of a hazard's message in the header of a saved trace."""

_CURE: Final = 12
"""Column of its cure, where it has one; the races that are told with it come last."""


def kernels() -> list[Kernel]:
    """Every catalogue kernel that the simulator runs, each with its options."""
    return [variant for kernel in catalog() if kernel.runs_on == "cuda" for variant in kernel.variants()]


def of_kernel(kernel: Kernel) -> dict[str, str]:
    """Return the digests of a catalogue kernel's traces at the size and block that it opens with."""
    facts, messages = hashlib.sha256(), hashlib.sha256()
    for schedule in SCHEDULES:
        trace = trace_kernel(kernel, kernel.size, kernel.block, options=Options(schedule))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.trace"
            save(trace, file)
            _add_archive(file, facts, messages)
    return {"facts": facts.hexdigest(), "messages": messages.hexdigest()}


def of_case(case: Case, report_on: Callable[[Case, str], dict[str, Any]] = cached_report) -> dict[str, str]:
    """Return the digests of the reports on a kernel of the hazard corpus."""
    facts, messages = hashlib.sha256(), hashlib.sha256()
    for schedule in SCHEDULES:
        report = report_on(case, schedule)
        del report["elapsed_s"]
        told = [one for hazard in report["hazards"] for one in (hazard, *hazard.get("others", ()))]
        _add(messages, [one.pop("message") for one in told])
        for cure in [one.pop("cure") for one in told if "cure" in one]:
            _add(messages, cure)
        _add(facts, report)
    return {"facts": facts.hexdigest(), "messages": messages.hexdigest()}


def _add_archive(file: Path, facts: hashlib._Hash, messages: hashlib._Hash) -> None:
    # The members, not the file: compressed bytes depend on the version of zlib.
    with zipfile.ZipFile(file) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".json"):
                header: dict[str, Any] = json.loads(archive.read(name))
                header["file"] = Path(header["file"]).name
                told = [one for row in header["hazards"] for one in (row, *(row[-1] if len(row) > _CURE else ()))]
                cures = [row.pop(_CURE) for row in header["hazards"] if len(row) > _CURE]
                _add(messages, [row.pop(_MESSAGE) for row in told])
                for cure in cures:
                    _add(messages, cure)
                _add(facts, header)
            else:
                facts.update(name.encode() + archive.read(name))


def _add(digest: hashlib._Hash, data: object) -> None:
    digest.update(json.dumps(data, sort_keys=True, ensure_ascii=False).encode())


def stored() -> dict[str, dict[str, dict[str, str]]]:
    """Return the digests that are kept in the repository."""
    found: dict[str, dict[str, dict[str, str]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    digests = {
        "catalogue": {kernel.id: of_kernel(kernel) for kernel in kernels()},
        "hazards": {case.name: of_case(case) for case in cases()},
    }
    FILE.write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n", encoding="utf-8")
