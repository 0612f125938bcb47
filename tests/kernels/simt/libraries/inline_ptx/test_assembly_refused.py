"""Inline PTX that is not executed is refused, with its place and what to write instead."""

from __future__ import annotations

import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.recorder.instrument import instrument
from kernels.simt import Unwritten


def test_a_gpu_run_is_refused() -> None:
    source = '__global__ void k(int *r) { int n;\nasm("mov.u32 %0, 1;" : "=r"(n)); r[0] = n; }'
    program = parse(source, "test.cu")
    with pytest.raises(SourceError, match=r'test.cu:2:1: asm\("mov.u32 …"\) cannot be recorded on a GPU'):
        instrument(program, program.kernels[0], Launch(Dim3(1), Dim3(1)), {"r": Unwritten("int32", (1,))})
