"""The start of the command: other packages named as ours, and exit statuses that are not a command's own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kernels import __version__, startup
from kernels.child_process import WORKING_FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

SOURCE = Path(startup.__file__)
LAUNCHER = WORKING_FOLDER / "gui" / "launcher.py"
FOREIGN = "raise RuntimeError('a package of another distribution was imported')\n"


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
def launcher(tmp_path: Path) -> Path:
    """A folder with the module `tilescope` as a wheel installs it."""
    folder = tmp_path / "launcher"
    folder.mkdir()
    shutil.copy(LAUNCHER, folder / "tilescope.py")
    return folder


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


def write(folder: Path, file: str, text: str) -> None:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("arguments", [["--version"], ["kernels"], ["trace", "hello_grid"], []])
@pytest.mark.parametrize(
    ("file", "found"),
    [("kernels/__init__.py", "kernels"), ("gui/__init__.py", "gui"), ("gui.py", "gui.py")],
)
def test_a_package_of_the_same_name_in_the_working_folder_is_one_line(
    launcher: Path, here: Path, arguments: list[str], file: str, found: str
) -> None:
    write(here, file, FOREIGN)
    done = run(["-m", "tilescope", *arguments], here, here, WORKING_FOLDER, launcher)
    name = found.removesuffix(".py")
    assert (done.returncode, done.stdout) == (startup.UNUSABLE, "")
    assert done.stderr == (
        f"tilescope: Python finds another '{name}' first, at {here / found}: "
        "start tilescope in another folder, and without this one in PYTHONPATH\n"
    )


def test_a_package_of_the_same_name_elsewhere_in_the_search_path_is_one_line(
    launcher: Path, here: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    write(other, "kernels/__init__.py", FOREIGN)
    done = run(["-m", "tilescope", "--version"], here, other, WORKING_FOLDER, launcher)
    assert (done.returncode, done.stderr.count("\n")) == (startup.UNUSABLE, 1)
    assert done.stderr.endswith(f"at {other / 'kernels'}: take {other} out of PYTHONPATH\n")


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("tilescope", "Python finds another 'kernels' first, at"),
        ("kernels", "another distribution has replaced the package 'kernels' at"),
    ],
)
def test_another_distribution_that_was_installed_over_ours_is_one_line(
    tmp_path: Path, here: Path, module: str, words: str
) -> None:
    site = tmp_path / "site-packages"
    shutil.copytree(SOURCE.parent / "cli", site / "kernels" / "cli")
    for name in ("startup.py", "__main__.py"):
        shutil.copy(SOURCE.with_name(name), site / "kernels" / name)
    shutil.copy(LAUNCHER, site / "tilescope.py")
    write(site, "kernels/__init__.py", "get_kernel = None\n")
    done = run(["-m", module, "--version"], here, site)
    assert (done.returncode, done.stdout) == (startup.UNUSABLE, "")
    assert done.stderr == (
        f"tilescope: {words} {site / 'kernels'}: install tilescope again, in a separate virtual environment\n"
    )


def test_missing_data_files_and_a_missing_package_are_one_line(tmp_path: Path, here: Path) -> None:
    site = tmp_path / "site-packages"
    shutil.copytree(SOURCE.parent, site / "kernels", ignore=shutil.ignore_patterns("__pycache__", "*.cu"))
    shutil.copy(LAUNCHER, site / "tilescope.py")
    (site / "resources").mkdir()
    write(site, "resources/another.txt", "of another program")
    done = run(["-m", "kernels", "--version"], here, site)
    assert (done.returncode, done.stderr.count("\n")) == (startup.UNUSABLE, 1)
    assert f"the data files in {site / 'resources'} are missing or another program's" in done.stderr
    # -S and -I hide where the tests have `gui` from.
    code = f"import sys; sys.path.insert(0, {str(site)!r}); import tilescope; tilescope.main()"
    done = run(["-S", "-I", "-c", code], here)
    assert (done.returncode, done.stderr) == (
        startup.UNUSABLE,
        "tilescope: the package 'gui' is missing: install tilescope again\n",
    )


def test_folders_of_these_names_that_are_no_packages_do_no_harm(launcher: Path, here: Path) -> None:
    for name in ("kernels", "gui", "resources", "tilescope"):
        write(here, f"{name}/notes.txt", "not Python")
    for module in ("tilescope", "kernels"):
        done = run(["-m", module, "--version"], here, here, WORKING_FOLDER, launcher)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"tilescope, version {__version__}\n", "")


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
    [["--help"], ["bench", "--help"], ["kernels"], ["devices", "--json"], ["trace", "hello_grid"]],
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
