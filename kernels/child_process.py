"""Child processes that run tilescope's own commands and end with the process that started them.

The standard input of a child is a pipe whose write end only its parent holds. The parent writes one line, the
command's input (empty for most commands), and keeps the pipe open; a few commands take more lines later. The child
reads that line; then a thread reads the pipe and ends the process when the pipe ends. The operating system closes the
write end however the parent ends: by returning, by SIGTERM, SIGHUP or SIGKILL, by a crash, on Linux, macOS and Windows
alike.

The thread needs the interpreter's lock for one call, so every call that may take long must release that lock: Numba
with `nogil=True`, NumPy's BLAS, NVRTC, and CuPy's launches, copies and synchronisation all do.
"""

from __future__ import annotations

import io
import os
import queue
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import kernels
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

END_WITH_PARENT: Final = "--end-with-parent"
"""Option of `python -m kernels` that calls `end_with_parent`."""

PARENT_ENDED: Final = 129
"""Exit status of a child whose parent has ended, as after SIGHUP."""

WORKING_FOLDER: Final = Path(__file__).parents[__name__.count(".")]
"""Working folder of a child: `-m` searches the working folder first, and this one holds the package that runs here."""

ENVIRONMENT: Final = {"PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8"}
"""Variables of a child, in addition to its parent's: its output is read as UTF-8."""


def child_command(*arguments: str) -> list[str]:
    """Return program and arguments of a child that runs `tilescope ARGUMENTS`. Paths in it must be absolute."""
    return [sys.executable, "-m", kernels.__name__, END_WITH_PARENT, *arguments]


def input_text(text: str = "") -> str:
    """Return the text that the parent writes to a child for a standard input of `text`, which must be one line."""
    if "\n" in text:
        raise ValueError("the input of a child process must be one line")
    return f"{text}\n"


def end_with_parent() -> None:
    """Read this process's input, one line, and end the process as soon as the parent closes the pipe.

    `sys.stdin` then holds that line only; it is a `ParentInput`, which has the lines after it.
    """
    line = sys.stdin.buffer.readline()
    if not line.endswith(b"\n"):
        os._exit(PARENT_ENDED)
    # On Windows any query of a pipe waits while another thread reads it, and libraries query file 0 when they are
    # loaded. So the pipe gets another number, and file 0 is empty.
    pipe = os.dup(0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    sys.stdin = parent = ParentInput(line)
    threading.Thread(target=_pass_on, args=(pipe, parent), name="parent", daemon=True).start()


class ParentInput(io.TextIOWrapper):
    """Standard input of a child: the line that its parent wrote, and those that it writes later."""

    def __init__(self, line: bytes) -> None:
        super().__init__(io.BytesIO(line), encoding="utf-8")
        self.later: queue.SimpleQueue[str] = queue.SimpleQueue()
        """Lines after the first, without their line breaks."""


def later_lines() -> Iterator[str]:
    """Yield the lines that the parent of this process writes after the first, up to an empty one."""
    if not isinstance(sys.stdin, ParentInput):
        raise InputError(f"only a process started with {END_WITH_PARENT} has a parent that writes to it")
    while line := sys.stdin.later.get():
        yield line


def _pass_on(pipe: int, parent: ParentInput) -> None:
    """Pass lines on until the parent closes the pipe; then end the process."""
    rest = b""
    with suppress(OSError):  # Windows reports a pipe whose other end is gone as an error
        while data := os.read(pipe, 4096):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                parent.later.put(line.decode("utf-8", "replace"))
    os._exit(PARENT_ENDED)
