import csv
import json
import sys
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from gui.measure.page import BenchmarkPage
from gui.measure.run.plan_run import Run
from gui.measure.setup.own_file import OwnFileLine
from gui.measure.setup.panel import words_of
from gui.measure.words import duration
from gui.selection.session import Session
from gui.widgets.plot import LinePlot
from kernels.bench.plan import Plan, entries, points
from kernels.bench.sample import MEMORIES, Sample
from kernels.bench.store.database import Row, Store
from kernels.catalog import catalog, find_kernel, read_kernel
from kernels.custom_launch.model import CustomLaunch
from kernels.device import find_device
from kernels.workload import Size
from tests.gui.conftest import OWN_KERNEL
from tests.gui.measure.samples import sample

TIMEOUT_MS = 120_000


CHECKED, UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "samples.sqlite3"


@pytest.fixture
def page(qtbot: QtBot, session: Session, store: Path) -> BenchmarkPage:
    session.set_devices((), "this is a test")
    made = BenchmarkPage(session, store)
    qtbot.addWidget(made)
    made.setup.sizes.first.setText("8")
    made.setup.sizes.last.setText("16")
    made.setup.threads.setText("1")
    return made


def opened(qtbot: QtBot, session: Session, store: Path) -> BenchmarkPage:
    """The page, when it has read the file."""
    made = BenchmarkPage(session, store)
    qtbot.addWidget(made)
    qtbot.waitUntil(lambda: not made.run.history.loading)
    return made


def rows(page: BenchmarkPage) -> dict[str, QTreeWidgetItem]:
    """Lines of the list by the kernel's id, as they stand."""
    return {kernel.id: item for item, kernel in page.setup.tree.items()}


def choose(page: BenchmarkPage, kernel: str) -> None:
    """Tick one kernel only, where the others would only take time."""
    for name, item in rows(page).items():
        item.setCheckState(0, CHECKED if name == kernel else UNCHECKED)


def measure(qtbot: QtBot, page: BenchmarkPage) -> None:
    with qtbot.waitSignal(page.run.run_finished, timeout=TIMEOUT_MS):
        page.start()


def test_every_measurable_kernel_is_listed_and_without_a_gpu_those_for_one_say_why(
    page: BenchmarkPage, session: Session, own_kernel: Path
) -> None:
    assert sorted(rows(page)) == sorted(k.id for k in catalog() if k.measurable)
    for kernel in catalog():
        if kernel.measurable:
            assert rows(page)[kernel.id].text(0) == kernel.title
    # Without a gpu its kernels say why and the CPU baselines are chosen.
    for item, kernel in page.setup.tree.items():
        assert item.isDisabled() == (kernel.runs_on != "cpu")
        assert ("this is a test" in item.toolTip(0)) == (kernel.runs_on != "cpu")
        assert item.checkState(0) == (CHECKED if kernel.runs_on == "cpu" else UNCHECKED)
    assert "No GPU: this is a test." in page.setup.no_gpu.text()
    # Another selection does not fold the tree.
    item = next(item for item, _ in page.setup.tree.items() if item.childCount() and not item.isExpanded())
    text = item.text(0)
    item.setExpanded(True)
    for selected in ("matmul_tiled", "matmul_naive"):
        page._session.select(kernel=find_kernel(selected))
    assert next(item for item, _ in page.setup.tree.items() if item.text(0) == text).isExpanded()
    # An opened file is listed and marks stay.
    rows(page)["cpu_blas"].setCheckState(0, UNCHECKED)
    session.open(read_kernel(own_kernel))
    assert "Mine (mine.cu)" in [item.text(0) for item in rows(page).values()]
    assert rows(page)["cpu_blas"].checkState(0) == UNCHECKED


