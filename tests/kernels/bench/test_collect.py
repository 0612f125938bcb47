"""A plan that travels to other machines in shards and is collected: no point is lost or doubled."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kernels import CUDA_FOLDER
from kernels.bench.hosts import supervise
from kernels.bench.hosts.collect import collect
from kernels.bench.hosts.shards import divide, groups, longest_first, shard
from kernels.bench.kernel_texts import at_local_name, local_names, opened_files, source_hashes, with_opened, with_texts
from kernels.bench.measure.worker import work
from kernels.bench.plan import Plan, entries, libraries, points
from kernels.bench.point_ids import point_ids
from kernels.bench.sample import Entry, Point
from kernels.bench.store.database import Store
from kernels.bench.store.run_history import RunHistory
from kernels.catalog import catalog, find_kernel, read_kernel
from kernels.cli import main
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.workload import Size


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan of 8 points in 2 shards."""
    folder = tmp_path_factory.mktemp("planned") / "plan"
    done = _run(
        *("plan", "cpu_sequential", "cpu_blas", "--threads", "1", "--sizes", "3,4,5,6x7x8", "--budget", "0.02"),
        *("--shards", "2", "--slurm", "--folder", folder),
    )
    assert done.exit_code == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def shards(planned: Path) -> list[list[str]]:
    """What the tasks print, by lines."""
    return [_measure(planned, 1), _measure(planned, 2)]


@pytest.fixture
def folder(planned: Path, tmp_path: Path) -> Path:
    """A copy of the plan, without results."""
    return Path(shutil.copytree(planned, tmp_path / "plan"))


def _measure(folder: Path, shard: int) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supervise, "supervise", work)
        done = _run("bench", folder / "plan.json", "--shard", str(shard), "--jsonl")
    assert done.exit_code == 0, done.stderr
    return done.stdout.splitlines(keepends=True)


