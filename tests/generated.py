"""Skips of tests whose expectations have not been generated: a kernel is one file, and the tests pass with it alone.

What a kernel has must belong to it: a digest that is there and differs is a failure. `python -m tests.renew --check`
fails where something is missing, and `tests/kernels/gpu/test_compiled.py` where a compiled table is; CI runs both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest

from kernels.gpu.compiler import missing
from kernels.occupancy.ship import is_of_source
from kernels.occupancy.shipped import read_table

if TYPE_CHECKING:
    from kernels.catalog import Kernel


def skip_missing(what: str, name: str) -> NoReturn:
    """Skip a test: there is no such file or row yet."""
    pytest.skip(f"{name} has no {what} yet: python -m tests.renew {name}")


def has_table(kernel: Kernel) -> bool:
    """Return whether the compiled table is there, and of the present text; any version of NVRTC may have made it."""
    table = read_table(kernel.base)
    return table is not None and is_of_source(table, kernel)


def needs_table(kernel: Kernel) -> None:
    """Skip a test if the compiled table is missing or of another text, and NVRTC is not here to write it; else fail."""
    if not has_table(kernel):
        what = "no compiled table" if read_table(kernel.base) is None else "a compiled table of another text"
        reason = f"{kernel.id} has {what}: python -m tests.renew {kernel.base}"
        pytest.skip(f"{reason}, where NVRTC is installed") if missing() else pytest.fail(reason)
