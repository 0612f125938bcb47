"""Inline PTX that is not executed is refused, with its place and what to write instead."""

from __future__ import annotations

import re

import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.recorder.instrument import instrument
from kernels.simt import Unwritten
from tests.kernels.simt.libraries.inline_ptx.assembly import run


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('asm("tcgen05.fence.sync;");', "not supported: ptx instruction 'tcgen05.fence.sync'; supported"),
        ('asm("add.cc.u32 %0, %0, 1;" : "+r"(n));', "not supported: ptx instruction 'add.cc.u32'; supported are"),
        ('asm("lop3.b32 %0, %0, %0, %0, 3;" : "+r"(n));', "not supported: ptx instruction 'lop3.b32'; supported are"),
        ('asm("shfl.sync.down.b32 %0, %0, 1, 31, -1;" : "+r"(n));', "ptx instruction 'shfl.sync.down.b32'"),
        ('asm("red.global.add.u32 [%0], 1;" :: "l"(W));', "ptx instruction 'red.global.add.u32'"),
        ('asm("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));', "ptx instruction 'fma.rn.f32'"),
        ('asm("mov.f32 %0, 0f00000000;" : "=f"(x));', "not supported: ptx name '0f00000000'"),
        ('asm("again: bra again;");', "label 'again'; write it in CUDA C"),
        ('asm("mov.u32 %0, %%envreg3;" : "=r"(n));', "not supported: ptx special register '%envreg3'"),
        ('asm("mov.u32 %0, %5;" : "=r"(n));', "not supported: ptx name '%5'"),
        ('asm("mov.u32 %0, other;" : "=r"(n));', "not supported: ptx name 'other'"),
        ('asm("mov.u64 %0, %1;" : "=l"(*(long long *)W) : "f"(x));', "register %1 holds float, this instruction takes"),
        ('asm("mov.f64 %0, %1;" : "=r"(n) : "r"(n));', "register %1 holds unsigned int, this instruction takes"),
        ('asm("add.u32 %0, %1;" : "=r"(n) : "r"(n));', "add.u32 takes 3 operands, 2 are given"),
        ('asm("add.u32 %0, %1, [%1];" : "=r"(n) : "r"(n));', "takes registers, not these operands"),
        ('asm("add.u32 %0, %0, 1;" :: "r"(n));', "writes %0, which is no output"),
        ('asm("add.u32 %0, !%0, 1;" : "+r"(n));', "!%0: only predicates are negated so"),
        ('asm("mov.u32 %0, 1;" : "=r"(x));', "this output of asm is unsigned int, not float"),
        ('asm("mov.u32 %0, %1;" : "=r"(n) : "r"(A));', "this operand of asm is unsigned int, not const float *"),
        ('asm("mov.u32 %0, %1;" : "=r"(n) : "x"(n));', 'operand "x" of asm; "h", "r", "l", "f", "d" and "n"'),
        ('asm("mov.u32 %0, %1;" : "=r"(n) : "n"(t));', "must be known when it is compiled"),
        ('asm("ld.shared.f32 %0, [%1];" : "=f"(x) : "l"(s + t));', "'s', which is shared memory; take its address"),
        ('asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(s + t));', "'s', which is shared memory; leave out .global"),
        ('asm("ld.param.f32 %0, [%1];" : "=f"(x) : "l"(A));', "ptx instruction 'ld.param.f32'"),
        ('asm("ld.global.v2.f32 %0, [%1];" : "=f"(x) : "l"(A));', "takes 2 registers, 1 are given"),
        ('asm("ld.global.f32 %0, %1;" : "=f"(x) : "l"(A));', "an address must be in brackets"),
        ('asm("st.global.f32 [%0], %1;" :: "l"(A), "f"(x));', "const"),
        ('asm("atom.global.add.s64 %0, [%1], %0;" : "+l"(*(long long *)W) : "l"(W));', "'atom.global.add.s64'"),
        ('asm("{ .reg .pred p; bar.red.popc.u32 %0, 0, p; }" : "=r"(n));', "ptx instruction 'bar.red.popc.u32'"),
        ('asm("bar.sync 16;");', "a block's barriers have the numbers 0 to 15, not 16"),
        ('asm("membar.gl;");', "ptx instruction 'membar.gl'"),
        ('asm("prefetch.global.L2 [%0];" :: "l"(A));', "ptx instruction 'prefetch.global.L2'"),
        ('asm("ld.global.global.f32 %0, [%1];" : "=f"(x) : "l"(A));', "ptx instruction 'ld.global.global.f32'"),
        ('asm("bar.sync 1, 20;");', "a barrier waits for whole warps, not for 20 threads"),
        ('asm("ld.f32 %0, [%0];" : "+f"(x));', "%0 holds float, which is no address"),
        ('asm("ld.global.f32 %0, [%1];" : "=f"(x) : "r"(at));', "holds unsigned int, which is no address of .global"),
        ('asm("bar.sync 0");', "';' is missing before 'its end'; write it in CUDA C"),
        ('asm("bar.arrive 1;");', "bar.arrive takes 2 operands, 1 are given"),
        ('asm("bar.arrive 0, 64;");', "not supported: ptx instruction 'bar.arrive 0'; use another number"),
        ('asm("{ .reg .pred p; setp.eq.s32 p, 1, 1; @p bar.sync 0; }");', "write bar.sync without a guard"),
        ('asm("trap;");', "ptx instruction 'trap'"),
        ('asm("cvta.global.u64 %0, %0;" : "+l"(*(long long *)W));', "ptx instruction 'cvta.global.u64'"),
        ('asm("cvta.to.shared.u64 %0, %0;" : "+l"(*(long long *)W));', "cvta.to.shared takes a pointer"),
        ('asm("elect.sync %0, -1;" : "=r"(n));', "elect.sync gives a lane and a predicate"),
        ('asm("cvt.rz.f32.s32 %0, %1;" : "=f"(x) : "r"(n));', "ptx instruction 'cvt.rz.f32.s32'"),
        ('asm(".reg .b128 q; mov.u32 %0, 1;" : "=r"(n));', "ptx register of type .b128"),
    ],
)
def test_refusals(body: str, says: str) -> None:
    with pytest.raises(SourceError, match=re.escape(says)) as caught:
        run(f"\n{body}")
    assert "test.cu:8:" in str(caught.value)


def test_a_gpu_run_is_refused() -> None:
    source = '__global__ void k(int *r) { int n;\nasm("mov.u32 %0, 1;" : "=r"(n)); r[0] = n; }'
    program = parse(source, "test.cu")
    with pytest.raises(SourceError, match=r'test.cu:2:1: asm\("mov.u32 …"\) cannot be recorded on a GPU'):
        instrument(program, program.kernels[0], Launch(Dim3(1), Dim3(1)), {"r": Unwritten("int32", (1,))})
