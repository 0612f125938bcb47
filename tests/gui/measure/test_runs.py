"""The runs of the Benchmark page: recorded and own ones are listed, overlaid, renamed, deleted and restored."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.measure.page import BenchmarkPage
from gui.measure.results.series import THIS
from gui.measure.run.entries import RunEntry, run_details
from gui.measure.run.library import RunLibrary
from gui.measure.run.overlay import first_entries
from gui.measure.run.panel import RunsPanel
from gui.selection.session import Session
from kernels.bench.kernel_texts import source_hash
from kernels.bench.measure.environment import Environment
from kernels.bench.plan import Plan, entries
from kernels.bench.sample import Point, Sample
from kernels.bench.store.database import Row
from kernels.bench.store.run_file import run_lines, write_lines
from kernels.bench.store.run_header import RunHeader
from kernels.bench.store.run_history import RunHistory
from kernels.catalog import catalog, find_kernel, read_kernel
from kernels.start_tiles import story
from kernels.workload import Size
from tests.gui.widgets.event_counter import Counter
from tests.kernels.bench.samples import FULL, HERE

GPU = Environment.from_json({"gpu": "NVIDIA H200", "cuda_driver": "12.8", "cpu": "Xeon", "cores": "16"})


def rows_of(names: Iterable[str], *, taken: str, scale: float = 1.0, gpu: Environment = GPU) -> list[Row]:
    """Return rows of two sizes for the first block of each kernel, the later ones slower."""
    found = []
    for place, name in enumerate(names, 1):
        entry = entries(find_kernel(name))[0]
        for n in (256, 512):
            times = tuple(scale * place * (1 + k / 1000) for k in range(8))
            point = Point(entry, Size(n, n, n))
            stamp = f"{taken}:{place:02d}.{n}+00:00"
            found.append(Row(0, Sample(point, "measured", times, 1, 2 * n**3, taken=stamp, environment=gpu.id), gpu))
    return found


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one recorded run; the page uses it instead of the shipped ones."""
    folder = tmp_path / "runs"
    folder.mkdir()
    names = [kernel.id for kernel in catalog() if kernel.measurable]
    header = RunHeader("abc", started="2026-11-20T10:15:00+00:00")
    rows = rows_of(names, taken="2026-11-20T10:15")
    write_lines(folder / "nvidia_h200.jsonl.gz", run_lines(header, rows))
    monkeypatch.setitem(RunsPanel.__init__.__kwdefaults__ or {}, "recorded", folder)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "samples.sqlite3"
    with RunHistory(path) as history:
        for day, name, scale in (("18", "before the edit", 2.0), ("19", "", 1.0)):
            header = replace(RunHeader.of(Plan(()), name), started=f"2026-11-{day}T09:00:00+00:00")
            rows = rows_of(("matmul_naive", "matmul_tiled"), taken=f"2026-11-{day}T09:00", scale=scale)
            history.import_run(header, rows)
    return path


def opened(qtbot: QtBot, session: Session, store: Path) -> BenchmarkPage:
    session.set_devices((), "this is a test")
    page = BenchmarkPage(session, store)
    qtbot.addWidget(page)
    page.show()
    settle(qtbot, page)
    return page


def settle(qtbot: QtBot, page: BenchmarkPage) -> None:
    qtbot.waitUntil(lambda: not page.run.history.loading and not page.runs.busy and not page._redraw.isActive())


def titles(page: BenchmarkPage) -> list[str]:
    return [entry.title.rpartition(" ")[0] for entry in page.runs.model.entries]


def tick(qtbot: QtBot, page: BenchmarkPage, row: int, ticked: bool = True) -> None:
    model, state = page.runs.model, Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
    model.setData(model.index(row), state, Qt.ItemDataRole.CheckStateRole)
    settle(qtbot, page)


def choose(page: BenchmarkPage, name: str) -> None:
    """Tick one kernel only, at a small size."""
    page.setup.sizes.first.setText("8")
    page.setup.sizes.last.setText("8")
    for item, kernel in page.setup.tree.items():
        item.setCheckState(0, Qt.CheckState.Checked if kernel.id == name else Qt.CheckState.Unchecked)


def shown(page: BenchmarkPage) -> set[str]:
    return {series.origin.name for series in page.results.series.series()}


