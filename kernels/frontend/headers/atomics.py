"""The atomic types of libcu++: `cuda::atomic<T, scope>` and `cuda::atomic_ref<T, scope>` (<cuda/atomic>)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels.frontend.types import INT, Reference, Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Expr
    from kernels.frontend.types import CType

_SCOPES: Final = {"system": 0, "device": 1, "block": 2, "thread": 10}
_ORDERS: Final = {"relaxed": 0, "consume": 1, "acquire": 2, "release": 3, "acq_rel": 4, "seq_cst": 5}
ENUMS: Final = {"thread_scope": INT, "memory_order": INT}
CONSTANTS: Final = {
    **{f"thread_scope_{word}": value for word, value in _SCOPES.items()},
    **{f"thread_scope::thread_scope_{word}": value for word, value in _SCOPES.items()},
    **{f"memory_order_{word}": value for word, value in _ORDERS.items()},
    **{f"memory_order::{word}": value for word, value in _ORDERS.items()},
}
"""Enumerators by both of their spellings."""

RELEASING: Final = frozenset((_ORDERS["release"], _ORDERS["acq_rel"], _ORDERS["seq_cst"]))
"""Orders that release: accesses of the thread before the atomic are visible to threads that acquire its value."""

ACQUIRING: Final = frozenset(_ORDERS.values()) - {_ORDERS["relaxed"], _ORDERS["release"]}
"""Orders that acquire; with others, what is released becomes visible at the next fence of the thread."""

BLOCK: Final = _SCOPES["block"]
DEFAULT_ORDER: Final = _ORDERS["seq_cst"]


@dataclass(frozen=True, slots=True)
class Atomic(Scalar):
    """A number in memory that threads change atomically."""

    plain: Scalar
    """The type of its value."""
    scope: int
    """The thread scope, a value of `cuda::thread_scope`."""

    @property
    def releasing_block(self) -> bool:
        """True if its memory orders reach the threads of a block only."""
        return self.scope >= BLOCK


def atomic(arguments: Sequence[CType | Expr]) -> CType | None:
    """Return the type `atomic<T, scope>`, None where the arguments do not fit."""
    if not arguments or not isinstance(arguments[0], Scalar):
        return None
    scope: object = getattr(arguments[1], "value", None) if len(arguments) > 1 else 0
    if not isinstance(scope, int) or scope not in _SCOPES.values():
        return None
    kind = arguments[0]
    return Atomic(f"cuda::atomic<{kind}>", kind.dtype, kind, scope)


def atomic_ref(arguments: Sequence[CType | Expr]) -> CType | None:
    """Return the type `atomic_ref<T, scope>`: a reference to a number, whose accesses are atomic."""
    kind = atomic(arguments)
    return None if kind is None else Reference(kind)


TYPES: Final = {"atomic": atomic, "atomic_ref": atomic_ref}
"""Templates by name."""
