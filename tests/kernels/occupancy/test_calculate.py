"""Known answers, in numbers and in words."""

from __future__ import annotations

import pytest

from kernels.device import find_device
from kernels.errors import LaunchError
from kernels.occupancy import Occupancy, Resources, occupancy, words
from kernels.occupancy.advice import advise
from tests.cases import Cases

CASES = Cases(__file__)


def compute(device: str, threads: int, registers: int, shared: int = 0, dynamic: int = 0) -> Occupancy:
    return occupancy(find_device(device), Resources(registers, shared, 0, "a test"), threads, dynamic)


@pytest.mark.parametrize(
    ("device", "threads", "registers", "shared", "blocks", "warps", "limiters"), CASES("resident_blocks", tuples=True)
)
def test_resident_blocks(
    device: str, threads: int, registers: int, shared: int, blocks: int, warps: int, limiters: tuple[str, ...]
) -> None:
    found = compute(device, threads, registers, shared)
    assert (found.resident_blocks, found.resident_warps, found.limiters) == (blocks, warps, limiters)


def test_a_resource_that_is_not_used_limits_nothing() -> None:
    found = compute("T4", 256, 0)
    assert [limit.resident_blocks for limit in found.limits] == [None, None, 4, 16]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            compute("V100", 256, 39, 2048),
            "Registers limit residency: each block needs 10,240 of the SM's 65,536 registers, "
            "so 6 blocks (48 of 64 warps, 75 %) fit.",
        ),
        (
            compute("H200", 64, 44, 512),
            "Registers limit residency: each block needs 3,072 of the SM's 65,536 registers (in each quarter "
            "of the SM 16,384, enough for 10 whole warps), so 20 blocks (40 of 64 warps, 62.5 %) fit.",
        ),
        (
            compute("H200", 64, 24, 16_384),
            "Shared memory limits residency: each block takes 17,408 of the SM's 233,472 bytes of shared "
            "memory (1,024 of them for the driver), so 13 blocks (26 of 64 warps, 40.6 %) fit.",
        ),
        (
            compute("T4", 32, 24),
            "Block slots limit residency: the SM holds 16 blocks at most, and a block has only 1 "
            "warp, so 16 blocks (16 of 32 warps, 50 %) fit.",
        ),
        (
            compute("RTX 3060", 1024, 32),
            "Warp slots limit residency: each block takes 32 of the SM's 48 warp slots, "
            "so 1 block (32 of 48 warps, 66.7 %) fits.",
        ),
        (compute("T4", 1024, 40), "The SM is full: 1 block (32 of 32 warps, 100 %) takes every warp slot."),
    ],
)
def test_sentence(found: Occupancy, said: str) -> None:
    assert words.sentence(found) == said


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "dynamic", "said"), CASES("a_block_that_the_device_refuses")
)
def test_a_block_that_the_device_refuses(threads: int, registers: int, shared: int, dynamic: int, said: str) -> None:
    with pytest.raises(LaunchError, match=said):
        compute("H200", threads, registers, shared, dynamic)


def test_dynamic_shared_memory_may_exceed_48_kib() -> None:
    assert compute("H200", 256, 16, 0, 100_000).resident_blocks == 2


@pytest.mark.parametrize(("device", "blocks"), [("H200", 4), ("A100", 8)])
def test_barriers_of_a_block_are_allocated_up_to_its_highest_number(device: str, blocks: int) -> None:
    found = occupancy(find_device(device), Resources(32, 0, 0, "a test", 16), 256)
    assert found.resident_blocks == blocks
    if found.limiters == ("barriers",):
        assert words.sentence(found) == (
            "Barriers limit residency: each block takes 16 of the SM's 64 barriers (0 … 15), so 4 blocks "
            "(32 of 64 warps, 50 %) fit."
        )
        assert advise(found, ()) == "To lift it: at most 12 barriers a block (now 16) for 5 blocks."


def test_idle_lanes_are_told() -> None:
    assert words.idle_lanes(compute("T4", 9, 24)).startswith("9 threads a block: 23 of the 32 lanes")
    assert words.idle_lanes(compute("T4", 64, 24)) == ""
