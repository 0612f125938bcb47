"""Compiled values: code, variables, lvalues in memory, and the loops and functions being compiled."""

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
    """Minimum and maximum value; None where only the type limits it."""
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
"""The facts about most values: none. They are tuples, which are created in C, since each node makes a value."""


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
    value_lanes: int = -1
    """Slot of the lanes that have a value; -1 if the declaration initialises it in every lane."""
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
    """Rank of the last assigned value; valid only inside `scope`."""
    negated: bool = False
    """`FmaFacts.negated` of the last assigned value."""
    scope: int = 0
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
    """An array member of a struct, and the position of an element relative to its beginning."""

    name: str
    type: Array
    distance: Code
    """From the beginning of the member: in elements of the memory, in bytes without one."""
    bounds: tuple[int, int]
    """Minimum and maximum `distance`."""


@dataclass(slots=True)
class Element:
    """An lvalue in memory."""

    memory: Memory | None
    """None if it is known only when the kernel runs."""
    offset: Code
    """The index of its first element in the memory, or without a memory its address."""
    kind: CType
    span: Span
    const: bool
    members: tuple[Member, ...] = ()
    """The array members that it has to be inside; each access checks them (`compiler.member_bounds`)."""


Place = Variable | Bundle | Element | Code
"""An lvalue, or, as Code, a value or a whole array."""

Symbol = Variable | Bundle | Element | Memory | Code
"""The meaning of a name."""


@dataclass(frozen=True, slots=True)
class Closure:
    """A lambda's function, and the scopes in which its names are found."""

    function: Function
    scopes: tuple[dict[str, Symbol], ...]


@dataclass(slots=True)
class Loop:
    """A loop or switch being compiled."""

    break_slot: int
    """Slot of the lanes that have left by break."""
    continue_slot: int
    """Slot of the lanes that wait for the next round after continue; -1 for a switch."""
    statement: int = -1
    """Number of the loop's header."""
    jumps: bool = False
    """True if it contains a break or continue."""
    returns: bool = False
    """True if it contains a return, or a goto to a label outside."""


@dataclass(slots=True)
class Frame:
    """A function being compiled."""

    function: Function
    result: int = -1
    """Slot of the returned value."""
    loops: list[Loop] = field(default_factory=list)
    """The loops and switches around the current statement, innermost last."""
    memory: Memory | None = None
    """The array that a returned pointer points into."""
    uses: tuple[set[str], set[str]] | None = None
    """Names that the function assigns, and names in its indices; None until `compiler.intervals` collects them."""
    block: int = 0
    """The basic block in which the function begins."""
    returns: int = 0
    """Number of return statements compiled so far."""
    product: VariableProduct | None = None
    """The product that the function returns, if the caller can fuse it."""
    used: bool = True
    """The caller uses the returned value."""
    tree: list[Any] = field(default_factory=list)
    """The nodes of the body, collected when `nodes` is called first."""
    kind: CType | None = None
    """The returned type that the first return statement of an `auto` function has."""
    labels: dict[str, int] = field(default_factory=dict)
    """Slots of the lanes that wait, by label of the blocks around the current statement."""
    returns_address: bool = False
    """The function returns the address of the lvalue that its reference names."""
    gives_index: bool = False
    """The returned value is part of an index."""

    def nodes(self) -> list[Any]:
        """Return every node of the function's body."""
        if not self.tree:
            self.tree = below(self.function.body)
        return self.tree


def constant(value: Value, kind: CType, *, from_launch: bool = False) -> Code:
    """Return the code of a constant; `from_launch` if the launch and not the source gives the value."""
    return Code(lambda group, mask: value, kind, value, from_launch=from_launch)


def slot_reader(slot: int) -> Run:
    """Return a run that yields the value in a slot of the group's registers."""
    return lambda group, mask: group.values[slot]
