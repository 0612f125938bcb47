"""Template arguments beyond types and numbers: templates, packs, dependent types."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kernels.frontend.types import AUTO, Array, FunctionPointer, Named, Pointer, Reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Expr
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
