"""Indices beyond an array member of a struct, inside of the object: reported where the element is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.trace.records import Hazard

TYPES = """
struct In { int v[3]; short w; };
struct S { int before[2]; int middle[1]; int after[2]; int m[2][3]; In in[2]; int tail; };
struct Open { int n; int data[1]; };
union Both { int a[2]; int b[4]; };
struct Held { Both both; int tail; };
"""


def hazards(body: str, *, record: bool = True) -> list[Hazard]:
    """Return what two threads, each with an S of its own at `p[t]`, are told; `n` is 2, and nobody knows it."""
    text = f"{TYPES}__global__ void k(S *p, Open *o, Held *h, const int *ns) {{\n"
    text += f"int t = threadIdx.x, n = ns[t];\n{body}\n}}"
    given = {name: np.zeros(400, np.uint8) for name in ("p", "o", "h")} | {"ns": np.full(2, 2, np.int32)}
    return list(trace(text, given, block=(2, 1), record=record).hazards)


def test_the_access_is_made() -> None:
    source = f"{TYPES}__global__ void k(S *p, int n) {{ p->before[n] = 7; p->tail = p->middle[0]; }}"
    found = trace(source, {"p": np.zeros(80, np.uint8), "n": 2}, block=(1, 1))
    values = found.outputs["p"].view(np.int32)
    assert (values[2], len(found.hazards)) == (7, 1)
    assert 7 in values[3:]
