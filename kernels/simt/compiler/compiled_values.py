"""What source compiles to: values, variables, places in memory, loops and functions on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kernels.frontend.ast.traversal import below
from kernels.simt.machine.memory import Memory

if TYPE_CHECKING:
    from kernels.frontend.ast import Function, Span
    from kernels.frontend.types import Array, CType
    from kernels.simt.machine.affine import Linear
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.steps import Run


@dataclass(slots=True)
class Code:
    """A compiled expression.

    `run` yields its value. A struct's value is the tuple of its leaves. Of pointers and arrays it is the
    offset, in elements, of what they point to in `memory`; a pointer without a memory is *roaming*, its value
    an address as `compiler.addresses` packs it. `constant` is the value where it is known already. A `pure`
    expression can be evaluated for lanes that are not active without anybody noticing. `product` are the
    factors of a floating-point product, which the compiler fuses with a sum that it goes into. `bounds` are the
    least and the largest value of an integer, where they are known. `held` tells that the value is that of a
    variable which holds a product. A constant is `given` where it comes from the launch: nvcc does not know it.
    `linear` says how an integer, or an offset, depends on the thread's coordinates. `rank` is how late the compiler
    knows the value (`compiler.reassociation_rank`), -1 for one that is made by a call; it is `negated` by a minus
    sign. A double can be a `single` number that was converted, or the operator and the `singles` that it is one
    operation of. `members` are the arrays in structs that it is the address of something in. A read of registers that
    may have no value has a `copy`, with which an assignment passes on that they have none.
    """

    run: Run
    type: CType
    constant: Value = None
    pure: bool = True
    memory: Memory | None = None
    product: tuple[Code, Code] | None = None
    bounds: tuple[int, int] | None = None
    held: Product | None = None
    given: bool = False
    linear: Linear | None = None
    rank: int = -1
    negated: bool = False
    single: Code | None = None
    singles: tuple[str, Code, Code] | None = None
    members: tuple[Member, ...] = ()
    copy: Copy | None = None


@dataclass(frozen=True, slots=True)
class Copy:
    """The value of registers some of which may have none: `run` yields it without a report."""

    run: Run
    variables: tuple[Variable, ...]


@dataclass(slots=True)
class Product:
    """A product that a variable holds: its factors, kept in slots, and how it is used.

    `block` is the stretch of straight code it is made in. Where not every use is a term of a sum, the product
    is needed anyway, and none is fused.
    """

    key: tuple[Any, ...]
    block: int
    factors: tuple[Code, Code]
    rank: int
    negated: bool
    uses: int = 0
    terms: int = 0
    fused: bool = False


@dataclass(slots=True)
class Variable:
    """A scalar or pointer variable of a function: a slot in the group's registers.

    `level` counts the divergent constructs around its declaration. An assignment at the same level is made by
    every lane that can still see the variable, so it replaces the value as a whole: uniform stays uniform.
    `written` is the slot that says which lanes have assigned it, where the declaration gave no value. `key`
    is what the assumptions know it by. `rank` and `negated` are those of its value, which was given in a `stretch` of
    the source. `sources` are the names of variables without a value at their declaration that it is given a copy of.
    """

    name: str
    type: CType
    slot: int
    level: int
    key: tuple[Any, ...]
    register: int = -1
    const: bool = False
    written: int = -1
    memory: Memory | None = None
    roaming: bool = False
    bounds: tuple[int, int] | None = None
    linear: Linear | None = None
    block: int = 0
    held: Product | None = None
    rank: int = 0
    negated: bool = False
    stretch: int = 0
    sources: list[str] = field(default_factory=list)


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
    product: Product | None = None
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


def constant(value: Value, kind: CType, *, given: bool = False) -> Code:
    """Code for a known value, from the source or `given` with the launch."""
    return Code(lambda group, mask: value, kind, value, given=given)
