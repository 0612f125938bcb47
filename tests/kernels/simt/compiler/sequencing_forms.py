"""Statements in which a call that waits at a barrier is sequenced with other parts, for the simulator and for g++."""

from __future__ import annotations

from typing import Final

THREADS: Final = 64
"""Threads of the one block: two warps."""

DEVICE: Final = """
__device__ int sum(int v, int *s) {
    __syncthreads();
    s[threadIdx.x] = v;
    __syncthreads();
    int total = 0;
    for (int i = 0; i < 64; i += 8)
        total += s[i] + s[i + 1] + s[i + 2] + s[i + 3] + s[i + 4] + s[i + 5] + s[i + 6] + s[i + 7];
    __syncthreads();
    return total;
}
__device__ int next(int v, int *s) {
    __syncthreads();
    s[threadIdx.x] = v;
    __syncthreads();
    int found = s[(threadIdx.x + 1) % 64];
    __syncthreads();
    return found;
}
__device__ int largest(int v, int *s) {
    __syncthreads();
    s[threadIdx.x] = v;
    __syncthreads();
    int most = s[0];
    for (int i = 1; i < 64; i += 3) {
        most = s[i] > most ? s[i] : most;
        most = s[i + 1] > most ? s[i + 1] : most;
        most = s[i + 2] > most ? s[i + 2] : most;
    }
    __syncthreads();
    return most;
}
__device__ void share(int v, int *s) { __syncthreads(); s[threadIdx.x] = v; __syncthreads(); }
__device__ int bump(int &v) { __syncthreads(); v += 10; __syncthreads(); return v; }
__device__ int *beyond(int *s, int i) { __syncthreads(); return s + i; }
__device__ int twice(int v) { return 2 * v; }
__device__ int both(int a, int b) { return 100 * a + b; }
__device__ int both_wait(int a, int b, int *s) { return 100 * a + sum(b, s); }
struct Pair { int a, b; };
struct Nested { int first; Pair rest; };
__device__ Pair pair_of(int a, int *s) { Pair p; p.a = a; p.b = sum(a, s); return p; }
__device__ int total_of(Pair p, int *s) { return p.a + 10 * sum(p.b, s); }
struct Made {
    int v;
    __device__ Made(int a, int b) : v(100 * a + b) {}
};
struct Inner { int v; __device__ Inner(int a) : v(a) {} };
struct Outer { int v; __device__ Outer(Inner a, int b) : v(100 * a.v + b) {} };
struct Refers { int v; __device__ Refers(int &a, int b) : v(100 * a + b) { a = 5; } };
__device__ int pick(int a, int b) { return a + 10 * b; }
__device__ int pick(float a, int b) { return int(2 * a) - b; }
struct Total {
    int v;
    __device__ Total(int a, int *s) : v(sum(a, s)) {}
};
struct Summer {
    int *s; int factor;
    __device__ int operator()(int v) const { return factor * sum(v, s); }
    __device__ int total(int v) const { return factor * sum(v, s); }
    __device__ int change(int v) { factor += v; return factor; }
    __device__ Summer &with(int f) { factor = f; return *this; }
    __device__ int operator[](int v) const { return factor * sum(v, s); }
};
struct Log {
    int v;
    __device__ Log operator<<(int x) const { Log l; l.v = 3 * v + x; return l; }
    __device__ Log &operator+=(int x) { v += x; return *this; }
};
struct Keeps { int v; __device__ Keeps &operator=(const Keeps &o) { v = o.v + 1; return *this; } };
struct Owns { Keeps k; int n; };
struct Plus { int v; };
__device__ Plus operator+(Plus a, Plus b) { Plus p; p.v = a.v + b.v; return p; }
__device__ Plus plus_of(int v, int *s) { Plus p; p.v = sum(v, s); return p; }
struct Parts {
    int a, b, c;
    __device__ Parts(int v, int *s) : a(v), b(sum(a, s)), c(a + b) {}
    __device__ int &first() { return a; }
};
struct Derived : Total {
    int w;
    __device__ Derived(int a, int *s) : Total(a, s), w(v + a) {}
};
__device__ int with_count(int v, int n = __syncthreads_count(1)) { return v * n; }
__device__ int max(int v, int *s) { return largest(v, s); }
template <class F> __device__ int apply(F f, int v) { return f(v); }
template <class... Ts> __device__ int folded(int *s, Ts... each) { return (0 + ... + (sum(1, s) + each)); }
template <int N> __device__ int times(int v, int *s) {
    if constexpr (N == 0) return v; else return sum(v, s) + times<N - 1>(v + 1, s);
}
__device__ int several(int v, int *s) {
    if (s == nullptr) return 1;
    for (int i = 0; i < 3; ++i) { if (i == 2) return sum(v + i, s); else v += next(i, s); }
    return 0;
}
struct Waits {
    int v; int *s;
    __device__ Waits operator+(const Waits &o) const { Waits w; w.s = s; w.v = v + sum(o.v, s); return w; }
    __device__ operator int() const { return sum(v, s); }
};
"""
"""Functions that wait, and structs, which every form may use."""

