"""Where in the source the compiler stands: the names that are visible there, and what is true of that place."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernels.simt.compiler.compiled_values import Symbol


class HoistedSteps(list[Any]):
    """Steps that run before the statement being compiled, in order, and lists of those of its parts.

    `known` are the expressions of the statement that wait, with what each was compiled to and where its steps are
    (`compiler.hoisting`). `call` is the last call among them.
    """

    __slots__ = ("call", "known")

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[tuple[int, str], tuple[Any, Any, Any]] = {}
        self.call: Any = None


class Scopes:
    """Scopes that open and close as the compiler goes through the tree, and what holds inside of each.

    `level` counts the divergent constructs around, `block` numbers the stretch of straight code. `order` counts what
    the compiler does not move from its place, `start` is where it was at the beginning of the block. `in_index` tells
    that what is compiled is part of an index, `makes` that constructors may make structs of arguments. `hoisted` are
    the steps that run before the statement being compiled (`compiler.hoisting`); None where nothing can be hoisted.
    `recalls` are the steps of what was compiled again. `slots` counts the slots of a group's registers, `read` and
    `written` are those of the variables whose reads and assignments were compiled.
    """

    def __init__(self) -> None:
        self.level = 0
        self.block = self._blocks = 0
        self.order = self.start = 0x10000  # beyond the parameters
        self._open = [0]
        self.in_index = False
        self.makes = False
        self.hoisted: HoistedSteps | None = None
        self.slots = 0
        self.recalls: list[Any] = []
        self.read: list[int] = []
        self.written: list[int] = []
        self._scopes: list[dict[str, Symbol]] = [{}]

    @contextmanager
    def conditional(self, deeper: int = 1) -> Iterator[None]:
        """Inside, what is compiled may be left out when it runs: nothing can be taken out in front of it.

        `deeper` is 0 where all lanes that leave it out have seen the last of the names declared around it.
        """
        kept, self.hoisted = self.hoisted, None
        self.level += deeper
        try:
            yield
        finally:
            self.hoisted = kept
            self.level -= deeper

    @contextmanager
    def aside(self) -> Iterator[HoistedSteps]:
        """Inside, what is compiled may be left out; collect what those who do not leave it out must do before.

        Nothing is collected where nothing can be taken out in front of the statement.
        """
        before, recalls = HoistedSteps(), len(self.recalls)
        can = self.hoisted is not None
        with self.conditional():
            self.hoisted = before if can else None
            yield before
            del self.recalls[recalls:]

    @contextmanager
    def indexing(self, inside: bool = True) -> Iterator[None]:
        """Let what is compiled inside be part of an index, or, as a function's body, not be."""
        kept, self.in_index = self.in_index, inside
        try:
            yield
        finally:
            self.in_index = kept

    @contextmanager
    def converting(self, *, allowed: bool) -> Iterator[None]:
        """Inside, constructors may make structs of arguments: not where CUDA has a function of that name."""
        kept, self.makes = self.makes, allowed
        try:
            yield
        finally:
            self.makes = kept

    @contextmanager
    def hoisting(self) -> Iterator[HoistedSteps]:
        """Collect what must run before the statement being compiled: calls that wait at barriers."""
        kept, recalls = self.hoisted, len(self.recalls)
        self.hoisted = before = HoistedSteps()
        try:
            yield before
        finally:
            self.hoisted = kept
            del self.recalls[recalls:]

    def reads_since(self, count: int, first: int, last: int) -> bool:
        """Whether a variable was read, after `count` others, whose slot is from `first` to before `last`."""
        return any(first <= slot < last for slot in self.read[count:])

    @contextmanager
    def scope(self, deeper: int = 0, *, straight: bool = False) -> Iterator[None]:
        """Names declared inside end with it; `deeper` counts the divergent constructs it stands for.

        Around those begins and ends a block of straight code, but (`straight`) not around a function's body.
        """
        self._scopes.append({})
        self.level += deeper
        jumps = deeper > 0 and not straight
        if jumps:
            self._begin_block()
            self._open.append(self.block)
        try:
            yield
        finally:
            self._scopes.pop()
            self.level -= deeper
            if jumps:
                self._open.pop()
                self._begin_block()

    def _begin_block(self) -> None:
        self._blocks += 1
        self.block = self._blocks
        self.order = self.start = (self.order | 0xFFFF) + 1  # beyond all that is computed before

    @property
    def stretch(self) -> int:
        """The number of the innermost scope that may be left out when it runs."""
        return self._open[-1]

    def is_inside(self, stretch: int) -> bool:
        """Whether such a scope is still open: what was done in it before has been done here."""
        return stretch in self._open

    def visible(self) -> tuple[dict[str, Symbol], ...]:
        """Return the scopes that are open."""
        return tuple(self._scopes)

    @contextmanager
    def seeing(self, scopes: Sequence[dict[str, Symbol]] = ()) -> Iterator[None]:
        """Inside, only these scopes' names are visible; in a called function that is what the file declares."""
        kept = self._scopes
        self._scopes = [*(scopes or kept[:1]), {}]
        try:
            yield
        finally:
            self._scopes = kept

    @contextmanager
    def everywhere(self) -> Iterator[None]:
        """Inside, what is declared is visible in the whole file."""
        kept, self._scopes = self._scopes, self._scopes[:1]
        try:
            yield
        finally:
            self._scopes = kept

    def names(self) -> dict[str, Symbol]:
        """Return what the names of the innermost scope mean now."""
        return dict(self._scopes[-1])

    def restore(self, names: dict[str, Symbol]) -> None:
        """Let the names of the innermost scope mean what they meant."""
        self._scopes[-1] = names

    def declare(self, name: str, symbol: Symbol) -> None:
        """Make a name visible until its scope ends."""
        self._scopes[-1][name] = symbol

    def find(self, name: str) -> Symbol | None:
        """Return what a name means here."""
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return None
