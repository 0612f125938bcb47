"""Regions of machine code between branches: repeated ones, and ones that may be skipped."""

from __future__ import annotations

import pytest

from kernels.sass.regions import Region, find_extents, regions

BARRIER, OTHER, EXIT, EXIT_IF = 0x7B1D, 0x7984, 0x794D, 0x194D


def branch(instructions: int, *, far: bool = True) -> int:
    """A branch over so many instructions, counted from the next one."""
    offset = 4 * instructions
    word = 0x947 | (offset & 0xFF) << 16 if far else 0x947
    return word | ((offset >> 8 if far else offset) & (1 << 48) - 1) << 34


def found(*words: int, far: bool = True) -> list[tuple[int, int, bool]]:
    """First instruction of each stretch, the first one behind it, and whether it is a loop."""
    return [(s.first, s.end, s.loop) for s in find_extents(list(words), far=far)]


@pytest.mark.parametrize("far", [True, False])
def test_a_branch_back_repeats_and_a_branch_ahead_skips(far: bool) -> None:
    assert found(*[OTHER] * 70, branch(-71, far=far), OTHER, far=far) == [(0, 71, True)]
    assert found(OTHER, branch(70, far=far), *[OTHER] * 71, far=far) == [(2, 72, False)]


def test_a_branch_to_itself_or_to_the_next_one_is_neither() -> None:
    assert found(OTHER, branch(-1), branch(0), OTHER) == []


def test_both_sides_of_a_condition_are_skipped_by_the_other() -> None:
    assert found(branch(2), OTHER, branch(1), OTHER, OTHER) == [(1, 3, False), (3, 4, False)]


def test_an_exit_with_a_condition_skips_the_rest() -> None:
    assert found(OTHER, EXIT_IF, OTHER, EXIT, OTHER) == [(2, 5, False)]


def test_stretches_lie_in_one_another() -> None:
    assert found(branch(5), OTHER, branch(1), OTHER, branch(-4), OTHER) == [
        (1, 6, False),
        (1, 5, True),
        (3, 4, False),
    ]


def test_leaving_a_loop_from_within_skips_the_rest_of_it() -> None:
    assert found(OTHER, branch(3), OTHER, branch(-4), OTHER) == [(0, 4, True), (2, 4, False)]


def test_a_loop_that_is_entered_in_the_middle_stays_whole() -> None:
    assert found(branch(2), OTHER, OTHER, OTHER, branch(-3)) == [(2, 5, True)]


def test_regions_tell_their_lines_what_they_are_and_which_lies_in_which() -> None:
    words = [branch(4), OTHER, BARRIER, branch(-3), OTHER, OTHER]
    assert regions(words, [10, 20, 30, 40, 50, 60], far=True) == (
        [Region(10, loop=False, waits=True, within=-1), Region(40, loop=True, waits=True, within=0)],
        [-1, 1, 1, 1, 0, -1],
    )
