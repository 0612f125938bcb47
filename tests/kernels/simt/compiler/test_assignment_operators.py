"""Assignment operators of structs: chained, compound, nested in other structs."""

from __future__ import annotations

import pytest

from tests.kernels.simt.programs import lanes

COUNTING = """struct N {
    int n;
    __device__ N &operator=(const N &o) { n = o.n + 1; return *this; }
    __device__ N &operator+=(const N &o) { n += 2 * o.n; return *this; }
};"""


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        pytest.param(
            COUNTING,
            "N a, b, c; a.n = t; c = b = a; r = a.n + 100 * b.n + 10000 * c.n;",
            [t + 100 * (t + 1) + 10000 * (t + 2) for t in range(8)],
            id="one after another",
        ),
        pytest.param(
            COUNTING,
            "N a, b, c; a.n = t; b.n = 1; c = (b += a); r = b.n + 100 * c.n;",
            [1 + 2 * t + 100 * (2 + 2 * t) for t in range(8)],
            id="of what another operator gives back",
        ),
        pytest.param(
            COUNTING,
            "N a, b; a.n = t; r = (b = a).n; for (N i = a; i.n < t + 3; i = a, a.n++) r += 100;",
            [t + 1 + 100 * 3 for t in range(8)],
            id="in the middle of an expression and of a loop",
        ),
        pytest.param(
            COUNTING + "struct Pair { N one, two; __device__ Pair(const N &o) : one(o), two(o) {} };",
            "N a; a.n = t; Pair p(a); N b = a; r = p.one.n + 10 * p.two.n + 100 * b.n;",
            [111 * t for t in range(8)],
            id="first values are no assignments",
        ),
        pytest.param(
            "struct N { int n; __device__ N &operator=(float x) { n = (int)x + 100; return *this; } };",
            "N a, b, c[2]; a.n = t; b = a; c[1] = b; a = 2.5f; r = b.n + c[1].n + 1000 * a.n;",
            [2 * t + 102000 for t in range(8)],
            id="an operator for something else leaves copies alone",
        ),
        pytest.param(
            COUNTING + "struct Inner { N n; }; struct Outer { int id; N one, two[2]; Inner in; };",
            """Outer a, b; a.id = 5; a.one.n = a.two[0].n = a.two[1].n = t; a.in.n.n = t; b = a; Outer c = a;
            r = b.id + 10 * (b.one.n + b.two[0].n + b.two[1].n + b.in.n.n) + 10000 * c.one.n;""",
            [5 + 10 * (4 * t + 4) + 10000 * t for t in range(8)],
            id="of members that have their own",
        ),
        pytest.param(
            """struct Distance {
                int index; float value;
                __device__ volatile Distance &operator=(volatile Distance &o) volatile {
                    index = o.index; value = o.value; return *this;
                }
            };
            __shared__ Distance s[16];""",
            """s[t].index = t; s[t].value = 2 * t; s[t + 8].index = t + 8; s[t + 8].value = 0;
            __syncthreads();
            volatile Distance *v = s; Distance least;
            least = v[t] = v[t + 8];
            r = least.index + 100 * v[t].index;""",
            [101 * (t + 8) for t in range(8)],
            id="volatile",
        ),
        pytest.param(
            "",
            "int a = t; unsigned b = 7; thrust::swap(a, b); r = a + 100 * b;",
            [7 + 100 * t for t in range(8)],
            id="values of two types change places",
        ),
    ],
)
def test_assignments(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected
