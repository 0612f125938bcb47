"""Published tables on the Learn page: shown, measured again, judged and saved."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.learn.tables import view
from gui.learn.tables.view import PublishedTables
from gui.measure.page import BenchmarkPage
from gui.selection.session import Session
from gui.theming.theme import DARK
from kernels.bench.store.run_header import RunHeader
from kernels.device import find_device
from kernels.experiments import Experiment, experiments
from kernels.experiments.load import read_experiment
from kernels.experiments.recorded import RecordedResult
from tests.gui.measure.quick_worker import quick_worker, waiting_worker

__all__ = ["quick_worker", "waiting_worker"]


SMALL = """
title    = "Small"
question = "Does twice n take eight times as long?"
look_for = ["The slope.", "The last point."]
today    = ["Caches are larger."]
source   = "a lecture"
gpu      = "an old GPU"

[x]
name  = "n"
title = "n"
log   = true

[y]
name  = "gflops"
title = "GFLOPS"

[[run]]
kernels = ["cpu_sequential"]
sizes   = { cpu = [8, 16, 32], quick = [8, 16], full = [8, 16, 32] }

[[run]]
kernels = ["matmul_naive"]
widths  = [8]
sizes   = { cpu = [8], quick = [64], full = [64, 128] }

[[curve]]
label = "one core"
where = { kernel = "cpu_sequential" }
x     = [8, 16]
y     = [0.1, 0.2]

