"""A real Slurm of one node on 127.0.0.1, with its own configuration and keys in a temporary folder."""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from kernels.child_process import WORKING_FOLDER
from tests.cases import Cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CASES = Cases(__file__)

_DAEMONS: Final = ("munged", "slurmctld", "slurmd")
_PATH: Final = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_WAIT_S: Final = 120.0


def missing() -> str:
    """Return why no Slurm can be started here; "" if one can."""
    for program in (*_DAEMONS, "sbatch", "scancel", "squeue", "srun"):
        if shutil.which(program, path=_PATH) is None:
            return f"{program} is not installed (Debian: slurmctld, slurmd, slurm-client, munge)"
    return "" if os.getuid() == 0 else "Slurm's daemons need root"


class Cluster:
    """A Slurm that runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "PATH": f"{folder}:{_PATH}",
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def run(self, *command: str, folder: Path | None = None) -> str:
        """Run a command and return its output."""
        return subprocess.run(
            command,
            env=self.environment,
            cwd=folder or self.folder,
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            timeout=_WAIT_S,
        ).stdout

    @property
    def jobs(self) -> list[str]:
        """Return the ids of jobs and tasks that wait or run."""
        return self.run("squeue", "--noheader", "--array", "--format=%i").split()


@contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """Start munge, a controller and a node, and end them."""
    for name in ("spool", "state"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o600)
    program = folder / "tilescope"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{WORKING_FOLDER}" exec "{sys.executable}" -m kernels "$@"\n')
    program.chmod(0o755)
    machine = socket.gethostname().partition(".")[0]
    (folder / "slurm.conf").write_text(
        CASES.text("slurm.conf").format(
            machine=machine,
            user=getpass.getuser(),
            controller_port=_free_port(),
            node_port=_free_port(),
            folder=folder,
            cores=os.cpu_count(),
        )
    )
    cluster = Cluster(folder)
    with ExitStack() as opened:
        opened.callback(_kill_jobs, folder)
        munge = [f"--{name}={folder / file}" for name, file in _MUNGE_FILES.items()]
        _start(cluster, opened, "munged", "--foreground", "--force", *munge)
        wait_until((folder / "munge.socket").exists, "munged")
        _start(cluster, opened, "slurmctld", "-D")
        _start(cluster, opened, "slurmd", "-D", "-N", "node")
        wait_until(lambda: "idle" in _output(cluster, "sinfo", "--noheader", "--format=%T"), "slurmd")
        opened.callback(lambda: _output(cluster, "scancel", "--signal=KILL", "--full", f"--user={getpass.getuser()}"))
        yield cluster


_MUNGE_FILES: Final = {
    "key-file": "munge.key",
    "socket": "munge.socket",
    "pid-file": "munge.pid",
    "log-file": "munge.log",
    "seed-file": "munge.seed",
}


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait for another process; fail after a long time."""
    end_s = monotonic() + _WAIT_S
    while not condition():
        assert monotonic() < end_s, f"{what} has not come to it in {_WAIT_S:g} s"
        sleep(0.05)


def _start(cluster: Cluster, opened: ExitStack, *command: str) -> None:
    log = opened.enter_context((cluster.folder / f"{command[0]}.log").open("wb"))
    program = str(shutil.which(command[0], path=_PATH))
    process = opened.enter_context(
        subprocess.Popen([program, *command[1:]], env=cluster.environment, stdout=log, stderr=log)
    )
    opened.callback(process.kill)


def _output(cluster: Cluster, *command: str) -> str:
    """Return the output of a command, also of one that fails: the daemons may not be ready."""
    done = subprocess.run(
        command, env=cluster.environment, capture_output=True, encoding="utf-8", check=False, timeout=_WAIT_S
    )
    return done.stdout


def _kill_jobs(folder: Path) -> None:
    """Kill what the node has started: only those processes have this configuration in their environment."""
    mark = f"SLURM_CONF={folder / 'slurm.conf'}".encode()
    for process in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if mark in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
