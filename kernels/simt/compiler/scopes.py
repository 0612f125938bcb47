"""Scopes of names, basic blocks and the steps hoisted before the statement being compiled."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernels.simt.compiler.compiled_values import Symbol


class HoistedSteps(list[Any]):
    """Steps that run before the statement being compiled, in order; those of a part of it are a list in the list."""

    __slots__ = ("call", "codes")

    def __init__(self) -> None:
        super().__init__()
        self.codes: dict[tuple[int, str], tuple[Any, Any, Any]] = {}
        """Expressions of the statement in which threads wait: the code of each, and its steps (`compiler.hoisting`)."""
        self.call: Any = None
        """The last call among the steps."""


class BasicBlocks:
    """Numbers of the basic blocks, and the reassociation ranks of the values computed in them."""

    def __init__(self) -> None:
        self.current = 0
        """Number of the block being compiled."""
        self.rank = 0x10000
        """Rank of the last value that is not moved, such as a load; the kernel's parameters have smaller ones."""
        self.first_rank = self.rank
        """`rank` at the beginning of the block."""
        self._count = 0
        """Number of blocks so far."""
        self.open_scopes = [0]
        """First blocks of the conditional scopes around; all active lanes have the values computed in them."""

    def begin(self) -> None:
        """Begin a block; every rank in it is higher than those in the blocks before."""
        self._count += 1
        self.current = self._count
        self.rank = self.first_rank = (self.rank | 0xFFFF) + 1

    def open(self) -> None:
        """Begin the first block of a conditional scope."""
        self.begin()
        self.open_scopes.append(self.current)

    def close(self) -> None:
        """End the innermost conditional scope."""
        self.open_scopes.pop()
        self.begin()

    @property
    def innermost(self) -> int:
        """The number of the innermost conditional scope: that of its first block."""
        return self.open_scopes[-1]


class EvaluationLog:
    """Reads and assignments in the order in which they are compiled, for expressions hoisted before a statement."""

    def __init__(self) -> None:
        self.can_wait = True
        """False for a kernel whose expressions call nothing: none of them can wait at a barrier."""
        self.reads: list[int] = []
        """Slots of the variables that were read."""
        self.writes: list[int] = []
        """Slots of the variables that were assigned."""
        self.recalls: list[Any] = []
        """Steps of the expressions of the statement that were compiled once more."""

    def reads_since(self, count: int, first: int, last: int) -> bool:
        """Return whether a variable with a slot in `first` … `last` - 1 was read after the first `count` reads."""
        return any(first <= slot < last for slot in self.reads[count:])


