"""A real sshd on 127.0.0.1 with its own keys and configuration, in a temporary folder."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from kernels.bench.hosts.host import Host
from kernels.child_process import WORKING_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator

_PRIVILEGE_SEPARATION: Final = Path("/run/sshd")
"""Folder that the sshd of Debian wants when root starts it."""

_START_S: Final = 20.0


def missing() -> str:
    """Return why no sshd can be started here; "" if one can."""
    for program in ("sshd", "ssh", "ssh-keygen"):
        if _find(program) is None:
            return f"{program} is not installed"
    return ""


def _find(program: str) -> str | None:
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


class Sshd:
    """A server that runs."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes], port: int) -> None:
        self._folder, self._process, self._port = folder, process, port

    @property
    def host(self) -> Host:
        """Return this machine as a host behind the server."""
        options = ("StrictHostKeyChecking=no", f"UserKnownHostsFile={self._folder / 'known'}", "BatchMode=yes")
        command = ["ssh", "-F", "none", "-i", str(self._folder / "user"), "-p", str(self._port)]
        for option in options:
            command += ["-o", option]
        python = (sys.executable, "-m", "kernels")
        variables = {"PYTHONPATH": str(WORKING_FOLDER), "TILESCOPE_NOTE": "a 'word' $HOME"}
        return Host("box", (*command, f"{getpass.getuser()}@127.0.0.1"), python, variables)

    def kill(self) -> None:
        """End the server and all its sessions, as when its machine is lost."""
        for pid in [*descendants(self._process.pid), self._process.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@contextmanager
def running_sshd(folder: Path) -> Iterator[Sshd]:
    """Start a server and end it."""
    made_folder = False
    if os.getuid() == 0 and not _PRIVILEGE_SEPARATION.exists():
        _PRIVILEGE_SEPARATION.mkdir(0o755)
        made_folder = True
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "config").write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {folder / 'host'}\nAuthorizedKeysFile {folder / 'user.pub'}\n"
        "StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none\n"
    )
    command = [str(_find("sshd")), "-D", "-e", "-f", str(folder / "config")]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        server = Sshd(folder, process, port)
        try:
            _wait_for_port(port, process, folder / "log")
            yield server
        finally:
            server.kill()
            process.wait()
            if made_folder:
                _PRIVILEGE_SEPARATION.rmdir()


def _wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end_s = monotonic() + _START_S
    while True:
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        if process.poll() is not None or monotonic() > end_s:
            raise RuntimeError(f"sshd has not started: {log.read_text()}")
        sleep(0.02)


def descendants(pid: int) -> list[int]:
    """Return the ids of all processes that a process has started, and those that they have started."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found: list[int] = []
    wanted = {pid}
    while wanted:
        wanted = {child for child, parent in parents.items() if parent in wanted}
        found += wanted
    return found
