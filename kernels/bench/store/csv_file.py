"""Samples as CSV: one line for each, with its environment and conditions; written and read again."""

from __future__ import annotations

import csv
import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from kernels.bench.measure.compiled_code import percent_of_peak
from kernels.bench.measure.conditions import Conditions
from kernels.bench.measure.environment import Environment
from kernels.bench.sample import PARTS
from kernels.bench.store.database import Row, Skipped
from kernels.bench.store.decode import RowError, decode_sample
from kernels.errors import InputError
from kernels.files import atomic_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

CSV_COLUMNS: Final = (
    "run",
    "time",
    "kernel",
    "block",
    "threads",
    "memory",
    "cold",
    "launch",
    "m",
    "n",
    "k",
    "median_ms",
    "low_ms",
    "high_ms",
    "min_ms",
    "p10_ms",
    "p90_ms",
    "to_device_ms",
    "kernel_ms",
    "to_host_ms",
    "samples",
    "stopped",
    "launches",
    "captured",
    "gflops",
    "percent_of_peak",
    "baseline",
    "speed_up",
    "speed_up_low",
    "speed_up_high",
    "speed_up_verdict",
    "repeat",
    "duration_s",
    *(field.name for field in fields(Conditions)),
    "throttled",
    "outcome",
    "verified",
    "error",
    "device",
    *(field.name for field in fields(Environment)),
    "flops",
    "checked",
    "times_ms",
    "parts_times_ms",
    "baseline_times_ms",
    "checks",
)
"""The last ones hold what the others are computed from; lists are JSON, so that a file can be read again."""

_NEEDED: Final = ("kernel", "m", "n", "k", "outcome", "times_ms")
_MOST_CELL: Final = 1 << 20
"""Most characters of a cell: the times of one sample."""


def write_csv(path: Path, rows: Iterable[Row]) -> None:
    """Write `CSV_COLUMNS`, then one line for each sample; missing values are empty.

    Raises
    ------
    InputError
        When the file cannot be written.
    """
    with atomic_file(path) as name, name.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, CSV_COLUMNS, extrasaction="ignore")
        writer.writeheader()
        for row in rows:
            writer.writerow(_csv_fields(row))


def _csv_fields(row: Row) -> dict[str, Any]:
    sample, entry, size = row.sample, row.sample.point.entry, row.sample.point.size
    environment = row.environment.to_json() | {"device": row.environment.device} if row.environment else {}
    conditions = sample.conditions or Conditions()
    interval, speed_up = sample.interval, sample.speed_up
    return (
        environment
        | conditions.to_json()
        | {
            "throttle_reasons": "; ".join(conditions.throttle_reasons),
            "throttled": conditions.throttled if sample.conditions else "",
            "run": row.run or "",
            "time": sample.taken,
            "kernel": entry.kernel,
            "block": "x".join(str(n) for n in entry.block) if entry.block else "",
            "threads": entry.threads or "",
            "memory": entry.memory,
            "cold": entry.cold,
            "launch": entry.launch,
            "m": size.m,
            "n": size.n,
            "k": size.k,
            "median_ms": sample.median_ms,
            "low_ms": interval and interval.low,
            "high_ms": interval and interval.high,
            "min_ms": sample.min_ms,
            "p10_ms": sample.p10_ms,
            "p90_ms": sample.p90_ms,
            **{f"{part}_ms": sample.part_ms(part) for part in PARTS},
            "samples": len(sample.times_ms),
            "stopped": sample.stopped,
            "launches": sample.launches,
            "captured": sample.captured,
            "gflops": sample.gflops,
            "percent_of_peak": percent_of_peak(sample, row.environment),
            "baseline": sample.baseline,
            "speed_up": speed_up and speed_up.middle,
            "speed_up_low": speed_up and speed_up.low,
            "speed_up_high": speed_up and speed_up.high,
            "speed_up_verdict": sample.claim,
            "repeat": sample.repeat,
            "duration_s": sample.duration_s or "",
            "outcome": sample.outcome,
            "verified": sample.verified,
            "error": sample.error,
            "flops": sample.flops,
            "checked": sample.checked,
            "times_ms": json.dumps(sample.times_ms),
            "parts_times_ms": json.dumps(sample.parts_ms) if sample.parts_ms else "",
            "baseline_times_ms": json.dumps(sample.baseline_ms) if sample.baseline_ms else "",
            "checks": json.dumps(sample.checks.to_json()) if sample.checks else "",
        }
    )