FORMS: Final[dict[str, str]] = {
    # declarators
    "declarators": "int v = x[t], most = largest(v, s); r = 1000 * most + v;",
    "declarators of a vote": ("int p = v > 0, n = __syncthreads_count(p), q = n + 1; r = 10000 * p + 100 * n + q;"),
    "three declarators": "int a = v + 1, b = sum(a, s), c = next(b + a, s); r = a + 7 * b + 31 * c;",
    "declarator without a value": "int p, n = sum(p = v, s), m = p + 1; r = 100 * n + 10 * p + m;",
    "declarator changed by the next": "int a = v, b = bump(a), c = a; r = 10000 * a + 100 * b + c;",
    "pointer and what it points to": "int a[2] = {v, 2}, *p = a, n = sum(*p, s); r = 10 * n + p[1];",
    "reference and a call through it": "int a = v, &b = a, n = bump(b), m = a; r = 1000 * n + m;",
    "shared element before and after": (
        "s[t] = v; __syncthreads(); int a = s[t], b = sum(5, s), c = s[t]; r = 10000 * a + 10 * b + c;"
    ),
    "array, then a call": "int a[2] = {v, v + 1}, n = sum(a[1], s); r = 100 * n + a[0];",
    "struct, then a call": "Pair p = {v, 3}, q = pair_of(p.a, s); r = 1000 * q.b + 10 * q.a + p.b;",
    "auto declarators": "auto a = v, n = sum(a, s); r = 10 * n + a;",
    "const declarators": "const int a = v, n = sum(a, s), m = n - a; r = 10 * n + m;",
    "declarators in a branch": "if (x[0] != 99) { int a = v, n = sum(a, s); r = 10 * n + a; }",
    "call before those that depend on it": (
        "int a = v; int q = bump(a), c = q, d = bump(c); r = a + 10 * q + 100 * c + 1000 * d;"
    ),
    # comma
    "comma": "int a; r = (a = v + 1, sum(a, s)) + a;",
    "comma statement": "int a, n; a = v, n = sum(a, s), a += n; r = a;",
    "comma with three calls": "int a; r = (a = sum(v, s), a = next(a + t, s), a + largest(a, s));",
    "comma of an update": "int i = 0; r = (i++, i += 2, sum(i * v, s)) + i;",
    "comma with a void call": "int a; r = (share(v, s), a = s[63 - t], __syncthreads(), a);",
    "barrier in a comma": "r = (s[t] = v, __syncthreads(), s[63 - t]);",
    "comma in an argument": "int a; r = twice((a = v, sum(a, s)));",
    "comma in a subscript": "int a, b[3] = {4, 5, 6}; r = b[(a = v, sum(a, s) > 0)] + a;",
    "comma in a condition": "int a; if ((a = v + 2, sum(a, s)) > 10) r = a; else r = -a;",
    "comma whose left side reads": ("int k = 0; s[t] = v; __syncthreads(); r = (k = s[t], sum(9, s)) + 1000 * k;"),
    # braces
    "braces of a struct": "s[t] = v; __syncthreads(); Pair p = {s[t], sum(5, s)}; r = 1000 * p.b + p.a;",
    "braces that depend on each other": ("int a = 0; Pair p = {a = v, sum(a, s)}; r = 1000 * p.b + p.a + a;"),
    "braces of an array": ("int a = 0; int b[3] = {a = v, sum(a, s), a = 7}; r = 1000 * b[1] + 10 * b[0] + b[2] + a;"),
    "braces inside of braces": (
        "int a = 0; Nested n = {a = v, {a += 2, sum(a, s)}}; r = n.first + 10 * n.rest.a + 100 * n.rest.b;"
    ),
    "braces of a temporary": "int a = 0; r = Pair{a = v, sum(a, s)}.b + a;",
    "braces of a constructor": "int a = 0; Made m{a = v, sum(a, s)}; r = m.v;",
    "braces of a constructor that read": "s[t] = v; __syncthreads(); Made m{s[t], sum(5, s)}; r = m.v;",
    "constructor that waits": "Total w(v, s); r = w.v;",
    "temporary of a constructor that waits": "r = Total(v, s).v + Total(v + 1, s).v;",
    "member initialiser": "struct Local { int a, b; }; Local l{v, next(v, s)}; r = 100 * l.a + l.b;",
    "elements that are updated": (
        "int i = 0; int b[4] = {i++, sum(i, s), i++, sum(i, s)}; r = b[0] + 10 * b[1] + 1000 * b[2] + 10000 * b[3];"
    ),
    # heads
    "if with a declaration": "if (int n = sum(v, s)) r = n + v; else r = v;",
    "if with a start": "if (int a = v, n = sum(a, s); n > a) r = n - a; else r = a;",
    "if with a comma": "int a; if (a = v, __syncthreads_or(a > 3)) r = a;",
    "else if": "if (sum(v, s) < -1000) r = 1; else if (largest(v, s) > 5) r = 2 + v; else r = 3;",
    "while": "int a = 3; while (sum(a, s) > 64) { --a; r += 10; } r += a;",
    "while with continue": ("int a = 6; while (sum(a, s) > 64) { --a; if (a & 1) continue; r += 10; } r += a;"),
    "while with a comma": "int a = 5; while (--a, sum(a, s) > 64) r += a; r = 100 * r + a;",
    "while with a declaration": "int a = 4; while (int n = sum(a, s)) { --a; r += n; }",
    "for with declarators": "for (int a = 0, n = sum(v + a, s); a < 3; ++a) r += n + a;",
    "for with a condition": "for (int a = 4; sum(a, s) > 64; --a) r += a;",
    "for with a step": "for (int a = 1; a < 2000; a = sum(a, s)) r += a;",
    "for with a step and continue": ("for (int a = 1; a < 20000; a += sum(a, s)) { if (v > 0) continue; r += a; }"),
    "for with a comma in its step": "for (int a = 0, n = 0; a < 3; ++a, n += sum(a, s)) r = 10 * r + n;",
    "for with a barrier in its step": (
        "for (int a = 0; a < 3; ++a, __syncthreads()) { s[t] = v + a; __syncthreads(); r += s[63 - t]; }"
    ),
    "for that waits all over": ("for (int a = sum(1, s), n = 3; n > next(0, s); n -= next(1, s)) r += a + n;"),
    "for with break": "for (int a = 0; ; a += sum(1, s)) { if (a > 200) break; r += a; }",
    "do while": "int a = 3; do { --a; r += 10; } while (sum(a, s) > 64); r += a;",
    "do while with continue": ("int a = 6; do { --a; if (a & 1) continue; r += 10; } while (sum(a, s) > 64); r += a;"),
    "do while with break": (
        "int a = 6; do { --a; if (a == 3) break; if (a & 1) continue; r += a; } while (sum(a, s) > 64);"
    ),
    "do while with a comma": "int a = 5; do r += a; while (--a, sum(a, s) > 64);",
    "switch": (
        "switch (int a = 2; sum(a, s) / 64) { case 1: r = 1; break; case 2: r = 2 + v; break; default: r = 9; }"
    ),
    "switch with a comma": ("int a; switch (a = 3, sum(a, s)) { case 192: r = a + v; break; default: r = 9; }"),
    "loops in loops": (
        "for (int i = 0; i < 2; i += next(1, s)) for (int j = 0; j < 2; j += next(1, s)) { "
        "if (j > i) continue; r += sum(10 * i + j, s); }"
    ),
    # ?:
    "choice by a call": "r = sum(v, s) > 0 ? v : -v;",
    "call in one arm": "r = x[0] > -99 ? sum(v, s) : v;",
    "calls in both arms": "r = x[1] > 3 ? sum(v, s) : largest(v, s);",
    "choice after a comma": "int a; r = (a = v, x[0] > -99) ? sum(a, s) : 0;",
    "choice with an update": "int i = 0; r = i++ < 1 ? sum(i, s) + i : 0;",
    "choice of void calls": "x[0] > -99 ? share(v, s) : share(-v, s); r = s[63 - t];",
    "choice of structs": "Pair p = x[0] > -99 ? pair_of(v, s) : Pair{1, 2}; r = 10 * p.b + p.a;",
    "choice in a choice": "r = x[0] > -99 ? x[1] > -99 ? sum(v, s) : 1 : largest(v, s);",
    "left of it in a choice": ("int a = 1; Pair p = {a = v, x[0] > -99 ? sum(a, s) : 0}; r = 10 * p.b + p.a;"),
    # && and ||
    "and": "int a = 0; bool b = (a = v, x[0] > -99) && sum(a, s) > 0; r = 2 * a + b;",
    "and that is not reached": "bool b = x[0] < -99 && sum(v, s) > 0; r = b;",
    "or": "int a = 0; bool b = (a = v, x[0] < -99) || sum(a, s) > 0; r = 2 * a + b;",
    "or that is not reached": "int a = 1; bool b = x[0] > -99 || bump(a) > 0; r = 2 * a + b;",
    "and of calls": ("int a = v; if (sum(a, s) > -9999 && (a += 3, largest(a, s)) > 4) r = a; else r = -1;"),
    "or of a vote": "int a = 0; r = (x[0] < -99 || (a = v, __syncthreads_count(a > 0)) > 3) + 10 * a;",
    "and with a barrier": "r = x[0] > -99 && (s[t] = v, __syncthreads(), s[63 - t]) > 2;",
    # arguments
    "argument": "r = twice(sum(v, s));",
    "arguments": "r = both(sum(v, s), next(v, s));",
    "sum of a value and a call": "r = v + sum(v, s);",
    "call and what is left of it": "r = 1000 * sum(v, s) + next(v, s) - x[t];",
    "call in a call": "r = sum(next(v, s), s);",
    "three calls deep": "r = next(next(next(v, s), s), s);",
    "waiting function of calls": "r = both_wait(next(v, s), largest(v, s), s);",
    "the same call twice": "r = sum(v, s) + sum(v, s);",
    "argument by reference": "int a = v; r = bump(a) + 0; r = 100 * r + a;",
    "vote of a call": "r = __syncthreads_count(sum(v, s) > v) + __syncthreads_and(next(v, s) > -99);",
    "vote of votes": "r = __syncthreads_count(__syncthreads_count(v > 0) > t);",
    "call by a member": "Summer f = {s, 2}; r = f.total(v) + f.total(v + 1);",
    "object before its arguments": (
        "Summer f = {s, 2}, g = {s, 5}; Summer *p = &f; r = (p = &g, p)->total(sum(v, s));"
    ),
    "object found by an update": ("Summer f[2] = {{s, 2}, {s, 5}}; int i = 0; r = f[i++].total(sum(i, s)) + i;"),
    "changed object": "Summer f = {s, 2}; r = f.with(7).total(v) + f.factor;",
    # assignments
    "compound assignment": "int a = v; a += sum(a, s); r = a;",
    "compound assignment to an element": "s[t] = v; __syncthreads(); r = v; r *= sum(2, s); r += s[t];",
    "assignment in an assignment": "int a, b; a = b = sum(v, s); r = a + 3 * b;",
    "assignment by reference": "int a = 1; a = bump(a) + 1; r = a;",
    "compound assignment of what it changes": "int a = 1; a += bump(a); r = a;",
    "value before the place": "int b[3] = {7, 8, 9}, i = 0; b[i++] = sum(i, s); r = 100 * i + b[0];",
    "place that waits": "int b[3] = {7, 8, 9}; b[sum(1, s) - 63] = v; r = b[0] + 10 * b[1] + 100 * b[2];",
    "value before a place that waits": (
        "int b[3] = {7, 8, 9}, i = 0; b[sum(i, s) / 64] = i++; r = b[0] + 10 * b[1] + 100 * i;"
    ),
    "value and place that wait": (
        "int b[3] = {7, 8, 9}, i = 0; b[sum(i, s) / 64] = (i = 2, sum(v, s)); r = b[2] + 10 * i;"
    ),
    "compound place that waits": ("int b[3] = {7, 8, 9}, i = 1; b[sum(i, s) / 64] += i++; r = b[1] + 100 * i;"),
    "place by a pointer that waits": "int q = 0; __shared__ int z[64]; *beyond(z, t) = v; r = z[t] + q;",
    "read before a place that waits": (
        "s[t] = v; __syncthreads(); int b[2] = {0, 0}; b[sum(1, s) / 64] = s[t]; r = 100 * b[1] + b[0];"
    ),
    "chained assignments to places": (
        "int b[3] = {7, 8, 9}, i = 0; b[sum(i, s) / 64] = b[2] = i = next(1, s); r = b[0] + b[2] + i;"
    ),
    "assignment to a member": "Pair p = {0, 1}; p.a = sum(v, s), p.b = p.a + v; r = p.a + 3 * p.b;",
    "own compound operator": "Log l = {v}; l += sum(l.v, s); r = l.v;",
    # subscripts
    "subscript": "int b[4] = {3, 5, 7, 9}; r = b[sum(v, s) & 3];",
    "array before its subscript": (
        "int b[4] = {3, 5, 7, 9}, *p = b; r = (p + 1)[(p = b + 2, sum(1, s) - 63)] + 100 * sum(*p, s);"
    ),
    "pointer updated before its subscript": ("int b[4] = {3, 5, 7, 9}, *p = b; r = p++[sum(*b, s) - 191] + *p;"),
    "row before its column": ("int b[2][2] = {{3, 5}, {7, 9}}, i = 0; r = b[i++][sum(i, s) - 63] + 100 * i;"),
    "subscript in a subscript": "int b[4] = {3, 2, 1, 0}; r = b[b[sum(v, s) & 3] & 3];",
    "element of what is returned": (
        "s[t] = v; __syncthreads(); r = *beyond(s, 63 - t) + 100 * beyond(s, 0)[__syncthreads_count(1) - 64 + t];"
    ),
    "own subscript operator": "Summer f = {s, 3}; r = f[v] + f[f[v] & 7];",
    # shifts
    "shift": "s[t] = v & 3; __syncthreads(); r = s[t] << (sum(1, s) - 62);",
    "shift of an update": "int i = 1; r = i++ << sum(i, s) - 126; r = 100 * r + i;",
    "own shift operator": "Log l = {v}; r = (l << sum(v, s) << next(v, s)).v;",
    "own shift operator of an update": ("Log l[2] = {{v}, {1}}; int i = 0; r = (l[i++] << sum(i, s)).v + i;"),
    # returns
    "return": "r = [&](int a) { return a + sum(a, s); }(v);",
    "return of a comma": "r = [&](int a) { int b; return b = a + 1, sum(b, s) + b; }(v);",
    "return of braces": (
        "auto f = [&](int a) { int b = 0; return Pair{b = a, sum(b, s)}; }; Pair p = f(v); r = p.a + 10 * p.b;"
    ),
    # functors and lambdas
    "functor": "Summer f = {s, 2}; r = f(v) + f(f(v));",
    "functor in declarators": "Summer f = {s, 2}; int a = v, n = f(a); r = n + a;",
    "temporary functor": "r = Summer{s, 3}(v) + v;",
    "lambda": "auto f = [&](int a) { return sum(a, s); }; int a = v, n = f(a); r = 10 * n + a;",
    "lambda that changes": (
        "int a = v; auto f = [&] { a += sum(a, s); return a; }; int b = a, c = f(), d = a; r = b + 3 * c + 5 * d;"
    ),
    "lambda with a value": "auto f = [n = sum(v, s)](int a) { return n + a; }; r = f(v);",
    "lambda in an argument": "r = twice([&] { int a = v, n = sum(a, s); return n - a; }());",
    "operator that waits": "Waits a = {v, s}, b = {2 * v, s}; r = (a + b).v;",
    "operators that wait": "Waits a = {v, s}, b = {2 * v, s}; r = (a + b + a).v;",
    "conversion that waits": "Waits a = {v, s}; int b = v, c = a; r = 10 * c + b;",
    "member of what is returned": "r = pair_of(v, s).b + pair_of(v + 1, s).a;",
    "pointer to a function": ("int (*f)(int, int *) = sum; int a = v, n = f(a, s); f = next; r = n + 3 * f(v, s);"),
    "choice of functions": ("int (*f)(int, int *) = x[0] > -99 ? sum : next; int a = v, n = f(a, s); r = n + a;"),
    "constructor of members": "Parts p(v, s); r = p.a + 10 * p.b + 100 * p.c;",
    "constructors in an array": (
        "Pair p[2] = {{v, sum(v, s)}, {next(v, s), 3}}; r = p[0].a + 3 * p[0].b + 5 * p[1].a + 7 * p[1].b;"
    ),
    "constructor of a base": "Derived d(v, s); r = 10 * d.v + d.w;",
    "constructor in declarators": "Total a(v, s), b(a.v, s); r = a.v + 3 * b.v;",
    "member of a constructor that waits": "int a = v; r = (a += 1, Parts(a, s)).c + a;",
    "default argument": "r = with_count(v) + with_count(3);",
    "default argument in declarators": "int a = v, n = with_count(a); r = n + a;",
    "overload of a function of CUDA": "r = max(v, s) + max(max(v, s), s);",
    "function template": (
        "auto f = [&](int a) { return sum(a, s); }; int a = v, n = apply(f, a), m = apply([&](int b) { "
        "return b + sum(n, s); }, a); r = n + m;"
    ),
    "fold": "r = folded(s, 1, v, 3);",
    "instances of a template": "int a = v, n = times<3>(a, s); r = a + n;",
    "function with several returns": ("int a = v, n = several(a, s), m = several(n, nullptr); r = a + n + m;"),
    "operators of structs": "Plus a = {v}; r = (a + plus_of(v, s) + plus_of(1, s)).v;",
    "operator after an update": ("Plus a[2] = {{v}, {1}}; int i = 0; Plus b = a[i++] + plus_of(v, s); r = b.v + i;"),
    "member of a base": ("Summer f = {s, 2}; int a = 1, n = f.with(3).with(a + 4).total(v); r = n + f.factor;"),
    "reference to a value": "const int &a = sum(v, s), b = a + v; r = a + b;",
    "reference to an element": ("int b[3] = {4, 5, 6}, &a = b[sum(1, s) - 63], c = a++; r = b[1] + 10 * c;"),
    "structured binding": "auto [a, b] = pair_of(v, s); r = a + 10 * b;",
    "range": "int b[3] = {1, v, 3}; for (int e : b) r += sum(e, s) + e;",
    "while with and": "int a = 3; while (a-- > 0 && sum(v + a, s) > 0) r += a + 1; r += 100 * a;",
    "for with and in its step": "for (int a = 0; a < 4; ++a && sum(1, s)) r += a;",
    "for with a choice in its step": ("for (int a = 0; a < 400; a += x[0] > -99 ? sum(1, s) : next(1, s)) r += a;"),
    "for with a return in its body": (
        "auto f = [&](int a) { for (int i = 0; i < 9; i += next(1, s)) { if (i == 4) return a + i; "
        "a += i; } return -1; }; r = f(v);"
    ),
    "do while with continue in a loop": (
        "for (int i = 0; i < 3; i += next(1, s)) { int a = i; do { if (a == 1) continue; r += a; } "
        "while (a -= next(1, s), a > 0); }"
    ),
    "do while with continue in a switch": (
        "int a = 3; do { switch (a) { case 2: continue; default: r += a; } r += 10; } while (a -= next(1, s));"
    ),
    "loop with a goto": "int a = 0; again: r += sum(a, s); if (++a, sum(a, s) < 150) goto again; r += a;",
    "pointer that moves": (
        "int b[3] = {1, 2, 3}, *p = b; *p++ = sum(v, s); *p++ = next(v, s); r = b[0] + b[1] * 3 + (p - b);"
    ),
    "update of a place that waits": (
        "int b[3] = {1, 2, 3}; b[sum(1, s) - 63]++; --b[sum(1, s) - 62]; r = b[0] + 10 * b[1] + 100 * b[2];"
    ),
    "place that is one of two": (
        "int a = 1, b = 2; (x[0] > -99 ? a : b) = sum(v, s); (sum(v, s) > 0 ? a : b) += 2; r = a + 3 * b;"
    ),
    "address of an element": (
        "int b[3] = {1, 2, 3}, *p = &b[sum(1, s) - 63], n = *p + sum(*p, s); r = n + *(b + next(1, s));"
    ),
    "statement of a comma of calls": (
        "share(v, s), r = s[63 - t], __syncthreads(), share(r, s), r += s[(t + 5) % 64];"
    ),
    "value that is thrown away": "int a = v; (void)sum(v, s); sum(v, s) + 1; (bump(a), a); r = a;",
    "constant conditions": ("r = (true ? sum(v, s) : 0) + (0 && sum(v, s)) + (1 || bump(r)) + (true, next(v, s));"),
    "compound chain": "int a = 1, b = 2; a += b += sum(a, s); r = a + 3 * b;",
    "compound shift": "int a = v; a <<= sum(1, s) - 62, a -= next(a, s); r = a;",
    "functors in an array": "Summer f[2] = {{s, 2}, {s, 5}}; int i = 0; r = f[i++](sum(i, s)) + i;",
    "functions in an array": ("int (*f[2])(int, int *) = {sum, next}; int i = 1; r = f[i--](sum(i + v, s), s) + i;"),
    "braces of what is changed": (
        "int a = v; Pair p = {a, bump(a)}; int q[3] = {a, bump(a), a}; "
        "r = p.a + 3 * p.b + 5 * q[0] + 7 * q[1] + 11 * q[2];"
    ),
    "shift of what is changed": "int a = 1; r = a << bump(a) % 8; r += 1000 * a;",
    "object that is changed": (
        "Pair p = {v, 2}; Pair *o = &p; int q[2] = {o->a, bump(o->a)}; o->b = o->a, o->a = sum(o->b, s); "
        "r = q[0] + 3 * q[1] + 5 * p.a + 7 * p.b;"
    ),
    "struct by members": "Log l[3] = {{1}, {v}, {3}}, a; a = l[sum(1, s) - 63]; r = a.v;",
    "own assignment of members": (
        "Owns a[2] = {{{v}, 1}, {{2}, 3}}, b = {{7}, 8}; int i = 0; b = a[(i++, sum(i, s) / 64)]; "
        "r = b.k.v + 10 * b.n + 100 * i;"
    ),
    "call before a repeated one": (
        "Pair p = {(r = 5, v), twice(both(sum(v, s), bump(r)))}; int b[2] = {p.a++, twice(both(sum(p.a, "
        "s), next(p.a, s)))}; r = p.b + b[0] + b[1];"
    ),
    "own shift in a choice": "Log l = {v}; r = (x[0] > -99 ? l << sum(v, s) : l).v;",
    "own compound operator of a place that waits": (
        "Log l[3] = {{1}, {2}, {3}}; int i = 0; l[sum(i, s) / 64] += i++; r = l[0].v + 10 * l[1].v + 100 * i;"
    ),
    "own operator in an argument": ("Log l = {v}; r = twice((l += sum(v, s), l += 1).v) + twice((l << sum(1, s)).v);"),
    "assignment in an argument": ("int b[3] = {7, 8, 9}, i = 1; r = twice(b[sum(i, s) / 64] = i++) + b[1] + i;"),
    "argument in braces": "int a = 0; r = total_of({a = v, sum(a, s)}, s) + a;",
    "return in braces": ("auto f = [&](int a) -> Pair { return {a++, sum(a, s)}; }; r = f(v).b + f(v + 1).a;"),
    "lambda in braces": (
        "int a = v; auto f = [&](int b) { a += b; return sum(a, s); }; int b[4] = {a, f(1), a, f(2)}; "
        "r = b[0] + 3 * b[1] + 5 * b[2] + 7 * b[3];"
    ),
    "mutable lambda": ("int a = v; auto f = [=]() mutable { a += 1; return sum(a, s); }; r = f() + 10 * f() + a;"),
    "struct in memory": (
        "struct Box { int n[2]; int m; }; Box b = {{v, sum(v, s)}, 3}, c = {{b.n[1], next(v, s)}, "
        "b.m++}; r = c.n[0] + 3 * c.n[1] + 5 * c.m + b.m;"
    ),
    "vote in braces": (
        "int p = v > 0; int b[3] = {p, __syncthreads_count(p), p = !p}; r = b[0] + 10 * b[1] + 1000 * b[2];"
    ),
    "votes in a condition": (
        "if (int p = v > 2; "
        "__syncthreads_or(p) && !__syncthreads_and(p) && __syncthreads_count(p) > 1) r = 10 + p; "
        "else r = p;"
    ),
    "group": (
        "auto block = cooperative_groups::this_thread_block(); int a = v, n = (s[t] = a, block.sync(), "
        "s[63 - t]); cooperative_groups::sync(block); r = a + 10 * n;"
    ),
    "shuffles": (
        "int a = v, b = __shfl_xor_sync(~0u, a, 1), c = __shfl_xor_sync(~0u, (a = b + 1, a), 2); "
        "r = a + 10 * b + 100 * c;"
    ),
    "shuffle and a barrier": (
        "int a = v, b = __shfl_xor_sync(~0u, sum(a, s) + a, 1), c = sum(__any_sync(~0u, b > 0), s); "
        "r = a + 10 * b + 100 * c;"
    ),
    "lanes from different places": (
        "if (t & 1) { int a = v, b = __shfl_xor_sync(~0u, a, 1); r = 10 * a + b; } else { int a = v + 1, "
        "b = __shfl_xor_sync(~0u, a, 1), c = a + b; r = 100 * a + c; }"
    ),
    "braces of lanes from different places": (
        "if (t & 1) { int a = v; int b[2] = {a++, __shfl_xor_sync(~0u, a, 1)}; r = 10 * b[0] + b[1]; } "
        "else { int a = v; Pair p = {a *= 2, __shfl_xor_sync(~0u, a, 1)}; r = p.a + 100 * p.b; }"
    ),
    # one expression that is compiled several times
    "object of an argument": ("Summer f[2] = {{s, 2}, {s, 5}}; int i = 0; r = twice(f[i++].total(sum(i, s))) + i;"),
    "object of an object": ("Summer f[2] = {{s, 2}, {s, 5}}; int i = 0; r = twice(f[i++].with(sum(i, s)).factor) + i;"),
    "shift in an argument": "Log l[2] = {{v}, {1}}; int i = 0; r = twice((l[i++] << sum(i, s)).v) + i;",
    "shift of an operator": ("Log l[2] = {{v}, {1}}; int i = 0; r = (l[i++] << (Plus{i} + plus_of(i, s)).v).v + i;"),
    "converted by a constructor": "int i = 1; Outer o{i++, sum(i, s)}; r = o.v + i;",
    "constructor in an argument": "int i = 1; r = twice(Made{i++, sum(i, s)}.v) + i;",
    "element of a constructor in an argument": ("int b[2] = {v, 1}; r = twice(Made{b[0], bump(b[0])}.v) + b[0];"),
    "references of a constructor": (
        "int b[2] = {v, 1}, i = 0; Refers o{b[i++], bump(b[i - 1])}; r = o.v + b[0] + 10 * i;"
    ),
    "row in an argument": (
        "int b[2][2] = {{3, 5}, {7, 9}}, i = 0; r = twice(b[i++][sum(i, s) - 63]) + bump(b[i][bump(i) - 11]) + b[1][1];"
    ),
    "place in an argument": ("int b[3] = {7, 8, 9}, i = 0; r = bump(b[(i++, sum(i, s) / 64)]) + 10 * i + 100 * b[1];"),
    "copied struct": (
        "Pair p[2] = {{v, 1}, {2, 3}}; int i = 0; Pair q = p[(i++, sum(i, s) / 64)]; q = p[i--, sum(1, "
        "s) - 64 + i]; r = q.a + 10 * q.b + i;"
    ),
    "pointer to a struct": (
        "Pair p[2] = {{v, 1}, {2, 3}}, *o = p; r = (o++)->a + sum(1, s); r += (*o++).b + (o - p); o = p; "
        "(o++)->b = sum(v, s); r += p[0].b;"
    ),
    "arrow before an argument": ("Summer f[2] = {{s, 2}, {s, 5}}, *o = f; r = o++->total(sum(1, s)) + (o - f);"),
    "call of a call": (
        "auto make = [&](int a) { int n = sum(a, s); return [=](int b) { return n + b; }; }; int a = v; "
        "r = make(a++)(a);"
    ),
    "overloads": "int a = v; r = pick(a, sum(1, s)) + pick(1.5f, sum(a, s));",
    "calls in the operands of a comma in a call": (
        "int a = v; r = twice((a = twice(sum(a, s)), a = twice((a += 1, next(a, s))), a));"
    ),
    "nested choices and commas": (
        "int a = v; r = (a++, x[0] > -99 && (a++, sum(a, s) > 0)) ? (a++, sum(a, s)) : (a--, 1); r = 10 * r + a;"
    ),
    "nested braces and choices": (
        "int a = v; Nested n = {x[0] > -99 ? sum(a++, s) : 0, {a, x[0] < -99 || bump(a) ? a : 0}}; "
        "r = n.first + 10 * n.rest.a + 1000 * n.rest.b;"
    ),
    "shared array as an object": (
        "__shared__ Pair z[64]; z[t].a = v, z[t].b = next(z[t].a, s), __syncthreads(), r = z[63 - t].b + z[t].a;"
    ),
    "update before a shared place": (
        "__shared__ int z[64]; int i = t; z[i++] = v, i--, z[i] += sum(z[i], s); r = z[t] + i;"
    ),
    "two updates before calls": (
        "int i = 0, b[4] = {1, 2, 3, 4}; b[i++] += sum(i, s), b[i++] -= sum(i, s); r = b[0] + 10 * b[1] + i;"
    ),
    "loop head with all": (
        "for (int i = 0, n = (i++, sum(i, s)), m = n + i; i++, n = sum(i, s), n < 400 && (m++, true); "
        "i++, m += sum(1, s)) r += m + n + i;"
    ),
    "loop with a comma of a barrier": (
        "for (int i = 0; s[t] = v + i, __syncthreads(), i < 3; ++i, __syncthreads()) r += s[63 - t];"
    ),
    "do while with an update": "int i = 0; do r += i; while (i++ < 3 && sum(i, s));",
    "switch in a loop": (
        "for (int i = 0; i < 4; i += next(1, s)) switch (i++, sum(i, s) / 64) { case 1: continue; "
        "case 2: case 3: r += i; break; default: r += 10; }"
    ),
    "else if with a comma": (
        "int a = v; if (a++, sum(a, s) < -999) r = 1; else if (a++, sum(a, s) > 0) r = a; else r = 3;"
    ),
    "unsigned and short": (
        "unsigned char a = 250, b = (a++, a + sum(a, s)), c = a++; short d = sum(a, s), e = d << 4; "
        "r = a + b + c + d + e;"
    ),
    "float": "float a = v * 0.5f, b = a * sum(v, s), c = b + a; r = int(a * 4 + b * 2 + c);",
    "double": "double a = v * 0.1, b[2] = {a *= 2, sum(v, s) * a}; r = int(100 * (a + b[0]) + b[1]);",
    "enumeration": ("enum E { one = 1, two }; E e = two; int n = sum(e, s), m = (e = one, sum(e, s)); r = n + m;"),
    "boolean": ("bool p = v > 0, q = (p, sum(p, s) > 3), w = !q || __syncthreads_or(p = !p); r = p + 2 * q + 4 * w;"),
    # operands that are not evaluated
    "sizeof": "int a = v; r = sizeof(bump(a)) + 100 * a;",
    "decltype": "int a = v; decltype(bump(a)) b = 3; r = a + 100 * b;",
}
"""By name: a body that sets `r`; t is the thread, x an array of 64, v = x[t], s shared memory for 64."""

KERNEL: Final = """
{device}
__global__ void k(const int *x, int *result) {{
    __shared__ int s[64];
    int t = threadIdx.x, v = x[t], r = 0;
    {{ {body} }}
    result[t] = r;
}}
"""
