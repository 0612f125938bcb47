"""Imports of `kernels`, the start of the command, and the command that adds an extra."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hatch_build import ROOT
from kernels import startup
from kernels.child_process import WORKING_FOLDER
from kernels.installation import install_command
from tests.cases import Cases
from tests.sweeps import exhaustive

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CASES = Cases(__file__)

WALK = """
import importlib, json, pkgutil, sys
import kernels
found = pkgutil.walk_packages(kernels.__path__, f"{kernels.__name__}.")
names = [module.name for module in found if not module.name.endswith("__main__")]
for name in names:
    importlib.import_module(name)
print(json.dumps([len(names), sorted({name.partition(".")[0] for name in sys.modules})]))
"""


CUPY = {"kernels/occupancy/record_blocks.py", "kernels/recorder/plain_run.py"}
"""Modules beside those of `kernels/gpu` that import CuPy: they keep device memory of a run."""


def loaded(code: str) -> set[str]:
    """Return top-level packages that a fresh interpreter has after running the code."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    count, names = json.loads(run.stdout)
    assert count > 0
    return set(names)


def test_importing_everything_below_kernels_loads_neither_qt_nor_cupy_nor_the_window() -> None:
    assert not loaded(WALK) & {"PySide6", "shiboken6", "cupy", "cupyx", "gui", "pyqtgraph"}


@pytest.mark.skipif(not (ROOT / "kernels").is_dir(), reason="reads the sources of a checkout")
def test_cupy_is_imported_where_the_rules_say() -> None:
    sources = [file for room in ("kernels", "gui", "tilescope") for file in (ROOT / room).rglob("*.py")]
    importing = {
        file for file in sources if re.search(r"^\s*(import|from) cupyx?\b", file.read_text("utf-8"), re.MULTILINE)
    }
    elsewhere = {file.relative_to(ROOT).as_posix() for file in importing if file.parent.name != "gpu"}
    assert elsewhere == CUPY
    rules = (ROOT / "docs/architecture.md").read_text("utf-8").partition("## Rules")[2]
    assert all(f"`{name}`" in rules for name in CUPY)


@pytest.mark.parametrize("module", ["kernels.cli", "gui.shell.command"])
def test_the_command_line_starts_light(module: str) -> None:
    code = (
        f"import importlib, json, sys; importlib.import_module({module!r}); print(json.dumps([1, sorted(sys.modules)]))"
    )
    assert not loaded(code) & {"numba", "numpy", "cupy", "PySide6"}


def test_the_window_is_shown_before_the_simulator_is_loaded() -> None:
    code = "import json, sys; from gui.shell import application; print(json.dumps([1, sorted(sys.modules)]))"
    late = {"kernels.simt", "kernels.bench", "kernels.gpu", "kernels.occupancy", "numba", "pyqtgraph", "pygments"}
    assert not loaded(code) & late


def test_the_picture_waits_for_no_simulator() -> None:
    code = "import json, sys; from gui.explore import page; print(json.dumps([1, sorted(sys.modules)]))"
    late = {"kernels.simt.engine", "kernels.tracing", "kernels.trace.file", "gui.explore.export.film"}
    assert not loaded(code) & {*late, "importlib.metadata", "hashlib", "numpy.random", "subprocess", "xml.etree"}


def test_the_window_reads_no_source_of_a_module_that_it_imports() -> None:
    code = """
import json, linecache
from gui.shell.display import keep_plain_imports
keep_plain_imports()
from gui.shell import application
print(json.dumps([1, sorted(linecache.cache)]))
"""
    assert not [name for name in loaded(code) if name.endswith(("application.py", "main_window.py"))]


def test_a_worker_measures_without_the_simulator() -> None:
    code = "import json, sys; from kernels.bench.measure import worker; print(json.dumps([1, sorted(sys.modules)]))"
    assert not loaded(code) & {"kernels.simt", "numba", "cupy"}


def run(arguments: Sequence[str], folder: Path, *search: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with these folders in PYTHONPATH."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, search)), **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


def write(folder: Path, file: str, text: str) -> None:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("failing", ["def main(prog_name):\n    raise ValueError('not\\nhandled')", "1/0"])
def test_an_unexpected_exception_is_one_line_with_a_status_of_its_own(here: Path, failing: str) -> None:
    write(here, "failing.py", failing)
    command = ["-c", "from kernels.startup import start; start('failing')"]
    done = run(command, here, here, WORKING_FOLDER)
    assert done.returncode == startup.INTERNAL_ERROR
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("tilescope: internal error: ")
    assert done.stderr.endswith("; set TILESCOPE_TRACEBACK=1 to see where\n")
    again = run(command, here, here, WORKING_FOLDER, TILESCOPE_TRACEBACK="1")
    assert again.returncode == startup.INTERNAL_ERROR
    assert "Traceback" in again.stderr
    assert "failing.py" in again.stderr


def test_an_interrupt_while_modules_are_imported_has_the_status_that_shells_report(here: Path) -> None:
    write(here, "failing.py", f"import signal; signal.raise_signal({int(signal.SIGINT)})")
    done = run(["-c", "from kernels.startup import start; start('failing')"], here, here, WORKING_FOLDER)
    assert (done.returncode, done.stderr) == (startup.INTERRUPTED, "")


@pytest.mark.skipif(sys.platform == "win32", reason="a closed pipe is another error there")
@pytest.mark.parametrize(
    "arguments",
    [["--help"], *exhaustive(["bench", "--help"], ["kernels"], ["devices", "--json"]), ["trace", "hello_grid"]],
)
def test_a_reader_that_ends_first_is_no_hazard(arguments: list[str]) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "kernels", *arguments],
            stdout=theirs,
            stderr=subprocess.PIPE,
            cwd=WORKING_FOLDER,
            timeout=60,
            check=False,
        )
    finally:
        os.close(theirs)
    assert (done.returncode, done.stderr) == (startup.OUTPUT_CLOSED, b"")


PIP = [sys.executable, "-m", "pip", "install"]


def installed(folder: Path, origin: dict[str, object] | None) -> None:
    """Write the metadata of an installation, with the address that it came from."""
    metadata = folder / "tilescope-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tilescope\nVersion: 0.1.0\n")
    if origin is not None:
        (metadata / "direct_url.json").write_text(json.dumps(origin))


@pytest.mark.skipif(sys.platform == "win32", reason="paths and quotes of a Unix shell")
@pytest.mark.parametrize(("origin", "prefix", "command"), CASES("commands"))
def test_the_command_fits_the_installation(
    origin: dict[str, object] | None,
    prefix: str,
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed(tmp_path, origin)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "prefix", prefix)
    assert install_command("cuda13") == command.replace("PIP", " ".join(PIP))
