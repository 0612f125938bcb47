"""Hosts: machines that measure for this one, described in the file `hosts.toml` of the user's folder.

    [gpubox]
    command = ["ssh", "gpubox"]                  # what to put before a command line so that it runs there
    tilescope = ["/opt/venv/bin/tilescope"]      # how tilescope is started there; "tilescope" unless given
    environment = { OMP_NUM_THREADS = "8" }      # variables of the process there
    gpus = [0, 1]                                # as nvidia-smi numbers them, or UUIDs; without it, CUDA's device 0
    start_s = 600                                # seconds until it answers, 120 unless given: a queue may take longer

The table `local` is this machine; its only field is `gpus`, for a machine with several.

The command may be any that passes standard input and output on: ssh, srun, docker, kubectl.
"""

from __future__ import annotations

import shlex
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

from kernels.child_process import END_WITH_PARENT, child_command
from kernels.errors import InputError
from kernels.files import reason_of
from kernels.user_folder import user_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LOCAL: Final = "local"
"""Name of this machine."""

START_S: Final = 120.0
"""Seconds from a worker's start to its first line: Python, CuPy and the CUDA context, on a cold disk too."""

_WORKER: Final = ("bench", "--worker", "--ask", "--plan", "-")
_FIELDS: Final = ("command", "tilescope", "environment", "gpus", "start_s")
_WINDOWS_OPTIONS: Final = ("-o", "ControlMaster=no", "-o", "ControlPath=none")

EXAMPLE: Final = """\
[gpubox]
command = ["ssh", "gpubox"]
gpus = [0]
"""
"""A file of hosts."""


@dataclass(frozen=True, slots=True)
class Host:
    """A machine on which workers can be started."""

    name: str
    command: tuple[str, ...] = ()
    """Words before a command line that run it there; empty for this machine."""
    tilescope: tuple[str, ...] = ("tilescope",)
    """Words that start tilescope there."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of the worker."""
    gpus: tuple[str, ...] = ()
    """GPUs to measure on, by number or UUID; empty for the one that CUDA lists first."""
    start_s: float = START_S
    """Seconds until a worker must have answered."""

    @property
    def is_local(self) -> bool:
        """Return whether this is the machine on which tilescope runs, reached without a command."""
        return self.name == LOCAL

    def worker_command(self, gpu: str = "") -> list[str]:
        """Return program and arguments of a worker on this host that asks for its points.

        ssh joins its arguments with spaces and leaves them to a shell, so each of ours is quoted for it.
        """
        chosen = ("--gpus", gpu) if gpu else ()
        if self.is_local:
            return child_command(*_WORKER, *chosen)
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        words = [*(("env", *variables) if variables else ()), *self.tilescope, END_WITH_PARENT, *_WORKER, *chosen]
        program, *arguments = self.command
        if PurePath(program).stem.lower() != "ssh":
            return [*self.command, *words]
        # The ssh of Windows cannot share connections, and fails where the user's configuration asks for it.
        options = _WINDOWS_OPTIONS if sys.platform == "win32" else ()
        return [program, *options, *arguments, *(shlex.quote(word) for word in words)]


@dataclass(frozen=True, slots=True)
class Slot:
    """A GPU of a host, or the host itself if no GPU is named: it measures one point at a time."""

    host: Host
    gpu: str = ""

    def __str__(self) -> str:
        return f"{self.host.name} GPU {self.gpu}" if self.gpu else self.host.name


def slots_of(hosts: Iterable[Host]) -> tuple[Slot, ...]:
    """Return the slots of hosts, one for each GPU."""
    return tuple(Slot(host, gpu) for host in hosts for gpu in host.gpus or ("",))


def default_path() -> Path:
    """Return the path of the user's file."""
    return user_path("hosts")


def read_hosts(path: Path | None = None) -> tuple[Host, ...]:
    """Return the hosts of the file, by default the user's; none if there is no file.

    Raises
    ------
    InputError
        When the file cannot be read, or a field is missing, unknown or of the wrong kind.
    """
    path = path or default_path()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {reason_of(error)}") from error
    try:
        return tuple(_host(name, table) for name, table in tomllib.loads(text).items())
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: is not TOML: {error}") from error
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error


def find_hosts(names: Sequence[str], path: Path | None = None) -> tuple[Host, ...]:
    """Return the hosts of these names; `LOCAL` is this machine.

    Raises
    ------
    InputError
        When there is none of a name, with those that there are.
    """
    known = {LOCAL: Host(LOCAL), **{host.name: host for host in read_hosts(path)}}
    for name in names:
        if name not in known:
            found = _list(known)
            cure = f"has {found}" if found else "names none; 'tilescope hosts' says how to describe one"
            raise InputError(f"there is no host '{name}': {path or default_path()} {cure}")
    return tuple(known[name] for name in dict.fromkeys(names))


def _list(known: Mapping[str, Host]) -> str:
    return ", ".join(name for name in known if name != LOCAL)


def _host(name: str, table: Any) -> Host:
    if not isinstance(table, dict):
        raise ValueError(f"'{name}' is not a host: write a table for each, as in\n{EXAMPLE}".strip().replace("\n", " "))
    allowed = ("gpus",) if name == LOCAL else _FIELDS
    for key in table:
        if key not in allowed:
            this = "this machine, " if name == LOCAL else ""
            raise ValueError(f"host {name}: {this}'{key}' is not known: the fields are {', '.join(allowed)}")
    command = _words(name, "command", table.get("command"))
    if not command and name != LOCAL:
        raise ValueError(f'host {name}: has no command: write command = ["ssh", "{name}"], for example')
    variables = table.get("environment", {})
    if not isinstance(variables, dict) or not all(isinstance(value, str) for value in variables.values()):
        raise ValueError(f'host {name}: environment must be texts by name, as in {{ OMP_NUM_THREADS = "8" }}')
    gpus = table.get("gpus", [])
    if not isinstance(gpus, list) or not all(type(gpu) is int or (isinstance(gpu, str) and gpu) for gpu in gpus):
        raise ValueError(f"host {name}: gpus must be a list of numbers or UUIDs, as in [0, 1]")
    start_s = table.get("start_s", START_S)
    if type(start_s) not in (int, float) or not start_s > 0:
        raise ValueError(f"host {name}: start_s must be a number of seconds above 0")
    tilescope = _words(name, "tilescope", table.get("tilescope", ["tilescope"]))
    return Host(
        name, command, tilescope or ("tilescope",), variables, tuple(dict.fromkeys(map(str, gpus))), float(start_s)
    )


def _words(name: str, key: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
        raise ValueError(f'host {name}: {key} must be a list of words, as in ["ssh", "{name}"]')
    return tuple(value)
