"""A plan of 200 points through a real Slurm: an array job, one task killed and run again, collected twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from kernels.bench.hosts.fan_out import fan_out
from kernels.bench.hosts.host import Host, Slot
from kernels.bench.plan import Plan, points
from kernels.bench.protocol import Begin, Failed, Measured
from kernels.bench.sample import Entry
from kernels.bench.store.database import Store
from kernels.cli import main
from kernels.workload import Size
from tests.kernels.bench.slurm_cluster import Cluster, missing, running_cluster, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.exhaustive, pytest.mark.skipif(bool(missing()), reason=missing())]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    folder = tmp_path / "slurm"
    folder.mkdir()
    with running_cluster(folder) as made:
        yield made


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_an_array_job_with_a_killed_task_loses_and_doubles_no_point(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_CONF", cluster.environment["SLURM_CONF"])
    folder, store = tmp_path / "plan", tmp_path / "s"
    kernels = ("cpu_sequential", "cpu_blas", "--threads", "1", "--no-baseline", "--budget", "0.005")
    sizes = ("--from", "2", "--to", "101", "--step", "1")
    planned = _run("plan", *kernels, *sizes, "--shards", "4", "--slurm", "--folder", folder)
    assert "200 points in 4 shards" in planned.stdout

    job = cluster.run("sbatch", "--parsable", "job.sh", folder=folder).strip()
    second = folder / "results" / f"{job}_2_0.jsonl"
    wait_until(lambda: second.is_file() and second.read_text().count('"event": "sample"') >= 10, "the second task")
    assert ": its task runs" in _run("collect", folder, "--store", tmp_path / "meanwhile").stdout
    cluster.run("scancel", f"{job}_2")
    wait_until(lambda: not cluster.jobs, "the job")
    done = _run("collect", folder, "--store", store)
    assert done.exit_code == 1
    assert "its task has ended early" in done.stdout
    assert "sbatch --array=2 job.sh" in done.stdout
    before = 200 - int(done.stdout.partition("shard 2 lacks ")[2].split()[0])
    assert f"{before} of 200 points have an outcome; {before} of them are new" in done.stdout
    assert 160 <= before < 200

    cluster.run("sbatch", "--wait", "--array=2", "job.sh", folder=folder)
    done = _run("collect", folder, "--store", store)
    assert done.exit_code == 0, done.stdout
    assert f"200 of 200 points have an outcome; {200 - before} of them are new; {before - 150} were" in done.stdout
    assert "200 of 200 points have an outcome; 0 of them are new" in _run("collect", folder, "--store", store).stdout
    with Store(store) as kept:
        (run,) = kept.runs()
        samples = [row.sample for row in kept.rows() if not row.sample.repeat]
    assert (run.point_count, run.outcome_count) == (200, 200)
    assert len({sample.point for sample in samples}) == len(samples) == 200
    assert all(sample.verified for sample in samples)


def test_a_host_behind_srun_measures_live(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_CONF", cluster.environment["SLURM_CONF"])
    command = ("srun", "--ntasks=1", "--unbuffered", f"--chdir={cluster.folder}")
    host = Host("queue", command, (str(cluster.folder / "tilescope"),))
    plan = Plan(points([Entry("cpu_sequential")], [Size(n, n, n) for n in (3, 4, 5)]), budget_s=0.02)
    messages = fan_out(plan, [Slot(host)])
    next(message for message in messages if isinstance(message, Begin))
    messages.close()
    wait_until(lambda: not cluster.jobs, "the end of a worker that was stopped")
    samples = [m.sample for m in fan_out(plan, [Slot(host)]) if isinstance(m, Measured | Failed)]
    assert [s.point for s in samples if not s.repeat and s.verified] == list(plan.points)
    wait_until(lambda: not cluster.jobs, "the end of the worker")