[[claim]]
text      = "32 takes longer than 8."
kind      = "ratio"
figure    = "ms"
series    = [{ kernel = "cpu_sequential", n = 32 }, { kernel = "cpu_sequential", n = 8 }]
published = 64
within    = 1000
"""


@pytest.fixture
def small(tmp_path: Path) -> Experiment:
    """A published table that takes a moment on any CPU; one kernel of it needs a GPU."""
    file = tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    return read_experiment(file)


@pytest.fixture
def unpublished(tmp_path: Path) -> Experiment:
    """An experiment without published numbers and claims, for a GPU only."""
    file = tmp_path / "unpublished.toml"
    text = SMALL.replace("x     = [8, 16]\n", "").replace("y     = [0.1, 0.2]\n", "").replace("cpu = [8, 16, 32], ", "")
    file.write_text(text.replace("cpu = [8], ", "").partition("[[claim]]")[0], encoding="utf-8")
    return read_experiment(file)


TIMEOUT_MS = 120_000


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "samples.sqlite3"


@pytest.fixture
def page(qtbot: QtBot, session: Session, store: Path, small: Experiment, unpublished: Experiment) -> PublishedTables:
    session.set_devices((), "this is a test")
    made = PublishedTables(session, store, (small, unpublished))
    qtbot.addWidget(made)
    made.resize(900, 700)
    made.show()
    return made


def measure(qtbot: QtBot, page: PublishedTables) -> None:
    with qtbot.waitSignal(page.run.run_finished, timeout=TIMEOUT_MS):
        page.tools.buttons["cpu"].click()


def drawn(page: PublishedTables) -> list[tuple[str, bool, list[float]]]:
    return [(line.name, line.published, line.x.tolist()) for line in page.result.plot.lines]


def test_every_experiment_of_tilescope_can_be_shown(qtbot: QtBot, session: Session, store: Path) -> None:
    page = PublishedTables(session, store)
    qtbot.addWidget(page)
    assert page.list.count() == len(experiments())
    for row, experiment in enumerate(experiments()):
        page.list.setCurrentRow(row)
        assert page.experiment == experiment
        assert page.question.text() == experiment.question
        assert not page.grab().isNull()


def test_before_the_first_run_only_theirs_is_drawn_and_the_cpu_parts_are_offered(
    page: PublishedTables, tmp_path: Path, session: Session
) -> None:
    assert drawn(page) == [("one core, published, an old GPU", True, [8.0, 16.0])]
    assert page.tools.runs.currentText() == "no run yet"
    assert not page.tools.csv.isEnabled()
    assert "not measured yet" in page.result.claims.text()
    assert "Caches are larger." in page.result.today.text()
    # Without a gpu the CPU parts are offered and the rest says what it needs.
    assert page.tools.buttons["cpu"].isVisible()
    assert not page.tools.buttons["quick"].isVisible()
    assert not page.tools.buttons["full"].isVisible()
    assert "matmul_naive" in page.left_out.text()
    assert "this is a test" in page.left_out.text()
    # Files that cannot be written are one line.
    (tmp_path / "old.txt").write_text("old", encoding="utf-8")
    for save, file in (
        (page.export, tmp_path / "missing" / "a.csv"),
        (page.save_picture, tmp_path / "missing" / "a.png"),
        (page.save_picture, tmp_path / "old.txt"),
    ):
        save(file)
        assert f"{file}: cannot be written" in page.lines.status.text()
    assert (tmp_path / "old.txt").read_text(encoding="utf-8") == "old"
    # With a GPU quick and full are offered.
    session.set_devices((replace(find_device("h200"), present=True),), "")
    assert [scale for scale, button in page.tools.buttons.items() if button.isVisible()] == ["quick", "full"]
    assert page.lines.status.text().startswith("Run quick: 3 points, about ")
    assert not page.left_out.isVisible()


@pytest.mark.usefixtures("quick_worker")
def test_a_run_is_drawn_over_theirs_judged_kept_and_saved(
    qtbot: QtBot, page: PublishedTables, session: Session, store: Path, small: Experiment, tmp_path: Path
) -> None:
    measure(qtbot, page)
    assert drawn(page)[1] == ("one core", False, [8.0, 16.0, 32.0])
    assert page.lines.status.text() == "Done: 3 points, every result verified."
    assert page.result.tabs.tabText(1) in ("Claims: 1 agrees", "Claims: 1 differs")
    assert "cpu, 3 points" in page.tools.runs.currentText()
    page.export(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        lines = [line["n"] for line in csv.DictReader(file)]
    assert list(dict.fromkeys(lines)) == ["8", "16", "32"]  # on a busy machine a point is measured again
    page.save_picture(tmp_path / "out.png")
    assert (tmp_path / "out.png").read_bytes()[:4] == b"\x89PNG"

    again = PublishedTables(session, store, (small,))
    qtbot.addWidget(again)
    assert drawn(again) == drawn(page)
    assert again.result.table.text() == page.result.table.text()
    # An experiment is no run of the benchmark page.
    measure(qtbot, page)
    other = BenchmarkPage(session, store)
    qtbot.addWidget(other)
    assert other.samples == ()


@pytest.mark.usefixtures("quick_worker")
def test_an_earlier_run_can_be_shown_again(qtbot: QtBot, page: PublishedTables) -> None:
    measure(qtbot, page)
    first = page.result.table.text()
    measure(qtbot, page)
    assert page.tools.runs.count() == 2
    assert page.result.table.text() != first
    page.tools.runs.setCurrentIndex(1)
    page.tools.run_chosen.emit()
    assert page.result.table.text() == first


@pytest.mark.usefixtures("waiting_worker")
def test_stop_keeps_what_is_measured(qtbot: QtBot, page: PublishedTables) -> None:
    with qtbot.waitSignal(page.run.sample_arrived, timeout=TIMEOUT_MS):
        page.tools.buttons["cpu"].click()
    assert page.tools.runs.currentText() == "running now"
    assert not page.tools.buttons["cpu"].isEnabled()
    with qtbot.waitSignal(page.run.run_finished, timeout=TIMEOUT_MS):
        page.tools.stop.click()
    assert page.lines.status.text().startswith("Stopped")
    assert "of 3 points" in page.tools.runs.currentText()
    assert page.tools.buttons["cpu"].isEnabled()


@pytest.mark.usefixtures("quick_worker")
def test_another_experiment_can_be_looked_at_while_one_is_measured(qtbot: QtBot, page: PublishedTables) -> None:
    with qtbot.waitSignal(page.run.point_started, timeout=TIMEOUT_MS):
        page.tools.buttons["cpu"].click()
    page.list.setCurrentRow(1)
    with qtbot.waitSignal(page.run.run_finished, timeout=TIMEOUT_MS):
        assert page.tools.runs.currentText() == "no run yet"
        assert page.tools.stop.isEnabled()
    assert drawn(page) == []
    assert page.lines.status.text() == "Small: Done: 3 points, every result verified."
    page.list.setCurrentRow(0)
    assert drawn(page)[1][2] == [8.0, 16.0, 32.0]


@pytest.mark.usefixtures("waiting_worker")
def test_two_pages_do_not_measure_at_once(qtbot: QtBot, page: PublishedTables, session: Session, store: Path) -> None:
    other = BenchmarkPage(session, store)
    qtbot.addWidget(other)
    with qtbot.waitSignal(page.run.point_started, timeout=TIMEOUT_MS):
        page.tools.buttons["cpu"].click()
    other.start()
    assert "The Learn page is measuring" in other.lines.status.text()
    page.close()
    assert session.measuring == ""


def test_a_point_without_a_result_is_named(
    qtbot: QtBot, session: Session, store: Path, small: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")  # hides a GPU that this machine has from the worker
    session.set_devices((replace(find_device("h200"), present=True),), "")  # what the worker will not find
    page = PublishedTables(session, store, (small,))
    qtbot.addWidget(page)
    page.show()
    with qtbot.waitSignal(page.run.run_finished, timeout=TIMEOUT_MS):
        page.tools.buttons["quick"].click()
    assert page.lines.failure.isVisible()
    assert page.lines.status.text().startswith("Done: 2 of 3")


def test_an_experiment_for_a_gpu_only_cannot_be_started_and_themes_repaint(page: PublishedTables) -> None:
    before = page.grab().toImage()
    page.set_theme(DARK)
    assert page.grab().toImage() != before
    # An experiment for a GPU only cannot be started without one.
    page.list.setCurrentRow(1)
    assert not page.tools.buttons["cpu"].isEnabled()
    assert "needs an NVIDIA GPU: this is a test" in page.lines.status.text()
    assert page.result.placeholder.isVisible()
    assert page.result.placeholder.text().endswith("This experiment needs an NVIDIA GPU: this is a test.")
    assert page.caption.text() == ""
    assert not page.result.tabs.isTabVisible(1)


def test_a_file_that_is_no_store_does_not_stop_the_page(
    qtbot: QtBot, session: Session, store: Path, small: Experiment
) -> None:
    store.write_text("this is not SQLite, and long enough to be sure of it " * 40, encoding="utf-8")
    page = PublishedTables(session, store, (small,))
    qtbot.addWidget(page)
    assert drawn(page)


def test_the_page_opens_on_a_table_with_numbers(qtbot: QtBot, session: Session, store: Path) -> None:
    session.set_devices((), "this is a test")
    page = PublishedTables(session, store)
    qtbot.addWidget(page)
    page.show()
    assert page.result.plot.lines
    assert page.result.tabs.isTabVisible(0)
    recorded = page.tools.recorded
    assert recorded is not None
    assert page.tools.runs.currentText() == recorded.words
    assert f"recorded, on {recorded.device}" in page.caption.text()
    assert "measured here" not in page.result.claims.text()


def test_a_first_table_without_numbers_is_left_for_one_that_has_some(
    qtbot: QtBot, session: Session, store: Path, small: Experiment, unpublished: Experiment
) -> None:
    for picked, shown in (("", small), (unpublished.id, unpublished)):
        page = PublishedTables(session, store, (unpublished, small))
        qtbot.addWidget(page)
        if picked:
            page.choose(picked)
        assert page.experiment == shown
        page.close()


@pytest.mark.usefixtures("quick_worker")
def test_a_run_of_the_user_comes_before_the_recorded_one(
    qtbot: QtBot,
    page: PublishedTables,
    session: Session,
    store: Path,
    small: Experiment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measure(qtbot, page)
    recorded = RecordedResult(RunHeader(), "a GPU", ())
    monkeypatch.setattr(view, "recorded_result", lambda _experiment: recorded)
    again = PublishedTables(session, store, (small,))
    qtbot.addWidget(again)
    assert [again.tools.runs.itemText(row) for row in range(again.tools.runs.count())][1] == recorded.words
    assert again.tools.run is not None
    again.tools.runs.setCurrentIndex(1)
    again.tools.run_chosen.emit()
    assert again.tools.recorded == recorded
    assert [published for _, published, _ in drawn(again)] == [True]