def legend(page: BenchmarkPage) -> set[str]:
    """Names that are ticked in the legend of the first plot."""
    plot = page.results.gflops.plot
    return {line.title for line in plot.visible_lines}


def test_at_first_start_the_recorded_run_is_shown_and_says_whose_it_is(
    qtbot: QtBot, session: Session, tmp_path: Path, recorded: Path
) -> None:
    page = opened(qtbot, session, tmp_path / "new.sqlite3")
    assert shown(page) == {"H200, recorded"}
    assert page.machine.whole.startswith("Recorded with tilescope on NVIDIA H200")
    assert "NVIDIA H200" in page.lines.status.text()
    assert all("(H200, recorded)" in line.name for line in page.results.gflops.plot.lines)
    drawn = page.results.gflops.plot.visible_lines
    assert len(drawn) == len(story()) < len(page.results.gflops.plot.lines)
    assert not page.runs.delete_button.isEnabled()
    page.runs.delete()
    assert len(page.runs.model.entries) == 1


def test_runs_are_overlaid_and_taken_away(qtbot: QtBot, session: Session, store: Path, recorded: Path) -> None:
    page = opened(qtbot, session, store)
    assert titles(page) == ["H200, 19 Nov", "before the", "H200, recorded with"]
    assert shown(page) == {THIS.name}
    tick(qtbot, page, 1)
    tick(qtbot, page, 2)
    assert shown(page) == {THIS.name, "before the edit", "H200, recorded"}
    drawn = [series for series in page.results.series.series() if series.label in legend(page)]
    assert {series.entry.kernel for series in drawn} == {"matmul_naive", "matmul_tiled"}  # the same on both GPUs
    tick(qtbot, page, 0, ticked=False)
    assert shown(page) == {"before the edit", "H200, recorded"}
    tick(qtbot, page, 0)
    tick(qtbot, page, 2, ticked=False)
    assert shown(page) == {THIS.name, "before the edit"}
    series = page.results.series.series()
    before, now = (
        {s.entry.kernel: s for s in series if s.origin.name == name} for name in ("before the edit", THIS.name)
    )
    assert before.keys() == now.keys()
    assert all((before[k].time_ms.middle > now[k].time_ms.middle).all() for k in now)


def test_other_compilers_are_named_before_the_machine(
    qtbot: QtBot, session: Session, tmp_path: Path, store: Path, recorded: Path
) -> None:
    """Rates of one source depend on NVRTC: runs of two versions do not lie side by side without a word."""
    for day, nvrtc in (("20", "13.0"), ("21", "13.5")):
        with RunHistory(store) as history:
            gpu = replace(GPU, nvrtc=nvrtc)
            header = replace(RunHeader.of(Plan(()), nvrtc), started=f"2026-11-{day}T09:00:00+00:00")
            history.import_run(header, rows_of(["matmul_naive"], taken=f"2026-11-{day}T09:00", gpu=gpu))
    page = opened(qtbot, session, store)
    assert page.machine.whole.startswith("NVIDIA H200")
    tick(qtbot, page, 1)
    assert page.machine.whole.startswith("Compilers differ: NVRTC 13.0 and 13.5 · NVIDIA H200")
    tick(qtbot, page, 1, ticked=False)
    assert page.machine.whole.startswith("NVIDIA H200")


def test_a_run_is_ticked_by_mouse_and_by_keyboard(qtbot: QtBot, session: Session, store: Path, recorded: Path) -> None:
    page = opened(qtbot, session, store)
    page.left.setCurrentWidget(page.runs)
    view = page.runs.list
    rect = view.visualRect(page.runs.model.index(1))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(rect.left() + 12, rect.center().y()))
    settle(qtbot, page)
    assert shown(page) == {THIS.name, "before the edit"}
    QTest.keyClick(view, Qt.Key.Key_Space)
    settle(qtbot, page)
    assert shown(page) == {THIS.name}
    QTest.keyClick(view, Qt.Key.Key_Delete)
    settle(qtbot, page)
    assert len(page.runs.model.entries) == 2
    QTest.keyClick(view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, page)
    assert len(page.runs.model.entries) == 3


