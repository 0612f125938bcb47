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


def needs_table(kernel: Kernel) -> None:
    """Skip a test if the compiled table is missing or of another text, and NVRTC is not here to write it; else fail."""
    table = read_table(kernel.base)
    if table is None or not is_of_source(table, kernel):
        what = "no compiled table" if table is None else "a compiled table of another text"
        reason = f"{kernel.id} has {what}: python -m tests.renew {kernel.base}"
        pytest.skip(f"{reason}, where NVRTC is installed") if missing() else pytest.fail(reason)
