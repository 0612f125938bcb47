"""Registration of CUDA's built-in functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.compiler import barriers, partial_barriers
from kernels.simt.compiler.calls.device_helpers import memory_function
from kernels.simt.compiler.expressions.elementwise import no_operation
from kernels.simt.intrinsics.address_spaces import SPACES
from kernels.simt.intrinsics.async_copies import COPIES
from kernels.simt.intrinsics.atomics import ATOMICS
from kernels.simt.intrinsics.control import CONTROL, FENCES
from kernels.simt.intrinsics.conversions import CONVERSIONS, VECTOR_MAKERS
from kernels.simt.intrinsics.divergent_collectives import allow_divergence
from kernels.simt.intrinsics.integers import INTEGERS
from kernels.simt.intrinsics.load_store import ACCESSES
from kernels.simt.intrinsics.mathematics import MATHEMATICS
from kernels.simt.intrinsics.printf import printf
from kernels.simt.intrinsics.shuffles import shuffle
from kernels.simt.intrinsics.votes import (
    REDUCTIONS,
    VOTES,
    active_mask,
    match_all,
    match_any,
    reduction,
    vote,
)
from kernels.simt.intrinsics.warp import sync_warp
from kernels.simt.machine.shuffle_sources import SHUFFLES

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Register mathematics, atomics, shuffles, votes, barriers, fences, copies and printf."""
    registry.functions |= {
        **MATHEMATICS,
        **INTEGERS,
        **CONVERSIONS,
        **VECTOR_MAKERS,
        **ACCESSES,
        **ATOMICS,
        **COPIES,
        **SPACES,
        **CONTROL,
        **{f"__shfl{way}_sync": allow_divergence(shuffle(way, masked=True)) for way in SHUFFLES},
        **{f"__shfl{way}_tile": allow_divergence(shuffle(way, masked=True, structs=True)) for way in SHUFFLES},
        **{f"__shfl{way}": shuffle(way, masked=False) for way in SHUFFLES},
        **{f"__{name}_sync": allow_divergence(vote(name, masked=True)) for name in VOTES},
        **{f"__{name}": vote(name, masked=False) for name in VOTES},
        **{f"__reduce_{name}_sync": allow_divergence(reduction(name)) for name in REDUCTIONS},
        **dict.fromkeys(FENCES, no_operation),
        **dict.fromkeys(barriers.VOTES, barriers.vote),
        "__match_any_sync": allow_divergence(match_any),
        "__match_all_sync": allow_divergence(match_all),
        "__activemask": active_mask,
        "__syncwarp": allow_divergence(sync_warp),
        "printf": printf,
    }
    registry.statements |= dict.fromkeys(barriers.BARRIERS, barriers.barrier)
    registry.statements |= dict.fromkeys(partial_barriers.PARTIAL_BARRIERS, partial_barriers.barrier)
    registry.statements[partial_barriers.ARRIVE] = partial_barriers.arrival
    registry.fences |= FENCES
    registry.rewrites.append(lambda c, node: node if node.function in c.functions else memory_function(c, node) or node)
