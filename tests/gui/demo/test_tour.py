"""The tour as a newcomer starts it: a real process, rendering into files."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from gui.demo.command import print_tour
from kernels.bench.measure.point import no_result
from kernels.bench.plan import entries
from kernels.bench.sample import Point
from kernels.catalog import find_kernel
from kernels.device import find_device
from kernels.experiments import experiments
from kernels.tour import tour
from kernels.workload import Size
from tests.gui.measure.quick_worker import command
from tests.user_folders import USER_FOLDERS

SIZES = (64, 128)
"""Measured on the CPU, of the four of the tour."""


BRIEFLY = f"""
from dataclasses import replace
from kernels import tour as room
from kernels.workload import Size
tour = room.tour()
first, second = tour.explore
tour = replace(tour, explore=(first, replace(second, size=Size(8, 8, 8))))
tour = replace(tour, benchmark=replace(tour.benchmark, cpu_sizes={SIZES}))
room.tour = lambda: tour
from gui.measure.run import plan_run as run
run.worker_command = lambda: {command()!r}
from gui.shell.command import main
main()
"""
"""The command with a smaller second picture, fewer sizes, and a worker that invents times."""


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("tour")
    own = dict.fromkeys(USER_FOLDERS, str(folder))
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            BRIEFLY,
            "demo",
            "--headless",
            "--output",
            "out",
            "--theme",
            "dark",
        ],
        cwd=folder,
        env={**os.environ, **own},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "out", done.stdout


def test_the_tour_leaves_pictures_a_film_and_a_table(rendered: tuple[Path, str]) -> None:
    folder, _ = rendered
    for name in ("explore.png", "explore-2.png", "benchmark.png", "occupancy.png", "experiments.png"):
        with Image.open(folder / name) as picture:
            assert picture.size == (1280, 800)
            assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 50, f"{name} is all but empty"
    # The theme that was asked for is worn.
    with Image.open(rendered[0] / "occupancy.png") as picture:
        corner = picture.convert("L").getpixel((2, 2))
    assert isinstance(corner, int | float)
    assert corner < 60
    # The film moves.
    with Image.open(rendered[0] / "explore.gif") as film:
        assert getattr(film, "n_frames", 1) > 40
    # Every point is verified and written.
    with (rendered[0] / "gflops.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    measured = {(row["kernel"], int(row["n"])) for row in rows if float(row["gflops"]) > 0}
    assert measured >= {(name, n) for name in tour().benchmark.cpu for n in SIZES}
    # The table names what was measured and the occupancy.
    printed = rendered[1]
    assert all(name in printed for name in tour().benchmark.cpu)
    assert "warps" in printed
    assert "explore.gif" in printed
    assert tour().experiment.message in printed


def test_the_tour_asks_for_launches_that_exist() -> None:
    found = tour()
    for example in (*found.explore, found.occupancy):
        assert example.kernel.launch(example.size, example.block).grid.count > 0
    assert find_device(found.device).sm_count > 0
    assert set(found.experiment.ids) <= {experiment.id for experiment in experiments()}


def test_an_error_of_all_sizes_is_printed_once_and_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """Without Numba, every size of a kernel fails with the command that installs it, whose brackets must stay."""
    (entry,) = entries(find_kernel("cpu_sequential"))
    command = "Numba cannot be used: pip install 'tilescope[cpu]'"
    print_tour([no_result(Point(entry, Size(n, n, n)), "refused", command) for n in (64, 128)])
    assert capsys.readouterr().out.endswith(f"\n{entry.label}: {command}\n")
