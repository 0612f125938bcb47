"""Known answers of the calculator, in numbers and in words, and at other values."""

from __future__ import annotations

from typing import Any

import pytest

from kernels.catalog import find_kernel
from kernels.device import find_device
from kernels.errors import LaunchError
from kernels.launch import Dim3
from kernels.occupancy import words
from kernels.occupancy.advice import advise
from kernels.occupancy.calculate import Occupancy, Resources, most_registers, occupancy
from kernels.occupancy.chart_words import block_words, register_words, shared_words
from kernels.occupancy.curve import Point, curve, occupancy_of, register_plateaus, shared_plateaus
from kernels.occupancy.derivation import derivation, limit_in_numbers
from kernels.occupancy.resources import shipped_resources
from kernels.occupancy.waves import blocks_at_once, tail_words, waves, waves_details, waves_words
from kernels.occupancy.what_if import WhatIf, what_if_words
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


@pytest.mark.parametrize(("launch", "said"), CASES("sentence"))
def test_sentence(launch: tuple[Any, ...], said: str) -> None:
    assert words.sentence(compute(*launch)) == said


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


NINE_WARPS = occupancy(find_device("h200"), Resources(40, 2304, 0, "a test"), 288)


def at(**changes: int) -> Occupancy:
    values = {"registers": 40, "shared": 2304, "threads": 288} | changes
    resources = Resources(values["registers"], values["shared"], 0, "a test")
    return occupancy(find_device("h200"), resources, values["threads"])


@pytest.mark.parametrize("threads", [32, 96, 288, 1024])
def test_plateaus_are_the_calculator_at_every_value(threads: int) -> None:
    current = at(threads=threads)
    plateaus = register_plateaus(current)
    assert [p.first for p in plateaus[1:]] == [p.last + 1 for p in plateaus[:-1]]
    for plateau in plateaus:
        for registers in (plateau.first, plateau.last):
            found = at(threads=threads, registers=registers)
            assert found.resident_blocks == plateau.occupancy.resident_blocks
            assert found.limiters == plateau.occupancy.limiters
    for plateau in shared_plateaus(current):
        for shared in (plateau.first, plateau.last):
            resources = Resources(40, 0, 0, "a test")
            found = occupancy(find_device("h200"), resources, threads, shared)
            assert found.resident_blocks == plateau.occupancy.resident_blocks
    assert shared_plateaus(current)[-1].last == find_device("h200").shared_per_block_optin_bytes


@pytest.mark.parametrize(("threads", "blocks"), [(256, 8), (288, 5), (288, 7), (96, 21), (1024, 2), (32, 1)])
def test_launch_bounds_allow_the_most_registers_that_keep_the_blocks(threads: int, blocks: int) -> None:
    most = most_registers(find_device("h200"), threads, blocks)
    assert at(threads=threads, registers=most, shared=0).limit("registers").resident_blocks >= blocks  # type: ignore[operator]
    if most < 255:
        more = at(threads=threads, registers=most + 1, shared=0).limit("registers").resident_blocks
        assert more is not None
        assert more < blocks


def test_what_if_changes_the_chart_and_says_what_it_assumes() -> None:
    kernel, device, block = find_kernel("matmul_tiled"), find_device("v100"), Dim3(16, 16)
    compiled = occupancy_of(kernel, kernel.size, block, device, shipped_resources)
    capped = WhatIf(registers=32)
    found = occupancy_of(kernel, kernel.size, block, device, shipped_resources, capped)
    assert (compiled.resident_blocks, found.resident_blocks) == (6, 8)
    points = curve(kernel, kernel.size, block, device, shipped_resources, capped)
    assert next(p for p in points if p.block == block).occupancy == found
    said = what_if_words(capped, found, compiled)
    assert "Assumed: at most 32 registers a thread. As compiled: 6 blocks, 48 of 64 warps." in said
    assert "With 32 registers instead of 39" in said
    large = occupancy_of(kernel, kernel.size, block, device, shipped_resources, WhatIf(shared_bytes=65_536))
    assert (large.resident_blocks, large.limiters) == (1, ("shared memory",))
    bounds = WhatIf(min_blocks=8)
    assert occupancy_of(kernel, kernel.size, block, device, shipped_resources, bounds).resident_blocks == 8
    assert "__launch_bounds__(256, 8) (at most 32 registers)" in what_if_words(bounds, found, compiled)
    assert what_if_words(WhatIf(), compiled, compiled) == ""


def test_more_registers_than_compiled_change_nothing() -> None:
    resources = Resources(40, 0, 0, "a test")
    found, dynamic = WhatIf(registers=255, min_blocks=1).apply(find_device("h200"), 256, resources, 0)
    assert (found.registers, found.static_shared_bytes, dynamic) == (40, 0, 0)
    assert found.origin == "partly assumed, else a test"


def test_the_derivation_has_the_formula_and_its_numbers() -> None:
    steps = {step.name: step for step in derivation(NINE_WARPS, 4096)}
    assert steps["Warps of a block"].numbers == "⌈288 ÷ 32⌉"
    assert steps["Registers allow"].numbers == "⌊48 ÷ 9⌋"
    assert steps["Registers allow"].limits
    assert not steps["Warp slots allow"].limits
    assert (steps["Resident blocks"].numbers, steps["Resident blocks"].result) == ("min(7, 5, 70, 32)", "5 blocks")
    assert steps["Occupancy"].result == "70.3 %"
    assert (steps["Waves"].numbers, steps["Waves"].result) == ("⌈4,096 ÷ 660⌉", "7 waves")
    assert limit_in_numbers(NINE_WARPS, "blocks") == "32 blocks"
    four = occupancy(find_device("h200"), Resources(40, 0, 0, "a test", 16), 96)
    assert limit_in_numbers(four, "barriers") == "⌊64 ÷ 16⌋ = 4 blocks"


def test_a_step_of_the_chart_is_explained() -> None:
    before = Point(Dim3(16, 16), at(threads=256))
    said = block_words(Point(Dim3(16, 18), NINE_WARPS), before)
    assert said.splitlines() == [
        "16×18: 288 threads are 9 warps. 5 blocks resident, 45 of 64 warps, 70.3 %.",
        "Limited by registers: ⌈40 × 32⌉ to 256 = 1,280 registers, 4 × ⌊16,384 ÷ 1,280⌋ = 48 warps, "
        "⌊48 ÷ 9⌋ = 5 blocks.",
        "Registers suffice for 3 more warps, but only whole blocks are resident.",
        "Before it, 16×16: 6 blocks of 8 warps, 75 %.",
    ]
    *_, last = register_plateaus(NINE_WARPS)
    assert "97 to 168 registers a thread: 1 block resident" in register_words(last, last=True)
    assert "its 9 warps, allocated as 12, the same number in each quarter" in register_words(last, last=True)
    assert "The driver adds 1,024 bytes" in shared_words(shared_plateaus(NINE_WARPS)[-1])


def test_a_partial_last_wave_costs_time() -> None:
    assert "The last wave fills 20.6 % of the device" in tail_words(NINE_WARPS, 4096)
    assert "7 waves for the work of 6.21: 11.3 % of the slots stay empty" in tail_words(NINE_WARPS, 4096)
    assert tail_words(NINE_WARPS, 1320).startswith("The last wave is full")
    assert tail_words(NINE_WARPS, 66) == "The only wave fills 10 % of the device's block slots."
