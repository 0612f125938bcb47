"""Positions of nodes in the source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """From (line, column) up to, not including, (end_line, end_column); all counted from 1."""

    line: int
    column: int
    end_line: int
    end_column: int
    file: str = ""
    """Name of the included file that holds the text; "" for the program itself."""
    inside: Span | None = None
    """For text from an included file: its span in that file; the other fields are then the span of the #include."""

    @property
    def source_span(self) -> Span:
        """The span in the file that holds the text: the program, or the included `file`."""
        return self.inside or self

    @property
    def where(self) -> str:
        """The first line in words: "line 5", "line 5 of sum.cuh"."""
        return f"line {in_file(self.source_span.line, self.source_span.file)}"


def in_file(line: int, file: str) -> str:
    """Return a line's number, with the name of the included file that it is in: "5 of sum.cuh"."""
    return f"{line} of {file}" if file else str(line)
