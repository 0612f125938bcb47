"""Templates of functions, structs and aliases: deduction, defaults, members, template arguments of kernels."""

from __future__ import annotations

from kernels.analysis import variables
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace


def test_templates_inside_of_structs() -> None:
    source = """
    template <typename T, int N> struct Row {
        T v[N];
        template <int K> __device__ T at(int i) const { return v[i] * K; }
        template <typename F> __device__ void each(F f) { for (int i = 0; i < N; ++i) v[i] = f(v[i]); }
        template <typename U> static __device__ U as(T x) { return (U)x; }
        __device__ T all(int i) { return at<2>(i) + this->template at<3>(i) + at<N>(i); }
    };
    struct Sum { float x; template <typename T> __device__ T add(T y) { x += y; return x; } };
    struct Minus { __device__ float operator()(float x) const { return -x; } };
    __device__ int two(int x) { return 2 * x; }
    template <int (*f)(int)> __device__ int twice(int x) { return f(f(x)); }
    __global__ void k(float *out) {
        int t = threadIdx.x;
        Row<float, 4> row;
        for (int i = 0; i < 4; ++i) row.v[i] = i + t;
        row.each(Minus());
        Sum sum{1};
        int whole = sum.add(2.5f);
        sum.add<float>(1);
        Row<int, 2> other;
        other.v[1] = twice<two>(t);
        out[t] = row.all(1) + other.at<10>(1) + sum.x + whole + Row<float, 4>::as<int>(2.7f);
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [-9 * (1 + t) + 40 * t + 4.5 + 3 + 2 for t in range(8)]
    assert found.hazards == ()
    last = {v.name: v.value for v in variables(found, found.steps - 1, 1)}
    assert (last["t"], last["whole"]) == (1, 3)


def test_each_instance_of_a_template_has_arrays_of_its_own_types() -> None:
    source = """
    template <typename T> __device__ int told(T) {
        T all[3] = {1, 2, 3};
        T last = all[2];
        return sizeof(all) * 10 + last;
    }
    template <typename T, int N> __device__ T turned(T x) {
        __shared__ T all[8];
        all[threadIdx.x] = x * N;
        __syncthreads();
        return all[7 - threadIdx.x];
    }
    __global__ void k(int *out) {
        int t = threadIdx.x;
        out[t] = turned<float, 1>(t) + turned<double, 2>(t) + turned<float, 3>(t);
        if (t == 0) out[8] = told(1.0) + 1000 * told(short(1)) + 1000000 * told('a');
    }"""
    found = trace(source, {"out": Unwritten("int32", (9,))})
    assert found.outputs["out"].tolist() == [*((7 - t) * 6 for t in range(8)), 243 + 63_000 + 33_000_000]
    assert found.hazards == ()
    assert [array.dtype.name for array in found.arrays if array.space == "shared"] == [
        "float32",
        "float64",
        "float32",
    ]
    assert {register.dtype.name for register in found.registers if register.name == "last"} == {
        "float64",
        "int16",
        "int8",
    }
