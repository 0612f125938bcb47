"""A program is data that never changes; what instances of its templates declare is kept apart from it."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import numpy as np

from kernels.frontend import Instances, parse, parse_with_instances
from kernels.frontend.parse import parse_with_parser
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, run

if TYPE_CHECKING:
    import pytest

    from kernels.frontend.ast import Program

TEXT = """
template <int N> struct Tile {
    static constexpr int SIZE = N * N;
    static constexpr int ODD[2] = {1, 2 * N + 1};
    int data[N];
    __device__ int &at(int i) { return data[i % N]; }
    template <typename T> __device__ T scaled(T factor) { return data[0] * factor; }
};
template <typename T> __device__ T twice(T x) { return x + x; }
template <int N> __global__ void k(int *out) {
    Tile<N> tile;
    tile.at(N) = Tile<N>::SIZE;
    out[threadIdx.x] = twice(tile.at(0)) + tile.scaled(2) + Tile<N>::ODD[threadIdx.x % 2];
}
struct Left { virtual void f(); };
__global__ void unreadable(int *out) { Left x; }
"""

LAUNCH = Launch(Dim3(1), Dim3(2))


def outputs(program: Program, instances: Instances | None = None) -> object:
    given: dict[str, Argument] = {"out": np.zeros(2, np.int32)}
    return run(program, LAUNCH, given, kernel="k", template={"N": "3"}, instances=instances).outputs["out"].tolist()


def test_a_run_leaves_the_program_as_it_was() -> None:
    program, instances = parse_with_instances(TEXT, "k.cu")
    before = copy.deepcopy(program)
    assert before == program
    assert outputs(program, instances) == [37, 43]
    assert program == before
    assert [name for name in instances.statics if name not in program.statics] == ["Tile<3>::SIZE"]
    assert [name for name in instances.constants if name not in program.constants] == ["Tile<3>::ODD"]
    assert [f.name for f in instances.functions] == ["Tile<3>::at"]
    assert [t.name for t in instances.templates] == ["Tile<3>::scaled"]


def test_a_program_is_data() -> None:
    program = parse(TEXT, "k.cu")
    assert [name for name, _ in program.kernel_errors] == ["unreadable"]
    again = pickle.loads(pickle.dumps(program))
    assert again == program == parse(TEXT, "k.cu")
    assert outputs(again) == outputs(program) == [37, 43]


def test_the_text_is_parsed_again_for_the_first_template_only(monkeypatch: pytest.MonkeyPatch) -> None:
    program = parse(f"{TEXT} __global__ void plain(int *out) {{ out[threadIdx.x] = 1; }}", "k.cu")
    parsed: list[str] = []

    def count(text: str, *rest: object, **more: object) -> object:
        parsed.append(text)
        return parse_with_parser(text, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("kernels.frontend.instances.parse_with_parser", count)
    instances = Instances(program)
    given: dict[str, Argument] = {"out": np.zeros(2, np.int32)}
    run(program, LAUNCH, given, kernel="plain", instances=instances)
    assert parsed == []
    assert outputs(program, instances) == outputs(program, instances) == [37, 43]
    assert parsed == [program.text]


def test_objects_of_one_program_are_independent() -> None:
    program = parse(TEXT, "k.cu")
    one, other = Instances(program), Instances(program)
    made = one.instantiate(program.templates[1], (3,))
    assert made is one.instantiate(program.templates[1], (3,))
    assert (len(one.functions), len(other.functions)) == (1, 0)
    assert other.instantiate(program.templates[1], (3,)) == made
