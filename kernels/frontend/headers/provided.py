"""Headers that are provided as text: the `.cuh` files of this folder, used where a program's own folders have none."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

HELPER_MATH: Final = ("helper_math.h", "cutil_math.h")
"""Names of the header of CUDA's samples: the current one, and the one before CUDA 5. Found in any folder."""

_HEADERS: Final = {
    # Lanes of a warp combine with those 1, 2, 4, … further on, then the warps one after another.
    "cub": re.compile(r"cub/(cub|block/block_(reduce|scan))\.cuh"),
    # A pipeline of thread scope uses the thread's asynchronous copies. One of block scope has two barriers for each
    # stage: `full` ends a phase when the producers have filled the stage, `empty` when the consumers have released it.
    # The structs are not named `barrier` and `pipeline`, because kernels name their variables so (`auto pipeline = …`),
    # and these are visible where a member of a template is instantiated.
    "pipelines": re.compile(r"cuda/(pipeline|barrier)"),
    # Headers of the libraries of linear algebra include that of complex numbers.
    "complex": re.compile(r"(cuComplex|cufft|cufftXt|cufftw|cu(blas|sparse|solver)\w*)\.h"),
}


@cache
def header_text(name: str) -> str:
    """Return the text of a file of this folder, by its name without `.cuh`."""
    return Path(__file__).with_name(f"{name}.cuh").read_text(encoding="utf-8")


def is_provided(spelling: str) -> bool:
    """Return whether `__has_include` finds a header of this folder."""
    return any(pattern.fullmatch(spelling) for pattern in _HEADERS.values())


def provided_text(spelling: str) -> str | None:
    """Return the text of a header by its name in an `#include`; None for any other header."""
    if Path(spelling).name in HELPER_MATH:
        return header_text("helper_math")
    return next((header_text(name) for name, pattern in _HEADERS.items() if pattern.fullmatch(spelling)), None)
