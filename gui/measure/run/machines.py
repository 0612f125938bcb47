"""Division of a run by machine: no curve has points of two GPUs. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.measure.run.entries import short_device

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.bench.environment import Environment
    from kernels.bench.store import Row


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
    return {_words(machine): tuple(part) for machine, part in zip(environments, found.values(), strict=True) if machine}


def _words(machine: Environment) -> str:
    return short_device(machine.device) + (f" on {machine.host}" if machine.host else "")
