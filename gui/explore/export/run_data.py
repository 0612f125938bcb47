"""Everything that the page shows of a run, as data: pictures, listing, captions, counts, marks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainter

from gui.explore.code.gutter import COLUMNS, count_text
from gui.explore.code.hazard_list import hazard_words
from gui.explore.code.highlighter import token_colours
from gui.explore.code.line_map import without_footer
from gui.explore.export.elements import ElementTable, Json, Pictures
from gui.explore.export.film import line_height
from gui.explore.memory.paint_memory import paint_card
from gui.explore.memory.row import SEPARATOR, WORDS, build_memory_row, cards_of
from gui.explore.packing.constants import CARD_LINES
from gui.explore.packing.text_size import fitting_line
from gui.explore.packing.warp_layout import arrange_cards
from gui.explore.stage.build import build_scene
from gui.explore.stage.paint import paint_scene
from gui.explore.stage.paint_cells import Tools
from gui.explore.stage.svg import font_family, record
from gui.explore.stage.text_painter import TextPainter
from gui.explore.timeline.marks import STRIDES
from gui.explore.timeline.timeline import FRAME_MS, SPEEDS
from gui.theming.theme import DARK, LIGHT
from gui.widgets.keys import PRESENTING, TIME
from kernels.analysis.order.races import hazard_shown_at
from kernels.analysis.syntax.source import listing
from kernels.cancellation import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gui.explore.memory.row import GutterCount, MemoryRow
    from gui.explore.stage.scene import Options, Scene
    from gui.explore.stage.stage import Stage
    from gui.explore.stage.svg import Drawing
    from gui.explore.timeline.marks import Marks
    from gui.theming.theme import Theme
    from kernels.analysis import Frame
    from kernels.frontend.listing import Listing

STAGE: Final = (880, 496)
"""Width and height of the picture, in about the pixels that a browser on a laptop has for it."""

_MOST_LINES: Final = 24
_ROW_LINES: Final = 31
"""Lines of text in the height of the picture: the text is larger where no cell becomes smaller by that. In the memory
row, whose cards need their width, it is not."""

_GLOBAL: Final = ("left", "top", "result")
"""Places of the arrays in global memory."""

_KEYS: Final = (
    "play",
    "back",
    "forward",
    "phase_back",
    "phase_forward",
    "barrier_back",
    "barrier_forward",
    "first",
    "last",
    "remote_back",
    "remote_forward",
    "tenths",
    "stride",
    "faster",
    "slower",
    "line",
    "keys",
)
"""Keys of the window that act in the page."""

Data = dict[str, object]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run to be played in a page."""

    title: str
    stage: Stage
    frames: Sequence[Frame]
    marks: Marks
    options: Options
    flaw: str = ""
    """What is wrong on purpose, if the kernel is a lesson."""


def run_data(
    run: Run, cancelled: Callable[[], bool] | None = None, progress: Callable[[int], object] | None = None
) -> Data:
    """Return the data of a page; takes about 80 ms a step, most of it for its pictures in light and dark colours.

    Parameters
    ----------
    run : Run
    cancelled : callable
        Asked before every step.
    progress : callable
        Called with the number of steps done.

    Raises
    ------
    Cancelled
        When `cancelled` returns true.
    """
    recorder = _Recorder(run)
    for number, frame in enumerate(run.frames):
        if cancelled is not None and cancelled():
            raise Cancelled
        recorder.add(frame)
        if progress is not None:
            progress(number + 1)
    return recorder.data()