def test_a_deleted_run_is_restored_after_the_page_was_left(
    qtbot: QtBot, session: Session, store: Path, recorded: Path
) -> None:
    page = opened(qtbot, session, store)
    tick(qtbot, page, 1)
    page.runs.list.setCurrentIndex(page.runs.model.index(1))
    page.runs.delete_button.click()
    settle(qtbot, page)
    assert titles(page) == ["H200, 19 Nov", "H200, recorded with"]
    assert shown(page) == {THIS.name}
    assert "“Undo delete” restores it" in page.lines.status.text()
    page.close()
    again = opened(qtbot, session, store)
    assert len(titles(again)) == 2
    assert "before the edit" in again.runs.undo_button.toolTip()
    again.runs.undo_button.click()
    settle(qtbot, again)
    assert titles(again) == ["H200, 19 Nov", "before the", "H200, recorded with"]
    assert not again.runs.undo_button.isEnabled()
    tick(qtbot, again, 1)
    assert len(again.results.series.series()) == 4


@pytest.mark.usefixtures("quick_worker")
def test_start_keeps_the_run_before_in_sight_and_no_more(
    qtbot: QtBot, session: Session, store: Path, recorded: Path
) -> None:
    page = opened(qtbot, session, store)
    before = next(iter(page.results.series.series())).time_ms.middle.tolist()
    for number in range(2):
        choose(page, "cpu_blas")
        page.start()
        settle(qtbot, page)
        former = [series for series in page.results.series.series() if series.origin != THIS]
        assert len({series.origin for series in former}) == 1
        if not number:
            assert former[0].time_ms.middle.tolist() == before
            page.stop()  # before its first point
            qtbot.waitUntil(lambda: not page.run.running)
            settle(qtbot, page)
            assert shown(page) == {"H200, 19 Nov 09:00"} or THIS.name in shown(page)
        else:
            qtbot.waitUntil(lambda: not page.run.running, timeout=60_000)
    settle(qtbot, page)
    ticked = [entry.number for entry in page.runs.model.ticked_entries]
    assert page.run.number in ticked
    assert len(ticked) == 2


def test_renamed_and_hidden_runs_stay_so_in_the_plots(
    qtbot: QtBot, session: Session, store: Path, recorded: Path
) -> None:
    page = opened(qtbot, session, store)
    tick(qtbot, page, 0, ticked=False)
    page.runs.library.rename(page.runs.model.entries[0], "this one")
    settle(qtbot, page)
    assert (shown(page), page.runs.model.ticked_entries) == (set(), ())
    tick(qtbot, page, 0)
    assert shown(page) == {THIS.name}
    # A renamed run is renamed in the plots.
    tick(qtbot, page, 1)
    page.runs.library.rename(page.runs.model.entries[1], "without padding")
    settle(qtbot, page)
    assert shown(page) == {THIS.name, "without padding"}
    assert [entry.header.name for entry in page.runs.model.ticked_entries] == ["this one", "without padding"]


@pytest.mark.usefixtures("quick_worker")
def test_a_run_that_this_page_continued_is_not_read_anew(
    qtbot: QtBot, session: Session, store: Path, recorded: Path
) -> None:
    page = opened(qtbot, session, store)
    page.run._run.sample_arrived.emit(rows_of(("cublas_sgemm",), taken="2026-11-19T09:01")[0].sample)
    choose(page, "cpu_blas")
    with Counter(RunLibrary, "_read") as read:
        page.start()
        settle(qtbot, page)
        qtbot.waitUntil(lambda: not page.run.running, timeout=60_000)
        settle(qtbot, page)
    assert not read.calls
    former = {series.entry.kernel for series in page.results.series.series() if series.origin != THIS}
    assert "cublas_sgemm" in former


def test_a_run_that_grows_by_an_import_is_shown_anew(
    qtbot: QtBot, session: Session, store: Path, recorded: Path
) -> None:
    page = opened(qtbot, session, store)
    tick(qtbot, page, 1)
    with RunHistory(store) as history:
        header = next(run.header for run in history.stored_runs() if run.header.name)
        history.import_run(header, rows_of(("cublas_sgemm",), taken="2026-11-18T09:01"))
    page.runs.library.list_runs()
    settle(qtbot, page)
    kernels = {s.entry.kernel for s in page.results.series.series() if s.origin.name == "before the edit"}
    assert kernels == {"matmul_naive", "matmul_tiled", "cublas_sgemm"}


