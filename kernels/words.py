"""Words of sentences: counted nouns, agreement, lists, percentages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def plural(count: int, noun: str) -> str:
    """Count a noun: 1 block, 6 blocks."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def agree(count: int, one: str, many: str) -> str:
    """Choose the singular or the plural of a word."""
    return one if count == 1 else many


def join(parts: Sequence[str]) -> str:
    """Join with commas and a last "and": a; a and b; a, b and c."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def percent(fraction: float) -> str:
    """Write a fraction as a percentage of three digits: 75 %, 62.5 %, 33.3 %."""
    return f"{100 * fraction:.3g} %"


def capital(text: str) -> str:
    """Begin with a capital letter."""
    return text[:1].upper() + text[1:]
