"""Files that a command writes: refused before the work, replaced only by whole ones, and never instead of results."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from gui.shell.command import program
from kernels.bench.store.database import Store
from kernels.child_process import WORKING_FOLDER
from kernels.trace.file import load, save
from tests.cases import Cases
from tests.sweeps import exhaustive

if TYPE_CHECKING:
    from collections.abc import Sequence

CASES = Cases(__file__)

BENCH = ("bench", "cpu_blas", "--sizes", "4", "--threads", "1", "--budget", "0.02")
FULL = Path("/dev/full")
LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({bytes}, resource.RLIM_INFINITY))
from kernels.cli import main
main()
"""
"""The command line where no file can grow beyond a size, as on a disk that fills up."""


def run(*words: object) -> Result:
    return CliRunner().invoke(program, [str(word) for word in words])


def limited(size_bytes: int, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LIMITED.format(bytes=size_bytes), *(str(word) for word in words)],
        capture_output=True,
        encoding="utf-8",
        cwd=WORKING_FOLDER,
        check=False,
        timeout=120,
    )


def bad_paths(tmp_path: Path) -> list[Path]:
    places = [tmp_path / "missing" / "file", tmp_path]
    return [*places, FULL, Path("/proc/file")] if FULL.exists() else places


@pytest.mark.parametrize(("words", "option"), CASES("a_path_that_cannot_be_written", tuples=True))
def test_a_path_that_cannot_be_written_is_refused_before_anything_else_is_done(
    words: Sequence[str], option: str, tmp_path: Path
) -> None:
    """The kernel does not exist either: the path is checked first."""
    for path in bad_paths(tmp_path):
        refused = run(*words, option, path)
        assert (refused.exit_code, refused.stdout) == (2, ""), path
        assert refused.stderr.startswith(f"tilescope: {path}: cannot be written: ")
        assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize("blocked", ["", "gflops.csv", "explore.gif"])
def test_the_tour_is_not_begun_where_its_files_cannot_be_written(blocked: str, tmp_path: Path) -> None:
    folder = tmp_path / "tour"
    (folder / blocked).mkdir(parents=True)
    if not blocked:
        folder = tmp_path / "file" / "tour"
        folder.parent.write_text("a file", encoding="utf-8")
    refused = run("demo", "--headless", "--output", folder)
    assert refused.exit_code == 2
    assert len(refused.output.splitlines()) == 1
    assert "cannot be" in refused.output


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_trace_that_outgrows_the_disk_leaves_the_old_one_and_its_figures(tmp_path: Path) -> None:
    file = tmp_path / "old.trace"
    assert run("trace", "index_map", "--out", file).exit_code == 0
    before = file.read_bytes()
    done = limited(5000, "trace", "matmul_tiled", "--out", file)
    assert done.returncode == 2
    assert "matmul_tiled <<<" in done.stdout
    assert len(done.stderr.splitlines()) == 1
    assert f"{file}: cannot be written" in done.stderr
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_figures_are_printed_where_the_table_outgrows_the_disk(tmp_path: Path) -> None:
    file = tmp_path / "old.csv"
    file.write_text("old", encoding="utf-8")
    sizes = ",".join(str(n) for n in range(1, 40))
    words = ("bench", "cpu_blas", "--sizes", sizes, "--threads", "1", "--budget", "0.001", "--no-store")
    done = limited(5000, *words, "--csv", file, "--json")
    assert done.returncode == 2
    # On a busy machine a point may be measured again.
    assert len({tuple(sample["size"]) for sample in json.loads(done.stdout)["samples"]}) == 39
    assert f"{file}: cannot be written" in done.stderr
    assert file.read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("words", [BENCH, ("experiment", "mmt_sanity", "--sizes", "10")], ids=lambda w: w[0])
@pytest.mark.usefixtures("measured_here")
def test_a_store_that_takes_no_samples_does_not_cost_the_figures(words: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "samples"
    Store(file).close()
    base = sqlite3.connect(file)
    base.execute("CREATE TRIGGER full BEFORE INSERT ON sample BEGIN SELECT RAISE(FAIL, 'disk full'); END")
    base.close()
    done = run(*words, "--store", file, "--csv", tmp_path / "run.csv", "--json")
    assert done.exit_code == 2
    samples = json.loads(done.stdout)["samples"]
    assert samples
    assert len((tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()) == 1 + len(samples)
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"tilescope: {file}: samples cannot be stored there")
    assert "disk full" in last


def test_a_saved_trace_replaces_one_that_is_being_read(tmp_path: Path) -> None:
    file = tmp_path / "run.trace"
    assert run("trace", "index_map", "--out", file).exit_code == 0
    first = load(file)
    with file.open("rb") as reader:
        save(load(file), file)
        again = reader.read()
    assert file.read_bytes() == again
    assert load(file).steps == first.steps


@pytest.mark.parametrize("name", ["x.html", "x.txt", "x.png"])
def test_a_trace_takes_no_name_of_another_kind_of_file(name: str, tmp_path: Path) -> None:
    result = run("trace", "matmul_tiled", "--out", tmp_path / name)
    assert result.exit_code == 2
    assert result.stderr.startswith("tilescope: --out")
    assert "name it x.trace" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("words", [("kernels",), *exhaustive(("devices",), ("trace", "hello_grid")), ("--help",)])
def test_an_output_that_is_full_is_one_sentence(words: tuple[str, ...]) -> None:
    with FULL.open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "kernels", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=WORKING_FOLDER,
            check=False,
        )
    assert ended.stderr == "tilescope: standard output cannot be written: No space left on device\n"
    assert ended.returncode == 2