def test_a_run_is_exported_and_imported_once(qtbot: QtBot, tmp_path: Path, store: Path, recorded: Path) -> None:
    said: list[str] = []
    lists = list[Sequence[RunEntry]]()
    file = tmp_path / "run.jsonl.gz"
    for path in (store, tmp_path / "other.sqlite3"):
        library = RunLibrary(recorded=recorded)
        library.said.connect(lambda words, _wrong: said.append(words))
        library.runs_listed.connect(lists.append)
        library.open(path, {})
        qtbot.waitUntil(lambda: not library.busy)  # noqa: B023 - it is called at once
        if path == store:
            library.export(next(e for e in lists[-1] if e.header.name), file)
        else:
            library.import_files([file])
            library.import_files([file])
        qtbot.waitUntil(lambda: not library.busy)  # noqa: B023
        library.close()
    assert said == [
        f"Written to {file}",
        "4 samples imported.",
        "Nothing new; 4 samples had been imported or measured here before.",
    ]
    with RunHistory(tmp_path / "other.sqlite3") as history, RunHistory(store) as original:
        (run,) = history.stored_runs()
        assert run.header.name == "before the edit"
        assert [row.sample for row in history.rows()] == [row.sample for row in original.rows(1)]


def test_a_damaged_sample_is_left_out_of_an_overlay_and_the_page_says_so(
    qtbot: QtBot, session: Session, store: Path, recorded: Path
) -> None:
    with closing(sqlite3.connect(store)) as base:
        base.execute("UPDATE sample SET outcome = 'nice' WHERE rowid = 1")
        base.commit()
    page = opened(qtbot, session, store)
    tick(qtbot, page, 1)
    assert page.lines.status.text() == "⚠ before the edit: 1 of 4 points cannot be shown: its outcome is not known."
    assert shown(page) == {THIS.name, "before the edit"}


def test_a_run_of_several_machines_has_a_curve_of_each(
    qtbot: QtBot, session: Session, store: Path, recorded: Path
) -> None:
    other = replace(GPU, gpu="NVIDIA A100", host="gpubox")
    rows = rows_of(("matmul_naive",), taken="2026-11-17T09:00")
    rows += rows_of(("matmul_naive",), taken="2026-11-17T09:01", gpu=other)
    header = replace(RunHeader.of(Plan(())), started="2026-11-17T09:00:00+00:00")
    with RunHistory(store) as history:
        history.import_run(header, rows)
    page = opened(qtbot, session, store)
    assert "on gpubox" in page.runs.model.entries[2].facts
    tick(qtbot, page, 2)
    found = shown(page) - {THIS.name}
    assert sorted(name.rpartition(": ")[2] for name in found) == ["A100 on gpubox", "H200"]
    assert all(len(series.rows) == 2 for series in page.results.series.series() if series.origin.name in found)
    assert {run.origin.name for run in page.runs.overlay.shown()} == {THIS.name, *found}
    tick(qtbot, page, 2, ticked=False)
    assert shown(page) == {THIS.name}


def test_details_are_those_of_the_run_in_focus(qtbot: QtBot, session: Session, store: Path, recorded: Path) -> None:
    page = opened(qtbot, session, store)
    page.left.setCurrentWidget(page.runs)
    words = page.runs.details.text()
    assert "verified" in words
    page.left.setCurrentWidget(page.setup)
    page.runs.list.setCurrentIndex(page.runs.model.index(1))
    page.left.setCurrentWidget(page.runs)
    assert page.runs.details.text() != words
    assert page.runs.details.text() == "\n".join(run_details(page.runs.model.entries[1]))
    # Details have machine versions options and clocks.
    (entry, *_) = page.runs.model.entries
    text = "\n".join(run_details(entry, [Row(1, FULL, HERE)]))
    assert "NVIDIA H200" in text
    assert "driver CUDA 12.8" in text
    assert "SM clock 1,500 MHz" in text
    assert "1 point throttled" in text
    assert "1 of 1 point verified" in text
    assert "at most 1 s of timing" in text
    # Runs are found by name date device and kernel.
    for text, found in [
        ("", 3),
        ("h200", 3),
        ("before", 1),
        ("19 nov", 1),
        ("matmul_naive before", 1),
        ("element", 2),
        ("H100", 0),
    ]:
        page.runs.search.setText(text)
        assert page.runs.model.rowCount() == found
        assert page.runs.empty.isHidden() == bool(found)


