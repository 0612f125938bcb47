"""The problems that kernels solve: shapes, arguments, reference results, and how much work they are.

A workload names its arrays and scalars; a kernel's parameters are bound to them by name. Adding a workload is one
entry in `WORKLOADS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from kernels.errors import InputError
from kernels.fill import Fill, Fills
from kernels.launch import whole_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

Arrays = dict[str, "NDArray[np.generic]"]
Place = Literal["left", "top", "result"]

FLOAT32_UNIT_ROUNDOFF: Final = 2.0**-24
"""u of IEEE binary32 with rounding to nearest (Higham, Accuracy and Stability, section 2.1)."""

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
    """Where the picture shows an array: A left of the result, B above it; `transposed` shows Mᵀ."""

    array: str
    place: Place
    transposed: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of a check; no rate is ever shown for a result that is not `correct`."""

    correct: bool
    max_error: float
    relative_error: float
    checked: str
    message: str


@dataclass(frozen=True, slots=True)
class Workload:
    """One problem. All callables are pure functions of the size and of the input arrays."""

    id: str
    title: str
    square: bool
    panels: tuple[Panel, ...]
    arrays: Callable[[Size], tuple[ArraySpec, ...]]
    scalars: Callable[[Size], dict[str, int]]
    flops: Callable[[Size], int]
    reference: Callable[[Mapping[str, NDArray[np.generic]], Size, NDArray[np.int64]], dict[str, Reference]]

    def fit(self, size: Size) -> Size:
        """Return the size as this workload understands it: square ones use N for all three."""
        return Size(size.n, size.n, size.n) if self.square else size

    def inputs(self, size: Size, fills: Fills | Fill) -> Arrays:
        """Fill the input arrays, each in its own way or all in one; see `Fills.of`.

        Raises
        ------
        InputError
            When the fills are for other inputs, or leave one unwritten, or cannot make its shape.
        """
        specs = [spec for spec in self.arrays(size) if not spec.output]
        chosen = fills if isinstance(fills, Fills) else Fills(fills)
        own = chosen.of([spec.name for spec in specs])
        made: Arrays = {}
        for spec in specs:
            values = own[spec.name].make(spec.shape, spec.dtype)
            if values is None:
                raise InputError(
                    f"'{own[spec.name]}' cannot fill {spec.name}: it is an input, choose another fill"
                )
            made[spec.name] = values
        return made

    def least_bytes(self, size: Size) -> int:
        """Bytes that must cross the memory bus: every array once."""
        return sum(int(np.prod(s.shape)) * np.dtype(s.dtype).itemsize for s in self.arrays(size))


@dataclass(frozen=True, slots=True)
class Reference:
    """Float64 result rows and the elementwise bound on a float32 kernel's error."""

    rows: NDArray[np.float64]
    bound: NDArray[np.float64]


def _products(left: NDArray[np.generic], right: NDArray[np.generic], length: int) -> Reference:
    """Rows of left · right with the bound γ_K |left||right|, γ_K = K·u / (1 - K·u) (Higham, section 3.1)."""
    a, b = left.astype(np.float64), right.astype(np.float64)
    gamma = length * FLOAT32_UNIT_ROUNDOFF / (1 - length * FLOAT32_UNIT_ROUNDOFF)
    return Reference(a @ b, gamma * (np.abs(a) @ np.abs(b)))


def _matmul_reference(
    inputs: Mapping[str, NDArray[np.generic]], size: Size, rows: NDArray[np.int64]
) -> dict[str, Reference]:
    return {"C": _products(inputs["A"][rows], inputs["B"], size.k)}


def _mmt_reference(
    inputs: Mapping[str, NDArray[np.generic]], size: Size, rows: NDArray[np.int64]
) -> dict[str, Reference]:
    return {"P": _products(inputs["M"][rows], inputs["M"].T, size.n)}


def _index_reference(
    inputs: Mapping[str, NDArray[np.generic]], size: Size, rows: NDArray[np.int64]
) -> dict[str, Reference]:
    flat = rows[:, None] * size.n + np.arange(size.n)
    return {"out": Reference(flat.astype(np.float64), np.zeros(flat.shape))}


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
            reference=_matmul_reference,
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
            # Effective: what the whole product would take, also where a kernel computes one triangle.
            flops=lambda s: 2 * s.n**3,
            reference=_mmt_reference,
        ),
        Workload(
            id="index",
            title="row · width + column",
            square=False,
            panels=(Panel("out", "result"),),
            arrays=lambda s: (ArraySpec("out", "int32", (s.m, s.n), output=True),),
            scalars=lambda s: {"height": s.m, "width": s.n},
            flops=lambda s: 0,
            reference=_index_reference,
        ),
        Workload(
            id="none",
            title="no data",
            square=False,
            panels=(),
            arrays=lambda s: (),
            scalars=lambda s: {},
            flops=lambda s: 0,
            reference=lambda inputs, size, rows: {},
        ),
    )
}


def verify(
    workload: Workload,
    size: Size,
    inputs: Mapping[str, NDArray[np.generic]],
    outputs: Mapping[str, NDArray[np.generic]],
) -> Verdict:
    """Compare outputs with the float64 reference.

    An element passes within γ_K (|A||B|); the whole passes with a relative Frobenius norm of the error up to 1e-5
    as well. NaN never passes. Above `FULL_CHECK_PRODUCTS` products, evenly spaced rows and the last one are
    checked, and the verdict says so.
    """
    specs = [s for s in workload.arrays(size) if s.output]
    if not specs:
        return Verdict(True, 0.0, 0.0, "nothing to check", "the kernel has no array output")
    height = specs[0].shape[0]
    sampled = size.m * size.n * size.k > FULL_CHECK_PRODUCTS and height > SAMPLED_ROWS
    rows = np.unique(np.linspace(0, height - 1, SAMPLED_ROWS if sampled else height).astype(np.int64))
    checked = f"{len(rows)} of {height} rows" if sampled else "every element"
    references = workload.reference(inputs, size, rows)
    worst, relative = 0.0, 0.0
    for spec in specs:
        reference = references[spec.name]
        found = np.asarray(outputs[spec.name]).reshape(spec.shape)[rows].astype(np.float64)
        error = np.abs(found - reference.rows)
        norm = float(np.linalg.norm(reference.rows))
        largest = float(error.max())
        # np.maximum, unlike max, keeps a NaN
        worst = float(np.maximum(worst, largest))
        relative = float(np.maximum(relative, float(np.linalg.norm(error)) / norm if norm else largest))
        wrong = ~(error <= reference.bound)  # written so that NaN counts as wrong
        if wrong.any():
            at = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            place = f"{spec.name}[{rows[at[0]]}][{at[1]}]"
            message = (
                f"{int(wrong.sum()):,} of {wrong.size:,} checked elements are wrong; the first is {place} = "
                f"{found[at]:g}, expected {reference.rows[at]:g}"
            )
            return Verdict(False, worst, relative, checked, message)
    if not relative <= 1e-5:
        return Verdict(False, worst, relative, checked, f"relative error {relative:.2g} exceeds 1e-5")
    return Verdict(True, worst, relative, checked, f"{checked} within rounding of the float64 reference")
