"""Readings of a block timeline, by hand; its file; and the source that records one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.catalog import Kernel, catalog
from kernels.errors import InputError, UnavailableError
from kernels.frontend import kernel_body
from kernels.gpu.device import missing
from kernels.occupancy.block_timeline import (
    SHIPPED,
    file_name,
    read_timeline,
    read_timeline_file,
    timeline_json,
    timelines_in,
    write_timeline_file,
)
from kernels.occupancy.block_timers import with_block_timers
from kernels.occupancy.timeline_words import cost_words, sentences, tail_words
from tests.cases import Cases
from tests.kernels.occupancy.hand_made_timeline import TIMELINE

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)

KERNELS = [k for k in catalog() if k.runs_on == "cuda"]


def test_the_places_on_an_sm_are_reused() -> None:
    assert TIMELINE.slots().tolist() == [0, 0, 1, 1, 0, 0]
    assert TIMELINE.most_on_one_sm == 2
    assert TIMELINE.used_sms == 2
    assert TIMELINE.step_ns == 32


def test_achieved_occupancy_counts_only_sms_with_a_block() -> None:
    warp_ns = 2 * (320 + 640 + 320 + 640 + 320 + 640)
    assert TIMELINE.busy_ns == 640 + (704 + 640)
    assert TIMELINE.achieved == pytest.approx(warp_ns / (8 * (640 + 704 + 640)))
    assert TIMELINE.achieved_overall == pytest.approx(warp_ns / (8 * 3 * 1600))


def test_residency_over_time() -> None:
    found = TIMELINE.residency(50)  # columns of 32 ns
    assert found.shape == (3, 50)
    assert found[0, [0, 5, 10, 19, 20]].tolist() == [1, 2, 2, 1, 0]
    assert found[1].sum() == 0
    assert found[2, [0, 10, 21, 25, 30, 49]].tolist() == [1, 2, 1, 0, 1, 1]


def test_the_tail_and_the_cost_are_said() -> None:
    assert "The last block began after 0.96 µs: for the last 0.64 µs, 40 % of the launch" in tail_words(TIMELINE)
    said = cost_words(TIMELINE)
    assert "takes 1.02 µs, 2 % longer than without, 40 registers a thread instead of 32" in said
    assert "steps of 32 ns" in said


def test_blocks_that_are_all_resident_at_once_have_no_tail() -> None:
    said = tail_words(replace(TIMELINE, end_ns=TIMELINE.end_ns + 960))
    assert said.endswith("All were resident at once: no block waited, and the last one began after 0.96 µs.")


def test_a_file_holds_everything(tmp_path: Path) -> None:
    file = tmp_path / file_name(TIMELINE)
    assert file.name == "matmul_naive-16x16x24-8x8-test_gpu.json"
    write_timeline_file(TIMELINE, file)
    (again,) = timelines_in(tmp_path)
    assert again.measured == TIMELINE.measured
    for name in ("sm", "start_ns", "end_ns"):
        assert np.array_equal(getattr(again, name), getattr(TIMELINE, name))


@pytest.mark.parametrize(("change", "said"), CASES("another_file_is_refused_in_one"))
def test_another_file_is_refused_in_one_line(tmp_path: Path, change: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_timeline(timeline_json(TIMELINE) | change, "a test")
    (tmp_path / "other.json").write_text(json.dumps([1]), encoding="utf-8")
    with pytest.raises(InputError, match="not a block timeline"):
        read_timeline_file(tmp_path / "other.json")


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_a_timer_stands_at_the_top_of_the_kernels_body(kernel: Kernel) -> None:
    text = with_block_timers(kernel.text, "", kernel.entry)
    _, marker, rest = text.partition("} }; ")
    assert marker
    kernel_body(text, "", kernel.entry)  # it can be parsed again
    assert rest.replace(" ts_BlockTimer ts_block_timer;", "") == kernel.text
    body = kernel_body(kernel.text, "", kernel.entry)
    line = rest.splitlines()[body.line - 1]
    assert line[body.column - 1 :].startswith("{ ts_BlockTimer ts_block_timer;")
    assert line[: body.column - 1] == kernel.text.splitlines()[body.line - 1][: body.column - 1]


def test_a_directive_in_the_first_line_begins_its_line() -> None:
    text = "#define N 4\n__global__ void k(int *out) { *out = N; }\n"
    assert with_block_timers(text, "k.cu", "k").splitlines()[1] == "#define N 4"


def test_a_body_from_a_macro_is_refused() -> None:
    text = "#define BODY { *out = 1; }\n__global__ void k(int *out) BODY\n"
    with pytest.raises(InputError, match="the body of k comes from a macro"):
        with_block_timers(text, "k.cu", "k")


def test_the_shipped_timelines_can_be_read() -> None:
    for timeline in timelines_in(SHIPPED):
        assert all(sentences(timeline))
        assert 0 < timeline.achieved <= timeline.measured.theoretical
    assert len(timelines_in(SHIPPED)) == len(list(SHIPPED.glob("*")))


@pytest.mark.skipif(not missing(), reason="there is a GPU here")
def test_without_a_gpu_the_recording_says_what_is_missing() -> None:
    from kernels.fill import Fill
    from kernels.occupancy.record_blocks import record_blocks

    kernel = KERNELS[0]
    with pytest.raises(UnavailableError):
        record_blocks(kernel, kernel.size, kernel.block, Fill("ones"))
