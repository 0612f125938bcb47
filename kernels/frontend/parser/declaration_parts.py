"""Parts of a declaration that is being read: its specifiers, a declarator, a struct before its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernels.frontend import types
    from kernels.frontend.parser.scope import Default, Entry
    from kernels.frontend.types import Argument, CType


@dataclass(frozen=True, slots=True)
class Specifiers:
    """What stands before the declarators: the type, the words beside it, and a least alignment."""

    first: int
    type: CType
    words: frozenset[str]
    align_bytes: int = 1

    @property
    def const(self) -> bool:
        """Whether the type is const."""
        return "const" in self.words or "constexpr" in self.words


@dataclass(frozen=True, slots=True)
class Declarator:
    """What one declarator declares: its name (at token `index`) and type.

    `parameters` is the index of the `(` of a function's parameters. `unsized` marks an array whose first
    length its values give.
    """

    index: int
    name: str
    type: CType
    const: bool
    parameters: int | None = None
    unsized: bool = False


@dataclass(slots=True)
class Draft:
    """A struct whose members are being read; `functions` and the like are the tokens at which they begin."""

    name: str
    align_bytes: int
    base: types.Struct | None = None
    plain: bool = True
    union: bool = False
    arguments: tuple[Argument, ...] = ()
    members: list[tuple[str, CType]] = field(default_factory=list)
    names: dict[str, Entry] = field(default_factory=dict)
    functions: list[int] = field(default_factory=list)
    defaulted: list[int] = field(default_factory=list)
    templates: list[int] = field(default_factory=list)
    friends: list[int] = field(default_factory=list)
    defaults: dict[str, Default] = field(default_factory=dict)
    aligned: dict[str, int] = field(default_factory=dict)