def test_with_a_gpu_kernels_and_selected_variants_can_be_chosen(page: BenchmarkPage, session: Session) -> None:
    session.set_devices((), "")
    assert not any(item.isDisabled() for item in rows(page).values())
    for item in rows(page).values():
        item.setCheckState(0, CHECKED)
    wanted = [entry for k in catalog() if k.measurable for entry in entries(k, threads=(1,))]
    assert sorted(map(str, page.setup.entries())) == sorted(map(str, wanted))
    # A variant that is selected can be measured.
    session.set_devices((), "")
    variant = find_kernel("mmt_naive").variants()[1]
    session.select(kernel=variant)
    assert rows(page)[variant.id].text(0).startswith(variant.title + ", ")
    session.select(kernel=find_kernel("matmul_naive"))
    assert variant.id in rows(page)


@pytest.mark.parametrize(
    ("text", "blocks", "complaint"),
    [
        ("4,4", 4, ""),
        ("8,8", 3, ""),
        ("100,100", 3, "10,000 threads"),
        ("4,8", 3, "equal sides"),
        ("x", 3, "'x'"),
    ],
)
def test_a_block_can_be_added(page: BenchmarkPage, session: Session, text: str, blocks: int, complaint: str) -> None:
    session.set_devices((), "")
    item = rows(page)["matmul_tiled"]
    last_line = item.child(item.childCount() - 1)
    assert last_line is not None
    last_line.setText(0, text)
    assert item.childCount() == blocks + 1
    assert complaint in page.lines.status.text()


