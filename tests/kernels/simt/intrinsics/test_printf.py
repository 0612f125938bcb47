"""Output of printf, with `?` for arguments that do not fit their conversions."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from kernels.errors import SourceError
from tests.kernels.simt.programs import trace


def _print(call: str, *, record: bool = True) -> tuple[str, list[tuple[str, int]], str]:
    source = f"__global__ void k(int *o) {{ int t = 5; double d = 2.7; long long big = 1LL << 33 | 7;\n{call}; }}"
    found = trace(source, {"o": np.zeros(4, np.int32)}, block=(1,), record=record)
    message = found.hazards[0].message if found.hazards else ""
    return "\n".join(found.printf), [(h.kind, h.line) for h in found.hazards], message


@pytest.mark.parametrize(
    ("call", "length"),
    [
        ('printf("%999999999d", t)', "999,999,999"),
        ('printf("%-999999999d", t)', "999,999,999"),
        ('printf("%.999999999f", d)', "999,999,999"),
        ('printf("%4097s", "a")', "4,097"),
        (f'printf("%{"9" * 5000}d", t)', "4,097"),
        ('printf("%*d", 999999999, t)', "999,999,999"),
        ('printf("%*d", -999999999, t)', "999,999,999"),
        ('printf("%*d", t * 1000, t)', "5,000"),
        ('printf("%.*f", 1 << 30, d)', "1,073,741,824"),
    ],
)
def test_a_field_of_megabytes_is_refused_where_it_is_written(call: str, length: str) -> None:
    tracemalloc.start()
    with pytest.raises(SourceError) as error:
        _print(call)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert error.value.line == 2
    assert f"printf of a field with {length} characters; up to 4,096 are printed" in str(error.value)
    assert taken < 1 << 25


def test_texts_are_counted_while_they_are_made() -> None:
    """100,000 threads with a line of 4 KB each: 400 MB, if they were made at once."""
    source = '__global__ void k(int *o) { printf("%4096d", threadIdx.x); }'
    tracemalloc.start()
    found = trace(source, {"o": np.zeros(1, np.int32)}, grid=(200,), block=(512,), max_memory_bytes=1 << 24)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.stopped == "stopped after printing 16 MiB"
    assert taken < 1 << 27
