"""Glossary of the window: words of CUDA and of tilescope, for the help and the command palette."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from kernels import RESOURCES
from kernels.toml_fields import read_fields

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
