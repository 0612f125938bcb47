"""Records of a trace: statements, arrays, sites, registers, hazards, and the contents of a step."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

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
"""Memory spaces; `texture` is the memory of textures and surfaces, whose layout CUDA does not document."""

Access = Literal["read", "write", "atomic"]
StatementKind = Literal["declare", "do", "barrier", "warp-barrier", "group-barrier", "fence", "branch", "loop", "jump"]
"""`barrier` waits for a block, `warp-barrier` (`__syncwarp`) for lanes of a warp, `group-barrier` for another part of
a block; `fence` is `__threadfence*`."""

Value = int | float | bool

_BITS: Final = ".__x"
"""End of the name of the bits of a bfloat16 (`kernels.frontend.headers.bfloat16`)."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A place in the source that can be a step; of if, for and while the span is the header only."""

    span: Span
    text: str
    kind: StatementKind


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """An array: of the grid (global, constant, texture), of each block (shared) or of each thread (local).

    An element is the smallest part that is accessed separately: an array of float4 is an array of float with a last
    dimension of 4.
    """

    name: str
    space: Space
    dtype: np.dtype[np.generic]
    """Type of an element; unsigned words for structs with members of several types."""
    shape: tuple[int, ...]
    address: int = 0
    """Address of the first byte in its space (shared: offset in the block's shared memory), for sectors and banks."""
    parameter: bool = False
    """True if it is an argument of the kernel, False if the source declares it."""
    struct: Structure | None = None
    """Layout of an object, where elements are parts of structs."""

    @property
    def size(self) -> int:
        """Number of elements, of one block's or thread's copy for shared and local arrays."""
        return math.prod(self.shape)

    @property
    def words(self) -> int:
        """Number of elements of one object: 4 for a float4, 1 for a float."""
        return 1 if self.struct is None else self.struct.size_bytes // self.dtype.itemsize

    @property
    def bfloat16(self) -> bool:
        """Whether every element is a bfloat16."""
        return self.struct is not None and all(field.bfloat16 for field in self.struct.fields)

    @property
    def objects(self) -> tuple[int, ...]:
        """Shape in objects, as the source declares it: without the last dimension if that is inside of an object."""
        return self.shape if self.words == 1 else self.shape[:-1]


@dataclass(frozen=True, slots=True)
class Site:
    """An expression in the source that reads or writes an array."""

    span: Span
    statement: int
    """Row of `Trace.statements`."""
    array: int
    """Row of `Trace.arrays`."""
    access: Access
    width: int = 1
    """Elements that one lane accesses at once."""
    dtype: np.dtype[np.generic] | None = None
    """Type of the number in shared memory where a cast pointer makes it another than the array's, of the same size."""


@dataclass(frozen=True, slots=True)
class Register:
    """A scalar variable of a function, with one value per thread."""

    name: str
    function: str
    """Name of the function that declares it."""
    dtype: np.dtype[np.generic]
    span: Span

    @property
    def bfloat16(self) -> bool:
        """Whether it holds the bits of a bfloat16: they are the member `__x`, a name that no other source may use."""
        return self.name.endswith(_BITS)

    @property
    def title(self) -> str:
        """Name of the number in the source."""
        return self.name.removesuffix(_BITS)


@dataclass(frozen=True, slots=True)
class HazardAccess:
    """One of the accesses of a hazard."""

    block: Dim3
    thread: Dim3
    line: int
    access: Access
    file: str = ""
    """The included file of the line; "" for the program itself."""


@dataclass(frozen=True, slots=True)
class Hazard:
    """A mistake of the kernel, reported once for each place in the source."""

    kind: str
    """Code of the mistake: "out-of-bounds", "uninitialised-read", "barrier-divergence" and so on."""
    space: str
    array: str
    index: int
    """Flat index of the element."""
    line: int
    """Line and column are those of the included `file`, if there is one."""
    column: int
    accesses: tuple[HazardAccess, ...]
    message: str
    """The report, in words."""
    step: int
    """The step in which it happened first."""
    count: int = 1
    """Number of times that it happened."""
    same_value: bool = False
    """True for a data race in which all writes store one value."""
    file: str = ""
    cure: Cure | None = None
    """The change that removes a data race."""
    others: tuple[Hazard, ...] = ()
    """Other races that the cure removes, reported with this one."""

    @property
    def pairs(self) -> tuple[Hazard, ...]:
        """The hazard itself, and the others that are reported with it."""
        return (replace(self, others=()), *self.others)

    @property
    def at(self) -> str:
        """The line in words: "5", "5 of sum.cuh"."""
        return in_file(self.line, self.file)


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """Facts about a run that was not recorded."""

    steps: int
    """Number of steps."""
    written: Mapping[str, NDArray[np.bool_]]
    """By output: its elements that have a value."""


@dataclass(frozen=True, slots=True)
class AccessGroup:
    """The accesses of one site in one step."""

    step: int
    site: Site
    array: ArrayInfo
    lanes: NDArray[np.int32]
    index: NDArray[np.int64]
    """For each lane: its first element; a site of width w accesses w elements from there."""
    values: NDArray[np.generic] | None
    """The values that are written, one row per lane if the width is above 1; None for a read."""

    @property
    def elements(self) -> NDArray[np.int64]:
        """Every accessed element; those of one lane are neighbours."""
        return widen(self.index, self.site.width)

    @property
    def element_lanes(self) -> NDArray[np.int32]:
        """The lane that accessed each of `elements`."""
        return np.repeat(self.lanes, self.site.width)


@dataclass(frozen=True, slots=True)
class Writes:
    """The written elements of one array, sorted by the block or thread that owns the copy, then in execution order."""

    first: NDArray[np.int64]
    """`first[o]:first[o + 1]` are the rows of owner `o`; global and constant arrays have one owner, 0."""
    step: NDArray[np.int32]
    lane: NDArray[np.int32]
    index: NDArray[np.int64]
    values: NDArray[np.generic]
    """In the array's type, or in one that can also hold elements that are accessed as another one."""


def widen(index: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Return `width` neighbouring elements for each index, side by side."""
    return index if width == 1 else (index[:, None] + np.arange(width)).reshape(-1)
