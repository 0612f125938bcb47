"""What source compiles to: values, variables, places in memory, loops and functions on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kernels.frontend.ast.traversal import below
from kernels.simt.machine.memory import Memory

if TYPE_CHECKING:
    from kernels.frontend.ast import Function, Span
    from kernels.frontend.types import Array, CType
    from kernels.simt.machine.affine import Linear
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.steps import Run


class IndexFacts(NamedTuple):
    """Static facts about an integer, or about the offset of a pointer: the results of the index analysis."""

    bounds: tuple[int, int] | None = None
    """Least and largest value; None where only the type limits it."""
    affine: Linear | None = None
    """The value as a sum of thread coordinates with factors; None where no coordinate is in it."""
    members: tuple[Member, ...] = ()
    """Arrays in structs that the pointer points into: an access must stay inside each of them."""


class FmaFacts(NamedTuple):
    """Static facts by which nvcc reorders and contracts a sum that the value is a term of."""

    rank: int = -1
    """Reassociation rank, see `compiler.reassociation_rank`; -1 for a value whose rank is drawn where it is used."""
    negated: bool = False
    """A minus sign precedes the value, and nvcc can move it into the sum."""
    factors: tuple[Code, Code] | None = None
    """The factors of a floating-point product, which can be fused with a sum; None for any other value."""
    product: VariableProduct | None = None
    """The variable's product that the value is a read of; its uses decide whether it can be fused."""
    float_value: Code | None = None
    """The float that was converted to this double."""
    float_operation: tuple[str, Code, Code] | None = None
    """Operator and float operands of a double that nvcc computes in float where it is rounded to float anyway."""


NO_INDEX_FACTS: Final = IndexFacts()
NO_FMA_FACTS: Final = FmaFacts()
"""What is known of most values: nothing. Tuples, since a value is made for every node and they are made in C."""


@dataclass(slots=True)
class Code:
    """A compiled expression: a closure that yields its value, and what is known of the value before it runs."""

    run: Run
    """Yields the value for a group and a mask. A struct's value is the tuple of its leaves."""
    type: CType
    constant: Value = None
    """The value where it is known at compile time."""
    pure: bool = True
    """Without side effects and errors: it can be evaluated for lanes that are not active."""
    memory: Memory | None = None
    """The array that a pointer or array points into; the value is an offset in its elements.

    A pointer without it is *roaming*: its value is an address as `compiler.addresses` packs it.
    """
    from_launch: bool = False
    """The constant comes from the launch (an argument, blockDim): the simulator knows it, nvcc does not."""
    index: IndexFacts = NO_INDEX_FACTS
    fma: FmaFacts = NO_FMA_FACTS
    copy: Copy | None = None
    """For a read of registers that may be uninitialised: the same read without a report, for a plain copy."""


@dataclass(frozen=True, slots=True)
class Copy:
    """The value of registers that may be uninitialised, for an assignment that copies them to other registers."""

    run: Run
    """Yields the value without reporting an uninitialised read."""
    variables: tuple[Variable, ...]


@dataclass(slots=True)
class VariableProduct:
    """A floating-point product that was assigned to a variable, and a count of its uses.

    It can be fused with a sum only if every use is a term of a sum; otherwise the rounded product is needed anyway.
    """

    key: tuple[Any, ...]
    """Identifies it in `Assumptions.rounded` when the kernel is compiled again."""
    block: int
    """Number of the basic block in which the product is computed; it is fused only there."""
    factors: tuple[Code, Code]
    """Reads of the slots that the factors are saved in."""
    rank: int
    negated: bool
    uses: int = 0
    """Reads of the variable."""
    terms: int = 0
    """Reads that are a term of a sum, or a copy to another variable."""
    fused: bool = False
    """Some sum was compiled with the unrounded product."""


