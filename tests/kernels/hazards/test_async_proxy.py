"""Broken kernels of tensor cores and tiles: what a report says removes every hazard, and it names both places."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels.cli import main
from tests.kernels.hazards.corpus import FOLDER, cases, read_case
from tests.kernels.hazards.reports import report

if TYPE_CHECKING:
    from pathlib import Path

WAIT = 'asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");'
EXPECT = (
    'asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(72 * 32 * 4) : "memory");'
)

MENDED = {
    "wgmma_tile_no_fence": ("// asm volatile(FENCE", "asm volatile(FENCE"),
    "wgmma_tile_no_proxy_fence": ('// asm volatile("fence', 'asm volatile("fence'),
    "wgmma_tile_proxy_fence_of_one": ("if (t == 0) asm", "asm"),
    "wgmma_tile_no_barrier_before": ("// __syncthreads", "__syncthreads"),
    "wgmma_tile_no_barrier_behind": ("// __syncthreads", "__syncthreads"),
    "wgmma_tile_no_wait": ("// no wait", WAIT),
    "wgmma_tile_waits_at_the_end": ("// too late", WAIT),
    "wgmma_tile_no_commit": ("// asm volatile(COMMIT", "asm volatile(COMMIT"),
    "wgmma_tile_waits_for_too_few": ("aligned 1;", "aligned 0;"),
    "wgmma_two_tiles_one_buffer": ("a[0], *to_b = b[0]", "a[n % 2], *to_b = b[n % 2]"),
    "wgmma_two_tiles_no_wait_at_the_end": ('// asm volatile("wgmma.wait', 'asm volatile("wgmma.wait'),
    "wgmma_two_tiles_two_in_flight": ("aligned 2;", "aligned 1;"),
    "wgmma_mbarrier_early_release": ("        if (n + 2 < tiles)", f"        {WAIT}\n        if (n + 2 < tiles)"),
    "wgmma_mbarrier_last_not_awaited": ("if (n < 3)", ""),
    "wgmma_mbarrier_no_empty": ("// wait(&empty", "wait(&empty"),
    "wgmma_mbarrier_no_proxy_fence": ('// asm volatile("fence', 'asm volatile("fence'),
    "wgmma_mbarrier_too_many_arrivals": ('"r"(256)', '"r"(128)'),
    "wgmma_mbarrier_wrong_phase": ("n == 3 ? 0 : n / 2 % 2", "n / 2 % 2"),
    "tensor_tiles_too_many_bytes": ("72 * 32 * 4 + 16", "72 * 32 * 4"),
    "tensor_tiles_too_few_bytes": ("64 * 32 * 4", "72 * 32 * 4"),
    "tensor_tiles_no_expected_bytes": (
        'asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");',
        EXPECT,
    ),
    "tensor_tiles_not_awaited": ("if (n < 3)", ""),
    "tensor_tiles_wrong_phase": ("(n + 1) % 2", "n % 2"),
    "tensor_tiles_overwritten": ('// asm volatile("wgmma.wait', 'asm volatile("wgmma.wait'),
}
"""By kernel: a text, and what its report says to write instead."""


def test_every_broken_kernel_is_mended() -> None:
    assert set(MENDED) == {case.name for case in cases() if case.hazards and not case.advised}


@pytest.mark.parametrize("name", MENDED)
def test_what_a_report_says_removes_every_hazard(name: str, tmp_path: Path) -> None:
    case, (old, new) = read_case(FOLDER / f"{name}.cu"), MENDED[name]
    text = case.file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file = tmp_path / f"{name}.cu"
    file.write_text(text.replace(old, new), encoding="utf-8")
    result = CliRunner().invoke(main, ["trace", str(file), *case.words, "--schedule", "warps", "--json"])
    assert json.loads(result.stdout)["hazards"] == []


@pytest.mark.parametrize("name", MENDED)
def test_a_report_names_both_places(name: str) -> None:
    """One is enough where the other is missing: a fence, an arrival."""
    case = read_case(FOLDER / f"{name}.cu")
    for hazard in report(case, "warps")["hazards"]:
        lines = {access["line"] for access in hazard["accesses"]}
        lines |= set(map(int, re.findall(r"\bline (\d+)", hazard["message"])))
        if hazard["kind"] == "data-race" or "fence.proxy.async" in hazard["message"]:
            assert len(lines) >= 2
        assert lines
