"""Numbers of 16 bits in a trace: cells, accesses and registers hold the numbers, also after saving."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis.values.registers import variables
from kernels.arguments import parse_arguments
from kernels.errors import InputError
from kernels.launch import Dim3, Launch
from kernels.number_types import round_to_bfloat
from kernels.trace.file import load, save
from kernels.trace.members import members_of
from kernels.trace.structs import element_name
from kernels.tracing import trace_source

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from kernels.trace import Trace

SOURCE = """
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
__global__ void k(const __nv_bfloat16 *A, __nv_bfloat16 *D)
{
    __shared__ __nv_bfloat16 s[16][16];
    int i = threadIdx.x;
    for (int j = 0; j < 8; ++j) {
        __nv_bfloat16 v = A[i * 8 + j];
        s[i / 2][i % 2 * 8 + j] = v;
        D[i * 8 + j] = v;
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a;
    wmma::load_matrix_sync(a, &s[0][0], 16);
}
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """Return the run, saved and loaded."""
    arguments = parse_arguments(["A=bf16[256,1]:random(1)", "D=bf16[256]:uninit"])
    file: Path = tmp_path_factory.mktemp("bfloat16") / "k.trace"
    save(trace_source(SOURCE, "k.cu", None, Launch(Dim3(1), Dim3(32)), arguments), file)
    return load(file)


@pytest.fixture(scope="module")
def numbers() -> NDArray[np.float32]:
    """Return the elements of A: the floats of that fill, rounded to 8 significant bits."""
    exact = np.random.default_rng(1).random((256, 1), np.float32).reshape(-1) * np.float32(2) - np.float32(1)
    scale = np.ldexp(np.float32(1), 8 - np.frexp(exact)[1])
    return np.asarray(np.rint(exact * scale) / scale, np.float32)


def test_cells_hold_numbers(trace: Trace, numbers: object) -> None:
    for name in ("A", "s", "D", "a"):
        number = trace.array_number(name)
        members = members_of(trace.arrays[number])
        assert members is not None
        assert members.count == members.words == 1
        values, written = trace.contents(number, trace.steps - 1)
        found = members.values(values)
        if name == "a":  # lane 0 has the first eight elements
            np.testing.assert_array_equal(found, np.asarray(numbers)[:8])
        else:
            np.testing.assert_array_equal(found, numbers)
        assert members.written_cells(written).all()
    assert element_name(trace.arrays[trace.array_number("s")], 17) == "s[1][1]"


def test_accesses_and_registers_hold_numbers(trace: Trace, numbers: object) -> None:
    stored = [g for step in range(trace.steps) for g in trace.accesses(step) if g.array.name == "D"]
    assert len(stored) == 8
    for j, group in enumerate(stored):
        np.testing.assert_array_equal(group.values, np.asarray(numbers)[j::8])
        value = next(v for v in variables(trace, group.step, 3) if v.name == "v")
        assert value.value == np.asarray(numbers)[24 + j]


def test_results_are_bits(trace: Trace, numbers: object) -> None:
    np.testing.assert_array_equal(trace.outputs["D"], round_to_bfloat(numbers))


def test_a_file_with_floats_marked_as_bfloat16_is_refused(trace: Trace, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole.trace", tmp_path / "broken.trace"
    save(trace, whole)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(broken, "w") as target:
        for entry in source.infolist():
            data = source.read(entry)
            if entry.filename.endswith(".json"):
                header = json.loads(data)
                for row in header["structs"]:
                    row[3] = [["", "<f2", 0, False, True]]
                data = json.dumps(header).encode()
            target.writestr(entry, data)
    with pytest.raises(InputError, match="do not fit"):
        load(broken)
