"""The vectorised search for races finds exactly what comparing every pair of accesses finds.

The plain command takes the first eighth of the random runs, the exhaustive command the rest.
"""

from __future__ import annotations

import pytest

from kernels.simt.checkers.racecheck import array_state, pairs, synchronisation_events
from tests.kernels.simt.checkers.race_oracle import expected, random_run, watched

EVENTS = {
    "nothing orders": (),
    "barriers": ("block",),
    "warp barriers": ("warp",),
    "both barriers": ("block", "warp"),
    "fences": ("fence",),
    "fences and barriers": ("fence", "block"),
    "everything": ("fence", "block-fence", "warp", "block"),
    "parts of blocks": ("party",),
    "tiles": ("tile",),
    "whole warps": ("warps",),
    "tiles and blocks": ("tile", "block"),
    "phases": ("arrive", "wait"),
    "parts, phases, barriers": ("party", "arrive", "wait", "warp", "block"),
    "parts and phases with fences": ("party", "arrive", "wait", "fence", "block-fence"),
}


def agree(events: tuple[str, ...], seeds: range) -> None:
    for seed in seeds:
        run = random_run(seed, events)
        found = {tuple(sorted((a.line, a.access) for a in h.accesses)): h.count for h in watched(run)}
        assert found == expected(run), run


@pytest.mark.parametrize("seeds", [range(15), pytest.param(range(15, 120), marks=pytest.mark.exhaustive)], ids=str)
@pytest.mark.parametrize("events", EVENTS.values(), ids=EVENTS.keys())
def test_every_pair_and_count(events: tuple[str, ...], seeds: range) -> None:
    agree(events, seeds)


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 60), marks=pytest.mark.exhaustive)], ids=str)
@pytest.mark.parametrize("events", EVENTS.values(), ids=EVENTS.keys())
def test_compaction_and_small_batches_change_nothing(
    events: tuple[str, ...], seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(array_state, "MOST_PENDING", 3)
    monkeypatch.setattr(synchronisation_events, "_TABLE_BYTES", 1)
    monkeypatch.setattr(pairs, "_PAIRS_AT_ONCE", 2)
    agree(events, seeds)
