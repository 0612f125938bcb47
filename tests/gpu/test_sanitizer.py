"""NVIDIA's compute-sanitizer finds on the GPU what the corpus says that it finds, and nothing in the catalogue."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from kernels.catalog import catalog
from kernels.gpu.device import missing
from tests.gpu.sanitizer_options import EXTRA, ROOT
from tests.kernels.hazards.corpus import TOOLS, cases

if TYPE_CHECKING:
    from pathlib import Path

SANITIZER = shutil.which("compute-sanitizer")
AT_ONCE = 6
TIMEOUT_S = 150

FINDS = {
    "memcheck": r"Invalid __\w+__|misaligned",
    "racecheck": r"Race reported|hazard detected",
    "initcheck": r"Uninitialized __global__",
    "synccheck": r"Barrier error|Divergent thread",
}
"""The beginning of each tool's reports."""

RUN = [case for case in cases() if not case.endless]
TOGETHER = [case.name for case in RUN if not case.breaks_context]
STUCK = ("barrier-divergence", "warp-mask", "inactive-shuffle")
"""Hazards at which synccheck ends the kernel, and with it the process."""

ALONE = [("memcheck", case.name) for case in RUN if case.breaks_context]
ALONE += [
    ("synccheck", case.name)
    for case in RUN
    if not case.breaks_context and any(hazard.kind in STUCK for hazard in case.hazards)
]


def together(tool: str) -> list[str]:
    """Kernels that share a process under a tool: none of them keeps the next one from running."""
    return [name for name in TOGETHER if (tool, name) not in ALONE]


def watched(tool: str, names: list[str], log: Path) -> set[tuple[str, str]]:
    """(kernel, tool) for each of the kernels that the tool reports; a process of its own."""
    words = [str(SANITIZER), "--tool", tool, *EXTRA.get(tool, ()), "--log-file", str(log)]
    try:
        done = subprocess.run(
            [*words, sys.executable, "-m", "tests.gpu.sanitized", *names],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"{tool} of {names} takes longer than {TIMEOUT_S} s: {late.stdout!r}")
    started = re.findall(r"running (\w+)", done.stdout)
    assert started == names, f"{tool} ended after {started[-1:]}: {done.stdout[-500:]} {done.stderr[-1500:]}"
    reports = re.split(r"^=+ *$", log.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = (report for report in reports if re.search(FINDS[tool], report))
    return {(name, tool) for report in found for name in names if re.search(rf"\b{name}(\.cu:|[(+])", report)}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    """Return the findings of all tools; a kernel that ends the context runs alone with memcheck."""
    if SANITIZER is None:
        pytest.skip("compute-sanitizer is not on the PATH: it comes with the CUDA toolkit")
    if missing():
        pytest.skip(missing())
    folder = tmp_path_factory.mktemp("sanitizer")
    jobs = [(tool, together(tool)) for tool in TOOLS] + [(tool, [name]) for tool, name in ALONE]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs = [
            pool.submit(watched, tool, names, folder / f"{number}.log") for number, (tool, names) in enumerate(jobs)
        ]
        return {finding for run in runs for finding in run.result()}


def test_the_tools_find_what_the_corpus_says(found: set[tuple[str, str]], capsys: pytest.CaptureFixture[str]) -> None:
    unlike, lines = [], []
    for case in RUN:
        for tool in TOOLS if case.name in TOGETHER else ("memcheck",):
            expected, seen = tool in case.seen, (case.name, tool) in found
            if expected or seen:
                lines.append(f"{case.name:36} {tool:10} expected {expected!s:6} found {seen}")
            if expected != seen:
                unlike.append(lines[-1])
    with capsys.disabled():
        print("", *lines, f"{len(RUN)} kernels, {len(found)} findings, {len(unlike)} unlike", sep="\n")
    assert not unlike, "\n".join(unlike)


EXPECTED = {k.id for k in catalog() if k.runs_on == "cuda" and not k.flaw}
KERNEL_TIMEOUT_S = 240


@pytest.mark.parametrize("tool", ["memcheck", "racecheck"])
def test_nothing_is_found(tool: str) -> None:
    sanitizer = shutil.which("compute-sanitizer")
    if sanitizer is None:
        pytest.skip("compute-sanitizer is not on the PATH: it comes with the CUDA toolkit")
    done = subprocess.run(
        [sanitizer, "--tool", tool, *EXTRA.get(tool, ()), sys.executable, "-m", "tests.gpu.sanitized_kernels"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=KERNEL_TIMEOUT_S,
        check=False,
    )
    ran = dict(re.findall(r"ran (\w+) (\d+)", done.stdout))
    assert ran.keys() == EXPECTED, f"{done.stdout[-2000:]} {done.stderr[-2000:]}"
    assert all(int(launches) for launches in ran.values())
    clean = "ERROR SUMMARY: 0 errors" if tool == "memcheck" else "RACECHECK SUMMARY: 0 hazards displayed"
    assert clean in done.stdout + done.stderr, done.stdout[-4000:]
