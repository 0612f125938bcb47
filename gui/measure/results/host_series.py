"""Origins of rows by host: points of the page's run from another host are series of that host. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.measure.results.series import THIS, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.bench.store import Row


def by_host(rows: Iterable[Row], origin: Origin) -> dict[Origin, list[Row]]:
    """Divide rows of the page's run by the host that measured them; those of another run stay together."""
    found: dict[Origin, list[Row]] = {}
    for row in rows:
        host = row.environment.host if row.environment is not None and origin == THIS else ""
        found.setdefault(Origin("host", host) if host else origin, []).append(row)
    return found


def with_hosts(origin: Origin, shown: Sequence[Origin]) -> tuple[Origin, ...]:
    """Return an origin; with the page's run also the hosts that measured a part of it."""
    return (origin, *(other for other in shown if other.whose == "host")) if origin == THIS else (origin,)
