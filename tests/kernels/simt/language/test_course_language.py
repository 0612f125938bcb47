"""What course and student kernels write: assignments of structs, kernels declared by a typedef, overloaded kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import choose_kernel, run
from tests.kernels.simt.programs import lanes, trace

if TYPE_CHECKING:
    from collections.abc import Callable

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


CHAINED = """struct Q {
    int v;
    __device__ Q &operator<<(int k) { v += k; return *this; }
    __device__ Q &operator+=(const Q &o) { v += o.v; return *this; }
    __device__ Q &operator++() { v++; return *this; }
    __device__ Q operator++(int) { Q old = *this; v++; return old; }
    __device__ Q &add(int k) { v += k; return *this; }
    __device__ Q &operator,(const Q &o) { v += 10 * o.v; return *this; }
};
__device__ Q &operator>>(Q &q, int k) { q.v -= k; return q; }
__device__ void bump(Q &q) { q.v += 5; }"""

COPYING = """struct V {
    int x;
    __device__ V(int x = 0) : x(x) {}
    __device__ V(const V &o) : x(o.x + 1) {}
};
struct Stack {
    V items[4]; int n;
    __device__ V pop() { return items[--n]; }
    __device__ V made() { V v(5); return v; }
};
__device__ V same(const V &v) { return v; }"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("Q a; a.v = t; a << 1 << 2 << 30; r = a.v;", lambda t: t + 33, id="one after another"),
        pytest.param("Q a; a.v = t; (a << 5).v += 100; r = a.v;", lambda t: t + 105, id="a member of it"),
        pytest.param("Q a, b; a.v = t; b.v = 2; (a += b) += b; r = a.v;", lambda t: t + 4, id="assignments"),
        pytest.param("Q a; a.v = t; a >> 1 >> 2; bump(a << 1); r = a.v;", lambda t: t + 3, id="as arguments"),
        pytest.param("Q a; a.v = t; ++++a; r = (a++).v + 100 * a.v;", lambda t: t + 2 + 100 * (t + 3), id="increments"),
        pytest.param(
            "Q a; a.v = t; Q b = a << 1 << 2; Q &c = a << 4; c.v *= 2; r = a.v + 1000 * b.v;",
            lambda t: 2 * (t + 7) + 1000 * (t + 3),
            id="references to it",
        ),
        pytest.param(
            "Q a[2]; a[0].v = a[1].v = t; int j = 0; a[j++] << 10 << 20; a[1].add(2).add(3) << 4;"
            "r = a[0].v + 1000 * a[1].v + 100000 * j;",
            lambda t: t + 30 + 1000 * (t + 9) + 100000,
            id="elements",
        ),
        pytest.param(
            "Q a, b; a.v = b.v = t; (t % 2 ? a : b).add(100); r = a.v + 1000 * b.v;",
            lambda t: t + 100 * (t % 2) + 1000 * (t + 100 * (1 - t % 2)),
            id="one of two",
        ),
        pytest.param("Q a, b; a.v = t; b.v = 2; a, b, b; a, 7; r = (a.v, a.v + 1);", lambda t: t + 41, id="commas"),
        pytest.param("r = 1 << t >> 1;", lambda t: 1 << t >> 1, id="numbers"),
    ],
)
def test_operators_that_return_references(body: str, expected: Callable[[int], int]) -> None:
    assert lanes(body, before=CHAINED) == [expected(t) for t in range(8)]


def test_what_is_returned_and_listed_is_copied_by_the_copy_constructor() -> None:
    body = """V a(t), listed[2] = {V(7), a}; Stack s; s.n = 1; s.items[0] = a;
    r = listed[0].x + 100 * listed[1].x + 10000 * s.pop().x + 1000000 * s.made().x + 10000000 * same(a).x;"""
    assert lanes(body, before=COPYING) == [
        7 + 100 * (t + 1) + 10000 * (t + 1) + 5000000 + 10000000 * (t + 1) for t in range(8)
    ]


def test_kernels_may_be_declared_by_the_type_of_a_function() -> None:
    output = trace(
        """typedef void (Kernel)(int *, int);
        __global__ Kernel fill;
        __device__ int twice(int);
        typedef int Change(int);
        __device__ Change twice;
        __global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = twice(threadIdx.x); }
        __device__ int twice(int x) { return 2 * x; }""",
        {"a": np.zeros(8, np.int32), "n": 8},
    )
    assert output.outputs["a"].tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_arguments_of_a_template_choose_it_among_kernels_of_one_name() -> None:
    program = parse(
        """__global__ void fill(int *a) { a[threadIdx.x] = 1; }
        template <int N> __global__ void fill(int *a) { a[threadIdx.x] = N; }""",
        "test.cu",
    )
    for template, expected in (({}, 1), ({"N": "5"}, 5)):
        start, arguments = Launch(Dim3(1), Dim3(2)), {"a": np.zeros(2, np.int32)}
        output = run(program, start, arguments, kernel="fill", template=template)
        assert output.outputs["a"].tolist() == [expected] * 2


@pytest.mark.parametrize("launch", ["inner<<<1, 32>>>(a);", "inner <4> <<<1, 32>>> (a);"])
def test_kernels_that_kernels_launch_are_refused_by_that_name(launch: str) -> None:
    program = parse(
        f"""{"template <int N>" if "<4>" in launch else ""} __global__ void inner(float *a) {{ a[0] = 1; }}
        __global__ void outer(float *a) {{
        {launch} }}""",
        "test.cu",
    )
    with pytest.raises(SourceError, match=r"3:\d+: not supported: launch with <<< >>> in device code; trace that"):
        choose_kernel(program, "outer")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param(
            "__device__ int a[4];\n#define ALL (COUNT * 4)\n__global__ void k(int *o) { __shared__ int s[ALL]; }",
            r"3:46: the length of an array .*: 'ALL' is not, because COUNT is declared nowhere; use #define",
            id="what a macro stands for",
        ),
        pytest.param(
            "__global__ void k(int *o) { __shared__ int s[blockDim.x]; }",
            r"1:46: the length of an array must be known before the kernel runs: 'blockDim.x' is not; use",
            id="a length that threads know",
        ),
        pytest.param(
            "\n%%cuda\n__global__ void k(int *o) { o[0] = 1; }",
            r"2:1: not supported: a notebook's line \(%%\); remove it",
            id="a cell of a notebook",
        ),
        pytest.param(
            "__global__ void k(Absent *o);",
            r"1:19: not supported: type 'Absent'",
            id="a kernel's type that is declared nowhere",
        ),
    ],
)
def test_messages_name_what_is_missing(source: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        choose_kernel(parse(source, "test.cu"), "k")