class CsvReader:
    """Reads a file of `write_csv` sample by sample; `run` of a row is the number in the file.

    Raises
    ------
    InputError
        While iterating, when the file cannot be read, or lacks a column that is needed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped: list[Skipped] = []
        """Lines that could not be used, by their numbers."""

    def __iter__(self) -> Iterator[Row]:
        """Yield the samples in order."""
        try:
            with self.path.open(newline="", encoding="utf-8-sig", errors="replace") as file:
                yield from self._rows(file)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        except csv.Error as error:
            raise InputError(f"{self.path}: is not a CSV file of samples: {error}") from error

    def _rows(self, file: Iterable[str]) -> Iterator[Row]:
        csv.field_size_limit(max(csv.field_size_limit(), _MOST_CELL))
        reader = csv.DictReader(file)
        missing = [name for name in _NEEDED if name not in (reader.fieldnames or ())]
        if missing:
            raise InputError(
                f"{self.path}: has no column “{missing[0]}”: choose a CSV file that tilescope wrote, "
                "or JSON lines, which older versions can write, too"
            )
        for texts in reader:
            try:
                yield _row(texts)
            except RowError as error:
                self.skipped.append(Skipped("line", reader.line_num, str(error)))


def _row(texts: Mapping[str, Any]) -> Row:
    """Return the row of a line; raises RowError."""
    environment = Environment.from_json({f.name: texts.get(f.name) or "" for f in fields(Environment)})
    known = any(environment.to_json().values())
    sample = decode_sample(
        {
            "run": _whole(texts, "run"),
            "taken": texts.get("time") or "",
            "environment": environment.id if known else "",
            "kernel": texts.get("kernel") or "",
            "block": (texts.get("block") or "").replace("x", ",") or None,
            "threads": _whole(texts, "threads"),
            "memory": texts.get("memory") or "device",
            "cold": _flag(texts, "cold"),
            "launch": texts.get("launch") or "",
            **{name: _whole(texts, name) for name in ("m", "n", "k", "launches", "flops")},
            "outcome": texts.get("outcome"),
            "times_ms": texts.get("times_ms") or "[]",
            "checked": texts.get("checked") or "",
            "error": texts.get("error") or "",
            "parts_ms": texts.get("parts_times_ms") or "{}",
            "checks": texts.get("checks") or "null",
            "stopped": texts.get("stopped") or "",
            "captured": _flag(texts, "captured"),
            "repeat": texts.get("repeat") or "",
            "duration_s": _number(texts, "duration_s") or 0.0,
            "baseline": texts.get("baseline") or "",
            "baseline_ms": texts.get("baseline_times_ms") or "[]",
            "conditions": json.dumps(_conditions(texts)),
        }
    )
    return Row(_whole(texts, "run"), sample, environment if known else None)


def _conditions(texts: Mapping[str, Any]) -> dict[str, Any] | None:
    names = [field.name for field in fields(Conditions) if field.name != "throttle_reasons"]
    numbers = {name: value for name in names if (value := _number(texts, name)) is not None}
    reasons = [reason for reason in (texts.get("throttle_reasons") or "").split("; ") if reason]
    return numbers | {"throttle_reasons": reasons} if numbers or reasons else None


def _whole(texts: Mapping[str, Any], name: str) -> int:
    """Return a whole number; 0 for an empty cell."""
    try:
        return int(texts.get(name) or 0)
    except ValueError:
        raise RowError(f"“{name}” is not a whole number") from None


def _number(texts: Mapping[str, Any], name: str) -> float | None:
    try:
        return float(texts[name]) if texts.get(name) else None
    except ValueError:
        raise RowError(f"“{name}” is not a number") from None


def _flag(texts: Mapping[str, Any], name: str) -> int:
    return int(texts.get(name) == "True")
