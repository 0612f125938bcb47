"""Output of `tilescope trace --counts`: one JSON object, or a summary for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernels.cli.trace_report import (
    architecture_words,
    counts_json,
    hazard_json,
    hazard_lines,
    launch_json,
    memory_table,
)

if TYPE_CHECKING:
    from kernels.analysis import LaunchCounts


def as_json(found: LaunchCounts, elapsed_s: float) -> dict[str, Any]:
    """Build the object that `--counts --json` prints: `counts` as of a trace, and `totals` of the launch.

    `flops` is null if the source does not determine the floating-point operations, and `intensity` without these or
    without traffic: FLOP per byte of the accessed sectors of global memory.
    """
    trace, totals = found.trace, found.totals
    return {
        "kernel": trace.kernel,
        "launch": launch_json(trace),
        "hazards": [hazard_json(trace, hazard) for hazard in trace.hazards],
        "counts": counts_json(found.counts),
        "totals": {
            "flops": totals.flops,
            "sectors": totals.sectors,
            "sector_bytes": totals.sector_bytes,
            "accessed_bytes": totals.accessed_bytes,
            "intensity": totals.intensity,
        },
        "steps": trace.steps,
        "elapsed_s": elapsed_s,
    }


def as_text(found: LaunchCounts, elapsed_s: float) -> str:
    """Build the summary for people."""
    trace, totals = found.trace, found.totals
    lines = [
        f"{trace.kernel} <<<{trace.launch.grid}, {trace.launch.block}>>>{architecture_words(trace)}, "
        f"{trace.schedule}: "
        f"counted without a record, {elapsed_s:.2f} s"
    ]
    if found.counts.arrays:
        lines += ["", *memory_table(found.counts.arrays, "memory, as written")]
    reads = [reuse for reuse in found.counts.reuse if reuse.access == "read"]
    if reads:
        lines += ["", "reads of each element that is read, on average"]
        lines += [f"  {reuse.array:<10} {reuse.space:<8} {reuse.per_element:>12,.1f}" for reuse in reads]
    lines += ["", *_intensity(totals.flops, totals.sector_bytes, totals.intensity)]
    if trace.hazards:
        lines += ["", *hazard_lines(trace)]
    return "\n".join(lines)


def _intensity(flops: int | None, sector_bytes: int, intensity: float | None) -> list[str]:
    operations = "floating-point operations: not determined by the source"
    if flops is not None:
        operations = f"floating-point operations: {flops:,}"
    found = [operations, f"global traffic: {sector_bytes:,} bytes in sectors"]
    return found if intensity is None else [*found, f"arithmetic intensity: {intensity:.3g} FLOP/byte"]
