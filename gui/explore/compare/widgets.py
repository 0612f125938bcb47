"""Second picture, and the figures of two runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QToolButton, QWidget

from gui.explore.memory.panel import CardArea
from gui.explore.memory.row import build_memory_row
from gui.explore.packing.boxes import Box
from gui.explore.packing.constants import LEGEND
from gui.explore.stage.build import build_scene
from gui.explore.stage.canvas import Canvas
from gui.explore.stage.caption import Caption
from gui.explore.stage.legend import Entry, legend_of, paint_legend
from gui.explore.stage.paint_cells import Tools
from gui.explore.stage.result_label import ResultLabel
from gui.explore.stage.text_painter import TextPainter
from gui.theming.theme import LIGHT
from gui.widgets.controls import ElidedLabel, StageButton, hbox, label, lay_on_paper, vbox
from kernels.narration.comparison import number, title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

    from gui.explore.compare.comparison import Comparison
    from gui.explore.stage.scene import Options
    from gui.theming.theme import Theme
    from kernels.analysis import Frame
    from kernels.analysis.metrics.comparison import Figure


class Heading(QWidget):
    """Title of one of two pictures, of which one has a button."""

    def __init__(self, button: QToolButton | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel(role="heading")
        self.title.setProperty("narrow", True)
        self.title.set_lines(1)
        row = hbox(self, (12, 2, 4, 4))
        row.addWidget(self.title, 1)
        if button is not None:
            row.addWidget(button)


class OtherPicture(QWidget):
    """The picture of the run that is compared, with its title, accesses, caption and result.

    Signals
    -------
    close_requested()
        The comparison is to end.
    position_chosen(int or None)
        The first wrong result was clicked: where it is written, in the playlist of the first run.
    """

    close_requested = Signal()
    position_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Picture that is compared")
        stop = StageButton("Stop comparing", "Show the first kernel alone (C)", self.close_requested.emit)
        self.heading = Heading(stop, self)
        self.canvas = Canvas(theme, self)
        self.canvas.set_legend(False)  # both pictures share one
        self.accesses = CardArea(theme, self)
        self.caption = Caption(self)
        self.result = ResultLabel(theme, self)
        self.result.clicked.connect(self._choose_wrong)
        self._comparison: Comparison | None = None
        self._frame: Frame | None = None
        caption_row = QWidget(self)
        lay_on_paper(caption_row)
        said = hbox(caption_row, (12, 4, 4, 0))  # as on the other side
        said.addWidget(self.caption, 1)
        said.addWidget(self.result)
        column = vbox(self, spacing=0)
        column.addWidget(self.heading)
        column.addWidget(caption_row)
        column.addWidget(self.canvas, 1)
        column.addWidget(self.accesses)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self.canvas.set_theme(theme)
        self.accesses.cards.set_theme(theme)
        self.result.set_theme(theme)

    def show_frame(self, comparison: Comparison, position: int, options: Options, motion_ms: int = 0) -> None:
        """Show the other run's frame at a position of the first one, after a motion if it is the other's next one."""
        if comparison is not self._comparison:
            self._comparison = comparison
            self.heading.title.say(comparison.other_title)
            self.result.reset()
        self._frame = comparison.other_frame(position)
        scene = build_scene(comparison.other.stage, self._frame, options)
        self.result.show_line(scene.result_line)
        self.canvas.show_scene(scene, motion_ms if comparison.other_follows(position) else 0)
        self.caption.say(scene.caption)
        self.accesses.cards.show_row(build_memory_row(comparison.other.stage, self._frame))

    def _choose_wrong(self) -> None:
        """Report where the first wrong result of the other run is written."""
        comparison, frame = self._comparison, self._frame
        results = comparison.other.stage.results if comparison is not None else None
        if comparison is None or frame is None or results is None:
            return
        first = results.verdict(*frame).first
        if first is not None:
            self.position_chosen.emit(comparison.own_position(first.block, first.step))


class SharedLegend(QWidget):
    """Signs of two pictures, each once."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[Entry, ...] = ()
        self._theme = LIGHT
        self._text_painter = TextPainter(self.font().family())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_pictures(self, pictures: Sequence[Canvas], theme: Theme) -> None:
        """Show the signs of what pictures show."""
        found: dict[str, Entry] = {}
        for canvas in pictures:
            scene, layout = canvas.painted_scene, canvas.picture_layout
            if scene is not None and layout is not None:
                found = {entry.text: entry for entry in legend_of(scene, layout)} | found
        self._entries, self._theme = tuple(found.values()), theme
        self.setAccessibleName(f"Signs: {', '.join(found)}")
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of a row of signs."""
        return QSize(0, round(self._line * LEGEND))

    @property
    def _line(self) -> float:
        return QFontMetricsF(self.font()).height()

    def changeEvent(self, event: QEvent) -> None:
        """Take the height of another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the signs."""
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            tools = Tools(painter, self._theme, self._text_painter, self._line)
            paint_legend(tools, self._entries, Box(0, 0, self.width(), self.height()))
        finally:
            painter.end()


class FigureTable(QWidget):
    """Signs of two pictures, the difference of the whole runs in words, and figures so far, one column each."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Figures of both runs")
        self.legend = SharedLegend(self)
        self.sentence = label(role="heading", line=True)
        self.sentence.setProperty("narrow", True)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(0)
        self._cells: dict[tuple[int, int], QLabel] = {}
        column = vbox(self, (12, 2, 12, 2))
        column.addWidget(self.legend)
        column.addWidget(self.sentence)
        column.addLayout(self._grid)
        self.hide()

    @property
    def texts(self) -> list[list[str]]:
        """Texts of the table, row by row."""
        rows = max((row for row, _ in self._cells), default=-1) + 1
        columns = max((column for _, column in self._cells), default=-1) + 1
        return [[self._cells[row, column].text() for column in range(columns)] for row in range(rows)]

    def show_comparison(self, comparison: Comparison) -> None:
        """Show the titles of two runs and the difference of the whole runs."""
        for cell in self._cells.values():
            self._grid.removeWidget(cell)
            cell.deleteLater()
        self._cells = {}
        for row, text in enumerate(("So far", comparison.own_title, comparison.other_title)):
            self._cell(row, 0).setText(text)
        flaw = comparison.other_flaw
        wrong = f" ⚠ {comparison.other_title}, wrong on purpose: {flaw}" if flaw else ""
        self.sentence.setText(f"Whole run: {comparison.sentence}{wrong}")

    def show_figures(self, figures: tuple[Figure, ...]) -> None:
        """Show the figures of a frame."""
        for column, figure in enumerate(figures, start=1):
            for row, text in enumerate((title(figure), number(figure.own), number(figure.other))):
                self._cell(row, column).setText(text)
        self.setAccessibleDescription(". ".join(", ".join(row) for row in self.texts))

    def _cell(self, row: int, column: int) -> QLabel:
        if (row, column) not in self._cells:
            made = label(role="muted" if row == 0 else "plain")
            made.setProperty("narrow", True)
            made.setTextFormat(Qt.TextFormat.PlainText)
            side = Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
            self._grid.addWidget(made, row, column, side)
            self._cells[row, column] = made
        return self._cells[row, column]