class Scopes:
    """The names in scope, and the state of the compiler at its place in the source."""

    def __init__(self) -> None:
        self.level = 0
        """Number of divergent constructs around."""
        self.blocks = BasicBlocks()
        """The basic block being compiled."""
        self.log = EvaluationLog()
        """Reads and assignments so far."""
        self.in_index = False
        """True in the index of an array or in a pointer's offset."""
        self.call_in_index = False
        """True if the value of the call being compiled is part of an index."""
        self.converts_arguments = False
        """True where constructors may convert the arguments of the call being compiled to structs."""
        self.hoisted: HoistedSteps | None = None
        """Steps that run before the statement being compiled (`compiler.hoisting`); None where none can be hoisted."""
        self._scopes: list[dict[str, Symbol]] = [{}]
        """Symbols by name, innermost scope last; the first has the names of the file."""

    @contextmanager
    def conditional(self, deeper: int = 1) -> Iterator[None]:
        """Inside, some lanes may skip the code when it runs: none of it can be hoisted before the statement.

        `deeper` is 0 if the lanes that skip it never read the names declared around it again.
        """
        outer, self.hoisted = self.hoisted, None
        self.level += deeper
        try:
            yield
        finally:
            self.hoisted = outer
            self.level -= deeper

    def conditional_part(self) -> Hoisting:
        """Inside, some lanes may skip the code; yields the steps that the other lanes have to run before it.

        The steps can be hoisted as an `if` (`compiler.short_circuit`); there are none where the statement has none.
        """
        return Hoisting(self, conditional=True)

    @contextmanager
    def indexing(self, inside: bool = True) -> Iterator[None]:
        """Inside, the code is part of an index; if `inside` is False, it is only if the code around it is."""
        outer = self.in_index
        self.in_index = outer or inside
        try:
            yield
        finally:
            self.in_index = outer

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Inside, the code is a call's: its arguments are part of no index, its value is if the call is."""
        outer = self.in_index, self.call_in_index
        self.in_index, self.call_in_index = False, self.in_index
        try:
            yield
        finally:
            self.in_index, self.call_in_index = outer

    @contextmanager
    def converting(self, *, allowed: bool) -> Iterator[None]:
        """Inside, constructors may convert arguments to structs; not if CUDA has a function of the call's name."""
        outer, self.converts_arguments = self.converts_arguments, allowed
        try:
            yield
        finally:
            self.converts_arguments = outer

    def hoisting(self) -> Hoisting:
        """Inside, calls that wait at barriers are hoisted; yields their steps, to run before the statement."""
        return Hoisting(self)

    def scope(self, deeper: int = 0, *, straight: bool = False) -> NameScope:
        """Open a scope for names; `deeper` is the number of divergent constructs that it is the body of.

        A divergent construct begins and ends a basic block, except for an inlined function's body (`straight`).
        """
        # nvcc inlines a function before it reassociates, so that its body continues the caller's basic block.
        return NameScope(self, deeper, jumps=deeper > 0 and not straight)

    def open_scope(self) -> None:
        """Open a scope for names."""
        self._scopes.append({})

    def close_scope(self) -> None:
        """Close the innermost scope."""
        self._scopes.pop()

    def visible(self) -> tuple[dict[str, Symbol], ...]:
        """Return the scopes that are open."""
        return tuple(self._scopes)

    @contextmanager
    def only_scopes(self, scopes: Sequence[dict[str, Symbol]] = ()) -> Iterator[None]:
        """Inside, only the names of these scopes are visible; in an inlined function those of the file."""
        outer = self._scopes
        self._scopes = [*(scopes or outer[:1]), {}]
        try:
            yield
        finally:
            self._scopes = outer

    @contextmanager
    def file_scope(self) -> Iterator[None]:
        """Inside, declarations are those of the file."""
        outer, self._scopes = self._scopes, self._scopes[:1]
        try:
            yield
        finally:
            self._scopes = outer

    def names(self) -> dict[str, Symbol]:
        """Return the present meaning of the names of the innermost scope, for `restore`."""
        return dict(self._scopes[-1])

    def restore(self, names: dict[str, Symbol]) -> None:
        """Restore the meaning of the names of the innermost scope."""
        self._scopes[-1] = names

    def declare(self, name: str, symbol: Symbol) -> None:
        """Make a name visible until its scope ends."""
        self._scopes[-1][name] = symbol

    def find(self, name: str) -> Symbol | None:
        """Return the meaning of a name here; None if it is not declared."""
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return None


class NameScope:
    """Context manager of `Scopes.scope`: a class, since a generator function takes three times as long."""

    __slots__ = ("_deeper", "_jumps", "_scopes")

    def __init__(self, scopes: Scopes, deeper: int, *, jumps: bool) -> None:
        self._scopes = scopes
        self._deeper = deeper
        self._jumps = jumps

    def __enter__(self) -> None:
        self._scopes.open_scope()
        self._scopes.level += self._deeper
        if self._jumps:
            self._scopes.blocks.open()

    def __exit__(self, *_: object) -> None:
        self._scopes.close_scope()
        self._scopes.level -= self._deeper
        if self._jumps:
            self._scopes.blocks.close()


class Hoisting:
    """Context manager of `Scopes.hoisting` and `Scopes.conditional_part`, a class like `NameScope`."""

    __slots__ = ("_conditional", "_outer", "_recalls", "_scopes")

    def __init__(self, scopes: Scopes, *, conditional: bool = False) -> None:
        self._scopes = scopes
        self._conditional = conditional

    def __enter__(self) -> HoistedSteps:
        scopes, before = self._scopes, HoistedSteps()
        self._outer, self._recalls = scopes.hoisted, len(scopes.log.recalls)
        scopes.level += self._conditional
        # A part can be hoisted only where the steps of the whole statement can.
        scopes.hoisted = None if self._conditional and self._outer is None else before
        return before

    def __exit__(self, *_: object) -> None:
        scopes = self._scopes
        scopes.hoisted = self._outer
        scopes.level -= self._conditional
        del scopes.log.recalls[self._recalls :]
