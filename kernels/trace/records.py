"""Records of a trace: statements, arrays, sites, registers, hazards, and the contents of a step."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from kernels.frontend.ast.span import in_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.launch import Dim3
    from kernels.trace.cures import Cure
    from kernels.trace.structs import Structure

Space = Literal["global", "shared", "local", "constant", "texture"]
"""`texture` is what textures and surfaces name: how its pixels lie in memory is not told by CUDA."""
Access = Literal["read", "write", "atomic"]
StatementKind = Literal["declare", "do", "barrier", "warp-barrier", "group-barrier", "fence", "branch", "loop", "jump"]
"""`barrier` waits for a block, `warp-barrier` (`__syncwarp`) for a warp's lanes, `group-barrier` for another part of a
block, `fence` is `__threadfence*`."""

Value = int | float | bool


@dataclass(frozen=True, slots=True)
class Statement:
    """One place that can be a step; for if, for and while the span is the header only."""

    span: Span
    text: str
    kind: StatementKind


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """One array: of the grid (global, constant, texture), of each block (shared) or of each thread (local).

    `address` is its first byte in its space (shared: offset in the block's shared memory), so that sectors
    and banks can be computed. An element is the smallest thing that is accessed on its own: an array of float4
    is an array of float with a last dimension of 4. `parameter` tells arrays given as arguments from those
    the source declares. `struct` says what elements mean that are parts of something: those of a struct with
    members of several types are words of unsigned integers.
    """

    name: str
    space: Space
    dtype: np.dtype[np.generic]
    shape: tuple[int, ...]
    address: int = 0
    parameter: bool = False
    struct: Structure | None = None

    @property
    def size(self) -> int:
        """Number of elements, of one block's or thread's copy for shared and local arrays."""
        return math.prod(self.shape)

    @property
    def words(self) -> int:
        """Elements that each object takes of those that the source counts: 4 for a float4."""
        return 1 if self.struct is None else self.struct.size_bytes // self.dtype.itemsize

    @property
    def objects(self) -> tuple[int, ...]:
        """The shape in what the source counts: without the last dimension where that is inside of objects."""
        return self.shape if self.words == 1 else self.shape[:-1]


@dataclass(frozen=True, slots=True)
class Site:
    """One expression in the source that reads or writes an array: `width` elements at once for each lane."""

    span: Span
    statement: int
    array: int
    access: Access
    width: int = 1


@dataclass(frozen=True, slots=True)
class Register:
    """One scalar variable of a function, one value a thread; `function` tells equal names apart."""

    name: str
    function: str
    dtype: np.dtype[np.generic]
    span: Span


@dataclass(frozen=True, slots=True)
class HazardAccess:
    """One side of a hazard; `file` is the included file that the line is in, or nothing."""

    block: Dim3
    thread: Dim3
    line: int
    access: Access
    file: str = ""


@dataclass(frozen=True, slots=True)
class Hazard:
    """One mistake found, told once for each place in the source, with how often it happened.

    `kind` is one word a program can test ("out-of-bounds", "uninitialised-read", "barrier-divergence", …);
    `message` is what a student reads. `index` is the flat element index for an array. `same_value` tells a data race
    in which all writes store one value. `line` and `column` are those of the included `file`, if it has one. `cure` is
    the change that removes a data race; `others` are the pairs of accesses that it removes as well, told with this one.
    """

    kind: str
    space: str
    array: str
    index: int
    line: int
    column: int
    accesses: tuple[HazardAccess, ...]
    message: str
    step: int
    count: int = 1
    same_value: bool = False
    file: str = ""
    cure: Cure | None = None
    others: tuple[Hazard, ...] = ()

    @property
    def pairs(self) -> tuple[Hazard, ...]:
        """The hazard itself, and the others that are told with it."""
        return (replace(self, others=()), *self.others)

    @property
    def at(self) -> str:
        """Its line in words: "5", "5 of sum.cuh"."""
        return in_file(self.line, self.file)


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """What is known of a run that was not recorded: its steps, and which elements of each output hold something."""

    steps: int
    written: Mapping[str, NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class AccessGroup:
    """What one site did in one step: lane i touched element `index[i]`; writes carry the value stored.

    A site wider than one element touches `index[i]` and those that follow; `values` then has a row a lane.
    `elements` and `element_lanes` have an entry for every single element, those of one lane side by side.
    """

    step: int
    site: Site
    array: ArrayInfo
    lanes: NDArray[np.int32]
    index: NDArray[np.int64]
    values: NDArray[np.generic] | None

    @property
    def elements(self) -> NDArray[np.int64]:
        """Every element touched."""
        return widened(self.index, self.site.width)

    @property
    def element_lanes(self) -> NDArray[np.int32]:
        """Return the lane that touched each of `elements`."""
        return np.repeat(self.lanes, self.site.width)


@dataclass(frozen=True, slots=True)
class Writes:
    """Every element written of one array in execution order, sorted by the block or thread that owns the copy.

    `first[o]:first[o + 1]` are the rows of owner `o` (global and constant arrays have one owner, 0).
    """

    first: NDArray[np.int64]
    step: NDArray[np.int32]
    lane: NDArray[np.int32]
    index: NDArray[np.int64]
    values: NDArray[np.generic]


def widened(index: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Return `width` neighbouring elements for each index, side by side."""
    return index if width == 1 else (index[:, None] + np.arange(width)).reshape(-1)
