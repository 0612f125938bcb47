"""Launch configuration (grid, block, dynamic shared memory) and its check against a device's limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.errors import InputError, LaunchError

if TYPE_CHECKING:
    from collections.abc import Sequence

WARP_SIZE = 32
"""Threads in a warp, on every CUDA device so far (CUDA C++ Programming Guide, "Compute Capabilities")."""


def whole_numbers(text: str) -> list[int]:
    """Read whole numbers from 1 to 2**63 - 1, separated by `,`, `x` or `×`; none when one of them is not."""
    try:
        numbers = [int(part) for part in text.replace("x", ",").replace("×", ",").split(",")]
    except ValueError:
        return []
    return numbers if 1 <= min(numbers) <= max(numbers) < 2**63 else []


class Dim3(NamedTuple):
    """CUDA's dim3: (x, y, z), where x varies fastest."""

    x: int = 1
    y: int = 1
    z: int = 1

    @property
    def count(self) -> int:  # type: ignore[override]  # of what a dim3 stands for, as CUDA's texts have it
        """Number of members: x·y·z."""
        return self.x * self.y * self.z

    def linear(self, x: int, y: int = 0, z: int = 0) -> int:
        """Position of member (x, y, z) in CUDA's linear order."""
        return (z * self.y + y) * self.x + x

    def member(self, linear: int) -> Dim3:
        """Return the member at a linear position: the inverse of `linear`."""
        return Dim3(linear % self.x, linear // self.x % self.y, linear // (self.x * self.y))

    @classmethod
    def of(cls, values: Sequence[int]) -> Dim3:
        """Build from one to three numbers."""
        return cls(*values)

    @classmethod
    def parse(cls, text: str) -> Dim3:
        """Read ``16``, ``16,16`` or ``16x16x1``.

        Raises
        ------
        InputError
            When it is not one to three positive whole numbers.
        """
        numbers = whole_numbers(text)
        if not 1 <= len(numbers) <= 3:
            raise InputError(f"'{text}' is not a size: give one to three whole numbers from 1 up, as in 16,16")
        return cls(*numbers)

    @property
    def option_text(self) -> str:
        """Write the size as an option takes it: 16 or 16,16."""
        last = 3 if self.z > 1 else 2 if self.y > 1 else 1
        return ",".join(str(n) for n in self[:last])

    def __str__(self) -> str:
        return "×".join(str(n) for n in (self if self.z > 1 else self[:2]))


@dataclass(frozen=True, slots=True)
class Launch:
    """The execution configuration between <<< and >>>: grid, block, and bytes of dynamic shared memory."""

    grid: Dim3
    block: Dim3
    dynamic_shared_bytes: int = 0

    @property
    def thread_count(self) -> int:
        """All threads of the grid."""
        return self.grid.count * self.block.count

    @property
    def warps_per_block(self) -> int:
        """Warps in one block, the last one perhaps partly filled."""
        return -(-self.block.count // WARP_SIZE)

    def index_text(self, at: Dim3) -> str:
        """Write a threadIdx or blockIdx with as many coordinates as the launch has dimensions: 3, (1,0), (1,0,0)."""
        if self.grid.z > 1 or self.block.z > 1:
            return f"({at.x},{at.y},{at.z})"
        return f"({at.x},{at.y})" if self.grid.y > 1 or self.block.y > 1 else f"{at.x}"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a device on one launch.

    The defaults hold for every compute capability from 7.5 to 12.1 (CUDA C++ Programming Guide,
    "Technical Specifications per Compute Capability"); shared memory beyond 48 KiB is opt-in.
    """

    threads_per_block: int = 1024
    block: Dim3 = Dim3(1024, 1024, 64)
    grid: Dim3 = Dim3(2**31 - 1, 65535, 65535)
    shared_per_block_bytes: int = 48 * 1024


OPT_IN: Final = Limits(shared_per_block_bytes=227 * 1024)
"""Dynamic shared memory that `cudaFuncSetAttribute` allows on compute capability 9.0."""


def check(launch: Launch, limits: Limits, static_shared_bytes: int = 0) -> None:
    """Refuse a launch that the device would refuse, and say which limit and what would work.

    Raises
    ------
    LaunchError
        One sentence naming the limit that is exceeded.
    """
    for what, dims, most in (("block", launch.block, limits.block), ("grid", launch.grid, limits.grid)):
        if min(dims) < 1:
            raise LaunchError(f"{what} {dims} is empty: each of x, y and z must be at least 1")
        for axis, value, limit in zip("xyz", dims, most, strict=True):
            if value > limit:
                raise LaunchError(f"{what}.{axis} = {value:,} exceeds the device's limit of {limit:,}")
    threads = launch.block.count
    if threads > limits.threads_per_block:
        raise LaunchError(
            f"block {launch.block} has {threads:,} threads, the device allows {limits.threads_per_block:,} a "
            "block: choose a smaller block and a larger grid"
        )
    shared = static_shared_bytes + launch.dynamic_shared_bytes
    if shared > limits.shared_per_block_bytes:
        raise LaunchError(
            f"a block needs {shared:,} bytes of shared memory, the device allows "
            f"{limits.shared_per_block_bytes:,}: choose a smaller tile"
        )
