"""memcpy and memset in device code: between types, through bytes, at null pointers, over structs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.simt import Argument, Unwritten
from tests.kernels.simt.programs import lanes, trace

if TYPE_CHECKING:
    from kernels.simt import Argument


@pytest.mark.parametrize(("byte", "left"), [("0", 0), ("0x40", 0x40404040), ("-1", -1)])
def test_memset_and_memcpy(byte: str, left: int) -> None:
    source = f"""
    struct Pair {{ int a, b; }};
    __global__ void k(float *f, int *i, Pair *pairs, const int *from) {{
        float row[3];
        int numbers[2];
        memset(row, 0, sizeof(row));
        memset(numbers, {byte}, sizeof numbers);
        memset(&pairs[threadIdx.x], 0, sizeof(Pair));
        memcpy(numbers + 1, from + threadIdx.x, sizeof(int));
        f[threadIdx.x] = row[2];
        i[threadIdx.x] = numbers[0] + numbers[1];
    }}"""
    given: dict[str, Argument] = {"f": Unwritten("float32", (8,)), "i": Unwritten("int32", (8,))}
    given |= {"pairs": np.ones(16, np.int32), "from": np.arange(8, dtype=np.int32)}
    found = trace(source, given)
    assert not found.outputs["f"].any()
    assert found.outputs["i"].tolist() == [left + t for t in range(8)]
    assert not found.outputs["pairs"].any()
    assert found.hazards == ()


def test_memcpy_through_bytes() -> None:
    source = """
    struct Bytes { unsigned char all[16]; };
    __global__ void k(int *out, const float *in) {
        int4 four;
        Bytes bytes;
        memcpy(&four, in + 4 * threadIdx.x, sizeof four);
        memcpy(&bytes, &four, sizeof(Bytes));
        memcpy(out + 4 * threadIdx.x, bytes.all, sizeof(int4));
    }"""
    given = np.arange(32, dtype=np.float32)
    found = trace(source, {"out": Unwritten("int32", (32,)), "in": given})
    assert found.outputs["out"].tolist() == given.view(np.int32).tolist()
    assert found.hazards == ()


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


@pytest.mark.parametrize("call", ["memcpy(p, nullptr, 4)", "memcpy(0, p, 4)", "memset(NULL, 1, 8)", "memset(0, 0, 4)"])
def test_bytes_at_a_null_pointer(call: str) -> None:
    source = f"__global__ void k(int *p) {{ {call}; }}"
    (hazard,) = trace(source, {"p": np.zeros(8, np.int32)}, block=(1,)).hazards
    assert hazard.kind == "out-of-bounds"
    assert "points to no array" in hazard.message


def test_bits_are_seen_as_another_type_through_memcpy() -> None:
    source = """
    template <typename T> struct alignas(16) Packed {
        Packed() = default;
        __device__ explicit Packed(int4 bits) { memcpy(&values, &bits, sizeof(bits)); }
        __device__ static Packed all(T value) {
            Packed made;
            for (int i = 0; i < size; ++i) made[i] = value;
            return made;
        }
        __device__ T &operator[](int i) { return values[i]; }
        __device__ const T &operator[](int i) const { return values[i]; }
        __device__ int4 bits() const { int4 made; memcpy(&made, &values, sizeof(made)); return made; }
        static constexpr const int size = sizeof(int4) / sizeof(T);
        T values[size];
    };
    __global__ void k(float *out) {
        auto ones = Packed<float>::all(1);
        Packed<float> twice;
        for (int i = 0; i < ones.size; ++i) twice[i] = ones[i] * 2 + threadIdx.x;
        twice[1] += 10;
        Packed<float> again(twice.bits());
        out[threadIdx.x] = again[0] + again[1] + Packed<float>{}[2];
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [14 + 2 * t for t in range(8)]
    assert found.hazards == ()


def test_memset_sets_the_bytes_of_a_struct_not_what_its_constructor_makes() -> None:
    before = "struct Sums { float4 a, b; int n; __device__ Sums() { memset(this, 0, sizeof(Sums)); n = 3; } };"
    body = "Sums s; s.a.y += t; Sums u; memset(&u, 0, sizeof u); r = s.a.y + s.b.w + 10 * s.n + 100 * u.n;"
    assert lanes(body, before=before) == [30 + t for t in range(8)]
