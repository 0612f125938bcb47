"""Imports of `kernels`: no Qt, no CuPy, nothing of the window."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from hatch_build import ROOT

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