def test_a_run_knows_the_source_that_was_measured_and_whether_it_was_edited_since(
    qtbot: QtBot, session: Session, tmp_path: Path, own_kernel: Path, recorded: Path
) -> None:
    point = Point(entries(read_kernel(own_kernel))[0], Size(8, 8, 8))
    path = tmp_path / "samples.sqlite3"
    with RunHistory(path) as history:
        history.add(history.begin_run(Plan((point,))), Sample(point, "measured", (1.0,), 1, 1024))
    page = opened(qtbot, session, path)
    (entry, *_) = page.runs.model.entries
    text = "\n".join(run_details(entry))
    assert f"(source {source_hash(str(own_kernel))[:8]})" in text
    own_kernel.write_text(own_kernel.read_text(encoding="utf-8") + "// edited", encoding="utf-8")
    page.runs.library.list_runs()
    settle(qtbot, page)
    assert "\n".join(run_details(page.runs.model.entries[0])) == f"{text[:-1]}, edited since)"


def chosen_for(name: str) -> list[str]:
    """Kernels of the first curves for a selected kernel; of a run in which a later kernel is slower."""
    names = [kernel.id for kernel in catalog() if kernel.measurable and kernel.runs_on != "cpu"]
    rows = rows_of(names, taken="2026-11-20T10:15")
    return [entry.kernel for entry in first_entries(rows, story(), find_kernel(name))]


def test_the_first_curves_are_those_of_the_kernel_and_of_its_problem() -> None:
    assert chosen_for("matmul_async") == ["matmul_async", *story()]
    inside = story()[1]
    assert chosen_for(inside) == [inside, *(name for name in story() if name != inside)]
    assert chosen_for("hello_grid") == list(story())  # which has no rate
    assert first_entries([], story()) == ()
    # A kernel for another problem is compared with the extremes and the library.
    alike = [k for k in catalog() if k.measurable and k.workload.id == "softmax"]
    ours, library = ([k.id for k in alike if k.runs_on == kind] for kind in ("cuda", "library"))
    assert len(ours) > 2
    assert chosen_for(ours[1]) == [ours[1], ours[-1], ours[0], *library]
    # The fastest block of a kernel is drawn.
    rows = []
    for place, entry in enumerate(entries(find_kernel("matmul_tiled"))):
        times = (1.0 / (1 + place),) * 8
        rows.append(Row(0, Sample(Point(entry, Size(256, 256, 256)), "measured", times, 1, 2 * 256**3), GPU))
    assert first_entries(rows, ("matmul_tiled",)) == (rows[-1].sample.point.entry,)


def test_the_curves_follow_the_selection_until_the_user_ticks_one(
    qtbot: QtBot, session: Session, tmp_path: Path, recorded: Path
) -> None:
    page = opened(qtbot, session, tmp_path / "new.sqlite3")

    def drawn() -> set[str]:
        lines = {line.name for line in page.results.gflops.plot.visible_lines}
        return {series.entry.kernel for series in page.results.series.series() if series.name in lines}

    def select(name: str) -> None:
        session.select(kernel=find_kernel(name))
        settle(qtbot, page)

    select("matmul_async")
    assert drawn() == {"matmul_async", *story()}
    select("matmul_warp_tiled")
    assert drawn() == {"matmul_warp_tiled", *story()}
    legend_rows = page.results.gflops.plot.legend.rows
    legend_rows.setData(legend_rows.index(0), Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    before = drawn()
    select("matmul_async")
    assert drawn() == before == set(story())


def test_a_hidden_page_follows_when_it_is_shown(qtbot: QtBot, session: Session, tmp_path: Path, recorded: Path) -> None:
    page = opened(qtbot, session, tmp_path / "new.sqlite3")
    page.hide()
    with Counter(type(page), "overlay") as handed_over:
        session.select(kernel=find_kernel("matmul_async"))
        settle(qtbot, page)
    assert not handed_over.calls
    page.show()
    settle(qtbot, page)
    (origin,) = {series.origin for series in page.results.series.series()}
    assert "matmul_async" in {entry.kernel for entry in origin.first or ()}
