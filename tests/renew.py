"""Write what is generated from kernels and exercises: ``python -m tests.renew [KERNEL or EXERCISE …]``.

Without names: what is missing, or belongs to an earlier text of a kernel or an exercise. With names: all that the
simulator and the painter make of these, in seconds. What belongs to no kernel any more is removed. What needs a
compiler or a GPU that is not here is named, with the command that writes it.

`--check` writes nothing, and returns 1 if something is stale that this machine can write.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui.explore.export.thumbnails import picture_of, write_thumbnails
from gui.selection.kernel_browser import PICTURES
from kernels import RESOURCES
from kernels.bench import ship_traffic
from kernels.bench.kernel_texts import source_hash
from kernels.bench.shipped_traffic import fingerprint, read_counted, write_counted
from kernels.bench.store.recorded import recorded_runs
from kernels.catalog import catalog, find_kernel, split_options
from kernels.errors import TilescopeError
from kernels.exercises import exercises
from kernels.exercises.submission import text_hash
from kernels.gpu.compiler import missing
from kernels.occupancy import ship, ship_timelines
from kernels.occupancy.shipped import FOLDER as TABLES
from kernels.occupancy.shipped import read_table, write_table
from tests.generated import has_table
from tests.gui.explore.golden import digests as scenes
from tests.kernels.golden import digests as traces
from tests.kernels.golden import reports
from tests.offscreen import OFFSCREEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kernels.catalog import Kernel
    from kernels.exercises import Exercise


@dataclass(frozen=True, slots=True)
class Part:
    """A file, or rows of a file, that is generated from a kernel or an exercise."""

    of: str
    """Id of the kernel or exercise."""
    name: str
    stale: bool
    """Whether it is missing, or belongs to an earlier text."""
    write: Callable[[], object]
    obstacle: str = ""
    """Why this machine cannot write it."""
    anew: bool = True
    """Whether it is written whenever its kernel is named: the simulator or the painter makes it, and may have changed.
    Other parts are a matter of the text alone."""


def parts() -> Iterator[Part]:
    """Yield every part of every kernel and exercise, in an order in which they can be written."""
    rows, printed, seen = traces.stored()["catalogue"], traces.stored(reports.FILE), scenes.stored()
    for kernel in catalog():
        edited = kernel.runs_on == "cuda" and _is_edited(kernel, rows)
        lacks_table = kernel.runs_on == "cuda" and not has_table(kernel)
        if kernel.runs_on == "cuda":
            obstacle = f"needs NVRTC: {missing()}" if lacks_table and missing() else ""
            yield Part(kernel.id, "compiled table", lacks_table, _table(kernel), obstacle, anew=False)
            yield Part(kernel.id, "digests of traces", edited, _traces(kernel))
        if kernel.file is not None:
            yield Part(kernel.id, "picture", edited or not picture_of(kernel).exists(), _picture(kernel))
        if kernel.id in scenes.KERNELS:
            yield Part(kernel.id, "digests of scenes", edited or kernel.id not in seen, _scenes(kernel))
        for collection in reports.collections_of(kernel.id):
            of_table = lacks_table and collection == reports.OF_TABLES
            stale = edited or of_table or kernel.id not in printed[collection]
            obstacle = "needs the compiled table" if of_table and missing() else ""
            yield Part(kernel.id, f"digests of {collection}", stale, _report(collection, kernel), obstacle)
        yield from _measured(kernel, edited)
    for exercise in exercises():
        yield Part(exercise.id, "digests of judgements", _is_new_or_edited(exercise, printed), _judgements(exercise))


def _measured(kernel: Kernel, edited: bool) -> Iterator[Part]:
    """Yield what belongs to measurements."""
    counted = {name: known for name, known in read_counted().items() if split_options(name)[0] == kernel.id}
    if counted:
        stale = any(known.fingerprint != fingerprint(find_kernel(name)) for name, known in counted.items())
        yield Part(kernel.id, "traffic", stale, _traffic(kernel), anew=False)
    if kernel.measurable and kernel.runs_on == "cuda":
        for run in recorded_runs():
            stale = run.header.sources.get(kernel.id) != source_hash(kernel.id)
            command = f"kernels.bench.ship {kernel.id} --extend {run.path.relative_to(RESOURCES.parent)}"
            yield Part(kernel.id, "recorded run", stale, lambda: None, f"needs a GPU: python -m {command}", anew=False)
    if kernel.id in {name for name, *_ in ship_timelines.LAUNCHES}:
        command = "kernels.occupancy.ship_timelines"
        yield Part(kernel.id, "block timeline", edited, lambda: None, f"needs a GPU: python -m {command}", anew=False)


def _is_edited(kernel: Kernel, rows: Mapping[str, Mapping[str, str]]) -> bool:
    """Return whether the digests of a kernel's traces are missing, or of another text."""
    text = traces.of_fields({"text": kernel.text})["text"]
    names = [traces.row_name(one.id, order) for one in kernel.variants() for order in traces.SCHEDULES]
    return any(rows.get(name, {}).get("text") != text for name in names)


