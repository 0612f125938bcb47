"""Compiling, which needs NVRTC but no GPU, and the messages of machines without either."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from kernels import CUDA_FOLDER
from kernels.catalog import find_kernel, read_kernel
from kernels.cli import main
from kernels.errors import InputError, LaunchError, SourceError, UnavailableError
from kernels.fill import Fill
from kernels.gpu import compiler, device
from kernels.gpu.compiler import Figures, compile_kernel, compile_text, missing, read_figures
from kernels.gpu.run import bind, parameters
from kernels.installation import install_command
from kernels.launch import Dim3
from kernels.workload import Size
from tests.cases import Cases

CASES = Cases(__file__)

KERNELS = [read_kernel(file) for file in sorted(CUDA_FOLDER.glob("*.cu"))]

needs_nvrtc = pytest.mark.skipif(bool(missing()), reason=missing())


@needs_nvrtc
def test_warnings_of_the_compiler_are_kept() -> None:
    text = 'extern "C" __global__ void k(int *a) { int unused; a[0] = 1; }'
    compiled = compile_text(text, "k.cu", "k", (), "sm_90")
    assert len(compiled.warnings) == 1
    assert "unused" in compiled.warnings[0]
    assert compile_text(text.replace("int unused; ", ""), "k.cu", "k", (), "sm_90").warnings == ()


@needs_nvrtc
@pytest.mark.parametrize("width", [2, 8, 16, 32])
def test_two_tiles_of_floats_are_its_shared_memory(width: int) -> None:
    kernel = read_kernel(CUDA_FOLDER / "matmul_tiled.cu")
    compiled = compile_kernel(kernel, Size(64, 64, 64), Dim3(width, width), "sm_90")
    assert compiled.figures.static_shared_bytes == 2 * width * width * 4


@needs_nvrtc
def test_a_kernel_with_cpp_linkage_is_found_by_its_own_name() -> None:
    text = "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }\n__global__ void other(int *x) { *x = 1; }"
    compiled = compile_text(text, "twice.cu", "twice", (), "sm_90")
    assert compiled.symbol == "_Z5twicePf"


@needs_nvrtc
def test_fused_multiply_add_is_a_switch() -> None:
    text = "__global__ void f(float *x, float a) { *x = *x * a + a; }"
    assert (
        compile_text(text, "f.cu", "f", (), "sm_90").cubin
        != compile_text(text, "f.cu", "f", (), "sm_90", fmad=False).cubin
    )


@needs_nvrtc
def test_headers_of_the_host_do_no_harm() -> None:
    text = "".join(f"#include <{name}.h>\n" for name in ("stdio", "assert", "math", "cuda_runtime"))
    text += '__global__ void f() { assert(threadIdx.x < 9); printf("%d", threadIdx.x); }'
    assert compile_text(text, "f.cu", "f", (), "sm_90").figures.stack_bytes > 0


@needs_nvrtc
@pytest.mark.parametrize(("text", "place", "reason"), CASES("an_error_has_a_place", tuples=True))
def test_an_error_has_a_place(text: str, place: tuple[int, int], reason: str) -> None:
    with pytest.raises(SourceError, match=reason) as caught:
        compile_text(text, "my.cu", "f", (), "sm_90")
    assert (caught.value.file, caught.value.line, caught.value.column) == ("my.cu", *place)


@needs_nvrtc
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
@pytest.mark.parametrize(("count", "size"), [(12289, "49,156"), (65536, "262,144")])
def test_too_much_shared_memory_is_said_in_bytes(arch: str, count: int, size: str) -> None:
    text = f"__global__ void f(float *x) {{ __shared__ float s[{count}]; s[threadIdx.x] = *x; *x = s[*(int *)x]; }}"
    with pytest.raises(LaunchError, match=f"{size} bytes of shared memory, a block may declare 49,152"):
        compile_text(text, "f.cu", "f", (), arch)


@needs_nvrtc
def test_an_unknown_architecture_is_named() -> None:
    with pytest.raises(UnavailableError, match=r"does not compile for sm_20; it knows .*sm_90"):
        compile_text("__global__ void f() {}", "f.cu", "f", (), "sm_20")


@pytest.mark.parametrize(
    ("symbol", "figures"),
    [
        ("_Z5otherPd", Figures(163, 0, 32, 800, "13.0")),
        ("tiled", Figures(32, 2048, 0, 0, "13.0")),
        ("named", Figures(12, 128, 0, 0, "13.0", 16)),
    ],
)
def test_figures_are_read_for_the_right_function(symbol: str, figures: Figures) -> None:
    assert read_figures(CASES.text("ptxas.log"), symbol, "13.0") == figures


def test_a_log_without_figures_is_not_taken_for_zero() -> None:
    with pytest.raises(UnavailableError, match="does not report"):
        read_figures(CASES.text("ptxas.log"), "absent", "13.0")


HEADER = 'template <int N> __device__ float helper(float x);\nextern "C" __global__ '


@pytest.mark.parametrize(("declaration", "expected"), CASES("names_and_types_in_order"))
def test_names_and_types_in_order(declaration: str, expected: list[str]) -> None:
    found = parameters(f'{HEADER}{declaration} {{ asm volatile("bar.sync 0;"); }}', "k.cu", "k")
    assert [f"{p.name} {p.dtype}{'*' * p.pointer}" for p in found] == expected


def test_arrays_of_16_bits_are_bound_by_their_bits() -> None:
    kernel, size = find_kernel("matmul_wmma"), Size(2, 3, 4)
    arrays = {**kernel.workload.inputs(size, Fill("ones")), "C": np.zeros((2, 3), np.float32)}
    a, b, c, *lengths = bind(kernel, size, arrays)
    assert (a is arrays["A"], b is arrays["B"], c is arrays["C"], lengths) == (True, True, True, [2, 3, 4])
    assert {arrays[name].dtype.str[1:] for name in "AB"} == {"u2"}
    floats = find_kernel("matmul_naive")
    wrong = replace(floats, workload=kernel.workload)
    with pytest.raises(InputError, match="A is an array of bfloat16 in workload matmul_bf16, the kernel takes float32"):
        bind(wrong, size, arrays)


def test_the_entry_is_told_from_its_neighbours() -> None:
    text = "__device__ void k2(int a) {}\n__global__ void k(float b) {}\n__global__ void k3(double c) {}"
    assert [p.name for p in parameters(text, "k.cu", "k")] == ["b"]


@pytest.mark.parametrize(("text", "message"), CASES("parameters_that_cannot_be_bound"))
def test_parameters_that_cannot_be_bound_are_refused_with_their_place(text: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        parameters(text, "k.cu", "k")


without_gpu = pytest.mark.skipif(not device.missing(), reason="this machine has a GPU")


@without_gpu
def test_the_reason_says_what_to_do() -> None:
    assert "install" in device.missing() or "GPU" in device.missing()
    with pytest.raises(UnavailableError):
        device.present_device()


@pytest.mark.skipif(not compiler.missing(), reason="NVRTC is installed")
def test_the_command_to_install_is_named() -> None:
    assert install_command("cuda13") in compiler.missing()


@without_gpu
def test_versions_are_empty_texts() -> None:
    assert set(device.versions().values()) == {""}


def test_importing_the_room_loads_neither_cupy_nor_numba() -> None:
    code = (
        "import sys; from kernels.gpu import run, libraries; from kernels.cpu import matmul\n"
        "from kernels.bench.measure import worker\n"
        "assert not {'cupy', 'numba', 'PySide6'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@without_gpu
def test_a_trace_is_not_compared_with_a_gpu_that_is_not_there() -> None:
    result = CliRunner().invoke(main, ["trace", "matmul_tiled", "--on-gpu"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("tilescope: --on-gpu: ")
    assert result.stderr.count("\n") == 1
