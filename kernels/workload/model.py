"""A problem that kernels solve: its size, its arrays, and what is computed from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from kernels.errors import InputError
from kernels.fill import Fill, Fills
from kernels.host_memory import check_memory, physical_bytes
from kernels.launch import whole_numbers
from kernels.number_types import FLOAT32, HALVES, numbers_of, round_to, storage_of
from kernels.size_search import bounded_below

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from kernels.reference import Result
    from kernels.workload.picture import Panel, Picture

Arrays = dict[str, "NDArray[np.generic]"]
Axis = Literal["m", "n", "k"]


class Size(NamedTuple):
    """Problem size: three lengths, which a workload names. Of a product, A is M×K, B is K×N and C is M×N."""

    m: int
    n: int
    k: int

    @classmethod
    def parse(cls, text: str) -> Size:
        """Read ``64`` (a square problem) or ``M,N,K``.

        Raises
        ------
        InputError
            When it is neither one nor three positive whole numbers.
        """
        numbers = whole_numbers(text)
        if len(numbers) not in (1, 3):
            raise InputError(f"'{text}' is not a problem size: give n, or M,N,K, as in 64 or 3,4,5")
        return cls(*(numbers * 3 if len(numbers) == 1 else numbers))

    def __str__(self) -> str:
        return str(self.n) if self.m == self.n == self.k else f"{self.m}×{self.n}×{self.k}"


OPENING: Final = Size(4, 4, 4)
INDICES: Final = Fill("iota")
LARGE: Final = (Size(4096, 4096, 4096), Size(1024, 1024, 1024), Size(256, 256, 256))


@dataclass(frozen=True, slots=True)
class Length:
    """A length of a problem's size."""

    axis: Axis
    """Place in a size: `m`, `n` or `k`."""
    name: str
    """Parameter of the kernels, and name in the expressions of a launch rule."""
    title: str = ""
    """Word for people where the name says too little."""

    @property
    def label(self) -> str:
        """The word for people."""
        return self.title or self.name


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """One array argument. Outputs have no fill: they start unwritten."""

    name: str
    type: str
    """Type of its numbers: a NumPy type, or bfloat16."""
    shape: tuple[int, ...]
    output: bool = False

    @property
    def dtype(self) -> str:
        """NumPy type of the array: for bfloat16 that of its bits."""
        return storage_of(self.type)

    def make(self, fill: Fill) -> NDArray[np.generic] | None:
        """Fill the array, as `Fill.make`; 16 bits hold the numbers that floats would hold, rounded."""
        if self.type not in HALVES:
            return fill.make(self.shape, self.dtype)
        numbers = fill.make(self.shape, FLOAT32)
        return None if numbers is None else round_to(self.type, numbers)


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate that says more of a problem than GFLOPS, and the length that its curves run along."""

    unit: str
    """Such as `million objects/s`."""
    axis: Axis
    """Length on the axis of sizes."""
    amount: Callable[[Size], float]
    """Amount of one launch, in what the unit counts."""
    by_memory: bool = False
    """Whether the memory's bandwidth is the limit of the rate, which is then in GB/s; else the float32 peak is."""

    def of(self, size: Size, time_ms: float) -> float:
        """Return the rate of a launch."""
        return self.amount(size) / time_ms * 1e3


