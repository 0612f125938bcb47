"""Check of selections before a launch, with a message that names values that work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.errors import InputError, LaunchError
from kernels.launch import check

if TYPE_CHECKING:
    from gui.selection.session import Selection
    from kernels.errors import TilescopeError
    from kernels.workload import Workload

LARGEST_SIZE: Final = 2**31 - 1
"""Kernels take their sizes as int."""


def size_labels(workload: Workload) -> dict[str, str]:
    """Return the labels of the dimensions that a workload depends on: `{"n": "n"}` for a square one."""
    return {length.axis: length.label for length in workload.lengths}


def check_selection(selection: Selection) -> None:
    """Check that a selection can be launched.

    Raises
    ------
    InputError, LaunchError
        One line: the problem, and values that work.
    """
    labels = size_labels(selection.kernel.workload)
    for axis, label in labels.items():
        if getattr(selection.size, axis) > LARGEST_SIZE:
            raise InputError(f"{label} is too large: the kernel takes an int, at most {LARGEST_SIZE:,}")
    check(selection.kernel.launch(selection.size, selection.block), selection.device.opt_in_limits)


def refusal(selection: Selection, error: TilescopeError) -> str:
    """Return the message of a refusal, with the nearest choices that work."""
    s = selection
    if not isinstance(error, LaunchError):
        return error.titled
    # Imported here because it loads the simulator, which would delay the window's start.
    from kernels.nearest import nearest

    found = str(nearest(s.kernel, s.size, s.block, s.device.opt_in_limits))
    return f"{error.titled}; {found}" if found else error.titled
