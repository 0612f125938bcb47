"""Small kernels without hazards, one construct or one order of evaluation each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import parse_with_instances
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, choose_kernel
from kernels.tracing import Job

if TYPE_CHECKING:
    from collections.abc import Mapping

N: Final = 64
"""Threads of the launch that a construct is run with unless it says otherwise: 2 blocks of 32."""


@dataclass(frozen=True)
class Construct:
    """The kernel's body, what stands before it, and its launch; t is the thread's number in the grid.

    Without `host` it uses what only a GPU has.
    """

    body: str
    before: str = ""
    grid: Dim3 = Dim3(2)
    block: Dim3 = Dim3(32)
    shared: int = 0
    more: Mapping[str, Any] = field(default_factory=dict)
    parameters: str = ""
    host: bool = True


CONSTRUCTS: Final[dict[str, Construct]] = {
    "assignment": Construct("out[at[t]] = in[at[t]] + in[t] * f[t]; out[at[t]] = out[at[t]] = n;"),
    "compound": Construct(
        "out[t] = 1; out[t] += out[t] * in[at[t]]; g[at[t]] -= g[at[t]] + at[t]; out[t] *= out[t] + n;"
    ),
    "update": Construct("g[t]++; --g[t]; out[t] = g[t]++ + ++g[t];"),
    "operands": Construct("out[t] = in[t] * in[at[t]] - (in[(t + 1) % 64] < f[t] ? at[t] : f[at[t]]) / (f[t] + 1);"),
    "short_circuit": Construct("if (at[t] > 5 && in[at[t]] > 0 || f[t] > 3) out[t] = in[t]; else out[t] = f[t];"),
    "comma": Construct("int i = (++g[t], at[t]); out[t] = i;"),
    "loops": Construct(
        "float s = 0; for (int i = 0; i < at[t] % 7; ++i) { if (i == 2) continue; s += in[(t + i) % 64]; }"
        "int k = 0; while (true) { s -= f[(t + k) % 64]; if (++k > t % 5) break; }"
        "do s += f[k]; while (--k > 0); out[t] = s;"
    ),
    "pointers": Construct(
        "const float *p = in + at[t]; float *q = &out[t]; *q = *p + p[-(t % 2) * 0]; q[0] = *q + *p;"
    ),
    "local": Construct(
        "float a[6] = {in[t], f[t]}; int m[2][3] = {{1, 2}, {at[t]}}; a[t % 6] += m[t % 2][t % 3];"
        "for (int i = 0; i < 2; ++i) { int b[2]; b[i] = i; b[1 - i] = at[t]; a[i] += b[0] * b[1]; }"
        "out[t] = a[t % 5] + a[5];"
    ),
    "shared": Construct(
        "__shared__ float s[32][2]; __shared__ int last; if (threadIdx.x == 31) last = at[t];"
        "s[threadIdx.x][1] = in[t]; s[threadIdx.x][0] = f[t]; __syncthreads();"
        "out[t] = s[31 - threadIdx.x][t % 2] * last + s[threadIdx.x][0];"
    ),
    "dynamic_shared": Construct(
        "extern __shared__ float d[]; float *e = d + 32; d[threadIdx.x] = in[t]; e[threadIdx.x] = f[t];"
        "__syncthreads(); out[t] = d[(t * 7) % 64];",
        shared=256,
    ),
    "file": Construct(
        "out[t] = w[t % 4] * in[t] + scale; if (t == 0) counter += 2; table[t] = n + more; g[t] = table[t];",
        "__constant__ float w[4] = {1, 2, 3, 4}; __constant__ float scale = 2.5f;"
        "__device__ int counter; __device__ int table[64]; const int more = 3;",
        more={"w": np.array([4, 3, 2, 1], np.float32)},
    ),
    "functions": Construct(
        "out[t] = add(in, at[t], twice(f[t])) + add(f, (int)twice(at[t]) % 64, in[t]); store(out, t, out[t] + in[t]);",
        "__device__ float twice(float x) { return x + x; }"
        "__device__ float add(const float *p, int i, float x) { if (i > 40) return x; return p[i] + x; }"
        "__device__ void store(float *p, int i, float x) { p[i] = x; __syncthreads(); p[i] += 1; }",
    ),
    "mathematics": Construct("out[t] = fmaxf(in[t], f[t]) + min(at[t], g[t]) + fmaf(in[t], f[t], in[at[t]]);"),
    "atomics": Construct(
        "atomicAdd(&g[at[t] % 4], at[t]); __shared__ int c; if (threadIdx.x == 0) c = 0; __syncthreads();"
        "atomicMax(&c, at[t]); __syncthreads(); out[t] = c;"
    ),
    "printing": Construct('printf("%d %f\\n", at[t], in[t] + f[t]); assert(in[t] >= 0); out[t] = 1;'),
    "early_return": Construct(
        more={"out": np.zeros(N, np.float32)},
        body="if (at[t] > 30) return; __shared__ int s[32]; s[threadIdx.x] = 1; out[t] = s[threadIdx.x];",
    ),
    "three_dimensions": Construct(
        "int u = threadIdx.x + 2 * threadIdx.y + 8 * threadIdx.z; int b = blockIdx.x + blockIdx.y * 2 + blockIdx.z * 2;"
        "out[(u + 16 * b) % 64] = in[u] + b + t;",
        grid=Dim3(2, 1, 2),
        block=Dim3(2, 4, 2),
    ),
    "numbers": Construct(
        "long long big = (long long)at[t] << 33; unsigned char c = at[t] * 9; short h = -at[t];"
        "double x = in[t] / 3.0; bool odd = at[t] & 1; out[t] = (big >> 30) + c + h + x + odd;"
    ),
    "vectors": Construct(
        "const float4 *p = reinterpret_cast<const float4 *>(in); float4 v = p[t % 16]; v.x += f[t];"
        "float2 w = make_float2(v.x, v.w); reinterpret_cast<float2 *>(out)[t % 32 + blockIdx.x * 0] = w;"
        "__shared__ float4 s[32]; s[threadIdx.x] = v; __syncthreads(); g[t] = (int)s[31 - threadIdx.x].y;",
        grid=Dim3(1),
    ),
    "functions_as_arguments": Construct(
        "out[t] = twice<inc>(in[t]) + apply(Less(), 9.0f, in[t]) + repeat<mul, 3>(in[t]) + Less()(f[t], in[t]);"
        "out[t] += with<Less>(in[at[t]], f[t]);",
        "using one_t = float (*)(float); __device__ float inc(float x) { return x + 1; }"
        "__device__ float mul(float a, float b) { return a * b; }"
        "template <one_t f> __device__ float twice(float x) { return f(f(x)); }"
        "template <typename F> __device__ float apply(F f, float a, float b) { return f(a, b); }"
        "template <float (*f)(float, float), int N> __device__ float repeat(float x)"
        "{ for (int i = 0; i < N; ++i) x = f(x, 2); return x; }"
        "struct Less { __device__ float operator()(float a, float b) const { return a - b; } };"
        "template <class F> __device__ float with(float a, float b) { F f; return f(a, b); }",
    ),
    "inheritance": Construct(
        "B b(in[t], 2.0f); A &a = b; a.add(f[t]); out[t] = b.sum() + use(b) + b.A::get() + by_value(b);"
        "B *p = &b; A *q = p; q->x += in[at[t]]; bump(p); out[t] += b.x; __shared__ E s[32]; s[threadIdx.x].c = at[t];"
        "D *d = &s[threadIdx.x]; d->a = n; out[t] += d->a + s[threadIdx.x].c; Twice<float> w(in[t]); out[t] += w.v;",
        "struct A { float x; int n; __device__ A(float v) : x(v), n(1) {} __device__ float get() const { return x; }"
        "__device__ void add(float d) { x += d; } }; struct D { int a; }; struct E : D { int c; };"
        "struct B : public A { float y; __device__ B(float a, float b) : A(a), y(b) {}"
        "__device__ float sum() const { return get() + y + A::get(); } };"
        "template <typename T> struct Twice { T v; __device__ Twice(T x) : v(2 * x) {} };"
        "__device__ float use(const A &a) { return a.get(); } __device__ float by_value(A a) { return a.x; }"
        "__device__ void bump(A *a) { a->add(1); }",
    ),
    "unions": Construct(
        "Bits b; b.f = in[t]; g[t] = b.u & 255; Wide w; w.d = 1.0 + at[t]; w.halves.x |= 1;"
        "out[t] = (w.l >> 52) + b.c[3]; __shared__ Tagged s[32]; Tagged m;"
        "m.tag = at[t]; m.value.f = f[t]; s[threadIdx.x] = m; __syncthreads();"
        "s[threadIdx.x].value.c[0] = 1; __syncthreads(); out[t] += s[31 - threadIdx.x].value.f + m.tag; Bits d = b;"
        "d.u += 1; out[t] += d.f;",
        "struct Half2 { int x, y; }; union Bits { float f; unsigned u; unsigned char c[4]; };"
        "struct Tagged { int tag; Bits value; };"
        "typedef union { double d; unsigned long long l; Half2 halves; } Wide;",
    ),
    "structs": Construct(
        "__shared__ Pair s[32]; s[threadIdx.x] = Pair{in[t], at[t]}; s[threadIdx.x].n += 1; __syncthreads();"
        "Pair p = s[31 - threadIdx.x], q; q = p; q.x *= 2; Pair *r = &s[threadIdx.x]; out[t] = p.x + q.x + r->n;"
        "Pair two[2] = {{1.0f, 2}, p}; out[t] += two[t % 2].x + two[1].n; q = {3.0f, at[t]}; g[t] = q.n;",
        "struct Pair { float x; int n; };",
    ),
    "arrays_in_structs": Construct(
        "Sums s; s.count = 0; for (int i = 0; i < 3; ++i) { s.of[i] = in[(t + i) % 64]; s.count++; }"
        "Sums copy = s; out[t] = copy.of[t % 3] + copy.count;",
        "struct Sums { float of[3]; int count; };",
    ),
    "made_arrays": Construct(
        "Row r = Row(in[t], at[t]); Box<int, 4> b; b.v[t % 4] = 3; out[t] = r.of[t % 3] + b.v[t % 4];"
        "const float3 *p = reinterpret_cast<const float3 *>(f); float3 v = p[t % 21];"
        "Row q(v.z, 2); out[t] += v.y * q.of[1];",
        "struct Row { float of[3]; __device__ Row(float a, int n) { of[0] = a; of[1] = n; of[2] = a * n; } };"
        "template <typename T, int N> struct Box { T v[N]; };",
    ),
    "references": Construct(
        "float x = in[t], y = f[t]; swap(x, y); swap(out[t], x); __shared__ float s[32]; float &mine = s[threadIdx.x];"
        "mine = y; mine += at[t]; const float &next = in[(t + 1) % 64]; out[t] = add(mine, next) + x + add(y, 2.0f);"
        "Pair p = {x, 1}; bump(p); out[t] += p.x + p.n;",
        "struct Pair { float x; int n; };"
        "__device__ void swap(float &a, float &b) { float c = a; a = b; b = c; }"
        "__device__ float add(const float &a, const float &b) { return a + b + a; }"
        "__device__ void bump(Pair &p) { p.x += 1; p.n++; }",
        more={"out": np.arange(N, dtype=np.float32)},
    ),
    "addresses": Construct(
        "float x = in[t]; int m; fill(&m, at[t]); float *p = &x; *p += m; float y = x; out[t] = y + *p;"
        "Pair q = {x, m}; Pair *r = &q; r->n += 1; out[t] += q.n + r->x;",
        "struct Pair { float x; int n; }; __device__ void fill(int *p, int v) { *p = v; *p += 1; }",
    ),
    "roaming": Construct(
        "const float *p = at[t] % 2 ? in : f; float *q = t % 3 ? out : nullptr; if (q) q[t] = p[t] + p[at[t]];"
        "const float *a = in, *b = f; for (int i = 0; i < 3; ++i) { const float *c = a; a = b; b = c; }"
        "out[t] = a[t] + b[at[t]];"
    ),
    "templates": Construct(
        "out[t] = sum<4>(in, t) + largest(f[t], in[t]) + largest<int>(at[t], 3); tile<float, 32>(in, out, t);",
        "template <int N> __device__ float sum(const float *p, int t)"
        "{ float s = 0; for (int i = 0; i < N; ++i) s += p[(t + i) % 64]; return s; }"
        "template <typename T> __device__ T largest(T a, T b) { return a < b ? b : a; }"
        "template <typename T, int W> __device__ void tile(const T *a, T *b, int t)"
        "{ __shared__ T s[W]; s[threadIdx.x] = a[t]; __syncthreads(); b[t] += s[W - 1 - threadIdx.x]; }",
    ),
    "overloads": Construct(
        "out[t] = half_of(in[t]) + half_of(at[t]) + half_of(at[t], in[t]);",
        "__device__ float half_of(float x) { return x / 2; } __device__ int half_of(int x) { return x / 2; }"
        "__device__ float half_of(int n, float x, float y = 1.0f) { return n * x + y; }",
    ),
    "members": Construct(
        "Sum s(in[t]); s.add(f[t]); s.add(in[at[t]]); Sum r = s + Sum(at[t]); r += 1.0f;"
        "out[t] = r.total() + s.total();"
        "View v{in, 64}; out[t] += v.at(at[t] + 1) + v(t);",
        "struct Sum { float x; int n; __device__ Sum(float a) : x(a), n(1) {} "
        "__device__ void add(float a) { x += a; n++; } __device__ float total() const { return x + n; } };"
        "__device__ Sum operator+(const Sum &a, const Sum &b) { Sum r(a.x + b.x); r.n = a.n + b.n; return r; }"
        "__device__ void operator+=(Sum &a, float b) { a.x += b; }"
        "struct View { const float *p; int n; __device__ float at(int i) const { return p[i % n]; }"
        "__device__ float operator()(int i) const { return at(i) * 2; } };",
    ),
    "values_from_functions": Construct(
        "N a{at[t]}; ++a; N b = a++; a += 3; b = ++a; out[t] = made().twice() + nothing(in[t], a) + a.n * b.n;"
        "__shared__ N s[32]; s[threadIdx.x] = a; s[threadIdx.x] += at[t]; ++s[threadIdx.x]; Row r{{1, 2}, f[t]};"
        "out[t] += r[t % 2] + s[threadIdx.x].n + s[0 * t + threadIdx.x].count() + half_of(at[t]) + half_of(C(2)).re;"
        "auto [x, y] = r.rest(); for (auto [i, j] = Pair{0, 2}; g[t] < j; ++g[t]) out[t] += x[i] + y;",
        "struct N { int n; __device__ N &operator++() { ++n; return *this; }"
        "__device__ N operator++(int) { N old = *this; ++n; return old; }"
        "__device__ N &operator+=(int m) { n += m; return *this; } __device__ int twice() { return n *= 2; }"
        "__device__ static int count() { return 7; } };"
        "struct Pair { int a, b; }; struct Rest { float x[2]; float y; };"
        "struct Row { float v[2]; float w; __device__ float operator[](int i) const { return v[i] * w; }"
        "__device__ Rest rest() const { return {{v[0], v[1]}, w}; } };"
        "struct C { float re; __device__ C(float x) : re(x) {} };"
        "__device__ N made() { return {4}; } __device__ int nothing(float, N) { return 5; }"
        "__device__ C operator*(const C &a, const C &b) { C c = a.re * b.re; return c; }"
        "__device__ C half_of(const C &c) { return c * 0.5f; }"
        "__device__ float half_of(int i) { C one = 3; return (one * C(0.5f)).re + i; }",
    ),
    "filling_other_types": Construct(
        "float a[4]; memcpy(a, at + t / 4 * 4, sizeof(a)); float4 b; memcpy(&b, at + t / 4 * 4, sizeof(b));"
        "out[t] = a[t % 4] + b.y; unsigned char c[4]; memcpy(c, &a[1], 4); g[t] = c[t % 4];"
    ),
    "conversions": Construct(
        "float *s = Tile<float>(); s[threadIdx.x] = in[t]; __syncthreads(); const Number w(at[t]);"
        "int m = w; out[t] = s[31 - threadIdx.x] + m;",
        "template <typename T> struct Tile { __device__ operator T *() { __shared__ T s[32]; return s; } };"
        "struct Number { int n; __device__ Number(int m) : n(m) {} __device__ operator int() const { return n; } };",
    ),
    "switches": Construct(
        "float x = 0; switch (at[t] % 4) { case 0: x = in[t]; break; case 1: x = f[t];"
        "case 2: { x += in[at[t]]; break; }"
        "default: x = -1; } out[t] = x;"
    ),
    "struct_parameters": Construct(
        "out[t] = q.scale * q.from[t] + q.n;",
        "struct Job { const float *from; float scale; int n; };",
        parameters="Job q",
        more={"q.from": np.arange(N, dtype=np.float32), "q.scale": 2.5, "q.n": 3},
    ),
    "copies": Construct(
        "__shared__ float s[32], q[32]; __pipeline_memcpy_async(&s[threadIdx.x], &in[t], 4); __pipeline_commit();"
        "__pipeline_memcpy_async(q + threadIdx.x, f + at[t], 4); __pipeline_commit(); g[t] = 1;"
        "__pipeline_wait_prior(1); float x = s[threadIdx.x]; __pipeline_wait_prior(0); __syncthreads();"
        "out[t] = x + q[31 - threadIdx.x];",
    ),
    "copies_in_ptx": Construct(
        "__shared__ float s[128]; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * threadIdx.x]);"
        'asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"'
        ' :: "r"(to), "l"(in + 4 * (t % 16)), "r"(at[t] > 9 ? 16 : 0));'
        'asm volatile("cp.async.commit_group;" ::); asm volatile("cp.async.wait_group %0;" :: "n"(0));'
        "__syncthreads(); out[t] = s[127 - 4 * threadIdx.x] + s[threadIdx.x];",
        host=False,
    ),
    "filling": Construct(
        "float a[4]; memset(a, 0, sizeof(a)); a[t % 4] += in[t]; int b[2]; memcpy(b, at + t / 2 * 2, sizeof b);"
        "out[t] = a[0] + a[at[t] % 4] + b[t % 2];"
    ),
    "warps": Construct(
        "float x = in[t]; for (int d = 16; d; d /= 2) x += __shfl_down_sync(0xffffffffu, x, d);"
        "unsigned b = __ballot_sync(0xffffffffu, at[t] > 20); int any = __any_sync(0xffffffffu, g[t] > 60);"
        "out[t] = x + __popc(b) + any + __shfl_sync(0xffffffffu, in[at[t]], at[t] % 32); __syncwarp();",
        host=False,
    ),
    "counting_barriers": Construct(
        "__shared__ int s[32]; s[threadIdx.x] = at[t]; int c = __syncthreads_count(at[t] > 10);"
        "out[t] = c + s[31 - threadIdx.x];",
        host=False,
    ),
    "compare_and_swap": Construct(
        "int old = atomicCAS(&g[t], t, at[t]); out[t] = old + atomicExch(&g[t], old) + atomicMin(&g[t], 3);"
    ),
    "structs_inside": Construct(
        "A::Step a; a.v = at[t]; B::Step b; b.v = g[t]; Rows r; r.v[1][0] = in[t];"
        "out[t] = a.next() + b.next() * B::scale + r[1][0] + r.v[t % 2][1];",
        "struct A { struct Step { int v; __device__ int next() const { return v + 1; } }; };"
        "struct B { struct Step { int v; __device__ int next() const { return v + 2; } };"
        "static constexpr int scale = 3; };"
        "struct Rows { float v[2][2] = {}; __device__ const float *operator[](int i) const { return v[i]; } };",
    ),
    "whole_numbers": Construct(
        "const float least = -INFINITY; float most = least;"
        "for (int i = 0; i < 4; ++i) most = fmaxf(most, in[(t + i) % 64]);"
        "out[t] = most + sqrt(at[t]) + fabs(g[t] - n) + fmod(at[t], n) + fmin(n, 5u) + isinf(least);",
        host=False,
    ),
    "arguments_in_memory": Construct(
        "out[t] = later(in[t], at[t], f[at[t]]);",
        "__device__ float later(float a, int b, float c) { float *p = &a; int *q = &b; *p += *q; return *p * c; }",
    ),
    "without_masks": Construct(
        "float x = __shfl_down(in[t], 1) + __shfl_xor(in[t], 4, 8) + __shfl(f[t], at[t] % 32);"
        "out[t] = x + __popc(__ballot(at[t] > 9)) + __any(g[t] > 60) + __half2float(__float2half_rn(x));",
        host=False,
    ),
    "parameters_in_memory": Construct(
        "int *p = &m; *p += t; out[t] = total(&w) * in[t] + m;",
        "struct W { float by; int n; }; __device__ float total(const W *w) { return w->by + w->n; }\n",
        parameters="W w, int m",
        more={"w.by": 0.5, "w.n": 3, "m": 4},
    ),
    "halves": Construct(
        "__shared__ half s[32]; s[threadIdx.x] = __float2half(in[t]); __syncthreads();"
        "half x = s[31 - threadIdx.x]; out[t] = __half2float(__hadd(x, x));",
        host=False,
    ),
}


def job_of(name: str) -> Job:
    """Return a launch of a construct: in, f (floats), at (a permutation) are read, g and out written."""
    made = CONSTRUCTS[name]
    program, instances = parse_with_instances(
        f"{made.before}\n__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n"
        f"{', ' * bool(made.parameters)}{made.parameters})\n"
        "{ int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;\n"
        f"{made.body} }}",
        f"{name}.cu",
    )
    random = np.random.default_rng(7)
    arguments = {
        "in": random.random(N, np.float32),
        "f": random.random(N, np.float32) * 8,
        "at": random.permutation(N).astype(np.int32),
        "g": np.arange(N, dtype=np.int32),
        "out": Unwritten("float32", (N,)),
        "n": 5,
        **made.more,
    }
    return Job(
        program,
        choose_kernel(program, "k", instances=instances),
        Launch(made.grid, made.block, made.shared),
        arguments,
        instances,
    )