@dataclass(frozen=True, slots=True)
class Workload:
    """One problem. Its callables are pure functions of the size and the input arrays."""

    id: str
    title: str
    lengths: tuple[Length, ...]
    """The lengths that it depends on. A workload with one length takes N for all three."""
    picture: Picture
    """The arrays in the picture, and how they are drawn."""
    arrays: Callable[[Size], tuple[ArraySpec, ...]]
    flops: Callable[[Size], int]
    results: Callable[[Mapping[str, NDArray[np.generic]], Size, NDArray[np.int64]], dict[str, Result]]
    by_rows: bool = True
    """Whether rows of a large result are checked alone. If not, every output is checked whole, and `results` ignores
    its rows."""
    filled: Callable[[Size], tuple[ArraySpec, ...]] | None = None
    """The arrays that fills fill; None if they are the inputs."""
    derive: Callable[[Size, Arrays], Arrays] | None = None
    """Computes the inputs from the filled arrays; None if they are the same."""
    loops: Mapping[str, Callable[..., None]] = field(default_factory=dict, hash=False)
    """Loops of the kernels that run on the CPU, by their ids: functions of the arrays, in the workload's order, and of
    a range of rows, first and last, which threads share. `kernels.cpu.loops` compiles them."""
    rate: Rate | None = None
    """Unit of its rates in plots; None for GFLOPS."""
    fill: Fill = INDICES
    """Fill of the inputs in pictures. With `iota` every element holds its own flat index."""
    size: Size = OPENING
    """The size that a kernel opens with unless it names another."""
    large: tuple[Size, ...] = LARGE
    """Sizes for the figures of a device; the first that a kernel can be launched with is used."""

    @property
    def square(self) -> bool:
        """Whether M = N = K."""
        return len(self.lengths) == 1

    @property
    def panels(self) -> tuple[Panel, ...]:
        """The arrays that are drawn as cells."""
        return self.picture.panels

    def scalars(self, size: Size) -> dict[str, int]:
        """Return the lengths of a size by the names of the kernels' parameters."""
        return {length.name: getattr(size, length.axis) for length in self.lengths}

    @property
    def factors(self) -> str:
        """Type of the numbers that it multiplies: that of its first input, float32 without one."""
        return next((spec.type for spec in self.arrays(OPENING) if not spec.output), FLOAT32)

    def numbers(self, arrays: Mapping[str, NDArray[np.generic]]) -> Arrays:
        """Return the numbers in arrays; those of bfloat16 are stored as bits."""
        types = {spec.name: spec.type for spec in self.arrays(OPENING)}
        return {name: numbers_of(types.get(name, ""), values) for name, values in arrays.items()}

    def fit(self, size: Size) -> Size:
        """Return the size that this workload uses: square ones take N for all three lengths."""
        return Size(size.n, size.n, size.n) if self.square else size

    def inputs(self, size: Size, fills: Fills | Fill) -> Arrays:
        """Fill the arrays that fills fill, and compute the inputs from them; see `Fills.of`.

        Raises
        ------
        InputError
            When the fills name other arrays, leave one unwritten or cannot have its shape; and, before any is
            filled, when this machine's memory cannot hold the arrays.
        """
        self.check_memory(size)
        specs = self.filled(size) if self.filled else [spec for spec in self.arrays(size) if not spec.output]
        chosen = fills if isinstance(fills, Fills) else Fills(fills)
        fill_of = chosen.of([spec.name for spec in specs])
        arrays: Arrays = {}
        for spec in specs:
            values = spec.make(fill_of[spec.name])
            if values is None:
                raise InputError(f"'{fill_of[spec.name]}' cannot fill {spec.name}: it is an input, choose another fill")
            arrays[spec.name] = values
        return self.derive(size, arrays) if self.derive else arrays

    def least_bytes(self, size: Size) -> int:
        """Bytes that must cross the memory bus: every array once."""
        return sum(math.prod(s.shape) * np.dtype(s.dtype).itemsize for s in self.arrays(size))

    def check_memory(self, size: Size, copies: int = 1) -> None:
        """Refuse a size whose arrays, as many `copies` of each, do not fit in this machine's memory.

        Raises
        ------
        InputError
            With the nearest smaller size that fits.
        """
        needed = self.least_bytes(size)
        if needed * copies > physical_bytes():
            room = bounded_below(
                tuple(size),
                (1, 1, 1),
                lambda lengths: self.least_bytes(self.fit(Size(*lengths))) * copies <= physical_bytes(),
            )
            advice = f"choose a smaller size, up to {self.fit(Size(*room))}" if room else "choose a smaller size"
            check_memory(needed, f"the arrays of size {size}", advice, copies)
