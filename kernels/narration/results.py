"""Result lines: the verdict on the outputs at a moment, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.analysis.syntax.evaluate import number_text
from kernels.trace import element_name
from kernels.words import agree

if TYPE_CHECKING:
    from kernels.analysis.values.result_check import Verdict, WrongElement
    from kernels.trace import Trace


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A verdict in words."""

    mark: str
    """✓ if all elements judged so far are right, ✗ if some are wrong, "" before the first is judged."""
    summary: str
    """"4 of 9 wrong"."""
    detail: str
    """"P[0][2] = 9, should be 62"; "" at the end of a run whose elements are all right."""

    @property
    def sentence(self) -> str:
        """Both parts in one line."""
        return ": ".join(part for part in (f"{self.mark} {self.summary}".strip(), self.detail) if part)


def result_line(trace: Trace, verdict: Verdict) -> ResultLine:
    """Say how many elements are right or wrong; of the wrong ones name the first."""
    end = verdict.over or verdict.judged == verdict.total
    if verdict.first is not None:
        judged = "" if end else " final elements"
        return ResultLine("✗", f"{verdict.wrong:,} of {verdict.judged:,}{judged} wrong", _wrong(trace, verdict.first))
    if end:
        return ResultLine(
            "✓", agree(verdict.total, "The element is right", f"All {verdict.total:,} elements right"), ""
        )
    final = f"{verdict.judged:,} of {verdict.total:,} {agree(verdict.total, 'element', 'elements')} final"
    return ResultLine("✓", "Right so far", final) if verdict.judged else ResultLine("", "No result yet", final)


def _wrong(trace: Trace, wrong: WrongElement) -> str:
    name, expected = element_name(trace.arrays[wrong.array], wrong.index), number_text(wrong.expected)
    value = "not written," if wrong.value is None else f"= {number_text(wrong.value)},"
    return f"{name} {value} should be {expected}"
