"""Tables of the trace that compilation fills: statements, sites, registers, arrays; and the compiled calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd
from typing import TYPE_CHECKING, Any, NoReturn

from kernels.cancellation import checkpoint
from kernels.frontend.types import BOOL, Array, CType, Named, Scalar, Void
from kernels.frontend.unparse.expressions import one_line_text
from kernels.simt.compiler.structs.layout import element_type, layout, word_type
from kernels.simt.machine.memory import Memory
from kernels.simt.machine.skipped_memory import SkippedMemory
from kernels.simt.machine.skipped_values import Skipped
from kernels.trace.records import Access, ArrayInfo, Register, Site, Statement

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr, Function, Program, Span
    from kernels.frontend.types import Pointer
    from kernels.simt.compiler.compiled_values import Closure, Frame, Place
    from kernels.simt.machine.affine import Coordinates
    from kernels.simt.machine.machine import Machine
    from kernels.trace.records import Space, StatementKind


@dataclass(slots=True)
class CompiledCalls:
    """Functions that were compiled for a kernel, and the functions that its calls mean."""

    targets: dict[tuple[int, Span, str], list[Function]] = field(default_factory=dict)
    """By `id` of the calling function, place and name: the functions that the call means (`kernels.simt.linking`)."""
    functions: dict[int, Function] = field(default_factory=dict)
    """By `id`: every function whose body was compiled."""
    lambdas: dict[CType, Closure] = field(default_factory=dict)
    """Lambdas, by the types of their objects."""
    unused_values: set[tuple[type, Span]] = field(default_factory=set)
    """Calls and assignments whose value is not used, by class and place: no copy of the value is made."""
    inline_count: int = 0
    """Number of functions compiled inline and of the statements in them; limited by `functions.MAX_INLINED`."""
    with_goto: dict[int, bool] = field(default_factory=dict)
    """By `id` of a function: whether it contains a goto."""
    indices: dict[int, set[str]] = field(default_factory=dict)
    """By `id` of a function: the names in its indices (`compiler.intervals`)."""

    def instances(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the name and arguments of each instance of a template that was compiled."""
        found: dict[tuple[str, tuple[str, ...]], None] = {}
        for function in self.functions.values():
            if function.template:
                words = tuple(str(t).lower() if isinstance(t, bool) else str(t) for t in function.template)
                found[function.name, words] = None
        return tuple(found)