def test_a_killed_shard_that_ran_again_is_collected_once(folder: Path, shards: list[list[str]], tmp_path: Path) -> None:
    first, second = shards
    results, store = folder / "results", tmp_path / "s"
    (results / "1.jsonl").write_text("".join(first))
    (results / "2_killed.jsonl").write_text("".join(second[:6])[:-30])  # ends within a line
    done = _run("collect", folder, "--store", store)
    assert done.exit_code == 1
    assert "5 of 8 points have an outcome; 5 of them are new" in done.stdout
    assert "shard 2 lacks 3 points" in done.stdout
    assert "sbatch --array=2 job.sh" in done.stdout
    assert "2_killed.jsonl: lines that cannot be used" in done.stderr

    (results / "2_again.jsonl").write_text("".join(second))
    done = _run("collect", folder, "--store", store)
    assert done.exit_code == 0
    assert "8 of 8 points have an outcome; 3 of them are new; 1 were measured by two tasks" in done.stdout
    assert "0 of them are new" in _run("collect", folder, "--store", store).stdout
    with Store(store) as kept:
        (run,) = kept.runs()
        assert (run.point_count, run.outcome_count) == (8, 8)
        points = [row.sample.point for row in kept.rows() if not row.sample.repeat]
        assert len(set(points)) == len(points) == 8
        assert all(row.environment and row.sample.verified for row in kept.rows())


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for squeue is a script for a Unix shell")
def test_tasks_that_wait_or_run_are_told_from_those_that_have_ended(
    folder: Path, shards: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "results" / "1.jsonl").write_text("".join(shards[0][:4]))

    def collected(answer: str) -> str:
        squeue = tmp_path / "squeue"
        squeue.write_text(f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\n")
        squeue.chmod(0o755)
        return _run("collect", folder, "--store", tmp_path / "s").stdout

    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    unknown = _run("collect", folder, "--store", tmp_path / "s").stdout
    assert "shard 1" in unknown
    assert "it has some results; whether its task still runs is not known" in unknown
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    queued = collected(f"1|RUNNING|{folder}\n2|PENDING|{folder}\n1|RUNNING|/elsewhere")
    assert ": its task runs" in queued
    assert ": its task waits in the queue" in queued
    assert "sbatch" not in queued  # nothing has to run again yet
    ended = collected(f"2|RUNNING|{folder}")
    assert ": its task has ended early" in ended
    assert ": its task runs" in ended
    assert "sbatch --array=1 job.sh" in ended


def test_commands_to_copy_are_quoted(tmp_path: Path) -> None:
    folder = tmp_path / "p;touch X"
    words = ("--no-baseline", "--sizes", "3", "--slurm", "--folder", folder)
    printed = _run("plan", "cpu_sequential", *words).stdout
    assert f"cd '{folder}' && sbatch job.sh" in printed


def test_a_plan_without_a_script_for_slurm_is_not_sent_to_it(folder: Path, tmp_path: Path) -> None:
    (folder / "job.sh").unlink()
    printed = _run("collect", folder, "--store", tmp_path / "s").stdout
    assert "sbatch" not in printed
    assert "tilescope bench plan.json --shard 1 --jsonl > results/1_again.jsonl" in printed


def test_results_of_another_text_are_left_out(folder: Path, shards: list[list[str]]) -> None:
    lines = "".join(shards[0])
    (folder / "results" / "1.jsonl").write_text(lines.replace('"id": "', '"id": "0'))
    found = collect(folder)
    assert found.rows == ()
    assert "belong to another plan" in found.problems[0]
    assert sum(found.missing.values()) == 8


def test_a_verified_result_follows_one_that_failed(folder: Path, shards: list[list[str]], tmp_path: Path) -> None:
    lines = "".join(shards[0])
    (folder / "results" / "1.jsonl").write_text(lines.replace('"outcome": "measured"', '"outcome": "failed"'))
    assert "4 of them are new" in _run("collect", folder, "--store", tmp_path / "s").stdout
    (folder / "results" / "1_again.jsonl").write_text(lines)
    assert "4 of them are new" in _run("collect", folder, "--store", tmp_path / "s").stdout
    assert "0 of them are new" in _run("collect", folder, "--store", tmp_path / "s").stdout
    with Store(tmp_path / "s") as kept:
        assert kept.runs()[0].outcome_count == 4


def test_a_run_that_was_deleted_comes_back(folder: Path, shards: list[list[str]], tmp_path: Path) -> None:
    (folder / "results" / "1.jsonl").write_text("".join(shards[0]))
    assert "4 of them are new" in _run("collect", folder, "--store", tmp_path / "s").stdout
    with RunHistory(tmp_path / "s") as history:
        history.delete(history.runs()[0].id)
        assert history.runs() == ()
    assert "0 of them are new" in _run("collect", folder, "--store", tmp_path / "s").stdout
    with RunHistory(tmp_path / "s") as history:
        assert [run.outcome_count for run in history.runs()] == [4]


def test_what_cannot_be_used_is_one_line(folder: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (("collect", tmp_path), "has no plan.json"),
        (("plan", "cpu_blas", "--folder", folder), "has a plan already"),
        (("plan", "cpu_blas", "--sizes", "4", "--shards", "2", "--folder", tmp_path / "b"), "give at most 1"),
        (("bench", folder / "plan.json", "--shard", "3"), "there is no shard 3"),
        (("bench", folder / "plan.json", "--sizes", "4"), "a plan file says what to measure"),
        (("bench", folder / "job.sh.json"), "cannot be read"),
    ):
        done = _run(*arguments)
        assert done.exit_code == 2, arguments
        assert words in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_the_scripts_can_be_run(folder: Path) -> None:
    subprocess.run(["bash", "-n", folder / "job.sh"], check=True)
    assert "#SBATCH --array=1-2" in (folder / "job.sh").read_text(encoding="utf-8")


SIZES = [Size(n, n, n) for n in (16, 32, 64, 100)]
CURVES = [e for k in catalog() if k.measurable for e in entries(k)]
WHOLE = Plan(points(CURVES, SIZES), baselines=libraries(CURVES))
TILED = Point(Entry("matmul_tiled", Dim3(16, 16)), SIZES[0])


def test_every_point_of_the_catalogue_has_an_id_of_its_own_that_survives_the_journey() -> None:
    ids = point_ids(WHOLE)
    assert len(set(ids.values())) == len(WHOLE.points)
    there = Plan.from_json(json.loads(json.dumps(with_texts(WHOLE).divided(3, "run").to_json())))
    assert point_ids(there) == ids
    assert source_hashes(there) == source_hashes(WHOLE)


def test_an_id_changes_with_source_block_size_and_options_but_not_with_the_folder(tmp_path: Path) -> None:
    text = (CUDA_FOLDER / "matmul_tiled.cu").read_text(encoding="utf-8")
    ids: list[str] = []
    for folder, content in (("a", text), ("b", text), ("c", text.replace("+=", "-="))):
        file = tmp_path / folder / "mine.cu"
        file.parent.mkdir()
        file.write_text(content, encoding="utf-8")
        point = replace(TILED, entry=replace(TILED.entry, kernel=str(file)))
        ids += point_ids(Plan((point,))).values()
    assert ids[0] == ids[1] != ids[2]
    plans = [
        Plan((TILED,)),
        Plan((replace(TILED, size=SIZES[1]),)),
        Plan((replace(TILED, entry=replace(TILED.entry, block=Dim3(8, 8))),)),
        Plan((replace(TILED, entry=replace(TILED.entry, cold=True)),)),
        Plan((TILED,), fmad=False),
        Plan((TILED,), graphs=False),
        Plan((TILED,), baselines=(Entry("cublas_sgemm"),)),
    ]
    assert len({name for plan in plans for name in point_ids(plan).values()}) == len(plans)


@pytest.mark.parametrize("name", ["matmul_fast", "mmt_naive:x=column"])
def test_a_kernel_is_read_from_the_texts_of_the_plan(name: str) -> None:
    """One has a table of blocks in another file, one has an option."""
    point = Point(Entry(name), SIZES[0])
    with local_names(with_texts(Plan((point,)))) as names:
        there = find_kernel(at_local_name(point.entry, names).kernel)
    here = find_kernel(name)
    assert there.file != here.file
    assert replace(there, file=here.file) == here


def test_a_plan_cannot_write_outside_its_folder() -> None:
    plan = replace(with_texts(Plan((TILED,))), texts={"matmul_tiled": {"../evil.cu": ""}})
    with pytest.raises(InputError, match="another folder"), local_names(plan):
        pass


@pytest.mark.parametrize("count", [1, 3, 8])
def test_shards_have_every_point_once_and_keep_together_what_is_compared(count: int) -> None:
    plan = WHOLE.divided(count, "run")
    parts = divide(plan)
    assert shard(plan, count) == parts[-1]
    measured = [point for part in parts for point in part.points]
    assert sorted(measured, key=str) == sorted(plan.points, key=str)
    for group in groups(plan.points):
        assert sum(bool(set(group) & set(part.points)) for part in parts) == 1


def test_several_gpus_begin_with_the_group_that_takes_longest() -> None:
    entry = Entry("matmul_tiled", Dim3(16, 16))
    plan = Plan(points([entry, Entry("matmul_naive", Dim3(16, 16))], [Size(n, n, n) for n in (512, 8192, 1024)]))
    ordered = longest_first(plan)
    assert set(ordered) == set(plan.points)
    assert [point.size.n for point in ordered] == [8192, 8192, 1024, 1024, 512, 512]
    assert ordered[0].entry == entry


def test_a_shard_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="there is no shard 4: this plan has shards 1 to 3"):
        shard(WHOLE.divided(3, "run"), 4)


def test_a_plan_goes_on_with_the_text_that_was_read_of_a_file_that_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "mine.cu"
    listed = find_kernel("matmul_naive")
    file.write_text(listed.text, encoding="utf-8")
    kernel = read_kernel(file)
    opened = {str(file): opened_files(kernel)}
    point = Point(Entry(str(file), kernel.block), kernel.size)
    plan = Plan((point,), baselines=libraries([point.entry]))
    assert with_opened(plan, opened) is plan
    file.unlink()
    with local_names(with_opened(plan, opened)) as names:
        assert find_kernel(at_local_name(point.entry, names).kernel).text == kernel.text
