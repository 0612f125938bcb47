"""Race detection by comparing every access with every other one between two barriers.

Only barriers order the threads of a block here, so a program without a race does the same in every order, and a race
can be found in any run.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.kernels.simt.fuzz.interpreter.launch import Outcome

Users = dict[str, set[int]]


def has_race(outcome: Outcome, block: int, shared: set[str], local: set[str]) -> bool:
    """Tell it for blocks of so many threads; arrays of a block and of a thread by name, the others are global."""
    within: dict[tuple[int, int, str, int], Users] = defaultdict(lambda: defaultdict(set))
    across: dict[tuple[str, int], Users] = defaultdict(lambda: defaultdict(set))
    for lane, touched in enumerate(outcome.touched):
        for barriers, name, element, access in touched:
            if name not in local:
                within[lane // block, barriers, name, element][access].add(lane)
            if name not in local | shared:
                across[name, element][access].add(lane // block)
    return any(_meet(users) for users in (*within.values(), *across.values()))


def _meet(users: Users) -> bool:
    """Whether a writer meets another one, or somebody who changes the element atomically a reader."""
    writers, atomic, readers = users["write"], users["atomic"], users["read"]
    plain = len(writers) > 1 or (bool(writers) and len(writers | atomic | readers) > 1)
    return plain or (bool(atomic) and bool(readers) and len(atomic | readers) > 1)
