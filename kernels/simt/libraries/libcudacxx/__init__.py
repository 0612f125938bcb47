"""libcu++: atomic objects, barrier objects, and copies that arrive at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.headers.atomics import Atomic
from kernels.simt.compiler.registry import ObjectRules
from kernels.simt.libraries.libcudacxx.atomic_objects import MEMBERS, assign_object, load_object, member, reference
from kernels.simt.libraries.libcudacxx.barrier_objects import PHASES, WAITS, wait
from kernels.simt.libraries.libcudacxx.bulk_copies import BULK_COPIES

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Enter the library into the registry."""
    registry.functions |= {**MEMBERS, **PHASES, **BULK_COPIES}
    registry.statements |= dict.fromkeys(WAITS, wait)
    registry.objects[Atomic] = ObjectRules(load_object, assign_object, reference)
    registry.rewrites.insert(0, member)
