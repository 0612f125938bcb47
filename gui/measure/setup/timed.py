"""The part of a launch on the GPU that is timed: the kernel in hot or cold caches, or with transfers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.bench.sample import MEMORIES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kernels.bench.sample import Entry
    from kernels.gpu.memory import Memory


class Timed(NamedTuple):
    """Series of each kernel and block: one for each memory, and for each state of the L2 cache."""

    memories: tuple[Memory, ...] = ("device",)
    cold: tuple[bool, ...] = (False,)


TIMED: Final[Mapping[str, Timed]] = {
    "kernel, hot L2 cache": Timed(),
    "kernel, cold L2 cache": Timed(cold=(True,)),
    "kernel, hot and cold": Timed(cold=(False, True)),
    "with transfers, pageable": Timed(("pageable",)),
    "with transfers, pinned": Timed(("pinned",)),
    "managed memory": Timed(("managed",)),
    "all four memories": Timed(MEMORIES),
}
"""By the words of the combo box."""


def words_of(measured: Collection[Entry]) -> str:
    """Return the words for the entries of a run; of a combination that has none, the first."""
    memories = tuple(m for m in MEMORIES if any(entry.memory == m for entry in measured))
    cold = tuple(value for value in (False, True) if any(e.cold is value for e in measured if e.memory == "device"))
    found = Timed(memories, cold or (False,))
    return next((words for words, timed in TIMED.items() if timed == found), next(iter(TIMED)))
