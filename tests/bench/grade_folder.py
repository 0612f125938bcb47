"""Grade a folder of 60 submissions, half of them hostile: wall time and rows.

python -m tests.bench.grade_folder [COUNT] [--jobs N]
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

from kernels.exercises import exercises
from kernels.exercises.grade import grade_folder
from kernels.exercises.grade_report import csv_text, html_text
from tests.kernels.exercises.hostile import SECRET, write_folder


def main() -> None:
    """Write the folder, grade it, and print one line for each row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as top:
        folder = write_folder(Path(top), chosen.count)
        began = time.monotonic()
        entries = grade_folder(folder, jobs=chosen.jobs)
        seconds = time.monotonic() - began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        reports = csv_text(entries, exercises()) + html_text(entries, exercises())
    for entry in entries:
        failed = next((grade.summary for grade in entry.grades if not grade.passed), "")
        print(f"{entry.file[:40]:<40} {entry.passed} of {len(entry.grades)}  {(entry.problem or failed)[:150]}")
    assert SECRET not in reports, "a file outside of the folder was read"
    print(f"{len(entries)} rows in {seconds:.1f} s, {chosen.jobs} at a time; reports of {len(reports):,} characters")
    print(
        f"processor time of the child processes: {used.ru_utime + used.ru_stime:.1f} s; load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
