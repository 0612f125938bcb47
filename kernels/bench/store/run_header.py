"""The header of a run: its identity, name and options, without its samples."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from kernels.bench.kernel_texts import source_hashes
from kernels.bench.store.decode import decode_started

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.bench.plan import Plan


@dataclass(frozen=True, slots=True)
class RunHeader:
    """A run without its samples."""

    id: str = ""
    """The same in every copy of the run; "" where a file does not say it."""
    name: str = ""
    """Name that its user gave it; "" for none."""
    started: str = ""
    """ISO 8601, UTC."""
    purpose: str = ""
    """Id of the experiment that started it; "" for none."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The plan's fields except its points and texts; empty if they are not known."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Hash of each CUDA kernel's source, by its name without options (`kernels.bench.kernel_texts`)."""

    @classmethod
    def of(cls, plan: Plan, name: str = "", purpose: str = "") -> Self:
        """Return the header of a run of this plan that starts now."""
        started = datetime.now(UTC).isoformat(timespec="seconds")
        options = {key: value for key, value in plan.to_json().items() if key not in ("points", "texts")}
        sources = {kernel: found for kernel, found in source_hashes(plan).items() if found}
        return cls(plan.run or new_id(), name, started, purpose, options, sources)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read the object of `to_json`; fields that are damaged are empty."""
        id_, name, purpose = (str(data.get(key) or "") for key in ("id", "name", "purpose"))
        options = data.get("options")
        known = options if isinstance(options, dict) else {}
        return cls(id_, name, decode_started(data.get("started")), purpose, known, read_sources(data.get("sources")))

    def to_json(self) -> dict[str, Any]:
        """Return the fields."""
        return {
            **{name: getattr(self, name) for name in ("id", "name", "started", "purpose")},
            "options": dict(self.options),
            "sources": dict(self.sources),
        }


def read_sources(data: Any) -> dict[str, str]:
    """Return hashes by kernel; empty where the data are damaged."""
    return {str(name): str(text) for name, text in data.items()} if isinstance(data, dict) else {}


def new_id() -> str:
    """Return an id for a new run."""
    return secrets.token_hex(8)
