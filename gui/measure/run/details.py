"""Facts of a run, in lines: machine, versions, options, and the clocks of its points. No Qt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gui.measure.run.entries import day_and_time
from gui.measure.words import count_of, machine_words
from kernels.catalog import split_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gui.measure.run.entries import RunEntry
    from kernels.bench.store import Row

_MOST_KERNELS: Final = 12
_HASH_DIGITS: Final = 8


def run_details(entry: RunEntry, rows: Sequence[Row] | None = None) -> tuple[str, ...]:
    """Return the lines; those on clocks and results need the samples, once they are read."""
    return tuple(line for line in _lines(entry, rows) if line)


def _lines(entry: RunEntry, rows: Sequence[Row] | None) -> Iterator[str]:
    if entry.header.name or entry.recorded:
        yield f"Measured {day_and_time(entry.header.started, year=True)}"
    for environment in entry.environments:
        version = f" · tilescope {environment.tilescope}" if environment.tilescope else ""
        yield f"{machine_words(environment)} · {environment.machine}{version}"
    yield options_words(entry.header.options)
    if rows is not None:
        yield clock_words(rows)
        yield result_words(rows)
    shown = [_kernel_words(entry, name) for name in entry.kernels[:_MOST_KERNELS]]
    more = len(entry.kernels) - len(shown)
    if entry.recorded and entry.edited:
        names = "; ".join(entry.titles.get(name, name) for name in entry.edited[:_MOST_KERNELS])
        yield f"Source edited since: {names}{' and others' if len(entry.edited) > _MOST_KERNELS else ''}"
    yield "Kernels: " + "; ".join([*shown, f"and {more} more"] if more else shown) if shown else ""


def _kernel_words(entry: RunEntry, name: str) -> str:
    """Return a kernel's title and the hash of the source that was measured, and whether that is another one now."""
    base, _ = split_options(name)
    title, source = entry.titles.get(name, Path(name).stem), entry.header.sources.get(base, "")
    if not source:
        return title
    return f"{title} (source {source[:_HASH_DIGITS]}{', edited since' if base in entry.edited else ''})"


def options_words(options: Mapping[str, Any]) -> str:
    """Return the options of a plan: inputs, rounding, time limits; empty if they are not known."""
    found = []
    if "fill" in options:
        found.append(f"inputs: {options['fill']}")
    if options.get("fmad") is False:
        found.append("rounded after every multiplication (no FMA)")
    if "budget_s" in options:
        found.append(f"at most {options['budget_s']:g} s of timing for a point")
    if options.get("total_s"):
        found.append(f"at most {options['total_s']:g} s in total")
    text = ", ".join(found)
    return text[:1].upper() + text[1:]


def clock_words(rows: Iterable[Row]) -> str:
    """Return the range of the measured clocks, and how many points were throttled; empty if none was read."""
    conditions = [row.sample.conditions for row in rows if row.sample.conditions]
    parts = []
    for name, values in (
        ("SM clock", [c.sm_clock_mhz for c in conditions if c.sm_clock_mhz]),
        ("memory clock", [c.memory_clock_mhz for c in conditions if c.memory_clock_mhz]),
    ):
        if values:
            low, high = min(values), max(values)
            parts.append(f"{name} {low:,.0f} MHz" if low == high else f"{name} {low:,.0f} to {high:,.0f} MHz")
    throttled = sum(c.throttled for c in conditions)
    if throttled:
        parts.append(f"{count_of(throttled)} throttled")
    return ", ".join(parts)


def result_words(rows: Sequence[Row]) -> str:
    """Return how many points have a verified time; of two samples of a point the later counts."""
    if not any(row.sample.repeat for row in rows):  # as most runs: 10,000 points would take 20 ms
        return f"{sum(row.sample.verified for row in rows):,} of {count_of(len(rows))} verified"
    found = {row.sample.point: row.sample.verified for row in rows}
    return f"{sum(found.values()):,} of {count_of(len(found))} verified"
