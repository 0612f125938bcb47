"""Waves of a grid on a device."""

from __future__ import annotations

import pytest

from kernels.device import find_device
from kernels.occupancy.calculate import Resources, occupancy
from kernels.occupancy.waves import blocks_at_once, waves, waves_details, waves_words

FOUND = occupancy(find_device("t4"), Resources(32, 0, 0, "a test"), 256)  # 4 blocks on each of 40 SMs


@pytest.mark.parametrize(("blocks", "rounds"), [(1, 1), (159, 1), (160, 1), (161, 2), (320, 2), (16_384, 103)])
def test_blocks_beyond_those_at_once_wait(blocks: int, rounds: int) -> None:
    assert blocks_at_once(FOUND) == 160
    assert waves(FOUND, blocks) == rounds


def test_a_partial_last_wave_is_named() -> None:
    assert waves_words(FOUND, 161) == "2 waves on T4"
    assert "160. 161 blocks run in 2 waves, the last of 1 block: " in waves_details(FOUND, 161)
    assert "320 blocks run in 2 waves: " in waves_details(FOUND, 320)
    assert waves_words(FOUND, 4) == "1 wave on T4"