def test_a_tiny_run_is_measured_shown_kept_and_exported(
    qtbot: QtBot, page: BenchmarkPage, session: Session, store: Path, tmp_path: Path
) -> None:
    """By the real worker; other tests need no true times."""
    choose(page, "cpu_blas")
    measure(qtbot, page)
    planned = len(page.setup.plan().points)
    assert len({taken.point for taken in page.samples}) == planned
    assert page.results.table.model.rowCount() == len(page.samples)  # on a busy machine some are measured again
    assert page.lines.status.text() == f"Done: {planned} points, every result verified."
    assert "Python" in page.machine.whole
    with qtbot.waitSignal(page.exporter.said):
        page.exporter.write(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(page.samples)
    assert all(float(line["gflops"]) > 0 for line in lines)

    again = opened(qtbot, session, store)
    assert again.results.table.model.text() == page.results.table.model.text()


def test_columns_are_wide_enough_for_rows_that_come_later(qtbot: QtBot, page: BenchmarkPage) -> None:
    page.resize(1400, 800)
    page.show()
    for n in (8, 40_960):
        page.run.sample_arrived.emit(sample(n, times_ms=(n * 1.0,), kernel="k" * (n % 37)))
    page.results.show_tab("Table")
    view = page.results.table.view
    texts = page.results.table.model.used_columns[:-1]
    qtbot.waitUntil(lambda: page.results.table.model.rowCount() == 2)
    qtbot.waitUntil(lambda: all(view.columnWidth(n) >= view.sizeHintForColumn(n) for n in texts))
    assert view.horizontalHeader().length() == view.viewport().width()


@pytest.mark.parametrize(
    ("name", "text"),
    [("sizes.first", "abc"), ("sizes.last", ""), ("threads", "0"), ("limit", "-1"), ("limit", "0.5"), ("total", "x")],
)
def test_nonsense_is_named_and_starts_nothing(page: BenchmarkPage, name: str, text: str) -> None:
    attrgetter(name)(page.setup).setText(text)
    page.start()
    assert "must be" in page.lines.status.text()
    assert not page.run.running


@pytest.mark.usefixtures("waiting_worker")
def test_runs_that_are_stopped_or_closed_keep_what_is_measured(qtbot: QtBot, page: BenchmarkPage) -> None:
    choose(page, "cpu_sequential")
    with qtbot.waitSignal(page.run.sample_arrived, timeout=TIMEOUT_MS):
        page.start()
    with qtbot.waitSignal(page.run.run_finished, timeout=TIMEOUT_MS):
        page.stop()
    assert page.lines.status.text().startswith("Stopped")
    assert page.results.table.model.rowCount() == 1
    page.setup.sizes.last.setText("8")
    measure(qtbot, page)
    assert page.lines.status.text().startswith("Done")
    # Closing during a run leaves nothing behind.
    with qtbot.waitSignal(page.run.point_started, timeout=TIMEOUT_MS):
        page.start()
    page.close()
    assert not page.run.running


def test_a_run_is_in_the_file_when_the_page_closes_at_once(page: BenchmarkPage, store: Path) -> None:
    choose(page, "cpu_sequential")
    plan = page.setup.plan()
    page.start()
    number = page.run.number
    page.close()
    with Store(store) as history:
        (run,) = history.runs()
        assert (run.id, run.point_count, run.outcome_count) == (number, len(plan.points), 0)


def test_a_file_that_is_no_store_does_not_stop_the_page(qtbot: QtBot, session: Session, tmp_path: Path) -> None:
    broken = tmp_path / "samples.sqlite3"
    broken.write_text("this is not SQLite, and long enough to be sure of it " * 40, encoding="utf-8")
    page = opened(qtbot, session, broken)
    assert "samples.sqlite3" in page.history_line.text()


BAD_WORKER = """
import json, os, sys
plan = json.loads(sys.stdin.readline())
for number, point in enumerate(plan["points"]):
    print(json.dumps({"event": "begin", **point}), flush=True)
    if point["size"][0] == 16:
        {what}
    print("a library prints this", flush=True)
    sample = {"outcome": "measured", "times_ms": [1.0], "launches": 1, "flops": 1, "checked": "", "error": "",
              "taken": "", "environment": ""}
    print(json.dumps({"event": "sample", **point, **sample}), flush=True)
print(json.dumps({"event": "end"}), flush=True)
"""


@pytest.mark.parametrize(
    ("what", "outcome"),
    [("os.abort()", "failed"), ("sys.exit('out of luck')", "failed"), ("while True: pass", "overtime")],
)
def test_the_plan_goes_on_without_the_point_that_took_its_worker_down(qtbot: QtBot, what: str, outcome: str) -> None:
    kernel = next(k for k in catalog() if k.runs_on == "cpu")
    sizes = [Size(n, n, n) for n in (8, 16, 32, 64)]
    run = Run(command=[sys.executable, "-c", BAD_WORKER.replace("{what}", what)])
    told: list[Sample] = []
    run.sample_arrived.connect(told.append)
    with qtbot.waitSignal(run.run_finished, timeout=TIMEOUT_MS) as ended:
        run.start(Plan(points(entries(kernel, threads=(1,)), sizes), time_limit_s=1.0))
    assert ended.args == [""]
    assert [(s.point.size.n, s.outcome) for s in told] == [
        (8, "measured"),
        (16, outcome),
        (32, "measured"),
        (64, "measured"),
    ]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise SystemExit('no such thing')", "no such thing"),
        (f"print({json.dumps(json.dumps({'event': 'sample'}))})", "cannot be read"),
        ("import os; os.abort()", "ended with status"),
    ],
)
def test_a_worker_that_cannot_work_is_not_started_again(qtbot: QtBot, code: str, words: str) -> None:
    kernel = next(k for k in catalog() if k.runs_on == "cpu")
    run = Run(command=[sys.executable, "-c", code])
    with qtbot.waitSignal(run.run_finished, timeout=TIMEOUT_MS) as ended:
        run.start(Plan(points(entries(kernel, threads=(1,)), [Size(8, 8, 8)])))
    assert words in ended.args[0]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (59.6, "60 s"), (119, "2 min"), (3900, "65 min"), (7500, "2 h 5 min")],
)
def test_time_left_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.usefixtures("quick_worker")
@pytest.mark.parametrize("measured", [False, True])
def test_every_choice_of_axes_shows_the_same_points(qtbot: QtBot, page: BenchmarkPage, measured: bool) -> None:
    page.show()
    if measured:
        choose(page, "cpu_blas")
        measure(qtbot, page)
    for log_x, log_y in ((True, True), (False, True), (False, False), (True, False)):
        page.results.gflops.log_x.setChecked(log_x)
        page.results.gflops.log_y.setChecked(log_y)
        page.resize(900 + log_x, 600 + log_y)
        assert not page.grab().isNull()
        (low, high) = page.results.gflops.plot.plot.box.viewRange()[1]
        assert low < high
        for taken in page.samples:
            rate = taken.gflops or 0.0
            assert low <= (np.log10(rate) if log_y else rate) <= high


