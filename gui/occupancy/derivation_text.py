"""Derivation of the occupancy: each step with its result, its formula and its numbers."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QTextEdit, QWidget

from gui.theming.theme import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.theming.theme import Theme
    from kernels.occupancy.derivation import Step


class DerivationText(QTextEdit):
    """Read-only text; the smallest limit is marked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._steps: tuple[Step, ...] = ()
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setAccessibleName("Derivation of the occupancy")

    def show_steps(self, steps: Sequence[Step]) -> None:
        """Show the steps of a derivation."""
        self._steps = tuple(steps)
        self._write()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self._theme = theme
        self._write()

    def _write(self) -> None:
        self.setHtml(
            f'<table width="100%" cellspacing="0" cellpadding="3">{"".join(map(self._row, self._steps))}</table>'
        )

    def _row(self, step: Step) -> str:
        theme = self._theme
        colour = theme.warning if step.limits else theme.text
        mark = "▸ " if step.limits else ""
        word = ": the smallest" if step.limits else ""
        formula = f"{escape(step.formula)} = " if step.formula and step.formula != step.numbers else ""
        numbers = escape(step.numbers.replace(" ", "\N{NO-BREAK SPACE}"))
        return (
            f'<tr><td style="color: {colour}"><b>{mark}{escape(step.name)}{word}</b><br>'
            f'<span style="color: {theme.muted}">{formula}</span>'
            f'<span style="color: {theme.text}">{numbers}</span></td>'
            f'<td align="right" valign="bottom" style="color: {colour}"><b>{escape(step.result)}</b></td></tr>'
        )
