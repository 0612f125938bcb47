"""Confine this process before it judges a submission: limits of memory, time and files, and no access to others.

The simulator computes with a text and executes none of it as machine code or Python. What is refused here is refused a
second time, should the simulator have a mistake. A process cannot be released again.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from kernels import RESOURCES

_REFUSED: Final = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "ctypes.")
"""First words of the audit events that are refused (Python documentation, "Audit events table")."""

_CHANGES: Final = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.link", "os.symlink")


def confine(seconds: int, memory_bytes: int) -> None:
    """Limit this process to `seconds` of CPU time and to `memory_bytes`; refuse files, processes and the network.

    Files of Python, of its packages and of tilescope can still be read: modules are imported on use. On Windows there
    are no limits of memory and CPU time: the parent ends the process.
    """
    roots = _roots()
    if importlib.util.find_spec("resource") is not None:
        import resource

        for name, most in (
            ("RLIMIT_AS", memory_bytes),
            ("RLIMIT_CPU", seconds),
            ("RLIMIT_FSIZE", 0),
            ("RLIMIT_CORE", 0),
        ):
            _, hard = resource.getrlimit(getattr(resource, name))
            with suppress(ValueError, OSError):  # macOS refuses some of them
                resource.setrlimit(getattr(resource, name), (most if hard < 0 else min(most, hard), hard))

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            _check_open(arguments, roots)
        elif event.startswith(_REFUSED) or event in _CHANGES:
            raise PermissionError(f"a confined process may not call {event}")

    sys.addaudithook(refuse)


def _roots() -> tuple[str, ...]:
    """Return the folders whose files can be read."""
    paths = sysconfig.get_paths()
    places = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders = [*places, sys.prefix, sys.base_prefix, str(Path(__file__).parent.parent), str(RESOURCES)]
    return tuple(dict.fromkeys(os.path.realpath(folder) + os.sep for folder in folders))


def _check_open(arguments: tuple[Any, ...], roots: tuple[str, ...]) -> None:
    path, mode, flags = arguments
    if isinstance(path, int):
        return  # a file that is open already
    name = os.path.realpath(os.fsdecode(path))
    writes = any(letter in (mode or "") for letter in "wax+") or bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    if writes or not name.startswith(roots):
        raise PermissionError(f"a confined process may not open {name}")