class _Recorder:
    """Collects the steps of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._line = 0.0
        """Height of a line of text in the picture; 0 before the first step."""
        self._row_line = STAGE[1] / _ROW_LINES
        self._text_painter = TextPainter(QGuiApplication.font().family())
        self._elements = ElementTable()
        self._stages, self._rows = Pictures(), Pictures()
        self._heights: list[int] = []
        self._listing = listing(run.stage.trace)
        self._steps: list[Json] = []
        self._counts: dict[int, list[str]] = {}
        self._subtitle = ""

    def add(self, frame: Frame) -> None:
        """Add a step."""
        stage = self._run.stage
        scene, row = build_scene(stage, frame, self._run.options), build_memory_row(stage, frame)
        self._line = self._line or fitting_line(scene, *STAGE, line_height(STAGE[1]), STAGE[1] / _MOST_LINES)
        self._stages.add(self._elements.add(*(self._picture(scene, theme) for theme in (LIGHT, DARK))))
        drawn, height = ((), 0) if row is None else self._cards(row)
        self._rows.add(drawn)
        self._heights.append(height)
        self._subtitle = self._subtitle or _subtitle(scene)
        span, result = self._listing.span(scene.span), scene.result_line
        step = {
            "caption": scene.caption,
            "result": [result.mark, result.summary, result.detail] if result is not None else None,
            "line": scene.line,
            "span": [span.line, span.column, span.end_line, span.end_column],
            "heading": f"Warp {row.warp}" if row is not None else "",
            "facts": SEPARATOR.join(fact.text for fact in row.facts) if row is not None else "",
            "counts": self._new_counts(row.gutter if row is not None else ()),
        }
        self._steps.append(Json.of(step))

    def data(self) -> Data:
        """Return what was collected."""
        run = self._run
        return {
            "title": run.title,
            "subtitle": self._subtitle,
            "font": font_family(),
            "stage": {"width": STAGE[0], "height": STAGE[1], "changes": self._stages.changes},
            "memory": {
                "width": STAGE[0],
                "height": self._row_height,
                "heights": self._heights,
                "changes": self._rows.changes,
            },
            "elements": self._elements.data(),
            "steps": self._steps,
            "columns": [column.heading for column in COLUMNS],
            "lines": code_lines(self._listing),
            "marks": asdict(run.marks),
            "flaw": run.flaw,
            "hazards": self._hazards(),
            "strides": STRIDES,
            "speeds": SPEEDS,
            "step_ms": FRAME_MS,
            "words": dict(WORDS),
            "keys": [
                {"name": name, "sequences": key.sequences, "words": key.words, "does": key.does}
                for name, key in (TIME | PRESENTING).items()
                if name in _KEYS
            ],
        }

    def _hazards(self) -> list[Data]:
        """Return the hazards in words, each with the position of the step that shows it; -1 if none does."""
        trace, frames = self._run.stage.trace, self._run.frames
        found: list[Data] = []
        for hazard in trace.hazards:
            block, step = hazard_shown_at(trace, hazard) or (0, hazard.step)
            later = (at for at, frame in enumerate(frames) if frame.block == block and frame.step >= step)
            found.append({"words": hazard_words(hazard, trace), "at": next(later, -1)})
        return found

    def _picture(self, scene: Scene, theme: Theme) -> Drawing:
        def paint(painter: QPainter) -> None:
            paint_scene(painter, scene, theme, self._text_painter, *STAGE, self._line)

        return record(paint, *STAGE)

    def _cards(self, row: MemoryRow) -> tuple[tuple[int, ...], int]:
        """Return the elements of the cards of a step, and their height."""
        cards, line = cards_of(row.accesses), self._row_line
        boxes = arrange_cards(len(cards), STAGE[0], line)
        height = round(max([self._row_height, *(box.y + box.height for box in boxes)]))

        def picture(theme: Theme) -> Drawing:
            def paint(painter: QPainter) -> None:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setFont(self._text_painter.font(line * 0.8))
                for card, box in zip(cards, boxes, strict=True):
                    paint_card(Tools(painter, theme, self._text_painter, line), card, box, row.lane)
                if not cards:
                    painter.setPen(QColor(theme.muted))
                    painter.drawText(QRectF(0, 0, STAGE[0], height), Qt.AlignmentFlag.AlignCenter, row.heading)

            return record(paint, STAGE[0], height)

        return self._elements.add(picture(LIGHT), picture(DARK)), height

    @property
    def _row_height(self) -> float:
        """Height of one row of cards."""
        return CARD_LINES * self._row_line

    def _new_counts(self, counts: Sequence[GutterCount]) -> dict[int, list[str]]:
        """Return the counts of the lines where they have changed."""
        now = {count.line: [count_text(column, count) for column in COLUMNS] for count in counts}
        shown = {line: [f"▲ {text}" if more else text for text, more in texts] for line, texts in now.items()}
        new = {line: texts for line, texts in shown.items() if self._counts.get(line) != texts}
        self._counts = shown
        return new


def code_lines(source: Listing) -> list[Data]:
    """Return the lines of a listing as pieces of text with their colours in light and dark, and whether bold."""
    text = without_footer(source.text)
    pieces = list(_pieces(text))
    found: list[list[tuple[str, str, str, bool]]] = [[]]
    for piece, light, dark, bold in pieces:
        for number, part in enumerate(piece.split("\n")):
            if number:
                found.append([])
            if part:
                found[-1].append((part, light, dark, bold))
    return [{"skipped": number in source.skipped, "pieces": line} for number, line in enumerate(found, 1)]


def _pieces(text: str) -> Iterator[tuple[str, str, str, bool]]:
    done = 0
    for light, dark in zip(token_colours(text, LIGHT), token_colours(text, DARK), strict=True):
        start, length, color, bold = light
        if start > done:
            yield text[done:start], "", "", False
        yield text[start : start + length], color, dark[2], bold
        done = start + length
    yield text[done:], "", "", False


def _subtitle(scene: Scene) -> str:
    """Return the sizes of the arrays and the launch."""
    arrays = (f"{cells.view.title} {cells.view.detail}".strip() for cells in scene.cells if cells.view.place in _GLOBAL)
    return SEPARATOR.join([*arrays, f"grid {scene.grid}", f"block {scene.block_dim}"])
