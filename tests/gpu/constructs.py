"""Small kernels without hazards, one construct or one order of evaluation each, as files in `constructs`.

The first line of a file is its launch, 2 blocks of 32 threads for most: t is the thread's number in the grid. The
sources in which this line ends with "on a GPU only" use what a compiler for the host does not have.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import numpy as np

from kernels.frontend import parse_with_instances
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, choose_kernel
from kernels.tracing import Job

FOLDER: Final = Path(__file__).with_name("constructs")
CONSTRUCTS: Final = sorted(file.stem for file in FOLDER.glob("*.cu"))
N: Final = 64
"""Elements of each array."""

_LAUNCH: Final = re.compile(r"// grid (\S+), block ([\d,]+)(?:, (\d+) bytes of shared memory)?(, on a GPU only)?\n")
_MORE: Final[dict[str, dict[str, Any]]] = {
    "file": {"w": np.array([4, 3, 2, 1], np.float32)},
    "early_return": {"out": np.zeros(N, np.float32)},
    "references": {"out": np.arange(N, dtype=np.float32)},
    "struct_parameters": {"q.from": np.arange(N, dtype=np.float32), "q.scale": 2.5, "q.n": 3},
    "parameters_in_memory": {"w.by": 0.5, "w.n": 3, "m": 4},
}


def _text(name: str) -> tuple[str, re.Match[str]]:
    text = (FOLDER / f"{name}.cu").read_text(encoding="utf-8")
    launch = _LAUNCH.match(text)
    assert launch is not None, f"{name}.cu: the first line is no launch"
    return text, launch


def for_hosts() -> list[str]:
    """Return the constructs that a compiler for the host takes, too."""
    return [name for name in CONSTRUCTS if not _text(name)[1][4]]


def job_of(name: str) -> Job:
    """Return a launch of a construct: in, f (floats), at (a permutation) are read, g and out written."""
    text, launch = _text(name)
    program, instances = parse_with_instances(text, f"{name}.cu")
    random = np.random.default_rng(7)
    arguments = {
        "in": random.random(N, np.float32),
        "f": random.random(N, np.float32) * 8,
        "at": random.permutation(N).astype(np.int32),
        "g": np.arange(N, dtype=np.int32),
        "out": Unwritten("float32", (N,)),
        "n": 5,
        **_MORE.get(name, {}),
    }
    return Job(
        program,
        choose_kernel(program, "k", instances=instances),
        Launch(Dim3.parse(launch[1]), Dim3.parse(launch[2]), int(launch[3] or 0)),
        arguments,
        instances,
    )
