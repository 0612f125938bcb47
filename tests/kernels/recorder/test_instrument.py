"""The instrumented text, as text and as NVRTC compiles it; no GPU is needed."""

from __future__ import annotations

import re

import numpy as np
import pytest

from kernels import CUDA_FOLDER
from kernels.catalog import Kernel, find_kernel, read_kernel
from kernels.device import find_device
from kernels.errors import SourceError, UnavailableError
from kernels.frontend import parse_with_instances
from kernels.gpu.compiler import compile_text, missing, supported_archs
from kernels.launch import Dim3, Launch
from kernels.recorder.instrument import Instrumented, instrument
from kernels.recorder.record import check_architecture
from kernels.simt import Argument, choose_kernel
from kernels.tracing import prepare
from tests.cases import Cases
from tests.gpu.constructs import CONSTRUCTS, job_of
from tests.kernels.recorder.nvrtc_messages import warnings_of

CASES = Cases(__file__)

KERNELS = [read_kernel(file) for file in sorted(CUDA_FOLDER.glob("*.cu"))]

needs_nvrtc = pytest.mark.skipif(bool(missing()), reason=missing())


def instrumented(source: str, name: str = "k") -> str:
    program, instances = parse_with_instances(source, "k.cu")
    arguments: dict[str, Argument] = {"A": np.zeros(8, np.float32), "B": np.zeros(8, np.int32), "n": 1}
    kernel = choose_kernel(program, name, instances=instances)
    names = {parameter.name for parameter in kernel.parameters}
    given = {key: value for key, value in arguments.items() if key in names}
    return instrument(program, kernel, Launch(Dim3(1), Dim3(32), 64), given, instances).text


def every_line(body: str, before: str = "", parameters: str = "float *A, int *B, int n") -> list[str]:
    """Instrument a body; return its lines without indentation and numbers, the frame left out."""
    text = instrumented(f"{before}\n__global__ void k({parameters}) {{ {body} }}")
    text = re.sub(r"(\w*ts\w*\()(\d+(, )?)+", r"\1", text.partition("void ts_kernel(")[2])
    return [line.strip() for line in text.splitlines()[2:-2]]


def lines(body: str, before: str = "") -> list[str]:
    """Return the same without notes of steps and variables."""
    found = (re.sub(r"ts_set\((\w+)\)", r"\1", line) for line in every_line(body, before))
    return [line for line in found if not re.match(r"ts_step|ts_wrote\(nullptr", line)]


@pytest.mark.parametrize(("body", "expected"), CASES("every_access_is_noted"))
def test_every_access_is_noted_and_nothing_else(body: str, expected: str) -> None:
    assert lines(body)[0] == expected


@pytest.mark.parametrize(("body", "expected"), CASES("unspecified_evaluation_orders"))
def test_unspecified_evaluation_orders_are_fixed(body: str, expected: str | None) -> None:
    found = lines(body)[0]
    assert found == expected if expected else found.count("[&]") == 1


@pytest.mark.parametrize(("steps", "body", "before", "expected"), CASES("texts"))
def test_texts(steps: bool, body: str, before: str, expected: list[str]) -> None:
    assert (every_line if steps else lines)(body, before) == expected


def test_a_name_means_what_its_scope_says() -> None:
    text = "__shared__ int s; { int s = 1; n = s; } n = s; for (int s = 0; s < n; ++s) n = s;"
    assert [line for line in lines(text) if line.startswith("n =")] == [
        "n = s;",
        "n = ts_read(s);",
        "n = s;",
    ]


@pytest.mark.parametrize(("body", "before", "what"), CASES("types_that_cannot_be_written"))
def test_types_that_cannot_be_written_are_refused_where_they_are_declared(body: str, before: str, what: str) -> None:
    with pytest.raises(SourceError, match=r"k.cu:2:\d+: " + re.escape(what) + " cannot be recorded on a GPU: trace"):
        lines(body, before)


def test_functions_that_c_plus_plus_17_does_not_have_are_refused() -> None:
    with pytest.raises(SourceError, match=r"k.cu:1:20: auto 'x' cannot be recorded on a GPU: trace"):
        lines("A[0] = f(n);", "__device__ float f(auto x) { return x; }")