@pytest.mark.usefixtures("quick_worker")
def test_the_choices_of_the_last_run_are_restored(
    qtbot: QtBot, page: BenchmarkPage, session: Session, store: Path
) -> None:
    rows(page)["cpu_blas"].setCheckState(0, UNCHECKED)
    page.setup.sizes.rule.setCurrentText("in steps of")
    page.setup.sizes.step.setText("12")
    measure(qtbot, page)
    again = opened(qtbot, session, store)
    assert set(again.setup.plan().points) == {s.point for s in page.samples}


@pytest.mark.usefixtures("quick_worker")
def test_sizes_need_not_be_square(qtbot: QtBot, page: BenchmarkPage, session: Session, store: Path) -> None:
    page.setup.sizes.rule.setCurrentText("these sizes")
    page.setup.sizes.these.setText("8; 4,16,8")
    choose(page, "cpu_blas")
    measure(qtbot, page)
    assert {str(sample.point.size) for sample in page.samples} == {"8", "4×16×8"}
    assert {x for line in page.results.gflops.plot.lines for x in line.x.tolist()} == {8.0}  # as many products as 8×8×8
    again = opened(qtbot, session, store)
    assert again.setup.sizes.these.text() == "8; 4,16,8"


def test_nothing_chosen_is_named(page: BenchmarkPage) -> None:
    for item in rows(page).values():
        item.setCheckState(0, UNCHECKED)
    page.start()
    assert "Nothing is chosen" in page.lines.status.text()


@pytest.mark.parametrize("text", ["", "x", "8;;9", "1,2", "0", "99999", "40000,40000,4"])
def test_sizes_that_make_no_sense_are_named(page: BenchmarkPage, text: str) -> None:
    page.setup.sizes.rule.setCurrentText("these sizes")
    page.setup.sizes.these.setText(text)
    page.start()
    assert not page.run.running
    assert page.lines.status.text().startswith("⚠")


def test_memory_and_cache_can_be_chosen_on_a_gpu(page: BenchmarkPage, session: Session) -> None:
    assert not page.setup.timed.isEnabled()
    session.set_devices((), "")
    for timed, series in [
        ("kernel, hot L2 cache", {("device", False)}),
        ("kernel, hot and cold", {("device", False), ("device", True)}),
        ("with transfers, pinned", {("pinned", False)}),
        ("all four memories", {(memory, False) for memory in MEMORIES}),
    ]:
        for item in rows(page).values():
            item.setCheckState(0, UNCHECKED)
        rows(page)["matmul_tiled"].setCheckState(0, CHECKED)
        page.setup.timed.setCurrentText(timed)
        assert {(entry.memory, entry.cold) for entry in page.setup.entries()} == series
        assert words_of(page.setup.entries()) == timed


@pytest.mark.usefixtures("quick_worker")
def test_the_plan_has_both_limits_and_says_how_long_it_takes(qtbot: QtBot, page: BenchmarkPage) -> None:
    choose(page, "cpu_blas")
    page.setup.limit.setText("7")
    page.setup.total.setText("20")
    page.setup.graphs.setChecked(False)
    plan = page.setup.plan()
    assert (plan.time_limit_s, plan.total_s, plan.graphs) == (7.0, 20.0, False)
    qtbot.waitUntil(lambda: page.prediction.words.text().startswith(f"{len(plan.points)} points, about "))
    assert "rough" in page.prediction.words.text()
    measure(qtbot, page)
    qtbot.waitUntil(lambda: f"{len(plan.points)} were measured here before" in page.prediction.words.text())
    page.setup.total.setText("never")
    qtbot.waitUntil(lambda: "seconds for all points" in page.prediction.words.text())


