"""Findings: mistakes of an answer as data. Their sentences are made in `kernels.exercises.words`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kernels.exercises.model import Case, Gate
    from kernels.launch import Dim3
    from kernels.trace import Hazard
    from kernels.trace.records import Value

RegionKind = Literal["all", "rows", "columns", "beyond", "elements", "above", "below", "off-diagonal", "some"]
"""Elements of a matrix. rows, columns: from `first` to the end. beyond: from row `first` or from column `second` to the
end. elements: from element `first` to the end of a vector. above, below: one side of the diagonal. some: no such
pattern."""

RelationKind = Literal[
    "transposed",
    "first-products",
    "last-products",
    "multiple",
    "left-transposed",
    "right-transposed",
    "left-pitch",
    "right-pitch",
    "neighbour",
    "constant",
    "first-elements",
    "last-elements",
    "first-of-group",
    "last-of-group",
    "tiles-transposed",
    "tiles-mirrored",
    "scaled-rows",
    "not-a-number",
]
"""Relation of wrong values to the correct result, which holds for every wrong element of the case.

transposed: each element has the value of its mirror image. first-products, last-products: sums of the products with k
below `number` of `of`, or from there on. multiple: `number` times the correct value. left-, right-transposed: the
product with one operand read as its transpose. left-, right-pitch: the product with one operand read as if its rows had
`number` elements; they have `of`. neighbour: the value of the element `rows` and `columns` further. constant: all
elements of the output have the value `value`, the right ones, too. first-, last-elements: the sum of `number` of `of`
elements. first-, last-of-group: the sum of the first or last `number` elements of each group of `of` neighbours.
tiles-transposed: each square tile of `number` rows is right after exchanging its rows and columns. tiles-mirrored: each
such tile is that of the mirrored place. scaled-rows: the elements of each row are in the right proportion; those of row
`rows`, the first wrong one, add up to `value`. not-a-number: all of them are NaN."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A moment of the answer that a view can show."""

    case: Case
    line: int = 0
    """Line of the source; 0 for none."""
    array: str = ""
    index: int = -1
    """Flat index of the element; -1 for none."""
    block: int = -1
    """Linear number of the block in the grid; -1 for none."""
    step: int = -1
    """Step of the trace of this case; -1 for none."""


@dataclass(frozen=True, slots=True)
class Region:
    """The wrong elements of an output."""

    kind: RegionKind
    first: int = 0
    """First row or column."""
    second: int = 0
    """First column of `beyond`."""


@dataclass(frozen=True, slots=True)
class Relation:
    """The relation of the wrong values to the correct ones."""

    kind: RelationKind
    number: int = 0
    of: int = 0
    rows: int = 0
    columns: int = 0
    value: Value = 0


@dataclass(frozen=True, slots=True)
class SourceFinding:
    """The text cannot be read as CUDA C."""

    line: int
    column: int
    reason: str


@dataclass(frozen=True, slots=True)
class ParameterFinding:
    """The kernel's parameters are not those of the given source."""

    kernel: str
    missing: tuple[str, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LaunchFinding:
    """The launch, or the comment that says how to launch, is refused."""

    reason: str
    case: Case | None = None


@dataclass(frozen=True, slots=True)
class TimeFinding:
    """The run took too long and was ended."""

    case: Case
    seconds: float


@dataclass(frozen=True, slots=True)
class HazardFinding:
    """A hazard of the simulator's checkers, or a run that used up its budget."""

    case: Case
    hazard: Hazard
    message: str
    """Its report, with threads named as in captions."""
    element: str
    """Name of the element; "" for none."""
    threads: tuple[str, ...]
    """Name of the thread of each of its accesses."""
    shown: Reference
    """The moment of the first read that a race makes wrong in this run; else that of the report."""
    in_this_run: str = ""
    """A sentence about that read; "" without one."""


@dataclass(frozen=True, slots=True)
class UnwrittenFinding:
    """Elements of an output that no thread wrote."""

    case: Case
    array: str
    element: str
    """Name of the first one."""
    index: int
    count: int
    total: int
    region: Region
    last: bool
    """Whether these are all elements from the first one to the end of the array."""
    threads: Dim3
    """Threads of the grid along x, y and z."""
    writes: bool
    """Whether any thread writes the array."""


@dataclass(frozen=True, slots=True)
class WrongFinding:
    """Elements of an output with a wrong value."""

    case: Case
    array: str
    element: str
    """Name of the first one."""
    index: int
    value: Value
    expected: float
    count: int
    total: int
    region: Region
    relation: Relation | None
    block: int
    """Block of the last write."""
    step: int
    """Step of the last write."""
    line: int
    """Line of the last write."""


@dataclass(frozen=True, slots=True)
class GateFinding:
    """A count that exceeds its limit."""

    gate: Gate
    figure: float
    limit: float
    line: int = 0
    """Line with the largest part of the count; 0 for none."""
    array: str = ""
    """The array of that line."""
    stride: int | None = None
    """Elements from a thread's to that of the next thread of its warp, in that line; None where it varies."""
    whole_row: bool = False
    """Whether `stride` is the length of a row of the array."""


Finding = (
    SourceFinding
    | ParameterFinding
    | LaunchFinding
    | TimeFinding
    | HazardFinding
    | UnwrittenFinding
    | WrongFinding
    | GateFinding
)


def reference(finding: Finding) -> Reference | None:
    """Return the moment to show for a finding; None for one without a run."""
    match finding:
        case HazardFinding(shown=shown):
            return shown
        case UnwrittenFinding():
            return Reference(finding.case, 0, finding.array, finding.index)
        case WrongFinding():
            return Reference(finding.case, finding.line, finding.array, finding.index, finding.block, finding.step)
        case TimeFinding(case=case):
            return Reference(case)
        case GateFinding(gate=gate) if gate.case is not None:
            return Reference(gate.case, finding.line, finding.array)
    return None