def _is_new_or_edited(exercise: Exercise, printed: traces.Table) -> bool:
    """Return whether the digests of an exercise's answers are missing, or of other texts."""
    digests = {name: traces.of_fields({"sha256": text_hash(text)}) for name, text in reports.answers(exercise).items()}
    return any(printed["exercise"].get(name, {}).get("sha256") != found["sha256"] for name, found in digests.items())


def _table(kernel: Kernel) -> Callable[[], None]:
    def write() -> None:
        write_table(kernel.id, ship.compile_table(kernel))
        read_table.cache_clear()

    return write


def _traces(kernel: Kernel) -> Callable[[], None]:
    return lambda: traces.store({"catalogue": traces.rows_of(kernel)}, traces.row_names())


def _picture(kernel: Kernel) -> Callable[[], None]:
    return lambda: write_thumbnails([kernel])


def _scenes(kernel: Kernel) -> Callable[[], None]:
    return lambda: scenes.store([kernel.id])


def _traffic(kernel: Kernel) -> Callable[[], None]:
    def write() -> None:
        if ship_traffic.main([kernel.id]) != 0:
            raise TilescopeError("the message is above")

    return write


def _report(collection: str, kernel: Kernel) -> Callable[[], None]:
    return lambda: reports.store_rows({collection: {kernel.id: reports.OF_KERNELS[collection][0](kernel.id)}})


def _judgements(exercise: Exercise) -> Callable[[], None]:
    return lambda: reports.store_rows({"exercise": reports.rows_of(exercise)})


def remove_unknown() -> Iterator[str]:
    """Remove tables, pictures and rows of kernels and exercises that are there no more, and yield their names."""
    known = {kernel.id for kernel in catalog()}
    for file in (*PICTURES.glob("*.png"), *TABLES.glob("*.json")):
        if file.stem not in known:
            file.unlink()
            yield file.relative_to(RESOURCES.parent).as_posix()
    counted = {name: launches for name, launches in read_counted().items() if split_options(name)[0] in known}
    if counted.keys() != read_counted().keys():
        yield from (f"traffic of {name}" for name in read_counted() if name not in counted)
        write_counted(counted)
    for path, names in ((traces.FILE, traces.row_names()), (reports.FILE, reports.row_names())):
        unknown = [row for part, rows in traces.stored(path).items() for row in rows if row not in names.get(part, ())]
        if unknown:
            traces.store({}, names, path)
        yield from (f"{path.name}: {row}" for row in unknown)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the parts; return 1 if one could not be written though this machine has all that it needs, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.renew", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="KERNEL or EXERCISE", help="what is stale unless given")
    parser.add_argument("--check", action="store_true", help="write nothing, and return 1 if something is stale")
    options = parser.parse_args(arguments)
    os.environ["QT_QPA_PLATFORM"] = OFFSCREEN  # pictures are the same with and without a display
    every = list(parts())
    unknown = set(options.names) - {part.of for part in every}
    if unknown:
        parser.error(f"no kernel or exercise of the catalogue: {', '.join(sorted(unknown))}")
    failed = False
    if not options.check:
        for name in remove_unknown():
            print(f"{name}: removed", flush=True)
    for part in every:
        named = part.of in options.names
        if not (part.stale or (named and part.anew)) or (options.names and not named):
            continue
        if part.obstacle:
            print(f"{part.of}: {part.name}: not written: {part.obstacle}", flush=True)
        elif options.check:
            print(f"{part.of}: {part.name}: stale: python -m tests.renew", flush=True)
            failed = True
        else:
            failed |= not _written(part)
    return int(failed)


def _written(part: Part) -> bool:
    """Write a part, and print what became of it; return whether it is written."""
    try:
        part.write()
    except TilescopeError as error:
        print(f"{part.of}: {part.name}: failed: {error}", flush=True)
        return False
    print(f"{part.of}: {part.name}: written", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
