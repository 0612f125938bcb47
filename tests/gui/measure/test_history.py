"""The Benchmark page opens with any file of samples, and many points cost little work."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from threading import Event, get_ident
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.measure.page import BenchmarkPage
from gui.measure.results.table import COLUMNS, SampleTable
from gui.measure.run import history
from gui.measure.run.history import History
from gui.measure.setup.size_fields import MOST_SIZES, RuleOf, rule_of
from gui.selection.session import Session
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
from gui.theming.theme import DARK
from gui.widgets.plot_curves import CurvesItem
from kernels.bench.plan import Plan
from kernels.bench.progress import Progress
from kernels.bench.protocol import Measured
from kernels.bench.sample import Sample
from kernels.bench.store.database import Store, StoreError, default_path
from kernels.workload import Size
from tests.gui.measure.samples import sample
from tests.gui.widgets.event_counter import Counter

CURVES, SIZES = 4, 5


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "samples.sqlite3"


def run_of(kernels: int, sizes: Sequence[int]) -> list[Sample]:
    return [sample(n, (1.0, 1.1, 1.2), f"kernel_{k}", checked="") for n in sizes for k in range(kernels)]


def fill(path: Path, samples: Sequence[Sample]) -> None:
    with Store(path) as store:
        run = store.begin_run(Plan(tuple(s.point for s in samples)))
        store._base.execute("BEGIN")
        for taken in samples:
            store.add(run, taken)
        store._base.execute("COMMIT")


def open_page(qtbot: QtBot, session: Session, path: Path) -> BenchmarkPage:
    session.set_devices((), "this is a test")
    page = BenchmarkPage(session, path)
    qtbot.addWidget(page)
    page.resize(1200, 700)
    page.show()
    qtbot.waitUntil(lambda: not page.run.history.loading)
    qtbot.waitUntil(lambda: not page._redraw.isActive())
    return page


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as base:
        for statement in statements:
            base.execute(statement)
        base.commit()


DAMAGE = [
    ("times_ms = '[1.0, NaN]'", "a time is zero, negative, not a number or infinite"),
    ("times_ms = '[Infinity]'", "a time is zero, negative, not a number or infinite"),
    ("times_ms = '[0]'", "a time is zero, negative, not a number or infinite"),
    ("times_ms = '{'", "“times_ms” is not JSON"),
    ("outcome = 'nice'", "its outcome is not known"),
    ("memory = 'paper'", "the memory of its arrays is not known"),
    ("block = '0'", "its block is not one to three whole numbers from 1 up"),
    ("m = -1", "“m” is not a whole number from 1 up"),
    ("flops = 'many'", "“flops” is not a whole number from 0 up"),
]


@pytest.mark.parametrize(("damage", "reason"), DAMAGE)
def test_a_damaged_row_is_left_out_and_the_page_says_so(
    qtbot: QtBot, session: Session, path: Path, damage: str, reason: str
) -> None:
    fill(path, run_of(CURVES, range(1, SIZES + 1)))
    change(path, f"UPDATE sample SET {damage} WHERE rowid IN (2, 3)")
    page = open_page(qtbot, session, path)
    count = CURVES * SIZES
    assert page.results.table.model.rowCount() == count - 2
    assert sum(len(line.x) for line in page.results.gflops.plot.lines) == count - 2
    assert page.history_line.isVisible()
    assert page.history_line.text() == (
        f"⚠ 2 of {count} points of the last run are not shown: {reason}. The file: {path}"
    )
    assert page.history_line.toolTip().splitlines()[0] == f"sample, row 2: {reason}"
    assert not page.grab().isNull()


def test_a_sound_history_has_no_such_line(qtbot: QtBot, session: Session, path: Path) -> None:
    fill(path, run_of(CURVES, range(1, SIZES + 1)))
    page = open_page(qtbot, session, path)
    assert not page.history_line.isVisible()
    assert page.lines.status.text().startswith(f"The last run: {CURVES * SIZES} points.")


def test_unknown_kernels_and_devices_are_shown_by_their_names(qtbot: QtBot, session: Session, path: Path) -> None:
    fill(path, [sample(8, kernel="/gone/away/mine.cu", environment="no such machine")])
    page = open_page(qtbot, session, path)
    assert [line.name for line in page.results.gflops.plot.lines] == ["mine, 8×8"]


def folder(path: Path) -> None:
    path.mkdir()


def text(path: Path) -> None:
    path.write_text("this is not SQLite, and long enough to be sure of it " * 40, encoding="utf-8")


def newer(path: Path) -> None:
    fill(path, run_of(1, [1]))
    change(path, "PRAGMA user_version = 99")


def truncated(path: Path) -> None:
    fill(path, run_of(4, range(1, 200)))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 4096 // 2 * 4096)


def without_a_column(path: Path) -> None:
    fill(path, run_of(1, [1]))
    change(path, "ALTER TABLE run DROP COLUMN purpose")


@pytest.mark.usefixtures("quick_worker")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (folder, "samples cannot be stored there"),
        pytest.param(text, "the file does not hold samples", marks=pytest.mark.exhaustive),
        pytest.param(newer, "the file was written by a newer tilescope", marks=pytest.mark.exhaustive),
        (truncated, "the file is damaged"),
        pytest.param(without_a_column, "samples cannot be stored there", marks=pytest.mark.exhaustive),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_measuring_works(
    qtbot: QtBot, session: Session, path: Path, make: Callable[[Path], None], words: str
) -> None:
    make(path)
    page = open_page(qtbot, session, path)
    assert page.history_line.isVisible()
    assert words in page.history_line.text()
    assert str(path) in page.history_line.text()
    page.setup.sizes.first.setText("8")
    page.setup.sizes.last.setText("8")
    page.setup.threads.setText("1")
    for item, kernel in page.setup.tree.items():
        item.setCheckState(0, Qt.CheckState.Checked if kernel.id == "cpu_blas" else Qt.CheckState.Unchecked)
    with qtbot.waitSignal(page.run.run_finished, timeout=120_000):
        page.start()
    assert page.lines.status.text().startswith("Done")
    assert {taken.point for taken in page.samples} == set(page.setup.plan().points)
    if make is not truncated:  # its table of runs is whole
        assert "These points are not saved" in page.lines.failure.text()
        assert page.lines.failure.isVisible()


def test_a_locked_file_is_shown_when_it_is_free(qtbot: QtBot, session: Session, path: Path) -> None:
    fill(path, run_of(CURVES, range(1, SIZES + 1)))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        session.set_devices((), "this is a test")
        page = BenchmarkPage(session, path)
        qtbot.addWidget(page)
        page.show()
        qtbot.waitUntil(page.history_line.isVisible)
        assert "Another program has locked the file" in page.history_line.text()
        other.execute("COMMIT")
        qtbot.waitUntil(lambda: not page.run.history.loading)
    assert page.results.table.model.rowCount() == CURVES * SIZES
    assert not page.history_line.isVisible()


def numbers(path: Path, run: int) -> list[int]:
    with Store(path) as store:
        return [row.sample.point.size.n for row in store.rows(run)]


def test_samples_are_written_together_or_wait_while_the_file_is_locked(qtbot: QtBot, path: Path) -> None:
    history = History()
    history.open(path)
    run = history.begin(Plan((sample(8).point,)), "")
    with Counter(Store, "transaction") as transactions:
        for n in (8, 16, 24):
            history.save(run, sample(n))
        qtbot.waitUntil(lambda: not history.saving)
        assert transactions.calls == 1
    assert numbers(path, run) == [8, 16, 24]
    history.close()
    # Samples wait while the file is locked.
    history.open(path)
    run = history.begin(Plan((sample(8).point,)), "")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for n in (8, 16):
            history.save(run, sample(n))
            qtbot.waitUntil(history._retry.isActive)
        other.execute("COMMIT")
    history.save(run, sample(24))
    qtbot.waitUntil(lambda: not history.saving)
    assert numbers(path, run) == [8, 16, 24]
    history.close()


def test_the_window_does_not_wait_for_the_disk(qtbot: QtBot, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = History()
    history.open(path)
    run = history.begin(Plan((sample(8).point,)), "")
    add, threads, free = Store.add, set[int](), Event()

    def slow(store: Store, number: int, taken: Sample) -> None:
        threads.add(get_ident())
        free.wait()
        add(store, number, taken)

    monkeypatch.setattr(Store, "add", slow)
    for n in (8, 16):
        history.save(run, sample(n))
        qtbot.waitUntil(lambda: bool(threads))
    free.set()
    qtbot.waitUntil(lambda: not history.saving)
    assert numbers(path, run) == [8, 16]
    assert get_ident() not in threads
    history.close()


def test_a_sample_that_cannot_be_written_is_reported_and_the_others_are_written(
    qtbot: QtBot, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History()
    history.open(path)
    run = history.begin(Plan((sample(8).point,)), "")
    add = Store.add

    def add_small(store: Store, number: int, taken: Sample) -> None:
        if taken.point.size.n == 16:
            raise StoreError(path, "unusable", "disk full")
        add(store, number, taken)

    monkeypatch.setattr(Store, "add", add_small)
    with qtbot.waitSignal(history.save_failed) as failed:
        for n in (8, 16, 24):
            history.save(run, sample(n))
    assert "disk full" in failed.args[0]
    assert not history.saving
    assert numbers(path, run) == [8, 24]
    history.close()


def test_pending_samples_are_written_when_the_page_closes(qtbot: QtBot, path: Path) -> None:
    history = History()
    history.open(path)
    run = history.begin(Plan((sample(8).point,)), "")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        history.save(run, sample(8))
        other.execute("COMMIT")
    history.close()
    with Store(path) as store:
        assert len(store.rows(run)) == 1


@pytest.mark.parametrize(
    "sizes", [range(1, 302), range(16, 16 * 300, 16), [n * n for n in range(1, 250)], [40_960, 81_920]]
)
def test_a_run_of_more_or_larger_sizes_than_the_fields_take_is_shown(
    qtbot: QtBot, session: Session, path: Path, sizes: Sequence[int]
) -> None:
    fill(path, run_of(1, sizes))
    page = open_page(qtbot, session, path)
    assert page.results.table.model.rowCount() == len(sizes)
    page.start()
    assert not page.run.running
    assert page.lines.status.text().startswith("⚠")


@pytest.mark.parametrize(
    ("numbers", "rule"),
    [
        (range(1, 1001), RuleOf("steps", 1, 1000, 1)),
        ([2**n for n in range(40)], RuleOf("doubling", 1, 2**39)),
        ([63, 127, 255], RuleOf("odd", 64, 256)),
        ([1, 2, 10**15], None),
        ([], None),
    ],
)
def test_the_rule_of_any_sizes(numbers: Sequence[int], rule: RuleOf | None) -> None:
    assert rule_of([Size(n, n, n) for n in numbers]) == rule
    assert len(numbers) <= MOST_SIZES or rule is not None


def test_a_time_that_is_not_finite_has_a_row_and_no_point(qtbot: QtBot, session: Session, path: Path) -> None:
    page = open_page(qtbot, session, path)
    for n, time in ((8, float("nan")), (16, float("inf")), (24, 0.0), (32, 1.0)):
        page.run._run.sample_arrived.emit(sample(n, (time,)))
    qtbot.waitUntil(lambda: page.results.table.model.rowCount() == 4)
    page.results.gflops.log_x.setChecked(False)
    assert page.results.gflops.plot.curves.points.x.tolist() == [32.0]
    assert "nan" in page.results.table.model.text()
    assert not page.grab().isNull()


def test_the_window_has_the_page_with_a_damaged_history(qtbot: QtBot) -> None:
    fill(default_path(), run_of(1, range(1, 300)))
    change(default_path(), "UPDATE sample SET times_ms = '[NaN]' WHERE rowid = 1")
    window = MainWindow(Settings())
    qtbot.addWidget(window)
    window.show_page(1)
    page = window.page(1)
    assert isinstance(page, BenchmarkPage)
    qtbot.waitUntil(lambda: page.results.table.model.rowCount() == 298)


# How much work points cost


def test_samples_that_come_together_are_shown_together(qtbot: QtBot, session: Session, path: Path) -> None:
    fill(path, run_of(CURVES, range(1, 100)))
    page = open_page(qtbot, session, path)
    QApplication.processEvents()
    inserted: list[tuple[int, int]] = []
    page.results.table.model.rowsInserted.connect(lambda _parent, first, last: inserted.append((first, last)))
    rows = page.results.table.model.rowCount()
    with Counter(CurvesItem, "show_curves") as drawn, Counter(CurvesItem, "paint") as painted:
        for n in range(100, 150):
            page.run._run.sample_arrived.emit(sample(n, kernel="kernel_1"))
        assert (drawn.calls, painted.calls, inserted) == (0, 0, [])
        qtbot.waitUntil(lambda: page.results.table.model.rowCount() == rows + 50 and not page._redraw.isActive())
        QApplication.processEvents()
    # As many as take one turn of the event loop; the plot is drawn after the last.
    assert inserted == [(rows, rows + 31), (rows + 32, rows + 49)]
    assert drawn.calls == 1
    assert painted.calls <= 2  # once more where an axis becomes wider


def test_a_new_sample_asks_for_few_cells_and_makes_its_texts_once(qtbot: QtBot, session: Session, path: Path) -> None:
    fill(path, run_of(10, range(1, 120)))
    page = open_page(qtbot, session, path)
    page.results.show_tab("Table")
    QApplication.processEvents()
    with Counter(SampleTable, "data") as asked:
        page.run._run.sample_arrived.emit(sample(500, kernel="kernel_1"))
        qtbot.waitUntil(lambda: page.results.table.model.rowCount() == 1191)
        QApplication.processEvents()
    visible = page.results.table.view.viewport().height() // page.results.table.view.rowHeight(0) + 2
    assert asked.calls <= 4 * visible * page.results.table.model.columnCount() * 8  # Qt asks for eight roles of a cell
    # Texts of a row are made once.
    fill(path, run_of(4, range(1, 50)))
    page = open_page(qtbot, session, path)
    page.results.show_tab("Table")
    with Counter(SampleTable, "_record") as made:
        page.set_theme(DARK)
        page.results.table.model.text()
        for _ in range(3):
            page.grab()
    assert made.calls == 0


def test_a_long_history_is_read_in_pieces(qtbot: QtBot, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "_CHUNK_ROWS", 10)
    samples = run_of(4, range(1, 26))
    fill(path, samples)
    reader = History()
    pieces: list[tuple[Any, ...]] = []
    # Time passes with every look at the clock: a turn ends after its first piece.
    monkeypatch.setattr(history, "monotonic", iter(range(10**6)).__next__)
    monkeypatch.setattr(history, "_TURN_S", 1.5)
    reader.rows_read.connect(pieces.append)
    with qtbot.waitSignal(reader.loading_finished):
        reader.load(path)
    assert max(map(len, pieces)) <= 10
    assert [row.sample for piece in pieces for row in piece] == samples
    reader.close()


def test_progress_counts_open_points_without_looking_at_all_of_them() -> None:
    plan = Plan(tuple(s.point for s in run_of(2, range(1, 6))))
    progress = Progress(plan)
    for number, taken in enumerate(run_of(2, range(1, 6))):
        assert progress.open_points == 10 - number == len(progress.remaining_plan.points)
        assert not progress.finished
        progress.receive(Measured(taken))
    assert progress.finished


def test_columns_have_room_for_the_widest_text_of_any_row(qtbot: QtBot, session: Session, path: Path) -> None:
    names = [sample(8, kernel="k" * 30), *run_of(3, range(1, 80))]
    fill(path, names)
    page = open_page(qtbot, session, path)
    page.resize(2400, 800)  # where not all columns fit, titles are elided
    page.results.show_tab("Table")
    view, model = page.results.table.view, page.results.table.model
    column = COLUMNS.index("kernel")
    assert view.columnWidth(column) >= view.sizeHintForIndex(model.index(0, column)).width()
    assert model.rowCount(QModelIndex()) == len(names)


def test_a_tab_that_is_not_in_front_is_drawn_when_it_comes_there(qtbot: QtBot, session: Session, path: Path) -> None:
    fill(path, run_of(CURVES, range(1, SIZES + 1)))
    page = open_page(qtbot, session, path)
    hidden = page.results.chart_tab("Time").plot.curves
    with Counter(CurvesItem, "show_curves") as drawn:
        page.run._run.sample_arrived.emit(sample(50, kernel="kernel_1"))
        qtbot.waitUntil(lambda: page.results.table.model.rowCount() == CURVES * SIZES + 1)
    assert drawn.calls == 1
    assert len(hidden.points.x) == 0
    page.results.show_tab("Time")
    assert len(hidden.points.x) == CURVES * SIZES + 1