class Tables:
    """Numbers of a trace's statements, sites, registers and arrays.

    A statement that is compiled again, in another call of its function, keeps its number.
    """

    def __init__(self, program: Program, machine: Machine) -> None:
        self.program = program
        """The parsed source: pure data."""
        self.machine = machine
        """Has the tables of statements, sites and arrays, since the recorder and the checkers read them too."""
        self.registers: list[Register] = []
        """Scalar variables whose values are recorded."""
        self.frames: list[Frame] = []
        """Functions being compiled, innermost last."""
        self.statement = -1
        """Number of the statement being compiled."""
        self.calls = CompiledCalls()
        """Resolved calls, which belong to the compiled kernel as a whole."""
        self._lvalues: dict[int, tuple[Expr | None, Frame | None, Place | None]] = {}
        """By `id` of an expression of the current statement: the lvalue that it was compiled to, and in which frame."""
        self._numbers: dict[tuple[Any, ...], int] = {}
        """Numbers of statements, sites, registers and index patterns, by what distinguishes each."""
        self._arrays: dict[tuple[Any, ...], Memory] = {}
        """Arrays by name, place, space, type, and the instance of the function for a shared one."""

    def enter(self, frame: Frame) -> None:
        """Begin with a function's body."""
        self.frames.append(frame)
        self.calls.functions[id(frame.function)] = frame.function

    def known_lvalue(self, node: Expr) -> Place | None:
        """Return the lvalue of an expression of the current statement compiled before in this frame, or None."""
        kept, frame, place = self._lvalues.get(id(node), (None, None, None))
        return place if kept is node and frame is self.frames[-1] else None

    def remember_lvalue(self, node: Expr, place: Place) -> Place:
        """Store the lvalue of an expression of the current statement."""
        self._lvalues[id(node)] = node, self.frames[-1], place
        return place

    def forget_lvalues(self) -> None:
        """Drop the lvalues of the current statement: its expressions are compiled again."""
        self._lvalues.clear()

    def slot(self) -> int:
        """Return the number of a new register of each group."""
        self.machine.slots += 1
        return self.machine.slots - 1

    def pattern(self, coordinates: Coordinates) -> int:
        """Return the slot of the pattern of coordinates (`compiler.index_patterns`)."""
        key = ("indices", coordinates)
        if key not in self._numbers:
            self._numbers[key] = self.slot()
        return self._numbers[key]

    def site(
        self, span: Span, memory: Memory, access: Access, width: int = 1, kind: Scalar | Pointer | None = None
    ) -> int:
        """Return the number of an access in the source to an array, of `width` elements at once, as `kind`."""
        dtype = kind.dtype if isinstance(kind, Scalar) and _is_cast(memory, kind) and width == 1 else None
        key = ("site", span, self.statement, memory.number, access, width, dtype)
        if key not in self._numbers:
            self._numbers[key] = len(self.machine.sites)
            self.machine.sites.append(Site(span, self.statement, memory.number, access, width, dtype))
        return self._numbers[key]

    def new_statement(self, span: Span, kind: StatementKind) -> int:
        """Return the number of a statement, which becomes the one being compiled."""
        # Compiling can take seconds for templates that call each other: the user can cancel it at any statement.
        checkpoint()
        self.calls.inline_count += len(self.frames) > 1
        # By place and kind, not by call: a function that is inlined twice has each of its statements once in the trace.
        key = ("statement", span, kind)
        if key not in self._numbers:
            self._numbers[key] = len(self.machine.statements)
            self.machine.statements.append(Statement(span, self.text(span), kind))
        self.statement = self._numbers[key]
        self._lvalues.clear()
        return self.statement

    def register(self, name: str, kind: Scalar, span: Span) -> int:
        """Return the number of a scalar variable of the function being compiled; -1 where nothing is recorded."""
        if not self.machine.recorder.records:
            return -1
        function = self.frames[-1].function.name
        key = ("register", name, function, span, kind)
        if key not in self._numbers:
            self._numbers[key] = len(self.registers)
            self.registers.append(Register(name, function, kind.dtype, span))
        return self._numbers[key]

    def array(
        self,
        name: str,
        space: Space,
        declared_type: CType,
        span: Span,
        shape: tuple[int, ...],
        *,
        address: int | None = None,
        parameter: bool = False,
        kept_as: type[Memory] = Memory,
    ) -> Memory:
        """Return the array of a declaration; compiled again, the declaration gives the same array.

        Instances of a template have different arrays if the type differs, or if they are shared. `shape` is in elements
        of the declared type: a struct adds a last dimension, that of its leaves.
        """
        function = self.frames[-1].function if self.frames and space == "shared" else None
        instance = () if function is None else (function.name, function.template)
        key = (name, span, space, declared_type, instance)
        if key in self._arrays:
            return self._arrays[key]
        object_kind = declared_type.element if isinstance(declared_type, Array) else declared_type
        kind = element_type(object_kind)
        if key in self.machine.assumptions.element_sizes:
            kind = word_type(self.machine.assumptions.element_sizes[key])
        size = object_kind.size_bytes if not isinstance(object_kind, Void | Named) else kind.size_bytes
        # A struct of mixed members is stored as words, and its array has one more dimension: the words of an object.
        factor = max(size // kind.size_bytes, 1)
        # Arrays follow each other in their space: sectors and banks of an access depend on the address.
        if address is None:
            address = self.place(space, object_kind)
        info = ArrayInfo(
            name,
            space,
            kind.dtype,
            (*shape, factor) if factor > 1 else shape,
            address,
            parameter,
            layout(object_kind, kind),
        )
        skips = self.machine.recorder.skips_values and key not in self.machine.assumptions.values_needed
        # Truth values are nearly always conditions, and constant memory has the sizes of loops.
        if skips and kept_as is Memory and kind != BOOL and space != "constant":
            kept_as = SkippedMemory
        memory = kept_as(len(self.machine.memories), info, kind, self.machine.recorder)
        memory.declared = declared_type
        memory.key = key
        if isinstance(memory, SkippedMemory):
            memory.skipped = Skipped(self.machine.assumptions, frozenset((key,)))
        self.machine.memories.append(memory)
        self._arrays[key] = memory
        return memory

    def recompile_elements(self, memory: Memory, size_bytes: int) -> NoReturn:
        """Compile again with elements of an array that are small enough for accesses of a size."""
        self.machine.assumptions.recompile_element_size(memory.key, gcd(memory.kind.size_bytes, size_bytes))

    def place(self, space: Space, kind: CType) -> int:
        """Return the first free byte of a memory space, aligned for a type."""
        end = max(
            (m.info.address + m.size * m.info.dtype.itemsize for m in self.machine.memories if m.info.space == space),
            default=0,
        )
        align = 1 if isinstance(kind, Void | Named) else kind.align_bytes
        return -(-end // align) * align

    def text(self, span: Span) -> str:
        """Return the source text of a span with single spaces."""
        return one_line_text(self.program.text, span, self.program.included)


def _is_cast(memory: Memory, kind: Scalar) -> bool:
    """Return whether a type of the elements' size is another one than that of plain shared memory."""
    plain, own = memory.info.space == "shared" and memory.info.struct is None, memory.kind
    return plain and kind.size_bytes == own.size_bytes and kind.dtype != own.dtype
