"""memcpy and memset in device code: between types, through bytes, at null pointers, over structs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.simt.programs import trace


@pytest.mark.parametrize(
    ("to", "source", "size", "accesses"),
    [("int", "float", 8, 2), ("int4", "float", 32, 8), ("char", "float", 6, 6), ("int", "int", 5, 5)],
)
def test_memcpy_between_types(to: str, source: str, size: int, accesses: int) -> None:
    text = f"__global__ void k({to} *to, const {source} *from) {{ memcpy(to, from, {size}); }}"
    given = np.arange(32, dtype=np.uint8)
    kinds = {"int": "i4", "float": "f4", "char": "i1", "double": "f8", "int4": "i4", "short2": "i2"}
    found = trace(text, {"to": np.zeros(32, np.uint8).view(kinds[to]), "from": given.view(kinds[source])}, block=(1,))
    copied = found.outputs["to"].view(np.uint8)
    assert copied.tolist() == [*range(size), *[0] * (32 - size)]
    assert found.access_count == 2 * accesses
    assert found.hazards == ()
