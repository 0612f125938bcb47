"""Count the traffic of the recorded runs' launches and write it: ``python -m kernels.bench.ship_traffic``.

Launches whose traffic is up to date with the source are kept, so that after an edit only that kernel is counted. A
launch that takes longer than `--seconds` is left out: the window counts it when it is needed. Those of the kernels with
which the Benchmark page opens are counted to the end. The file is written after each kernel.
"""

from __future__ import annotations

import argparse
import sys
from math import inf
from time import process_time
from typing import TYPE_CHECKING, Final

from kernels.bench.measure.compiled_code import arch_of, peak_of
from kernels.bench.shipped_traffic import CountedLaunches, fingerprint, read_counted, write_counted
from kernels.bench.store.recorded import recorded_runs
from kernels.bench.traffic import count_traffic, traffic_key
from kernels.catalog import find_kernel, split_options
from kernels.errors import InputError, TilescopeError
from kernels.start_tiles import story

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.bench.store.database import Row
    from kernels.bench.traffic import TrafficKey
    from kernels.launch import Dim3
    from kernels.workload import Size

SECONDS: Final = 3.0
"""Seconds for one launch."""


def launches_of(rows: Iterable[Row]) -> dict[str, tuple[TrafficKey, ...]]:
    """Return the launches of the points in a roofline, by kernel; those of the story first, small ones first."""
    found: dict[str, dict[TrafficKey, None]] = {name: {} for name in story()}
    for row in rows:
        point = row.sample.point
        key = traffic_key(point, arch_of(row.environment))
        if key is not None and row.sample.times_ms and peak_of(point, row.environment) is not None:
            found.setdefault(key.kernel, {})[key] = None
    return {name: tuple(sorted(keys, key=_products)) for name, keys in found.items() if keys}


def _products(key: TrafficKey) -> float:
    return float(key.size.m) * key.size.n * key.size.k


def count(name: str, keys: Sequence[TrafficKey], earlier: CountedLaunches | None, seconds: float) -> CountedLaunches:
    """Count the launches of a kernel that are not known, of one architecture's code; report each that is left out."""
    kernel = find_kernel(name)
    now, architecture = fingerprint(kernel), max((key.architecture for key in keys), key=lambda a: a.value)
    fresh = earlier is not None and (earlier.fingerprint, earlier.architecture) == (now, architecture)
    known = earlier.bytes if earlier is not None and fresh else {}
    found: dict[tuple[Dim3, Size], int] = {}
    for key in keys:
        if key.architecture != architecture:
            print(f"left out: {name}, {key.block}, n = {key.size} for {key.architecture}", flush=True)
            continue
        place = key.block, key.size
        try:
            found[place] = (
                known[place] if place in known else count_traffic(kernel, *place, seconds, architecture).bytes
            )
        except InputError as error:
            print(f"left out: {error}", flush=True)
    return CountedLaunches(now, found, architecture)


def main(arguments: Sequence[str] | None = None) -> int:
    """Count the launches of the recorded runs; return 2 when one cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m kernels.bench.ship_traffic", description=__doc__)
    parser.add_argument("kernels", nargs="*", help="ids of kernels; all unless given")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="seconds for one launch")
    options = parser.parse_args(arguments)
    try:
        launches = launches_of(row for run in recorded_runs() for row in run.rows())
        counted = {name: known for name, known in read_counted().items() if name in launches}
        for name, keys in launches.items():
            if options.kernels and split_options(name)[0] not in options.kernels:
                continue
            limit = inf if name in story() else options.seconds
            counted[name] = count(name, keys, counted.get(name), limit)
            write_counted(counted)
            print(f"{process_time():6.1f} s  {name}: {len(counted[name].bytes)} of {len(keys)} launches", flush=True)
    except TilescopeError as error:
        print(f"tilescope: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
