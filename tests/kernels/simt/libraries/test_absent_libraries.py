"""Each library can be absent: kernels that need it are refused with its name, all others run as before.

The plain command runs one in twelve kernels of the hazard corpus without libraries; the exhaustive command runs all.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest
from click.testing import CliRunner

import kernels
from kernels.cli import main
from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import run
from kernels.simt.libraries import LIBRARIES, installed
from tests.kernels.golden import digests
from tests.kernels.hazards.corpus import cases
from tests.kernels.hazards.reports import new_report
from tests.sweeps import one_in

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from kernels.trace import Trace
    from tests.kernels.hazards.corpus import Case

STORED: Final = digests.stored()
NONE: Final = frozenset(LIBRARIES)
"""The names of all libraries: `installed(without=NONE)` has none."""

ATOMIC: Final = "#include <cuda/atomic>\n__device__ cuda::atomic<int> a;\n"
GROUPS: Final = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
SHARED: Final = "__shared__ unsigned long long s[64]; unsigned p = (unsigned)__cvta_generic_to_shared(s);"

KERNELS: Final = {
    "asm": ("inline_ptx", "", 'int x; asm("add.s32 %0, %1, 1;" : "=r"(x) : "r"(1)); o[t] = x;'),
    "ldmatrix": (
        "tensor_cores",
        "",
        f"{SHARED} unsigned a; s[t] = t; __syncwarp();"
        'asm("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(p)); o[t] = a;',
    ),
    "wmma": (
        "tensor_cores",
        "#include <mma.h>\nusing namespace nvcuda;\n",
        "wmma::fragment<wmma::accumulator, 16, 16, 16, float> f; wmma::fill_fragment(f, 1.0f); o[t] = f.x[0];",
    ),
    "mbarrier": (
        "libcudacxx",
        "",
        f"{SHARED} unsigned long long x;"
        'if (t == 0) asm("mbarrier.init.shared.b64 [%0], %1;" :: "r"(p), "r"(32)); __syncthreads();'
        'asm("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(x) : "r"(p)); o[t] = 1;',
    ),
    "atomic object, member function": ("libcudacxx", ATOMIC, "a.fetch_add(1);"),
    "atomic object, operator": ("libcudacxx", ATOMIC, "a += 1;"),
    "atomic object, increment": ("libcudacxx", ATOMIC, "++a;"),
    "atomic object, assignment": ("libcudacxx", ATOMIC, "a = 1;"),
    "atomic object, value": ("libcudacxx", ATOMIC, "o[t] = a;"),
    "atomic object, local": ("libcudacxx", "#include <cuda/atomic>\n", "cuda::atomic<int> a{1}; o[t] = a;"),
    "atomic reference": ("libcudacxx", "#include <cuda/atomic>\n", "cuda::atomic_ref<int> a(o[0]); ++a;"),
    "barrier object": (
        "libcudacxx",
        "#include <cuda/barrier>\n",
        "__shared__ cuda::barrier<cuda::thread_scope_block> b;"
        "if (t == 0) init(&b, 32); __syncthreads(); b.arrive_and_wait();",
    ),
    "group": ("cooperative_groups", GROUPS, "cg::thread_block g = cg::this_thread_block(); o[t] = g.thread_rank();"),
    "barrier of a group": ("cooperative_groups", GROUPS, "cg::this_thread_block().sync();"),
    "tile": (
        "cooperative_groups",
        GROUPS,
        "auto g = cg::tiled_partition<4>(cg::this_thread_block()); o[t] = g.shfl_down(t, 1);",
    ),
    "generator": (
        "curand",
        "#include <curand_kernel.h>\n",
        "curandState s; curand_init(1, t, 0, &s); o[t] = curand(&s);",
    ),
    "malloc": ("device_heap", "", "int *p = (int *)malloc(4); *p = 1; o[t] = *p; free(p);"),
    "new": ("device_heap", "", "int *p = new int; *p = 1; o[t] = *p; delete p;"),
    "new of an array": ("device_heap", "", "int *p = new int[2]; p[1] = 1; o[t] = p[1]; delete[] p;"),
    "half, function": ("half_bfloat16", "#include <cuda_fp16.h>\n", "o[t] = __half2float(__float2half(2.0f));"),
    "half2, operator": (
        "half_bfloat16",
        "#include <cuda_fp16.h>\n",
        "half2 h; h.x = 1.0f; h.y = 2.0f; h = h + h; o[t] = (float)h.x;",
    ),
    "bfloat16": ("half_bfloat16", "#include <cuda_bf16.h>\n", "o[t] = (float)(__float2bfloat16(1.0f));"),
    "texture object": ("textures", "", "o[t] = tex1Dfetch<float>(texture, t);"),
    "surface object": ("textures", "", "surf1Dwrite(1.0f, surface, t * 4);"),
}
"""By construct: the library that it needs, the lines before the kernel, and the kernel's body."""

