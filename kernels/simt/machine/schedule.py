"""Schedule: the order in which blocks and warps run."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from kernels.errors import InputError


@dataclass(frozen=True, slots=True)
class Schedule:
    """An order of execution: whole blocks in lockstep, or warp by warp from barrier to barrier."""

    by_warp: bool
    order: str
    """forward, reversed or shuffle; the order of blocks and of warps."""
    seed: int = 0

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Read ``lockstep``, ``warps``, ``reversed`` or ``shuffle:SEED``.

        Raises
        ------
        InputError
            For any other text.
        """
        if text in ("lockstep", "warps"):
            return cls(text == "warps", "forward")
        if text == "reversed":
            return cls(True, "reversed")
        match = re.fullmatch(r"shuffle:(\d+)", text)
        if match:
            return cls(True, "shuffle", int(match[1]))
        raise InputError(f"'{text}' is not a schedule: use lockstep, warps, reversed or shuffle:SEED")

    def generator(self) -> np.random.Generator | None:
        """Return a generator of random numbers that depend on the seed only; None if the order is not shuffled."""
        return np.random.default_rng(self.seed) if self.order == "shuffle" else None

    def arrange(self, count: int, random: np.random.Generator | None) -> list[int]:
        """Return the order in which `count` blocks or groups run; `random` is the schedule's `generator`."""
        if random is not None:
            return [int(n) for n in random.permutation(count)]
        return list(range(count))[:: -1 if self.order == "reversed" else 1]


def block_sequence(text: str, count: int) -> list[int]:
    """Return the blocks of a grid in the order in which a schedule runs them, if one batch holds them all.

    Raises
    ------
    InputError
        For a text that is not a schedule.
    """
    schedule = Schedule.parse(text)
    random = schedule.generator()
    schedule.arrange(1, random)  # `scheduler.execute` arranges the batches first
    return schedule.arrange(count, random)
