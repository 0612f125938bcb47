"""Compiles calls: CUDA's built-in functions by table, the file's own through the context."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from kernels.frontend.types import LONG, UINT, VOID
from kernels.simt.compiler import barriers
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.elementwise import of_nothing, operands
from kernels.simt.compiler.operators import condition, convert
from kernels.simt.compiler.overload_resolution import NoneFits, Recursion
from kernels.simt.intrinsics.address_spaces import SPACES
from kernels.simt.intrinsics.async_copies import COPIES
from kernels.simt.intrinsics.atomics import ATOMICS
from kernels.simt.intrinsics.conversions import CONVERSIONS
from kernels.simt.intrinsics.divergent_collectives import meeting
from kernels.simt.intrinsics.fences import FENCES
from kernels.simt.intrinsics.integers import INTEGERS
from kernels.simt.intrinsics.load_store import ACCESSES
from kernels.simt.intrinsics.mathematics import MATHEMATICS
from kernels.simt.intrinsics.printf import printf
from kernels.simt.intrinsics.shuffles import SHUFFLES, shuffle
from kernels.simt.intrinsics.vectors import VECTOR_MAKERS
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
from kernels.simt.libraries.cooperative_groups import groups
from kernels.simt.libraries.cooperative_groups.coalesced_group import COALESCED_FUNCTIONS
from kernels.simt.libraries.curand.functions import RANDOMS
from kernels.simt.libraries.device_heap.allocations import ALLOCATIONS
from kernels.simt.libraries.half_bfloat16.bfloat16_functions import BFLOATS
from kernels.simt.libraries.half_bfloat16.half import HALVES
from kernels.simt.libraries.half_bfloat16.half_variants import HALF_VARIANTS
from kernels.simt.libraries.libcudacxx.atomic_members import MEMBERS
from kernels.simt.libraries.libcudacxx.barrier_objects import PHASES
from kernels.simt.libraries.rare_math.directed_conversions import DIRECTED_CONVERSIONS
from kernels.simt.libraries.rare_math.directed_rounding import DIRECTED
from kernels.simt.libraries.rare_math.dot_products import DOTS
from kernels.simt.libraries.rare_math.packed_integers import PACKED
from kernels.simt.libraries.rare_math.special_functions import SPECIAL
from kernels.simt.libraries.tensor_cores.wmma import TENSORS
from kernels.simt.libraries.textures.images import IMAGES
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from kernels.frontend.ast import Call
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.elementwise import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group


def call(c: Context, node: Call) -> Code:
    """Compile a call.

    Raises
    ------
    SourceError
        For an unknown function, or arguments that do not fit.
    """
    stands_for = groups.in_other_words(c, node)
    if stands_for is not node:
        return c.compile(stands_for)
    name = node.function
    compiled = BUILT_IN.get(name)
    if name in c.functions or name.startswith("."):
        with c.indexing(inside=False), c.converting(allowed=compiled is None):
            try:
                return c.call(c, node)
            except (NoneFits, Recursion) as error:  # the file's functions may be overloads of CUDA's
                here = (error.line, error.column) == (node.span.line, node.span.column)
                if compiled is None or not here:
                    raise
    if compiled is not None:
        return compiled(c, node)
    group = groups.make(c, node)
    if group is not None:
        return group
    if name in barriers.BARRIERS:
        raise c.unsupported(
            node.span, f"{c.text(node.span)} inside an expression; make it a statement of its own"
        )
    if name in ENDING:
        raise c.unsupported(node.span, f"{name}(), which ends the grid; use assert, which is reported")
    if name in dict(c.program.skipped):
        raise c.unknown(node.span, name)
    near = get_close_matches(name, [*c.functions, *BUILT_IN], 1, 0.85)
    advice = f"; there is {near[0]}" if near else c.program.excuse
    if not advice and not name.startswith("__"):
        advice = "; this file, with what it includes, does not declare it"
    raise c.unsupported(node.span, f"function '{name}'{advice}")


def _assert(c: Context, node: Call) -> Code:
    if len(node.arguments) != 1:
        raise c.refuse(node.span, "assert takes 1 argument")
    holds = condition(c, node.arguments[0]).run
    hazards, recorder, place, span = c.machine.hazards, c.machine.recorder, Place(node.span), node.span
    text = c.text(node.span)

    def run(group: Group, mask: Active) -> Value:
        _, failed = group.split(mask, holds(group, mask))
        if failed is not EMPTY:
            lane = int(group.lanes[0 if failed is None else failed.where[0]])
            hazards.report(
                "assertion", place, recorder.current, group.active(failed), ((lane, span, "read"),),
                lambda: f"{text} does not hold for {hazards.name(lane)}",
            )  # fmt: skip
        return 0

    return Code(run, VOID, None, False)


def _clock(c: Context, node: Call) -> Code:
    """`clock()`: the number of the step, which grows as the kernel goes on; it says nothing about time."""
    operands(c, node, 0)
    c.machine.reads_clock = True
    recorder = c.machine.recorder
    return Code(lambda group, mask: recorder.current, LONG, None, False)


def _itself(c: Context, node: Call) -> Code:
    """Compile `std::move(x)`, which is x here."""
    (code,) = operands(c, node, 1)
    return code


def _sleep(c: Context, node: Call) -> Code:
    (code,) = operands(c, node, 1)
    run = convert(c, code, UINT, node.span).run
    return Code(run, VOID, None, False)


ENDING: Final = frozenset(("__trap", "__brkpt", "abort", "exit", "__exit"))
"""Functions that end a thread."""

_BETWEEN_GRIDS: Final = ("cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion")
"""They wait for the grid before and let the next one begin: there is one, and what it needs is done."""

BUILT_IN: Final[dict[str, Compile]] = {
    **MATHEMATICS, **INTEGERS, **CONVERSIONS, **HALVES, **VECTOR_MAKERS, **ACCESSES, **ATOMICS, **COPIES,
    **IMAGES, **MEMBERS, **RANDOMS, **COALESCED_FUNCTIONS, **TENSORS, **BFLOATS, **DIRECTED, **DOTS,
    **ALLOCATIONS, **PACKED, **SPACES, **SPECIAL, **PHASES, **HALF_VARIANTS, **DIRECTED_CONVERSIONS,
    **{f"__shfl{way}_sync": meeting(shuffle(way, masked=True)) for way in SHUFFLES},
    **{f"__shfl{way}_tile": meeting(shuffle(way, masked=True, structs=True)) for way in SHUFFLES},
    **{f"__shfl{way}": shuffle(way, masked=False) for way in SHUFFLES},
    **{f"__{name}_sync": meeting(vote(name, masked=True)) for name in VOTES},
    **{f"__{name}": vote(name, masked=False) for name in VOTES},
    **{f"__reduce_{name}_sync": meeting(reduction(name)) for name in REDUCTIONS},
    **dict.fromkeys((*FENCES, *_BETWEEN_GRIDS), of_nothing), **dict.fromkeys(barriers.VOTES, barriers.vote),
    "__match_any_sync": meeting(match_any), "__match_all_sync": meeting(match_all), "__activemask": active_mask,
    "__syncwarp": meeting(sync_warp),
    "printf": printf, "assert": _assert, "clock": _clock, "clock64": _clock,
    "__prof_trigger": _sleep, "move": _itself, "forward": _itself, "__nanosleep": _sleep,
}  # fmt: skip
"""CUDA's functions by name, and how a call of each is compiled."""
