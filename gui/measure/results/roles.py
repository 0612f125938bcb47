"""The role of an entry in comparisons: sequential or parallel on the CPU, a library routine, a kernel."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from kernels.catalog import find_kernel
from kernels.errors import TilescopeError

if TYPE_CHECKING:
    from kernels.bench.environment import Environment
    from kernels.bench.sample import Entry
    from kernels.catalog import Kernel

Role = Literal["sequential", "parallel", "library", "kernel"]


@lru_cache(maxsize=4096)
def kernel_of(name: str) -> Kernel | None:
    """Return the kernel with the id or path of a sample; None if it is not known here."""
    try:
        return find_kernel(name)
    except TilescopeError:
        return None


def role(entry: Entry) -> Role:
    """Return the role by the catalogue; an unknown kernel is one of a GPU."""
    kernel = kernel_of(entry.kernel)
    if kernel is None or kernel.runs_on == "cuda":
        return "kernel"
    if kernel.runs_on == "library":
        return "library"
    return "parallel" if kernel.threaded else "sequential"


def on_cpu(entry: Entry) -> bool:
    """Return whether the entry runs on the CPU."""
    return role(entry) in ("sequential", "parallel")


def workload(entry: Entry) -> str:
    """Return the id of the problem that the entry solves; "" if it is not known."""
    kernel = kernel_of(entry.kernel)
    return kernel.workload.id if kernel else ""


def device_name(entry: Entry, environment: Environment) -> str:
    """Return the name of the processor on which the entry ran."""
    return environment.cpu if on_cpu(entry) else environment.device
