"""Analyses of the hazard corpus: the numbers that are shown agree with what the trace recorded.

The plain command takes one kernel in six, the exhaustive command the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

from kernels.analysis import (
    MemoryHistory,
    counts,
    explain_index,
    lane_roles,
    play_order,
    playlist,
    touches,
    variables,
    warp_accesses,
    warps_in,
)
from kernels.analysis.metrics.counts import sum_counts
from kernels.cli import main
from kernels.errors import TilescopeError
from kernels.frontend import evaluate, parse_expression
from kernels.narration.narrate import describe
from kernels.trace.file import load
from tests.kernels.hazards.corpus import Case, cases
from tests.sweeps import one_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.analysis import IndexArithmetic
    from kernels.trace import AccessGroup, Trace

STEPS = 40
"""Steps of each kernel that are looked at, evenly spread."""


@pytest.fixture(scope="module", params=one_in(6, cases(), lambda case: case.name))
def trace(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    case: Case = request.param
    file = tmp_path_factory.mktemp("traces") / "k.trace"
    result = CliRunner().invoke(main, ["trace", str(case.file), *case.words, "--out", str(file)])
    assert file.exists(), result.stderr
    return load(file)


def explained(trace: Trace) -> Iterator[tuple[AccessGroup, int, IndexArithmetic]]:
    """Every access of the first and the last lane in some steps, with its arithmetic."""
    for step in np.unique(np.linspace(0, trace.steps - 1, STEPS).astype(int)).tolist() if trace.steps else ():
        for group in trace.accesses(step):
            for at in (0, len(group.lanes) - 1):
                index = int(group.index[at])
                found = explain_index(trace, step, int(group.lanes[at]), group.site, index)
                assert found is not None
                yield group, index, found


def number(text: str) -> int | None:
    """Value of an expression of numbers; None where it holds a name: what memory holds is not put in."""
    try:
        return int(evaluate(parse_expression(text), {}))
    except TilescopeError:
        return None


def test_indices_evaluate_to_the_accessed_elements(trace: Trace) -> None:
    for group, index, found in explained(trace):
        assert (found.flat, found.performed) == (index, True)
        assert found.inside == (0 <= index < group.array.size)
        if found.substituted and not found.substituted.startswith("["):
            counted = int(found.result)  # structs are counted as the source counts them
            assert counted in (index, index // group.array.words)
            assert number(found.substituted) in (counted, None), found.chain


def test_every_step_has_words_and_every_thread_its_variables(trace: Trace) -> None:
    for step in np.unique(np.linspace(0, trace.steps - 1, STEPS).astype(int)).tolist() if trace.steps else ():
        lane = int(trace.lanes(step)[0])
        block = lane // trace.launch.block.count
        assert describe(trace, step, block).text
        assert len(lane_roles(trace, step, block).role) == trace.launch.block.count
        names = [v.name for v in variables(trace, step, lane)]
        assert len(names) == len(set(names))


def test_counts_agree_with_each_other(trace: Trace) -> None:
    found = counts(trace)
    for parts in (found.lines, found.sites):
        for name in ("requests", "accesses", "bytes", "sectors", "wavefronts", "contention"):
            assert sum(getattr(c, name) for c in parts) == sum(getattr(c, name) for c in found.arrays)
    for count in found.arrays:
        assert count.ideal_sectors <= count.sectors
        assert count.used_bytes <= 32 * count.ideal_sectors
        assert count.ideal_wavefronts <= count.wavefronts
        assert count.requests <= count.accesses <= 32 * count.requests
    for reuse in found.reuse:
        array = trace.array_number(reuse.array)
        inside = int(touches(trace, array, reuse.access).sum())
        assert inside <= reuse.accesses
        assert reuse.elements <= reuse.accesses


def test_counts_up_to_the_end_are_those_of_the_run(trace: Trace) -> None:
    history, expected = MemoryHistory(play_order(trace)), counts(trace)
    assert sum_counts(history.sites(history.end)) == (expected.arrays, expected.lines, expected.sites)
    assert history.issued(history.end) == expected.issued
    for array in range(len(trace.arrays)):
        assert history.reads(array, history.end).reads.tolist() == touches(trace, array, "read").tolist()


def test_warps_add_up_to_each_frame(trace: Trace) -> None:
    history, frames = MemoryHistory(play_order(trace)), playlist(trace, "statement").frames
    for at in np.unique(np.linspace(1, len(frames) - 1, STEPS).astype(int)).tolist() if len(frames) > 1 else ():
        block, step = frames[at]
        before, after = history.sites(frames[at - 1]), history.sites(frames[at])
        found = [access for warp in warps_in(trace, step, block) for access in warp_accesses(trace, step, warp)]
        for name in (
            "accesses",
            "bytes",
            "sectors",
            "ideal_sectors",
            "used_bytes",
            "wavefronts",
            "ideal_wavefronts",
            "contention",
        ):
            total = sum(getattr(c, name) for c in after) - sum(getattr(c, name) for c in before)
            assert sum(getattr(access, name) for access in found) == total


def test_every_block_is_watched_to_its_end(trace: Trace) -> None:
    frames = playlist(trace, "statement").frames
    assert len(frames) == sum(len(trace.block_steps(block)) for block in range(trace.launch.grid.count))
