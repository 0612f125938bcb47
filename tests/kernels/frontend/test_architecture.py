"""Lines that a GPU's compiler takes and the simulator does not, and the reverse."""

from __future__ import annotations

import pytest

from kernels.architecture import Architecture
from kernels.frontend.architecture import Source, on_tensor_cores, other_lines, other_lines_words

TEXT = """#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && THREADS == 384
#define GROUPS
#endif
int a;
#ifdef GROUPS
int b;
int c;
#else
int d;
#endif
int e;
#if __CUDA_ARCH__ >= 900
int f;
#endif
"""


@pytest.mark.parametrize(
    ("threads", "arch", "lines"),
    [
        ("384", "sm_90", (6, 13)),
        ("96", "sm_90", (13,)),
        ("384", "sm_100", (13,)),
        ("384", "sm_80", ()),
        ("384", "sm_75", ()),
    ],
)
def test_lines_depend_on_the_macros_of_the_launch_and_on_the_architecture(
    threads: str, arch: str, lines: tuple[int, ...]
) -> None:
    assert other_lines(Source(TEXT, "a.cu", (("THREADS", threads),)), arch) == lines


@pytest.mark.parametrize(
    "text",
    [
        "#if __CUDA_ARCH__ >= 900\nint  a = 1;\n#else\nint a=1;\n#endif\n",
        "#if __CUDA_ARCH__ >= 900\n#error not this one\n#endif\nint a;\n",
    ],
    ids=["white space", "refused"],
)
def test_equal_tokens_and_refused_sources_have_no_other_lines(text: str) -> None:
    assert other_lines(Source(text, "a.cu", ()), "sm_90") == ()


def test_a_branch_of_an_included_file_is_found_at_its_include() -> None:
    header = "#if __CUDA_ARCH__ >= 900\nint a;\n#endif\n"
    source = Source('int b;\n#include "a.cuh"\n', "a.cu", (), None, (("a.cuh", header),))
    assert other_lines(source, "sm_90") == (2,)


def test_the_sentence_lists_two_lines_and_names_the_compilers_target() -> None:
    source = Source(TEXT + "int g;\n#if __CUDA_ARCH__ >= 900\nint h;\n#endif\n", "a.cu", (("THREADS", "384"),))
    assert other_lines_words(source, "sm_80") == ""
    assert other_lines_words(source, "sm_89") == ""
    assert other_lines_words(source, "sm_90") == (
        "The picture is the code for sm_80; sm_90a compiles other lines (6, 13 …)."
    )
    shown = source._replace(defines=Architecture.parse("sm_90a").among(source.defines))
    assert other_lines_words(shown, "sm_90") == ""
    assert other_lines_words(shown, "sm_100") == (
        "The picture is the code for sm_90a; sm_100 compiles other lines (6)."
    )


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0};" : "+f"(d));', True),
        ('asm volatile("{\\n" "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {%0};" : "+f"(d));', True),
        ("nvcuda::wmma::mma_sync(c, a, b, c);", True),
        ("float gamma = 0; // mma.sync", False),
        ('asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(d));', False),
    ],
)
def test_tensor_cores_are_known_by_their_instructions(code: str, found: bool) -> None:
    text = f"#if __CUDA_ARCH__ >= 800\n__global__ void f(float d) {{ {code} }}\n#endif\n"
    assert on_tensor_cores(Source(text, "a.cu", ()), "sm_90") is found
    assert not on_tensor_cores(Source(text, "a.cu", ()), "sm_75")
