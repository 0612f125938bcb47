"""Declarations of structs: defaulted constructors, temporaries, mutual pointers, incomplete and nested structs."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace


def test_a_defaulted_constructor_leaves_members_uninitialised() -> None:
    source = """
    struct S { int x; S() = default; __device__ S(int v) : x(v) {} };
    __global__ void k(int *out) { S s; out[threadIdx.x] = s.x + S(1).x + S().x; }"""
    (hazard,) = trace(source, {"out": np.zeros(8, np.int32)}).hazards
    assert hazard.kind == "uninitialised-read"


def test_member_functions_of_temporaries() -> None:
    source = """
    struct Complex {
        float re, im;
        __device__ Complex(float re, float im) : re(re), im(im) {}
        __device__ float norm() { return re * re + im * im; }
        __device__ Complex operator+(const Complex &other) { return Complex(re + other.re, im + other.im); }
        __device__ Complex operator*(const Complex &o) { return Complex(re * o.re - im * o.im, re * o.im + im * o.re); }
    };
    __global__ void k(float *a) {
        Complex z(threadIdx.x, 1);
        a[threadIdx.x] = (z * z + z).norm();
    }"""
    found = trace(source, {"a": Unwritten("float32", (8,))})
    expected = [abs((t + 1j) * (t + 1j) + (t + 1j)) ** 2 for t in range(8)]
    assert found.outputs["a"] == pytest.approx(expected)


def test_structs_that_point_to_each_other() -> None:
    source = """
    struct Tree;
    struct Node { int key; Node *next; Tree *tree; };
    __device__ int first(const Tree *tree);
    struct Tree { Node *head; int n[2]; Node *list[2]; };
    __device__ int first(const Tree *tree) { return tree->head->key; }
    __device__ int sum(const Node *n) { int s = 0; while (n) { s += n->key; n = n->next; } return s; }
    __global__ void k(int *out) {
        __shared__ Node pool[8];
        __shared__ Tree trees[1];
        int t = threadIdx.x;
        pool[t].key = t;
        pool[t].next = t ? &pool[t - 1] : nullptr;
        pool[t].tree = trees;
        if (t == 0) { trees[0].head = pool + 7; trees[0].n[1] = 5; trees[0].list[1] = &pool[3]; }
        __syncthreads();
        Node *p = pool[t].next, mine = {9, p, trees};
        Node *q = &mine;
        q = q->next;
        out[t] = sum(pool + t) + (p ? p->key : 100) + first(mine.tree) + trees->list[1]->next->key;
        out[t] += mine.tree->n[1] + (q == p) + (pool[7].next->next - pool);
    }"""
    found = trace(source, {"out": Unwritten("int32", (8,))})
    assert found.outputs["out"].tolist() == [
        sum(range(t + 1)) + (t - 1 if t else 100) + 7 + 2 + 5 + 1 + 5 for t in range(8)
    ]
    assert found.hazards == ()


def test_an_incomplete_struct_is_refused_where_it_is_used() -> None:
    source = "struct S; __global__ void k(S *s) { s->x = 1; }"
    with pytest.raises(SourceError, match="1:29: S is declared and not defined"):
        trace(source, {"s": np.zeros(8, np.int32)})


def test_nested_structs_of_the_same_name_are_distinct() -> None:
    """They may have one name, and even the same members: what they do is their own."""
    source = """
    struct A {
        struct Step { int v; __device__ int next() const { return v + 1; } };
        struct Node { int v; Node *next; };
    };
    struct B { struct Step { int v; __device__ int next() const { return v + 2; } }; };
    template <typename T> struct Range {
        struct Step {
            T v;
            __device__ Step(T begin) : v(begin) {}
            __device__ int next() const { return int(v * size); }
            static const int size = 2 * sizeof(T);
        };
        __device__ Step begin() const { return {T(2.5)}; }
    };
    __global__ void k(int *out) {
        A::Step a{10}; B::Step b{10}; A::Node last{7, nullptr}, first{0, &last};
        out[0] = a.next(); out[1] = b.next(); out[2] = Range<int>().begin().next();
        out[3] = Range<double>().begin().next(); out[4] = Range<char>::Step::size; out[5] = first.next->v;
    }"""
    found = trace(source, {"out": Unwritten("int32", (6,))}, block=(1,))
    assert found.outputs["out"].tolist() == [11, 12, 16, 40, 2, 7]
