"""Problems that kernels solve: shapes, arguments, reference results, FLOP and byte counts.

A workload names its arrays and scalars; a kernel's parameters are bound to them by name. Adding a workload is one
entry in `WORKLOADS`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from kernels.errors import InputError
from kernels.fill import Fill, Fills
from kernels.host_memory import check_memory, physical_bytes
from kernels.launch import whole_numbers
from kernels.reference import Exact, Product
from kernels.size_search import bounded_below

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from kernels.reference import Reference, Result

Arrays = dict[str, "NDArray[np.generic]"]
Place = Literal["left", "top", "result"]

FULL_CHECK_PRODUCTS: Final = 2**30
"""Up to this many products every element is checked; beyond it, sampled rows (a float64 product takes as long)."""

SAMPLED_ROWS: Final = 48


class Size(NamedTuple):
    """Problem size: A is M×K, B is K×N, C is M×N. Square workloads use N only."""

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


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """One array argument. Outputs have no fill: they start unwritten."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    output: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """Position of an array in the picture: A left of the result, B above it; `transposed` shows Mᵀ."""

    array: str
    place: Place
    transposed: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of a check; no rate is shown for a result that is not `correct`."""

    correct: bool
    max_error: float
    relative_error: float
    checked: str
    message: str


@dataclass(frozen=True, slots=True)
class Workload:
    """One problem. Its callables are pure functions of the size and the input arrays."""

    id: str
    title: str
    square: bool
    """Whether M = N = K."""
    panels: tuple[Panel, ...]
    """The arrays in the picture."""
    arrays: Callable[[Size], tuple[ArraySpec, ...]]
    scalars: Callable[[Size], dict[str, int]]
    flops: Callable[[Size], int]
    results: Callable[[Mapping[str, NDArray[np.generic]], Size, NDArray[np.int64]], dict[str, Result]]

    def fit(self, size: Size) -> Size:
        """Return the size that this workload uses: square ones take N for all three lengths."""
        return Size(size.n, size.n, size.n) if self.square else size

    def inputs(self, size: Size, fills: Fills | Fill) -> Arrays:
        """Fill the input arrays; see `Fills.of`.

        Raises
        ------
        InputError
            When the fills name other inputs, leave one unwritten or cannot have its shape; and, before any is
            filled, when this machine's memory cannot hold the arrays.
        """
        self.check_memory(size)
        specs = [spec for spec in self.arrays(size) if not spec.output]
        chosen = fills if isinstance(fills, Fills) else Fills(fills)
        fill_of = chosen.of([spec.name for spec in specs])
        arrays: Arrays = {}
        for spec in specs:
            values = fill_of[spec.name].make(spec.shape, spec.dtype)
            if values is None:
                raise InputError(f"'{fill_of[spec.name]}' cannot fill {spec.name}: it is an input, choose another fill")
            arrays[spec.name] = values
        return arrays

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


def _positions(size: Size, rows: NDArray[np.int64]) -> NDArray[np.int32]:
    return (rows[:, None] * size.n + np.arange(size.n)).astype(np.int32)


WORKLOADS: Final = {
    workload.id: workload
    for workload in (
        Workload(
            id="matmul",
            title="C = A·B",
            square=False,
            panels=(Panel("A", "left"), Panel("B", "top"), Panel("C", "result")),
            arrays=lambda s: (
                ArraySpec("A", "float32", (s.m, s.k)),
                ArraySpec("B", "float32", (s.k, s.n)),
                ArraySpec("C", "float32", (s.m, s.n), output=True),
            ),
            scalars=lambda s: {"M": s.m, "N": s.n, "K": s.k},
            flops=lambda s: 2 * s.m * s.n * s.k,
            results=lambda inputs, s, rows: {"C": Product(inputs["A"][rows], inputs["B"])},
        ),
        Workload(
            id="mmt",
            title="P = M·Mᵀ",
            square=True,
            panels=(Panel("M", "left"), Panel("M", "top", transposed=True), Panel("P", "result")),
            arrays=lambda s: (
                ArraySpec("M", "float32", (s.n, s.n)),
                ArraySpec("P", "float32", (s.n, s.n), output=True),
            ),
            scalars=lambda s: {"n": s.n},
            # Effective FLOPs: those of the whole product, also for a kernel that computes one triangle.
            flops=lambda s: 2 * s.n**3,
            results=lambda inputs, s, rows: {"P": Product(inputs["M"][rows], inputs["M"].T)},
        ),
        Workload(
            id="index",
            title="row · width + column",
            square=False,
            panels=(Panel("out", "result"),),
            arrays=lambda s: (ArraySpec("out", "int32", (s.m, s.n), output=True),),
            scalars=lambda s: {"height": s.m, "width": s.n},
            flops=lambda s: 0,
            results=lambda inputs, s, rows: {"out": Exact(_positions(s, rows))},
        ),
        Workload(
            id="none",
            title="no data",
            square=False,
            panels=(),
            arrays=lambda s: (),
            scalars=lambda s: {},
            flops=lambda s: 0,
            results=lambda inputs, s, rows: {},
        ),
    )
}


