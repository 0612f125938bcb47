"""libcu++: atomic objects and barrier objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.headers.atomics import Atomic
from kernels.simt.compiler.registry import ObjectRules
from kernels.simt.libraries.libcudacxx.atomic_objects import MEMBERS, assign_object, load_object, member, reference
from kernels.simt.libraries.libcudacxx.barrier_objects import PHASES, WAITS, wait

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Enter the library into the registry."""
    registry.functions |= {**MEMBERS, **PHASES}
    registry.statements |= dict.fromkeys(WAITS, wait)
    registry.objects[Atomic] = ObjectRules(load_object, assign_object, reference)
    registry.rewrites.insert(0, member)
