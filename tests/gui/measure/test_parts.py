"""Parts of the Benchmark page: fields of the setup, the lines below the plots, and results from a worker thread."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.measure.page import BenchmarkPage
from gui.measure.results.lookup import Lookup
from gui.measure.run.status import MachineLine, shortened
from gui.measure.setup.size_fields import sizes, thread_counts
from gui.selection.session import Session
from kernels.bench.measure.conditions import Conditions
from kernels.bench.sizes import SizeRule
from kernels.errors import InputError
from tests.gui.measure.samples import sample


@pytest.mark.parametrize(
    ("rule", "first", "last", "step", "expected"),
    [
        ("doubling", "64", "512", "", [64, 128, 256, 512]),
        ("doubling", "64", "500", "", [64, 128, 256]),
        ("doubling", "3", "3", "", [3]),
        ("odd", "64", "512", "", [63, 127, 255, 511]),
        ("odd", "1", "2", "", [1]),
        ("steps", "10", "50", "20", [10, 30, 50]),
        ("steps", "10", "49", "20", [10, 30]),
        ("steps", " 8 ", "16", "8", [8, 16]),
    ],
)
def test_range_of_n(rule: SizeRule, first: str, last: str, step: str, expected: list[int]) -> None:
    found = sizes(rule, first, last, step)
    assert [size.n for size in found] == expected
    assert all(size.m == size.n == size.k for size in found)


@pytest.mark.parametrize(
    ("rule", "first", "last", "step", "words"),
    [
        ("doubling", "", "512", "", "“n from” must .*empty"),
        ("doubling", "64", "x", "", "“n to” must .*it is x"),
        ("odd", "0", "512", "", "“n from” must .*it is 0"),
        ("doubling", "64", "999999", "", "“n to” must .*it is 999999"),
        ("doubling", "64", "32", "", "32 is less than 64"),
        ("odd", "1", "1", "", "no odd size"),
        ("steps", "64", "512", "0", "“step” must .*it is 0"),
        ("steps", "64", "512", "", "“step” must .*empty"),
        ("steps", "1", "1000", "1", "too many"),
    ],
)
def test_a_range_that_cannot_be(rule: SizeRule, first: str, last: str, step: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        sizes(rule, first, last, step)


@pytest.mark.parametrize(("text", "expected"), [("1", (1,)), ("1, 2,4", (1, 2, 4)), ("2,2", (2,))])
def test_cpu_threads(text: str, expected: tuple[int, ...]) -> None:
    assert thread_counts(text, most=8) == expected


@pytest.mark.parametrize("text", ["", "0", "9", "1,,2", "two"])
def test_cpu_threads_that_cannot_be(text: str) -> None:
    with pytest.raises(InputError, match="CPU threads"):
        thread_counts(text, most=8)


PARTS = ["NVIDIA H200", "Intel(R) Xeon(R) Platinum 8480C CPU @ 2.00GHz, 16 cores", "driver CUDA 12.8", "Python 3.12.11"]


@pytest.mark.parametrize("width", [2000, 500, 300, 60])
def test_the_first_parts_are_whole_and_the_rest_is_in_the_tooltip(qtbot: QtBot, width: int) -> None:
    line = MachineLine()
    qtbot.addWidget(line)
    line.resize(width, 30)
    line.say(" · ".join(PARTS))
    shown = line.text().split(" · ")
    assert shown == [shortened(part) for part in PARTS][: len(shown)]
    assert len(shown) == 1 or line.fontMetrics().horizontalAdvance(line.text()) <= width
    assert line.toolTip().splitlines() == PARTS


@pytest.mark.parametrize(
    ("part", "short"),
    [
        (PARTS[0], "H200"),
        (PARTS[1], "Xeon Platinum 8480C, 16 cores"),
        ("AMD EPYC 7763 64-Core Processor, 8 cores", "EPYC 7763 64-Core, 8 cores"),
        ("driver CUDA 12.8", "driver CUDA 12.8"),
        ("Recorded with tilescope on NVIDIA H100 80GB HBM3", "Recorded with tilescope on H100 80GB HBM3"),
    ],
)
def test_makers_are_left_out(part: str, short: str) -> None:
    assert shortened(part) == short


CALM = Conditions(machine_cores=8.0, other_cores=0.1, sm_clock_mhz=1980.0, power_w=512.4, temperature_c=61.0)


def test_a_point_without_a_result_is_named(qtbot: QtBot, session: Session, tmp_path: Path) -> None:
    page = BenchmarkPage(session, tmp_path / "samples.sqlite3")
    qtbot.addWidget(page)
    page.run.run_started.emit(1)
    page.run.sample_arrived.emit(sample(64, (), "matmul_tiled", outcome="refused", error="the block is too large"))
    assert page.lines.failure.whole == "⚠ Shared-memory tiles, 8×8, n = 64: the block is too large"


def test_clocks_of_the_latest_point_and_counts_of_disturbed_ones(
    qtbot: QtBot, session: Session, tmp_path: Path
) -> None:
    page = BenchmarkPage(session, tmp_path / "samples.sqlite3")
    qtbot.addWidget(page)
    strip = page.lines.telemetry
    conditions = (
        CALM,
        replace(CALM, throttle_reasons=("SW power cap",), gpu_processes=2.0),
        replace(CALM, throttle_reasons=("SW power cap",), memory_clock_mhz=2619.0, other_cores=7.9),
    )
    page.run.run_started.emit(3)
    for n, found in enumerate(conditions, 8):
        page.run.sample_arrived.emit(replace(sample(n), conditions=found))
    assert strip.reading.whole == (
        "At the latest point: SM 1,980 MHz · memory 2,619 MHz · 512 W · 61 °C · other processes: 7.9 of 8 cores"
    )
    assert strip.warning.whole == (
        "⚠ Of 3 points, at 2 the GPU's clocks were throttled, at 1 other processes used the GPU, "
        "at 1 other processes kept the cores busy."
    )
    page.show()
    assert strip.reading.isVisible()
    page.run.run_finished.emit("")
    assert (strip.reading.isVisible(), strip.warning.isVisible()) == (False, True)
    page.run.run_started.emit(3)
    assert (strip.reading.whole, strip.warning.whole) == ("", "")


class Work:
    """Doubles numbers; 13 is refused, and 7 waits until it may go on."""

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.go = threading.Event()

    def __call__(self, key: int) -> int:
        self.calls.append(key)
        if key == 13:
            raise InputError("13 is refused")
        if key == 7:
            self.go.wait(10)
        return 2 * key


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
def lookup(qtbot: QtBot, work: Work) -> Iterator[Lookup]:
    made = Lookup(work)
    yield made
    work.go.set()
    made.close()


def test_results_come_later_and_are_computed_once(qtbot: QtBot, lookup: Lookup, work: Work) -> None:
    with qtbot.waitSignal(lookup.changed):
        lookup.request([1, 13])
        assert lookup.get(1) is None
    assert lookup.get(1) == 2
    assert str(lookup.get(13)) == "13 is refused"
    lookup.request([1, 13])
    assert (lookup.open, work.calls) == (0, [1, 13])


def test_a_new_request_drops_what_only_the_earlier_one_asked_for(qtbot: QtBot, lookup: Lookup, work: Work) -> None:
    lookup.request([7, 1, 2])
    lookup.request([7, 2])
    work.go.set()
    qtbot.waitUntil(lambda: lookup.open == 0)
    assert work.calls == [7, 2]


def test_a_pause_ends_the_work_and_resuming_begins_it_again(qtbot: QtBot, lookup: Lookup, work: Work) -> None:
    lookup.request([7, 1])
    qtbot.waitUntil(lambda: work.calls == [7])
    lookup.pause(True)
    work.go.set()
    assert (lookup.open, lookup.get(7)) == (2, None)
    lookup.pause(False)
    qtbot.waitUntil(lambda: lookup.open == 0)
    assert (lookup.get(7), lookup.get(1)) == (14, 2)
