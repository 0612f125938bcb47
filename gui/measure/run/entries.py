"""Runs as the list shows them, with their facts: recorded ones, and those of the history. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gui.measure.words import count_of, machine_words
from kernels.catalog import split_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kernels.bench.measure.environment import Environment
    from kernels.bench.store.database import Row
    from kernels.bench.store.recorded import RecordedRun
    from kernels.bench.store.run_header import RunHeader
    from kernels.bench.store.run_history import StoredRun

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_VENDORS: Final = ("NVIDIA ", "GeForce ")


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run."""

    id: str
    """Unique among all runs of the list."""
    header: RunHeader
    environments: tuple[Environment, ...]
    kernels: tuple[str, ...] = ()
    """Kernels of a run of the history."""
    point_count: int = 0
    recorded: RecordedRun | None = None
    """The shipped file; None for a run of the history."""
    number: int = 0
    """Number in the history; 0 for a shipped run."""
    deleted: str = ""
    """Time of its deletion; "" for a run that is not deleted."""
    edited: tuple[str, ...] = ()
    """Kernels whose source is another one now, by their names without options."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Titles of kernels, by which it is found as well."""

    @property
    def devices(self) -> str:
        """Names of its devices without the vendor, or what is known instead."""
        return ", ".join(dict.fromkeys(short_device(e.device) for e in self.environments)) or "unknown device"

    @property
    def hosts(self) -> str:
        """Names of the hosts that measured; "" for this machine."""
        found = dict.fromkeys(environment.host for environment in self.environments if environment.host)
        return f"on {', '.join(found)}" if found else ""

    @property
    def title(self) -> str:
        """The name that its user gave it, else its devices and date."""
        if self.recorded is not None:
            return f"{self.devices}, recorded with tilescope"
        return self.header.name or f"{self.devices}, {day_and_time(self.header.started)}"

    @property
    def facts(self) -> str:
        """A line below the title: what the title does not say."""
        if self.recorded is not None:
            return f"ships with the program · {day_and_time(self.header.started, year=True)}"
        named = (self.devices, day_and_time(self.header.started, year=True)) if self.header.name else ()
        kernels = f"{len(self.kernels)} kernel{'s' * (len(self.kernels) != 1)}"
        experiment = f"experiment {self.header.purpose}" if self.header.purpose else ""
        parts = (*named, self.hosts, kernels, count_of(self.point_count), experiment)
        return " · ".join(part for part in parts if part)

    def matches(self, text: str) -> bool:
        """Return whether every word of a text is in its title, facts, machine or kernels."""
        machines = (f"{e.device} {e.cpu} {e.machine}" for e in self.environments)
        kernels = (f"{name} {self.titles.get(name, '')}" for name in self.kernels)
        found = " ".join((self.title, self.facts, day_and_time(self.header.started, year=True), *machines, *kernels))
        found = found.casefold()
        return all(word in found for word in text.casefold().split())


def entries_of(
    recorded: Iterable[RecordedRun],
    stored: Iterable[StoredRun],
    titles: Mapping[str, str],
    source_hash: Callable[[str], str],
) -> tuple[RunEntry, ...]:
    """Return the runs of the history, the latest first, then the recorded ones.

    Parameters
    ----------
    recorded, stored : iterable
        Runs that ship with the program, and those of the history.
    titles : mapping
        Titles of kernels, by their names.
    source_hash : callable
        Returns the hash of a kernel's present source; "" if there is none.
    """
    now = lru_cache(maxsize=None)(source_hash)

    def edited(header: RunHeader) -> tuple[str, ...]:
        return tuple(name for name, then in header.sources.items() if now(name) not in ("", then))

    own = (
        RunEntry(
            f"stored {run.number}",
            run.header,
            run.environments,
            run.kernels,
            run.point_count,
            number=run.number,
            deleted=run.deleted,
            edited=edited(run.header),
            titles=titles,
        )
        for run in stored
    )
    shipped = (
        RunEntry(
            f"recorded {run.id}",
            run.header,
            (run.environment,),
            recorded=run,
            edited=edited(run.header),
            titles=titles,
        )
        for run in recorded
    )
    return (*own, *shipped)


def short_device(name: str) -> str:
    """Return the name of a device without its vendor."""
    for vendor in _VENDORS:
        name = name.removeprefix(vendor)
    return name


def day_and_time(started: str, *, year: bool = False) -> str:
    """Return a time in the local time zone, such as `20 Nov 10:15`; `no date` for an empty text."""
    if not started:
        return "no date"
    when = datetime.fromisoformat(started).astimezone()
    return f"{when.day} {_MONTHS[when.month - 1]}{f' {when.year}' if year else ''} {when:%H:%M}"


def by_machine(rows: Iterable[Row]) -> dict[str, tuple[Row, ...]]:
    """Return the rows by the words that tell their machines apart; by "" where there is one.

    Rows without an environment belong to the first machine.
    """
    rows = tuple(rows)
    if len({id(row.environment) for row in rows}) < 2:  # as most runs: 10,000 rows would take 10 ms
        return {"": rows}
    found: dict[tuple[str, str], list[Row]] = {}
    unknown: list[Row] = []
    for row in rows:
        if row.environment is None:
            unknown.append(row)
        else:
            found.setdefault((row.environment.device, row.environment.host), []).append(row)
    if len(found) < 2:
        return {"": (*unknown, *(row for part in found.values() for row in part))}
    (first, *_) = found.values()
    first += unknown
    environments = [part[0].environment for part in found.values()]
    return {
        _called(machine): tuple(part) for machine, part in zip(environments, found.values(), strict=True) if machine
    }


def _called(machine: Environment) -> str:
    return short_device(machine.device) + (f" on {machine.host}" if machine.host else "")


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
