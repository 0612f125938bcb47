"""C++17 and C++20 in kernels: constexpr if, initialisers in conditions, designators, attributes, host types."""

from __future__ import annotations

import re

import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, run
from tests.kernels.simt.programs import THREADS, trace

KERNEL = "__global__ void k(int *out) {{ int t = threadIdx.x; {} }}"


def outputs(before: str, body: str) -> list[int]:
    found = trace(before + KERNEL.format(body), {"out": Unwritten("int32", (THREADS,))})
    assert found.hazards == ()
    return list(found.outputs["out"].tolist())


HOST = """
struct Scene { std::vector<int> shapes; glm::mat4 view; std::unique_ptr<int> p; int n; };
struct Part { Scene *scene; int n; };
__device__ Scene *current;
__global__ void k(int *out) { Part part; part.n = 3; out[threadIdx.x] = part.n; }
__global__ void f(int *out, Scene *scene) { out[threadIdx.x] = 1; }
__global__ void g(int *out) { Part part; part.scene = (Scene *)out; out[threadIdx.x] = part.scene->n; }
"""


def test_types_of_the_host_are_no_trouble_where_nothing_in_them_is_used() -> None:
    found = run(parse(HOST, "test.cu"), Launch(Dim3(1), Dim3(8)), {"out": Unwritten("int32", (8,))}, kernel="k")
    assert found.outputs["out"].tolist() == [3] * 8


@pytest.mark.parametrize(("kernel", "place"), [("f", "6:29"), ("g", "7:56")])
def test_types_of_the_host_are_refused_where_they_are_used(kernel: str, place: str) -> None:
    reason = f"test.cu:{place}: type 'Scene' was left out: test.cu:2:16: not supported: type 'std::vector'; it is"
    with pytest.raises(SourceError, match=re.escape(reason)):
        run(parse(HOST, "test.cu"), Launch(Dim3(1), Dim3(8)), {}, kernel=kernel)
