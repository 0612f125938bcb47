"""Kinds of atomic accesses that order less, or more, than others."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Atomics:
    """Sites of atomics, by what sets them apart; those in no set are atomic for everyone, and change something.

    `narrow` ones are atomic for the threads of a block only, `loads` change nothing, `late` ones acquire with the next
    fence of their thread only, `swaps` compare and swap. `locks` may take a lock, so they are late, and nothing keeps
    what their thread does before that fence behind them.
    """

    narrow: set[int] = field(default_factory=set)
    loads: set[int] = field(default_factory=set)
    late: set[int] = field(default_factory=set)
    swaps: set[int] = field(default_factory=set)
    locks: set[int] = field(default_factory=set)