@dataclass(slots=True)
class Variable:
    """A scalar or pointer variable of a function: a slot in the group's registers."""

    name: str
    type: CType
    slot: int
    level: int
    """Number of divergent constructs around the declaration.

    An assignment at the same level is made by every lane that can still see the variable, so that it replaces the
    value as a whole: a uniform value stays uniform.
    """
    key: tuple[Any, ...]
    """Identifies the variable in `Assumptions` when the kernel is compiled again."""
    register: int = -1
    """Number of the register in the trace; -1 where nothing is recorded."""
    const: bool = False
    written: int = -1
    """Slot of the lanes that have assigned it; -1 where the declaration gives every lane a value."""
    memory: Memory | None = None
    """The array that a pointer points into."""
    roaming: bool = False
    """A pointer that can point into several arrays: the slot contains packed addresses."""
    bounds: tuple[int, int] | None = None
    """As in `IndexFacts`, of a variable that is assigned once, or of a loop counter."""
    affine: Linear | None = None
    """As in `IndexFacts`."""
    block: int = 0
    """Number of the basic block of the declaration."""
    product: VariableProduct | None = None
    """The product that was assigned last, if it can be fused."""
    rank: int = 0
    """Rank of the last assigned value; valid only inside the scope `stretch`."""
    negated: bool = False
    """`FmaFacts.negated` of the last assigned value."""
    stretch: int = 0
    """Number of the conditional scope of the last assignment."""
    sources: list[str] = field(default_factory=list)
    """Names of uninitialised variables that it is a copy of."""


@dataclass(slots=True)
class Bundle:
    """A struct variable of a function: one variable for each leaf of its type."""

    name: str
    type: CType
    leaves: tuple[Variable, ...]
    key: tuple[Any, ...]
    const: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """How far a place is from the begin of an array that is a struct's member, in what offsets are counted in.

    `bounds` are the least and the largest `distance`.
    """

    name: str
    type: Array
    distance: Code
    bounds: tuple[int, int]


@dataclass(slots=True)
class Element:
    """A value in memory: `offset` yields the index of its first element, or without a memory its address.

    `members` are the arrays in structs that it should be in; every access asks
    `kernels.simt.compiler.member_bounds`.
    """

    memory: Memory | None
    offset: Code
    kind: CType
    span: Span
    const: bool
    members: tuple[Member, ...] = ()


Place = Variable | Bundle | Element | Code
"""What an expression can designate; Code is a value, or a whole array."""

Symbol = Variable | Bundle | Element | Memory | Code


@dataclass(frozen=True, slots=True)
class Closure:
    """A lambda's function, and the scopes in which its names are found."""

    function: Function
    scopes: tuple[dict[str, Symbol], ...]


@dataclass(slots=True)
class Loop:
    """A loop or switch being compiled: slots for the lanes that left by break and by continue, if any can.

    A switch has no slot for continue: that goes on with the loop around it. `statement` is the loop's header.
    """

    broken: int
    continued: int
    statement: int = -1
    jumps: bool = False
    returns: bool = False


@dataclass(slots=True)
class Frame:
    """The function being compiled: the slot of its returned values, and the loops around, innermost last.

    `memory` is where a returned pointer points. `uses` are the names that the function
    assigns to, and those that go into an index. `block` is the straight code that it begins in, `returns` counts
    its returns, and `product` is what it returns, if it is one. `used` tells whether its value is. `tree` are the
    nodes of its body, once they are asked for. `kind` is the type of what it returns where its returns say it.
    `labels` are those of the blocks around, each with the slot of the lanes that wait there. `designates` tells that
    the addresses of what is returned are wanted.
    """

    function: Function
    result: int = -1
    loops: list[Loop] = field(default_factory=list)
    memory: Memory | None = None
    uses: tuple[set[str], set[str]] | None = None
    block: int = 0
    returns: int = 0
    product: VariableProduct | None = None
    used: bool = True
    tree: list[Any] = field(default_factory=list)
    kind: CType | None = None
    labels: dict[str, int] = field(default_factory=dict)
    designates: bool = False

    def nodes(self) -> list[Any]:
        """Return every node of the function's body."""
        if not self.tree:
            self.tree = below(self.function.body)
        return self.tree


def constant(value: Value, kind: CType, *, from_launch: bool = False) -> Code:
    """Return code for a value that the source states, or that comes from the launch."""
    return Code(lambda group, mask: value, kind, value, from_launch=from_launch)