def test_the_setup_says_which_curves_explore_shows_in_other_code(
    qtbot: QtBot, page: BenchmarkPage, session: Session
) -> None:
    session.set_devices((replace(find_device("h200"), present=True),), "")
    choose(page, "matmul_3xtf32")
    qtbot.waitUntil(lambda: "sm_90a compiles other lines of matmul_3xtf32" in page.prediction.other_code.text())
    choose(page, "matmul_tiled")
    qtbot.waitUntil(lambda: not page.prediction.other_code.text())
    assert page.prediction.other_code.isHidden()


def test_kernels_that_are_not_measured_say_why(page: BenchmarkPage, session: Session) -> None:
    lesson = next(k for k in catalog() if k.flaw)
    page.show()
    session.select(kernel=lesson)
    assert lesson.id not in rows(page)
    assert page.lesson.isVisible()
    assert lesson.flaw in page.lesson.text()
    # A kernel without operations to count says why it is not listed.
    session.select(kernel=find_kernel("hello_grid"))
    assert "computes no matrix product" in page.lesson.text()
    assert page.lesson.isVisible()
    session.select(kernel=find_kernel("matmul_tiled"))
    assert not page.lesson.isVisible()


def test_a_tab_builds_its_plot_when_it_comes_to_the_front(page: BenchmarkPage) -> None:
    assert page.findChildren(LinePlot) == [page.results.gflops.plot]
    page.results.show_tab("% of peak")
    assert page.findChildren(LinePlot) == [page.results.gflops.plot, page.results.chart_tab("% of peak").plot]


def test_a_file_that_does_not_say_its_problem_gets_a_description_that_makes_it_measurable(
    page: BenchmarkPage, session: Session, tmp_path: Path
) -> None:
    file = tmp_path / "mine.cu"
    file.write_text(OWN_KERNEL.partition("/*")[0], encoding="utf-8")
    (line,) = page.findChildren(OwnFileLine)
    assert line.isHidden()
    session.play(CustomLaunch(file, file.read_text(), "mine", "1", "8", ()))
    assert not line.isHidden()
    assert line.words.text().startswith("“mine.cu” does not say which problem it solves")
    line.copy.click()
    file.write_text(file.read_text() + QGuiApplication.clipboard().text(), encoding="utf-8")
    assert read_kernel(file).measurable
    session.play(None)
    assert line.isHidden()


def test_a_file_that_is_gone_is_measured_with_the_text_that_was_read(
    page: BenchmarkPage, session: Session, own_kernel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = read_kernel(own_kernel)
    started: list[Plan] = []
    monkeypatch.setattr(page.run, "start", lambda plan, **_: started.append(plan))
    session.set_devices((replace(find_device("h200"), present=True),), "")
    session.open(kernel)
    own_kernel.unlink()
    page.propose(entries(kernel, [kernel.block]))
    page.start()
    (plan,) = started
    assert plan.texts == {str(own_kernel): {"mine.cu": kernel.text}}


def test_the_launch_of_such_a_file_is_timed_as_it_is_and_listed_in_the_table_alone(
    page: BenchmarkPage, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.cu"
    launch = CustomLaunch(file.resolve(), "", "mine", "1", "8", ())
    started: list[Plan] = []
    monkeypatch.setattr(page.run, "start", lambda plan, **_: started.append(plan))
    session.play(launch)
    session.set_devices((), "no driver")
    assert not page.own_file.time.isEnabled()
    assert "no driver" in page.own_file.time.toolTip()
    session.set_devices((replace(find_device("h200"), present=True),), "")
    page.own_file.time.click()
    ((point,),) = (plan.points for plan in started)
    assert CustomLaunch.of_settings(file, "", point.entry.launch) == launch
    page.results.add([Row(1, Sample(point, "unverified", (0.5,) * 30, 1, error="no reference"), None)])
    page.results.draw()
    assert page.results.front is page.results.table
    cells = [page.results.table.model.index(0, place).data() for place in range(7)]
    assert cells[1:] == ["mine", "mine<<<1, 8>>>", "as launched", "0.5000", "", "– not verified *"]
    page.results.show_tab("Time")
    assert page.results.chart_tab("Time").placeholder.text() == "1 launch without n: see the table."
