"""Structs, vector types, references, overloads, templates and switch."""

from __future__ import annotations

import numpy as np

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

PAIR = "struct Pair { float x; int n; };\n"
T = list(range(8))


def test_a_vector_moves_in_one_access() -> None:
    source = """__global__ void k(float4 *out, const float *in) {
      float4 v = reinterpret_cast<const float4 *>(in)[threadIdx.x];
      out[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x); }"""
    values = np.arange(32, dtype=np.float32).reshape(8, 4)
    found = trace(source, {"out": Unwritten("float32", (8, 4)), "in": values.reshape(-1)})
    assert found.hazards == ()
    assert np.array_equal(found.outputs["out"], values[:, ::-1])
    assert [site.width for site in found.sites] == [4, 4]
    assert found.access_count == 16
    out = found.arrays[found.array_number("out")]
    assert out.dtype == np.float32
    assert out.shape == (8, 4)


def test_a_struct_of_different_members_moves_member_by_member() -> None:
    source = (
        PAIR
        + """__global__ void k(Pair *out) {
      __shared__ Pair s[8];
      s[threadIdx.x] = Pair{0.5f, (int)threadIdx.x};
      __syncthreads();
      out[threadIdx.x] = s[7 - threadIdx.x]; }"""
    )
    found = trace(source, {"out": Unwritten("int32", (8, 2))})
    assert found.hazards == ()
    assert found.outputs["out"][:, 1].tolist() == T[::-1]
    assert found.outputs["out"][:, 0].view(np.float32).tolist() == [0.5] * 8
    assert {site.width for site in found.sites} == {1}
