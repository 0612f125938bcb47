"""Sources, values and bounds of index expressions."""

from __future__ import annotations

from kernels.frontend import parse, render
from kernels.frontend.ast import Index, Name
from kernels.frontend.index_expressions import Indices, coordinates
from kernels.launch import Dim3
from tests.cases import Cases

CASES = Cases(__file__)


def indices() -> Indices:
    return Indices(parse(CASES.source("text"), "k.cu").kernels[0])


def index_of(read: Indices, array: str) -> Name:
    found = (node for node in read.nodes if isinstance(node, Index) and isinstance(node.base, Name))
    (index,) = (node.index for node in found if node.base == Name(node.base.span, array))
    assert isinstance(index, Name)
    return index


def test_sources_are_followed_through_variables_and_vectors() -> None:
    read = indices()
    assert read.sources(index_of(read, "b")) == {"threadIdx.y", "cols", "blockIdx.x", "threadIdx.x"}
    assert read.sources(index_of(read, "a")) == {"threadIdx.x", "k"}
    assert read.changed == {"k"}


def test_an_index_has_its_value_in_a_thread() -> None:
    read = indices()
    there = coordinates(Dim3(3, 2, 0), Dim3(1, 0, 0), Dim3(8, 4), Dim3(2))
    assert read.value(index_of(read, "b"), {**there, "cols": 16}) == 2 * 16 + 8 + 3
    assert read.value(index_of(read, "b"), there) is None


def test_bounds_of_indices_are_found() -> None:
    read = indices()
    assert [
        (render(guard.index), render(guard.bound)) for guard in sorted(read.guards, key=lambda g: render(g.index))
    ] == [
        ("at.x", "5"),
        ("i", "total"),
        ("k", "min(cols, limit)"),
    ]
    assert read.limits == {5}
