"""Reports of a graded folder: a table as CSV, and one page of HTML with the failing case of each answer.

Names and texts are strangers': the page escapes them and runs no script, and no cell of the table is a formula.
"""

from __future__ import annotations

import csv
import io
from html import escape
from typing import TYPE_CHECKING, Final

from kernels import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.exercises.graded import Grade, GradedEntry
    from kernels.exercises.model import Exercise

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""First letters of a cell that a spreadsheet computes."""

_STYLE: Final = """
:root { color-scheme: light dark; --line: #8886; --bad: #b3261e; --good: #0b6b50; }
@media (prefers-color-scheme: dark) { :root { --bad: #ffb4ab; --good: #7fd8b8; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th { vertical-align: bottom; } td { vertical-align: top; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left; }
th.turned { height: 12rem; padding: .3rem .2rem; }
th.turned span { writing-mode: vertical-rl; transform: rotate(180deg); }
td.mark { text-align: center; } td.count { white-space: nowrap; }
.passed { color: var(--good); } .failed, .problem { color: var(--bad); }
pre { background: #8882; overflow-x: auto; padding: .5rem; }
section { border-top: 2px solid var(--line); margin-top: 2rem; }
"""


def csv_text(entries: Sequence[GradedEntry], exercises: Sequence[Exercise]) -> str:
    """Return the table: one row for each entry, one column for each exercise with an answer."""
    listed = _answered(entries, exercises)
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(["file", "name", "passed", "answers", *(exercise.id for exercise in listed), "problem"])
    for entry in entries:
        grades = {grade.exercise: grade for grade in entry.grades}
        cells = [_csv_cell(grades.get(exercise.id)) for exercise in listed]
        row = [entry.file, entry.name, str(entry.passed), str(len(entry.grades)), *cells, entry.problem]
        writer.writerow([_plain(cell) for cell in row])
    return file.getvalue()


def html_text(entries: Sequence[GradedEntry], exercises: Sequence[Exercise]) -> str:
    """Return the page."""
    listed = _answered(entries, exercises)
    headings = "".join(f'<th class="turned" scope="col"><span>{escape(e.title)}</span></th>' for e in listed)
    rows = "\n".join(_table_row(number, entry, listed) for number, entry in enumerate(entries))
    details = "\n".join(_details(number, entry, listed) for number, entry in enumerate(entries))
    right = sum(bool(entry.grades) and entry.passed == len(entry.grades) for entry in entries)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Exercises: {len(entries)} submissions</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>Exercises: {len(entries)} submissions</h1>
<p>{right} of them have passed in every exercise that they answer. Every answer was run again by tilescope
{escape(__version__)}; nothing that a submission says of itself was used.</p>
<div class="wide">
<table>
<thead><tr><th scope="col">Submission</th><th scope="col">Passed</th>{headings}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>
{details}
</body>
</html>
"""


def _answered(entries: Sequence[GradedEntry], exercises: Sequence[Exercise]) -> list[Exercise]:
    """Return the exercises that have an answer, in teaching order."""
    names = {grade.exercise for entry in entries for grade in entry.grades}
    return [exercise for exercise in exercises if exercise.id in names]


def _csv_cell(grade: Grade | None) -> str:
    return "" if grade is None else "passed" if grade.passed else f"failed: {grade.summary}"


def _plain(cell: str) -> str:
    """Return a cell that a spreadsheet shows as it is."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _title(entry: GradedEntry) -> str:
    name = f"{entry.name} · " if entry.name else ""
    return escape(f"{name}{entry.file}")


def _table_row(number: int, entry: GradedEntry, listed: Sequence[Exercise]) -> str:
    grades = {grade.exercise: grade for grade in entry.grades}
    marks = "".join(_mark(grades.get(exercise.id)) for exercise in listed)
    title = f'<a href="#s{number}">{_title(entry)}</a>'
    problem = f'<br><span class="problem">{escape(entry.problem)}</span>' if entry.problem else ""
    count = f"{entry.passed} of {len(entry.grades)}" if entry.grades else "–"
    return f'<tr><td>{title}{problem}</td><td class="count">{count}</td>{marks}</tr>'


def _mark(grade: Grade | None) -> str:
    if grade is None:
        return '<td class="mark" title="no answer">–</td>'
    if grade.passed:
        return '<td class="mark passed" title="passed">✓</td>'
    return '<td class="mark failed" title="failed">✗</td>'


def _details(number: int, entry: GradedEntry, listed: Sequence[Exercise]) -> str:
    problem = f'<p class="problem">{escape(entry.problem)}</p>' if entry.problem else ""
    titles = {exercise.id: exercise.title for exercise in listed}
    passed = ", ".join(titles[grade.exercise] for grade in entry.grades if grade.passed)
    right = f'<p><span class="passed">Passed:</span> {escape(passed)}</p>' if passed else ""
    failed = "\n".join(_failed(titles[grade.exercise], grade) for grade in entry.grades if not grade.passed)
    return f'<section id="s{number}">\n<h2>{_title(entry)}</h2>\n{problem}{right}\n{failed}\n</section>'


def _failed(title: str, grade: Grade) -> str:
    heading = f'<h3>{escape(title)}: <span class="failed">failed</span></h3>'
    sentences = "".join(f"<li>{escape(text)}</li>" for text in grade.findings)
    excerpt = f"<pre>{grade.line}: {escape(grade.excerpt)}</pre>" if grade.excerpt else ""
    return f"{heading}\n<p>{escape(grade.summary)}</p>\n<ul>{sentences}</ul>\n{excerpt}"
