"""Template arguments beyond types and numbers: templates, packs, dependent types."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kernels.frontend.parser.scope import StructTemplate
from kernels.frontend.preprocessor.declaration_outline import outline_of
from kernels.frontend.types import AUTO, Array, FunctionPointer, Named, Pointer, Reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernels.frontend.ast import Expr
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.state import State
    from kernels.frontend.types import Argument, CType


@dataclass(frozen=True, slots=True)
class TemplateName(Named):
    """A struct template as a template argument."""


@dataclass(frozen=True, slots=True)
class Pack(Named):
    """The argument of a parameter pack: a list of arguments; made by `pack`."""

    elements: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Expansion(Named):
    """`pattern...` of a pack that has no argument yet."""

    of: CType | Expr | None = field(default=None, compare=False, repr=False)


def pack(elements: Sequence[Argument]) -> Pack:
    """Return the argument of a parameter pack."""
    return Pack(", ".join(map(str, elements)), elements=tuple(elements))


def flat(arguments: Sequence[Argument]) -> list[Argument]:
    """Return template arguments with packs replaced by their elements."""
    return [part for each in arguments for part in (each.elements if isinstance(each, Pack) else (each,))]


def depends(kind: CType) -> bool:
    """Return whether a type depends on template arguments."""
    match kind:
        case Named():
            return kind != AUTO and not isinstance(kind, TemplateName)
        case Pointer() | Reference():
            return depends(kind.to)
        case Array():
            return depends(kind.of)
        case FunctionPointer():
            return any(map(depends, (kind.returns, *kind.parameters)))
    return False


# --- Hints for template arguments: structs that have the members that a template names


def used_members(texts: Sequence[str], first: int, end: int, name: str) -> tuple[str, ...]:
    """Return the members of a parameter T that tokens use: `T::size`, and members of variables `T x`."""
    here = range(first, end)
    variables = {texts[at + 1] for at in here if texts[at] == name and texts[at + 1].isidentifier()}
    found: list[str] = []
    for at in here:
        of_type = texts[at] == name and texts[at + 1] == "::"
        of_value = texts[at] in variables and texts[at + 1] in (".", "->") and texts[at - 1] not in (".", "->")
        if of_type or of_value:
            found.append(texts[at + 3 if texts[at + 2] == "template" else at + 2])
    return tuple(dict.fromkeys(found))


def structs_with(tokens: Cursor, state: State, members: Sequence[str]) -> Iterator[str]:
    """Yield the structs of a file that have members of these names; `Name<…>` for a template."""
    for name, entries in state.members.items():
        if "<" not in name and all(member in entries for member in members):
            yield name
    for name, entry in state.scopes.levels[1].items():
        if isinstance(entry, StructTemplate) and tokens.pieces[entry.first].end > 0:
            head = tokens.past_angles(entry.first + 1)
            texts = tokens.texts[head : outline_of(tokens, head).end]
            if all(member in texts for member in members):
                yield f"{name}<…>"
