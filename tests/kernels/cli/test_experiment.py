"""`tilescope experiment` as a user runs it, without a GPU."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels.bench.store.database import Store
from kernels.child_process import WORKING_FOLDER
from kernels.cli import main
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)

WITHOUT_GPU = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}


def _start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "kernels", "experiment", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=WORKING_FOLDER,
        env=WITHOUT_GPU,
    )


@pytest.fixture(autouse=True)
def without_gpu(measured_here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide a GPU that this machine has, and measure in this process."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")


def _experiment(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["experiment", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_without_an_id_they_are_listed() -> None:
    status, out, _ = _experiment()
    assert status == 0
    assert "serial_to_gpu    From serial to GPU" in out
    listed = json.loads(_experiment("--json")[1])
    assert {"id", "title", "question", "source", "gpu"} == set(listed[0])


def test_ours_beside_theirs_and_again_from_the_store(tmp_path: Path) -> None:
    store, csv_file = tmp_path / "samples", tmp_path / "run.csv"
    status, out, err = _experiment("mmt_sanity", "--sizes", "10,30", "--store", str(store), "--csv", str(csv_file))
    assert status == 0, err
    assert "(cpu), about" in err
    assert "v1 differs from the sequential result nowhere" in out
    assert "what to look for" in out
    assert len(csv_file.read_text(encoding="utf-8").splitlines()) == 1 + 10
    assert _experiment("mmt_sanity", "--last", "--store", str(store))[1] == out


def test_json_is_one_object_with_table_series_and_claims(tmp_path: Path) -> None:
    status, out, err = _experiment("mmt_sanity", "--sizes", "10", "--json", "--store", str(tmp_path / "s"))
    assert (status, err) == (0, "")
    data = json.loads(out)
    assert data["experiment"] == "mmt_sanity"
    assert len(data["samples"]) == 5
    assert {series["ours"] for series in data["series"]} == {True, False}
    assert {claim["verdict"] for claim in data["claims"]} == {"agrees", "not measured"}


def test_an_interrupt_keeps_what_there_is(tmp_path: Path) -> None:
    store = tmp_path / "samples"
    with _start("serial_to_gpu", "--sizes", "64,128,4096", "--store", str(store)) as process:
        with Store(store) as kept:
            while not kept.rows():
                with pytest.raises(subprocess.TimeoutExpired):
                    process.wait(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "From serial to GPU" in out
    assert "stopped:" in err


def test_the_publication_is_shown_if_nothing_can_be_measured(tmp_path: Path) -> None:
    status, out, err = _experiment("ladder", "--store", str(tmp_path / "s"))
    assert status == 2
    assert "nothing of it can be measured here: " in err
    assert len(err.splitlines()) == 1
    assert "1,102" in out
    assert "Not bank conflicts" in out


@pytest.mark.parametrize(("arguments", "words"), CASES("unusable_arguments_are_one_line", tuples=True))
def test_unusable_arguments_are_one_line_and_status_2(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    done = CliRunner().invoke(main, ["experiment", *arguments, "--store", str(tmp_path / "s")])
    assert (done.exit_code, done.stdout) == (2, ""), done.stderr
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
