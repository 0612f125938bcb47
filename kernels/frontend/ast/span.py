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
        return f"line {in_file(self.written.line, self.written.file)}"


def in_file(line: int, file: str) -> str:
    """Return a line's number, with the name of the included file that it is in: "5 of sum.cuh"."""
    return f"{line} of {file}" if file else str(line)
