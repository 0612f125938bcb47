"""Where something stands in a source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """From (line, column) up to, not including, (end_line, end_column); all counted from 1.

    What comes out of an included file stands where its #include does; `inside` is where it is written, in `file`.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    file: str = ""
    inside: Span | None = None

    @property
    def written(self) -> Span:
        """Where it is written: in the program, or in the `file` that it comes out of."""
        return self.inside or self

    @property
    def where(self) -> str:
        """Return that line in words: "line 5", "line 5 of sum.cuh"."""
        written = self.written
        return f"line {written.line}" + (f" of {written.file}" if written.file else "")
