"""A program is written and read back as the same tree."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import pytest

from kernels import CUDA_FOLDER
from kernels.catalog import read_kernel
from kernels.frontend import parse
from kernels.frontend.types import FLOAT, INT, Array, Pointer, Reference
from kernels.frontend.unparse.program import spell, write
from tests.cases import Cases
from tests.kernels.hazards.corpus import FOLDER
from tests.kernels.simt.fuzz.programs import Seeded
from tests.sweeps import one_in

if TYPE_CHECKING:
    from kernels.frontend.ast import Program
    from kernels.frontend.types import CType

CASES = Cases(__file__)


_LEFT_OUT = ("span", "header", "initial")


def plain(node: Any) -> Any:
    """Return a tree as nested tuples, without places; first values are written as the assignments that they are."""
    if isinstance(node, tuple | list):
        return [plain(child) for child in node]
    if not is_dataclass(node):
        return node
    values = ((f.name, getattr(node, f.name)) for f in fields(node) if f.name not in _LEFT_OUT)
    return (type(node).__name__, [(name, plain(value)) for name, value in values])


def tree(program: Program) -> Any:
    return plain((program.variables, program.functions))


@pytest.mark.parametrize(
    ("kind", "const", "expected"),
    [
        (FLOAT, False, "float x"),
        (FLOAT, True, "const float x"),
        (Pointer(FLOAT), False, "float *x"),
        (Pointer(FLOAT, const=True), False, "const float *x"),
        (Pointer(FLOAT), True, "float *const x"),
        (Pointer(Pointer(FLOAT, const=True)), False, "const float **x"),
        (Pointer(Pointer(FLOAT), const=True), False, "float *const *x"),
        (Array(Array(INT, 3), 2), False, "int x[2][3]"),
        (Array(Pointer(INT), 2), True, "int *const x[2]"),
        (Pointer(Array(INT, 4)), False, "int (*x)[4]"),
        (Reference(Array(INT, 4), const=True), False, "const int (&x)[4]"),
        (Reference(Pointer(INT)), False, "int *&x"),
        (Array(FLOAT, 0), False, "float x[]"),
    ],
)
def test_declarations_are_spelled_around_the_name(kind: CType, const: bool, expected: str) -> None:
    assert spell(kind, "x", const=const) == expected


@pytest.mark.parametrize("kind", [FLOAT, Pointer(FLOAT, const=True), Pointer(Pointer(INT)), Pointer(FLOAT)])
def test_a_type_without_a_name_is_spelled(kind: CType) -> None:
    program = parse(f"__global__ void k(char *p) {{ auto q = ({spell(kind)})p; }}", "k.cu")
    assert f"({spell(kind)})p" in write(program)


@pytest.mark.parametrize("file", one_in(3, sorted((*CUDA_FOLDER.glob("*.cu"), *FOLDER.glob("*.cu"))), lambda f: f.stem))
def test_every_kernel(file: Any) -> None:
    text = file.read_text(encoding="utf-8")
    if file.parent == CUDA_FOLDER:
        kernel = read_kernel(file)
        program = parse(text, file.name, kernel.defines(kernel.size, kernel.block))
    else:
        program = parse(text, file.name)
    if program.templates:
        pytest.skip("what a template holds is read only for its instances")
    if "<cuda/atomic>" in text:
        pytest.skip("objects that are atomic are not written: --on-gpu refuses them")
    assert tree(parse(write(program), file.name)) == tree(program)


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed: int) -> None:
    program = parse(Seeded(seed).function(), "k.cu")
    assert tree(parse(write(program), "k.cu")) == tree(program)


@pytest.mark.parametrize("text", CASES("statements"))
def test_statements(text: str) -> None:
    before = CASES.source("statements")
    program = parse(f"{before} __global__ void k(float *a, int n) {{ {text} }}", "k.cu")
    assert tree(parse(write(program), "k.cu")) == tree(program)


def test_members_are_at_aligned_offsets() -> None:
    text = "struct S { int n; __align__(16) float v[4]; alignas(8) short s; char c; };"
    first = parse(f"{text} __global__ void k(S *p) {{ p->n = sizeof(S); }}", "k.cu")
    again = parse(write(first), "k.cu")
    places = [[(f.name, f.offset_bytes) for f in program.structs["S"].fields] for program in (first, again)]
    assert places == [[("n", 0), ("v", 16), ("s", 32), ("c", 34)]] * 2