ALSO: Final = {"ldmatrix": {"inline_ptx"}, "mbarrier": {"inline_ptx"}}
"""Other libraries that a kernel needs."""


def _run(name: str, without: frozenset[str]) -> Trace:
    _, before, body = KERNELS[name]
    parameters = ["int *o"]
    arguments = {"o": np.zeros(32, np.int32)}
    for image, kind in (("texture", "cudaTextureObject_t"), ("surface", "cudaSurfaceObject_t")):
        if image in body:
            parameters.append(f"{kind} {image}")
            arguments[image] = np.zeros(32, np.float32)
    source = f"{before}__global__ void k({', '.join(parameters)}) {{ int t = threadIdx.x; {body} }}"
    return run(parse(source, "test.cu"), Launch(Dim3(1), Dim3(32), 0), arguments, registry=installed(without))


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_that_needs_an_absent_library_is_refused_with_its_name(name: str) -> None:
    library = KERNELS[name][0]
    with pytest.raises(SourceError, match=f"its library, {library}, is not installed"):
        _run(name, frozenset({library}))


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_needs_no_other_library(name: str) -> None:
    needed = {KERNELS[name][0], *ALSO.get(name, ())}
    found, expected = _run(name, NONE - needed), _run(name, frozenset())
    assert found.statements == expected.statements
    assert found.hazards == expected.hazards
    for array, values in expected.outputs.items():
        np.testing.assert_array_equal(found.outputs[array], values)


@pytest.fixture
def without_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernels.simt.engine.installed", lambda: installed(NONE))


@pytest.mark.usefixtures("without_libraries")
@pytest.mark.parametrize("kernel", digests.kernels()[::5], ids=lambda kernel: kernel.id)
def test_catalogue_kernels_run_without_libraries_or_are_refused(kernel: Kernel) -> None:
    try:
        found = digests.of_kernel(kernel, "lockstep")
    except SourceError as error:
        assert re.search(r"its library, [a-z0-9_]+, is not installed", str(error))  # noqa: PT017
    else:
        assert digests.differing(found, STORED["catalogue"][digests.row_name(kernel.id, "lockstep")]) == []


@pytest.mark.usefixtures("without_libraries")
@pytest.mark.parametrize("case", one_in(12, cases(), lambda case: case.name))
def test_the_hazard_corpus_runs_without_libraries_or_is_refused(case: Case) -> None:
    result = CliRunner().invoke(main, ["trace", str(case.file), *case.words, "--json"])
    if "is not installed" not in result.output:
        # Not the messages: a cure that needs cooperative groups, such as a barrier of the grid, is not advised then.
        found = digests.of_case(case, "lockstep", new_report)
        differing = digests.differing(found, STORED["hazards"][digests.row_name(case.name, "lockstep")])
        assert set(differing) <= {digests.MESSAGES}


def _imports(file: Path) -> set[str]:
    """Return the modules that a file imports, those for type checkers included."""
    return set(re.findall(r"^ *from ([\w.]+) import", file.read_text(encoding="utf-8"), re.MULTILINE))


def test_no_module_outside_of_a_library_imports_it() -> None:
    root = Path(kernels.__file__).parent
    wrong = []
    for file in root.rglob("*.py"):
        name = ".".join(("kernels", *file.relative_to(root).with_suffix("").parts))
        for module in _imports(file):
            if module.startswith("kernels.simt.libraries.") and module.split(".")[3] in LIBRARIES:
                library = ".".join(module.split(".")[:4])
                if not f"{name}.".startswith(f"{library}."):
                    wrong.append(f"{name} imports {module}")
    assert wrong == []
