"""Parts of a declaration: specifiers, a declarator, the members of a struct."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernels.frontend import types
    from kernels.frontend.parser.scope import Default, Entry
    from kernels.frontend.types import Argument, CType


@dataclass(frozen=True, slots=True)
class Specifiers:
    """The part of a declaration before its declarators."""

    first: int
    """Index of the first token."""
    type: CType
    words: frozenset[str]
    """Qualifiers, storage classes and memory spaces."""
    const: bool
    """True if the type is const."""
    align_bytes: int = 1
    """Minimum alignment, from `alignas`."""


@dataclass(frozen=True, slots=True)
class Declarator:
    """The name and type that one declarator declares."""

    index: int
    """Index of the token of its name."""
    name: str
    type: CType
    const: bool
    parameters: int | None = None
    """Index of the `(` of a function's parameters; None for no function."""
    unsized: bool = False
    """True for `a[]`, whose length is the number of its values."""


@dataclass(slots=True)
class Draft:
    """A struct whose members are being parsed. A list of int holds the index of the first token of each function."""

    name: str
    align_bytes: int
    base: types.Struct | None = None
    plain: bool = True
    """True if the struct is declared with the keyword struct, not class."""
    union: bool = False
    arguments: tuple[Argument, ...] = ()
    """Template arguments, if the struct is an instance of a template."""
    members: list[tuple[str, CType]] = field(default_factory=list)
    """Name and type of each field."""
    names: dict[str, Entry] = field(default_factory=dict)
    """Scope of the member functions: each name and its entry."""
    functions: list[int] = field(default_factory=list)
    """Member functions."""
    defaulted: list[int] = field(default_factory=list)
    """Functions that are `= default`."""
    templates: list[int] = field(default_factory=list)
    """Function templates."""
    friends: list[int] = field(default_factory=list)
    """Friend functions."""
    defaults: dict[str, Default] = field(default_factory=dict)
    """By member: its default value."""
    alignments: dict[str, int] = field(default_factory=dict)
    """By member: its minimum alignment in bytes, from `alignas`."""
