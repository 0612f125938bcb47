"""Runs as the list shows them: recorded ones, which ship with the program, and those of the history. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from gui.measure.words import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kernels.bench.environment import Environment
    from kernels.bench.recorded import RecordedRun
    from kernels.bench.run_header import RunHeader
    from kernels.bench.run_history import StoredRun

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
