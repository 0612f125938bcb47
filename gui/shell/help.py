"""Help window: purpose of tilescope, the signs of its pictures, its keys and its words, with a search."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from PySide6.QtCore import QSize, QUrl
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from gui.shell.pages import PAGES, Sign, SignModule
from gui.widgets.controls import add_parts, field, label, scale_with_text
from gui.widgets.keys import SECTIONS
from kernels import RESOURCES, __version__
from kernels.toml_fields import read_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.theming.theme import Theme

_FILE: Final = RESOURCES / "glossary.toml"


class Word(NamedTuple):
    """A word and its meaning."""

    name: str
    meaning: str
    others: str
    """Other words by which it is found; may be empty."""


@lru_cache(maxsize=1)
def glossary() -> tuple[Word, ...]:
    """Return the words in the order of the alphabet; raises InputError if the file is damaged."""
    tables = read_fields(_FILE).tables("word")
    words = (Word(table.text("name"), table.text("meaning"), table.words("others")) for table in tables)
    return tuple(sorted(words, key=lambda word: word.name.casefold()))


_ABOUT: Final = (
    "tilescope runs a CUDA kernel's source in its own simulator and shows what every thread does. Then it "
    "compiles the same file, measures it, and computes its occupancy. Edit it, and every page follows."
)
_SIZE_PX: Final = QSize(860, 720)
_SCREEN_SHARE: Final = 0.85
_SIGN_LINES: Final = 1.9
"""Height of a sign, in lines of text."""


class HelpWindow(QDialog):
    """Window with the help text; not modal."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"About tilescope {__version__}")
        self._theme: Theme | None = None
        self._signs: tuple[Sign, ...] = ()
        self.search = field("Search the help")
        self.search.setPlaceholderText("Search: a key, a sign of the picture, or a word")
        self.search.setClearButtonEnabled(True)
        self.text = QTextBrowser()
        self.text.setAccessibleName("Help")
        column = QVBoxLayout(self)
        add_parts(column, label(_ABOUT, line=True), self.search)
        column.addWidget(self.text, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        column.addWidget(buttons)
        self.search.textChanged.connect(self._show)

    def open_at(self, word: str, theme: Theme) -> None:
        """Show the window, with what has a word, or with everything."""
        self.set_theme(theme)
        self.search.setText(word)
        if not self.isVisible():
            room = self.screen().availableSize() * _SCREEN_SHARE
            self.resize(QSize(*(scale_with_text(px) for px in _SIZE_PX.toTuple())).boundedTo(room))
        self.show()
        self.raise_()
        self.search.setFocus()

    def set_theme(self, theme: Theme) -> None:
        """Show the signs in a theme's colours."""
        if theme == self._theme:
            return
        self._theme = theme
        side = round(self.fontMetrics().lineSpacing() * _SIGN_LINES)
        modules = [cast("SignModule", import_module(spec.signs)) for spec in PAGES if spec.signs]
        self._signs = tuple(sign for module in modules for sign in module.signs(theme, side, self.devicePixelRatio()))
        for number, sign in enumerate(self._signs):
            kind = QTextDocument.ResourceType.ImageResource.value
            self.text.document().addResource(kind, QUrl(f"sign:{number}"), sign.picture)
        self._show(self.search.text())

    def _show(self, text: str) -> None:
        words = text.casefold().split()
        parts = [
            _section("Signs of the picture", self._sign_rows(words)),
            *(_section(f"Keys: {name.lower()}", _key_rows(name, words)) for name in SECTIONS),
            _section("Words", _word_rows(words)),
        ]
        found = "".join(parts)
        self.text.setHtml(found or f"<p>Nothing in the help has “{escape(text)}”.</p>")

    def _sign_rows(self, words: list[str]) -> Iterator[str]:
        for number, sign in enumerate(self._signs):
            if _has(words, sign.title, sign.meaning):
                size = sign.picture.deviceIndependentSize()
                image = f"<img src='sign:{number}' width='{size.width():.0f}' height='{size.height():.0f}'/>"
                yield _row(image, f"<b>{escape(sign.title)}</b><br/>{escape(sign.meaning)}")


def _key_rows(section: str, words: list[str]) -> Iterator[str]:
    for key in SECTIONS[section].values():
        if _has(words, key.words, key.does, "key"):
            yield _row(f"<b>{escape(key.words)}</b>", escape(key.does))


def _word_rows(words: list[str]) -> Iterator[str]:
    """Yield the words of the glossary; one that is searched for by its name comes first."""
    for word in sorted(glossary(), key=lambda word: word.name.casefold() != " ".join(words)):
        if _has(words, word.name, word.meaning, word.others):
            yield _row(f"<b>{escape(word.name)}</b>", escape(word.meaning))


def _section(title: str, rows: Iterator[str]) -> str:
    text = "".join(rows)
    return f"<h3>{escape(title)}</h3><table cellspacing='0' cellpadding='4'>{text}</table>" if text else ""


def _row(left: str, right: str) -> str:
    return f"<tr><td style='white-space: nowrap; padding-right: 16px'>{left}</td><td>{right}</td></tr>"


def _has(words: list[str], *texts: str) -> bool:
    text = " ".join(texts).casefold()
    return all(word in text for word in words)