def checked_rows(workload: Workload, size: Size, *, every_element: bool = False) -> tuple[NDArray[np.int64], str]:
    """Return the rows of the outputs that are compared, and words for them.

    Above `FULL_CHECK_PRODUCTS` products these are evenly spaced rows and the last one, unless `every_element`.
    """
    height = next((spec.shape[0] for spec in workload.arrays(size) if spec.output), 0)
    if not height:
        return np.arange(0), "nothing to check"
    few = size.m * size.n * size.k <= FULL_CHECK_PRODUCTS or height <= SAMPLED_ROWS
    if few or every_element:
        return np.arange(height), "every element"
    rows = np.unique(np.linspace(0, height - 1, SAMPLED_ROWS).astype(np.int64))
    return rows, f"{len(rows)} of {height} rows"


def verify(
    workload: Workload,
    size: Size,
    inputs: Mapping[str, NDArray[np.generic]],
    outputs: Mapping[str, NDArray[np.generic]],
    references: Mapping[str, Reference] | None = None,
    *,
    every_element: bool = False,
    roundings: int = 0,
) -> Verdict:
    """Compare outputs with the float64 reference.

    An element passes within γ_K (|A||B|), where `roundings` of a product count like further products; the whole passes
    with a relative Frobenius norm of the error up to 1e-5 as well. NaN never passes. Of a large product `checked_rows`
    are compared, and the verdict says so. `references` are those of the checked rows, where they are known already.
    """
    rows, checked = checked_rows(workload, size, every_element=every_element)
    if references is None:
        results = workload.results(inputs, size, rows)
        references = {name: result.reference() for name, result in results.items()}
    if not references:
        return Verdict(True, 0.0, 0.0, checked, "the kernel has no array output")
    worst, relative = 0.0, 0.0
    for name, reference in references.items():
        found = checked_part(workload, size, outputs, name, rows).astype(np.float64)
        error = np.abs(found - reference.rows)
        norm = float(np.linalg.norm(reference.rows))
        largest = float(error.max())
        # np.maximum, unlike max, keeps a NaN
        worst = float(np.maximum(worst, largest))
        relative = float(np.maximum(relative, float(np.linalg.norm(error)) / norm if norm else largest))
        wrong = ~(error <= reference.bound * (1 + roundings / size.k))  # written so that NaN counts as wrong
        if wrong.any():
            at = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            place = f"{name}[{rows[at[0]]}][{at[1]}]"
            message = (
                f"{int(wrong.sum()):,} of {wrong.size:,} checked elements are wrong; the first is {place} = "
                f"{found[at]:g}, expected {reference.rows[at]:g}"
            )
            return Verdict(False, worst, relative, checked, message)
    if not relative <= 1e-5:
        return Verdict(False, worst, relative, checked, f"relative error {relative:.2g} exceeds 1e-5")
    return Verdict(True, worst, relative, checked, f"{checked} within rounding of the float64 reference")


def checked_part(
    workload: Workload, size: Size, outputs: Mapping[str, NDArray[np.generic]], name: str, rows: NDArray[np.int64]
) -> NDArray[np.generic]:
    """Return rows of an output, which may come flat."""
    shape = next(spec.shape for spec in workload.arrays(size) if spec.name == name)
    return np.asarray(outputs[name]).reshape(shape)[rows]
