"""Warp collectives, computed once all lanes of the warp have arrived at the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernels.frontend.types import INT, UINT, Scalar
from tests.kernels.simt.fuzz.interpreter.values import convert, promoted, wrap

if TYPE_CHECKING:
    from kernels.frontend.types import CType
    from tests.kernels.simt.fuzz.interpreter.expressions import Request


def exchange(waiting: dict[int, Request]) -> dict[int, Any]:
    """Result of a warp's call for each lane; the masks name all lanes."""
    (name,) = {request.name for request in waiting.values()}
    if name == "__syncwarp":
        return dict.fromkeys(waiting, (INT, 0))
    kinds = {n: request.arguments[1][0] for n, request in waiting.items()}
    values = {n: request.arguments[1][1] for n, request in waiting.items()}
    if name.startswith("__shfl"):
        return {n: _shuffled(name, n, request, kinds, values) for n, request in waiting.items()}
    truths = [bool(value != 0) for value in values.values()]
    if name in ("__any_sync", "__all_sync"):
        return dict.fromkeys(waiting, (INT, int(any(truths) if name == "__any_sync" else all(truths))))
    if name == "__ballot_sync":
        return dict.fromkeys(waiting, (UINT, sum((values[n] != 0) << n % 32 for n in values)))
    assert name == "__reduce_add_sync"
    kind = _number(next(iter(kinds.values())))
    return dict.fromkeys(waiting, (kind, wrap(sum(values.values()), kind)))


def _shuffled(
    name: str, number: int, request: Request, kinds: dict[int, Any], values: dict[int, Any]
) -> tuple[Scalar, Any]:
    lane, by = number % 32, request.arguments[2][1]
    width = request.arguments[3][1] if len(request.arguments) > 3 else 32
    first = lane // width * width
    match name:
        case "__shfl_sync":
            source = first + by % width
        case "__shfl_up_sync":
            source = lane - by if lane - by >= first else lane
        case "__shfl_down_sync":
            source = lane + by if lane + by < first + width else lane
        case _:
            source = lane ^ by if lane ^ by < first + width else lane
    other = number - lane + source
    kind = _number(kinds[other])
    return kind, convert(values[other], kinds[other], kind)


def _number(kind: CType) -> Scalar:
    assert isinstance(kind, Scalar)
    return promoted(kind)