def test_a_constant_of_a_struct_is_named_by_its_struct() -> None:
    before = "struct S { int x; static constexpr int n[2] = {1, 2}; };"
    assert lines("S s{1}; B[0] = S::n[n];", before)[-1] == "ts_write(B[0]) = ts_read(S_n[n]);"
    with pytest.raises(SourceError, match=r"k.cu:2:\d+: S::n cannot be recorded .* an object: write S::n"):
        lines("S s{1}; B[0] = s.n[n];", before)


def test_a_template_takes_what_points_to_const_as_what_does_not() -> None:
    before = "template <typename T> __device__ T get(T *a) { return *a; } __constant__ float in[9];"
    assert lines("A[n] = get(in + n);", before)[-1].endswith("= ts_then(get_ts0((float *)(in + n)));")


def test_only_what_the_kernel_calls_is_kept() -> None:
    before = "__device__ int f(int *p) { return *p; } __device__ int g(int *p) { return f(p); } __device__ void h() {}"
    text = instrumented(f"{before} __global__ void other() {{}} __global__ void k(int *B) {{ *B = g(B); }}")
    assert (
        text.index("int f_ts1(unsigned int ts_site, int *p)")
        < text.index("int g_ts0(unsigned int ts_site, int *p)")
        < text.index("void ts_kernel(int *B)")
    )
    assert "h_ts" not in text
    assert text.count("__global__") == 1


def instrumented_kernel(kernel: Kernel) -> Instrumented:
    job = prepare(kernel, kernel.size, kernel.block)
    return instrument(job.program, job.function, job.launch, job.arguments, job.instances)


@needs_nvrtc
@pytest.mark.parametrize("kernel", [k for k in KERNELS if "mbarrier" not in k.text], ids=lambda kernel: kernel.id)
def test_every_kernel_compiles_without_a_warning(kernel: Kernel) -> None:
    made = instrumented_kernel(kernel)
    assert warnings_of(made.plain_text, "sm_90") == ""
    for arch in supported_archs():
        if not (made.sm_80_construct and arch == "sm_75"):
            assert warnings_of(made.text, arch) == ""


@pytest.mark.parametrize("kernel", [k for k in KERNELS if "mbarrier" in k.text], ids=lambda kernel: kernel.id)
def test_memory_barriers_of_inline_ptx_are_refused(kernel: Kernel) -> None:
    with pytest.raises(SourceError) as caught:
        instrumented_kernel(kernel)
    assert caught.value.reason == (
        'asm("mbarrier.init.shared.b64 …") cannot be recorded on a GPU: trace the kernel without --on-gpu'
    )


@pytest.mark.parametrize(
    ("name", "construct"), [("matmul_async", "cp.async"), ("matmul_tiled", "")], ids=["async", "tiled"]
)
def test_devices_before_sm_80_are_refused_where_they_lack_an_instruction(name: str, construct: str) -> None:
    made = instrumented_kernel(find_kernel(name))
    assert made.sm_80_construct == construct
    check_architecture(name, made.sm_80_construct, find_device("a100"))
    if not construct:
        check_architecture(name, made.sm_80_construct, find_device("t4"))
        return
    with pytest.raises(UnavailableError) as caught:
        check_architecture(name, made.sm_80_construct, find_device("t4"))
    assert str(caught.value) == (
        "matmul_async uses cp.async, which needs compute capability 8.0 or newer, and T4 has 7.5: "
        "it runs in the simulator only"
    )


@needs_nvrtc
@pytest.mark.parametrize("name", CONSTRUCTS)
def test_every_construct_compiles_without_a_warning(name: str) -> None:
    job = job_of(name)
    made = instrument(job.program, job.function, job.launch, job.arguments, job.instances)
    for text in (made.text, made.plain_text):
        assert warnings_of(text, "sm_90") == ""


@needs_nvrtc
def test_variables_are_found_by_their_names_in_the_code() -> None:
    job = job_of("file")
    made = instrument(job.program, job.function, job.launch, job.arguments, job.instances)
    assert made.variables == {"w": 16, "scale": 4, "counter": 4, "table": 256}
    for text in (made.plain_text, made.text):
        code = compile_text(text, "file.cu", made.entry, (), "sm_90", keep=tuple(made.variables))
        for name in (*made.variables, *(("ts_log", "ts_count", "ts_capacity") if text is made.text else ())):
            assert b"\0" + name.encode() + b"\0" in code.cubin
