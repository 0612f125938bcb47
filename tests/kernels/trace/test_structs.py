"""Arrays of structs are told by the names and types of their members, whatever words they are recorded in."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.analysis import variables
from kernels.errors import InputError
from kernels.simt import Argument, Unwritten
from kernels.trace import element_name
from kernels.trace.file import HEADER, load, save
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.trace import Structure, Trace

PARTICLE = "struct Vec { float x, y; };\nstruct Particle { Vec pos; int cell; };\n"
MOVE = (
    PARTICLE
    + """
__global__ void move(Particle *p, int n) {
    __shared__ Particle s[8];
    s[threadIdx.x] = p[threadIdx.x];
    s[threadIdx.x].pos.y += s[threadIdx.x ^ 1].pos.x;
    s[threadIdx.x ^ 1].pos.x += 0.5f;
    p[threadIdx.x] = s[threadIdx.x];
    p[threadIdx.x + n].cell = 7;
}"""
)

DTYPE = np.dtype([("x", "f4"), ("y", "f4"), ("cell", "i4")])


def moved() -> Trace:
    particles = np.zeros(8, DTYPE)
    particles["x"], particles["cell"] = np.arange(8) + 0.25, np.arange(8)
    return trace(MOVE, {"p": particles.view(np.uint32).reshape(8, 3), "n": 1})


def struct_of(declaration: str, kind: str = "S") -> Structure | None:
    """Return how an array of a type is told in a trace."""
    source = f"{declaration}\n__global__ void k() {{ __shared__ {kind} s[4]; {kind} *p = s; }}"
    return trace(source).arrays[0].struct


@pytest.mark.parametrize(
    ("declaration", "fields"),
    [
        ("struct S { float x, y; int cell; };", [(".x", "f4", 0), (".y", "f4", 4), (".cell", "i4", 8)]),
        ("struct S { int key; short kind; };", [(".key", "i4", 0), (".kind", "i2", 4)]),
        ("struct S { bool b; char c; half h; };", [(".b", "?", 0), (".c", "i1", 1), (".h", "f2", 2)]),
        ("struct S { double d; unsigned char c; };", [(".d", "f8", 0), (".c", "u1", 8)]),
        (
            "struct V { float x, y; }; struct S { V a; int w[2]; };",
            [(".a.x", "f4", 0), (".a.y", "f4", 4), (".w[0]", "i4", 8), (".w[1]", "i4", 12)],
        ),
        ("struct S { float2 a; int b; };", [(".a.x", "f4", 0), (".a.y", "f4", 4), (".b", "i4", 8)]),
        ("struct S { struct { float x; int y; }; };", [(".x", "f4", 0), (".y", "i4", 4)]),
        ("struct S { union { float f; int i; }; int tag; };", [(".f|i", "u4", 0), (".tag", "i4", 4)]),
        ("struct A { float x; }; struct S : A { int n; };", [(".x", "f4", 0), (".n", "i4", 4)]),
        ("struct S { float x, y; };", [(".x", "f4", 0), (".y", "f4", 4)]),
        ("struct S { float *at; int n; };", [(".at", "i8", 0), (".n", "i4", 8)]),
    ],
)
def test_the_fields_of_a_struct(declaration: str, fields: list[tuple[str, str, int]]) -> None:
    found = struct_of(declaration)
    assert found is not None
    assert [(f.path, f.dtype, f.offset_bytes) for f in found.fields] == [(p, np.dtype(t), o) for p, t, o in fields]


@pytest.mark.parametrize(
    ("declaration", "kind"),
    [
        ("", "float"),
        ("", "half"),
        ("union S { float f; int i; };", "S"),
        ("struct S { float big[1000]; int n; };", "S"),
    ],
)
def test_other_arrays_say_it_themselves(declaration: str, kind: str) -> None:
    assert struct_of(declaration, kind) is None


@pytest.mark.parametrize(
    ("first", "width", "name"),
    [
        (0, 1, "p[0].a.x"),
        (1, 1, "p[0].a.y"),
        (0, 2, "p[0].a"),
        (2, 2, "p[0].w"),
        (3, 1, "p[0].w[1]"),
        (0, 5, "p[0]"),
        (1, 2, "p[0].a.y to .w[0]"),
        (5, 5, "p[1]"),
        (9, 2, "p[1].n to p[2].a.x"),
        (40, 1, "p[8].a.x"),
        (-1, 1, "p[-1].n"),
    ],
)
def test_elements_are_named_as_the_source_has_it(first: int, width: int, name: str) -> None:
    source = "struct V { float x, y; }; struct S { V a; int w[2]; int n; }; __global__ void k(S *p) { p->n = 1; }"
    array = trace(source, {"p": np.zeros((8, 5), np.uint32)}).arrays[0]
    assert element_name(array, first, width) == name


def test_a_variable_has_no_index() -> None:
    source = PARTICLE + "__global__ void k() { __shared__ Particle s; __shared__ float t; s.cell = 1; t = 2; }"
    struct, number = trace(source).arrays
    assert (element_name(struct, 2), element_name(number, 0)) == ("s.cell", "t")


def test_values_have_the_types_of_their_members() -> None:
    found = moved()
    struct = found.arrays[0].struct
    assert struct is not None
    x, y, cell = struct.columns(found.contents(0, found.steps)[0])
    assert [x.dtype, cell.dtype] == [np.dtype("f4"), np.dtype("i4")]
    assert y.tolist() == [1.25, 0.25, 3.25, 2.25, 5.25, 4.25, 7.25, 6.25]
    assert x.tolist() == [n + 0.75 for n in range(8)]
    assert cell.tolist() == [0, 7, 7, 7, 7, 7, 7, 7]


def test_an_array_that_is_also_seen_as_bytes_keeps_its_numbers() -> None:
    source = "__global__ void k(float *a) { char *bytes = (char *)a; bytes[threadIdx.x] = 0; }"
    found = trace(source, {"a": np.full(4, 1.5, np.float32)})
    array = found.arrays[0]
    assert array.struct is not None
    assert array.dtype == np.dtype("u1")
    assert element_name(array, 6) == "a[1]"
    assert array.struct.columns(found.contents(0, found.steps)[0])[0].tolist() == [0, 0, 1.5, 1.5]


def test_hazards_name_the_member() -> None:
    said = {(hazard.kind, hazard.array): (hazard.index, hazard.message) for hazard in moved().hazards}
    assert said["out-of-bounds", "p"] == (
        26,
        "thread (7, 0) of block (0, 0) writes p[8].cell, but p has 8 elements: 0 to 7; only let threads access it "
        "whose index is below 8",
    )
    index, message = said["data-race", "s"]
    assert index % 3 == 0
    assert f"writes s[{index // 3}].pos.x in line 8" in message


def test_an_unwritten_member_is_named() -> None:
    source = PARTICLE + "__global__ void k(Particle *p, float *x) { x[threadIdx.x] = p[threadIdx.x].pos.y; }"
    found = trace(source, {"p": Unwritten(np.uint32, (8, 3)), "x": np.zeros(8, np.float32)})
    assert "reads p[0].pos.y (global memory), which nothing has written yet" in found.hazards[0].message


def test_unwritten_elements_are_counted_in_members() -> None:
    source = "struct P { double d; short n; }; __global__ void k(P *p) { if (threadIdx.x) p[threadIdx.x].n = 1; }"
    found = trace(source, {"p": Unwritten(np.uint8, (8, 16))})
    assert "9 of the 16 fields of p are never written, the first is p[0].d;" in found.hazards[0].message


def test_a_reopened_trace_answers_the_same(tmp_path: Path) -> None:
    saved = moved()
    save(saved, tmp_path / "a.trace")
    save(moved(), tmp_path / "b.trace")
    loaded = load(tmp_path / "a.trace")
    assert loaded.arrays == saved.arrays
    assert element_name(loaded.arrays[0], 13) == "p[4].pos.y"
    assert (tmp_path / "a.trace").read_bytes() == (tmp_path / "b.trace").read_bytes()


def changed(path: Path, header: dict[str, Any], to: Path) -> Path:
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for member in old.infolist():
            text = json.dumps(header).encode() if member.filename == HEADER else old.read(member)
            new.writestr(member, text)
    return to


def test_files_from_before_structs_had_fields_still_open(tmp_path: Path) -> None:
    save(moved(), tmp_path / "a.trace")
    with zipfile.ZipFile(tmp_path / "a.trace") as archive:
        header = json.loads(archive.read(HEADER))
    del header["structs"]
    found = load(changed(tmp_path / "a.trace", header, tmp_path / "old.trace"))
    assert [array.struct for array in found.arrays] == [None, None]
    assert element_name(found.arrays[0], 13) == "p[4][1]"


@pytest.mark.parametrize(
    ("size", "fields"),
    [(12, [[".x", "<f4", 10]]), (8, [[".x", "<f4", 0]]), (12, [[".x", "<f4", 2]]), (12, []), (0, [])],
)
def test_a_struct_that_does_not_fit_is_damage(size: int, fields: list[list[object]], tmp_path: Path) -> None:
    save(moved(), tmp_path / "a.trace")
    with zipfile.ZipFile(tmp_path / "a.trace") as archive:
        header = json.loads(archive.read(HEADER))
    header["structs"] = [[0, "Particle", size, fields]]
    with pytest.raises(InputError, match="is damaged or not a trace: the fields of p do not fit"):
        load(changed(tmp_path / "a.trace", header, tmp_path / "bad.trace"))


def test_values_of_pointers_are_not_shown() -> None:
    source = """struct View { float *data; int n; };
    __global__ void k(const View *v, float *x) {
        View own[2];
        own[1] = v[0];
        x[threadIdx.x] = own[1].data[threadIdx.x] + own[1].n;
    }"""
    arguments: dict[str, Argument] = {
        "v.data": np.ones(8, np.float32),
        "v.n": 3,
        "x": np.zeros(8, np.float32),
    }
    found = trace(source, arguments)
    assert found.outputs["x"].tolist() == [4] * 8
    struct = found.arrays[found.array_number("v")].struct
    assert struct is not None
    assert [(field.path, field.pointer) for field in struct.fields] == [(".data", True), (".n", False)]
    own = [v.name for v in variables(found, found.steps - 1, 0) if v.kind == "local"]
    assert own == ["own[1].n"]
