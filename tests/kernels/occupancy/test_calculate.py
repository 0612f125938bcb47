"""Known answers, in numbers and in words."""

from __future__ import annotations

import pytest

from kernels.device import find_device
from kernels.errors import LaunchError
from kernels.occupancy import Occupancy, Resources, occupancy, words
from kernels.occupancy.advice import advise


def compute(device: str, threads: int, registers: int, shared: int = 0, dynamic: int = 0) -> Occupancy:
    return occupancy(find_device(device), Resources(registers, shared, 0, "a test"), threads, dynamic)


@pytest.mark.parametrize(
    ("device", "threads", "registers", "shared", "blocks", "warps", "limiters"),
    [
        ("V100", 256, 39, 2048, 6, 48, ("registers",)),
        ("H200", 256, 32, 2048, 8, 64, ("registers", "warps")),
        (
            "H200",
            64,
            44,
            512,
            20,
            40,
            ("registers",),
        ),  # 10 warps a quarter: 21 blocks would only fit on paper
        ("H200", 4, 24, 0, 32, 32, ("blocks",)),
        ("H200", 64, 24, 16_384, 13, 26, ("shared memory",)),  # 14 without the driver's KiB
        ("T4", 64, 24, 16_384, 4, 8, ("shared memory",)),  # no reserve before Ampere
        ("RTX 3060", 1024, 32, 0, 1, 32, ("warps",)),
        ("RTX 3060", 1024, 40, 0, 1, 32, ("registers", "warps")),
        ("RTX 4090", 64, 24, 0, 24, 48, ("warps", "blocks")),
        ("RTX 3090", 64, 24, 0, 16, 32, ("blocks",)),
    ],
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
    ("threads", "registers", "shared", "dynamic", "said"),
    [
        (1025, 16, 0, 0, "limit of 1,024"),
        (
            1024,
            80,
            0,
            0,
            "needs 81,920 registers, the device allows 65,536 a block: choose at most 768 threads",
        ),
        (256, 256, 0, 0, "256 registers"),
        (256, 16, 49_153, 0, "needs 49,153 bytes of shared memory, the device allows 49,152"),
        (256, 16, 0, 232_449, "needs 232,449 bytes of shared memory, the device allows 232,448"),
    ],
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
