"""Measuring on a host behind a real sshd."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels import CUDA_FOLDER
from kernels.bench.hosts.fan_out import fan_out
from kernels.bench.hosts.host import Host, Slot, default_path
from kernels.bench.kernel_texts import with_texts
from kernels.bench.plan import Plan, points
from kernels.bench.protocol import Begin, EnvironmentMessage, Failed, Measured
from kernels.bench.sample import Entry
from kernels.bench.store.database import Store
from kernels.cli import main
from kernels.errors import UnavailableError
from kernels.launch import Dim3
from kernels.workload import Size
from tests.kernels.bench.sshd import Sshd, missing, running_sshd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

SIZES = [Size(n, n, n) for n in (3, 4, 5)]
ON_CPU = Plan(points([Entry("cpu_sequential"), Entry("cpu_blas", threads=1)], SIZES), budget_s=0.02, min_samples=2)


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Sshd]:
    (tmp_path / "sshd").mkdir()
    with running_sshd(tmp_path / "sshd") as server:
        yield server


def test_a_host_is_tested_and_measures_through_ssh(sshd: Sshd, tmp_path: Path) -> None:
    host = sshd.host
    file = default_path()
    file.parent.mkdir(parents=True, exist_ok=True)
    variables = ", ".join(f"{name} = {json.dumps(value)}" for name, value in host.environment.items())
    file.write_text(
        f"[box]\ncommand = {json.dumps(host.command)}\ntilescope = {json.dumps(host.tilescope)}\n"
        f"environment = {{ {variables} }}\n"
    )
    done = CliRunner().invoke(main, ["hosts", "box"])
    assert done.exit_code == 0, done.stdout
    assert "box answers after" in done.stdout
    measured = ("bench", "cpu_sequential", "--sizes", "3,4", "--budget", "0.02", "--host", "box", "--json")
    done = CliRunner().invoke(main, [*measured, "--store", str(tmp_path / "s")])
    assert done.exit_code == 0, done.stderr
    with Store(tmp_path / "s") as store:
        rows = store.rows()
    assert {row.sample.point.size.n for row in rows} == {3, 4}
    assert {row.environment.host for row in rows if row.environment} == {"box"}


def test_the_text_of_a_kernel_travels(sshd: Sshd, tmp_path: Path) -> None:
    """The simulator there runs a file that is not there."""
    file = tmp_path / "mine.cu"
    file.write_text((CUDA_FOLDER / "matmul_naive.cu").read_text(encoding="utf-8"), encoding="utf-8")
    plan = with_texts(Plan(points([Entry(str(file), Dim3(2, 2))], SIZES[:1]), task="simulate"))
    file.unlink()
    samples = [m.sample for m in fan_out(plan, [Slot(sshd.host)]) if isinstance(m, Measured | Failed)]
    assert [(s.point, s.outcome) for s in samples] == [(plan.points[0], "checked")]


def test_a_host_that_is_lost_gives_its_points_back(sshd: Sshd, tmp_path: Path) -> None:
    """Its machine ends in the middle of a point; another host, which starts then, measures the rest."""
    killed = tmp_path / "killed"
    wait = f'while ! [ -e "{killed}" ]; do sleep 0.05; done; exec "$@"'
    late = Host("late", ("sh", "-c", wait, "sh"), sshd.host.tilescope, sshd.host.environment)
    samples, hosts = [], {}
    for message in fan_out(ON_CPU, [Slot(sshd.host), Slot(late)]):
        match message:
            case Begin(point) if point == ON_CPU.points[2] and not killed.exists():
                sshd.kill()
                killed.touch()
            case Measured(sample) | Failed(sample) if not sample.repeat:
                samples.append(sample)
            case EnvironmentMessage(environment):
                hosts[environment.id] = environment.host
    assert Counter(sample.point for sample in samples) == Counter(ON_CPU.points)
    assert all(sample.verified for sample in samples)
    assert Counter(hosts[sample.environment] for sample in samples) == {"box": 2, "late": 4}


def test_a_server_that_refuses_is_one_sentence(sshd: Sshd) -> None:
    strange = replace(sshd.host, command=(*sshd.host.command[:-1], "no-such-user@127.0.0.1"))
    with pytest.raises(UnavailableError, match=r"^box cannot measure: .* status 255: .*Permission denied"):
        list(fan_out(ON_CPU, [Slot(strange)]))
