"""`#include "file"`: read from beside the file, and shown at the #include."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.errors import SourceError
from kernels.frontend import parse, text_of
from tests.cases import Cases
from tests.kernels.frontend.nested_lists import shape

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.frontend.ast import Program

CASES = Cases(__file__)


def read(folder: Path, text: str, **files: str) -> Program:
    """Write files (`a__b` for a/b.h) and read a text that lies beside them."""
    for name, content in files.items():
        path = folder / f"{name.replace('__', '/')}.h"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return parse(text, "k.cu", (), folder)


def test_a_local_file_is_included(tmp_path: Path) -> None:
    program = read(
        tmp_path,
        '#include "x.h"\n__global__ void k(int *a) { a[0] = twice(W) + SQ(a[1]); }',
        x="#define W 8\n#define SQ(x) ((x) * (x))\n__device__ int twice(int x) { return 2 * x; }\n",
    )
    assert [f.name for f in program.functions] == ["twice", "k"]
    twice, kernel = program.functions
    assert shape(kernel.body.body[0])[2] == ["+", ["twice()", 8], ["*", ["[]", "a", 1], ["[]", "a", 1]]]
    whole, first = twice.span, twice.body.body[0].span
    assert (whole.line, whole.where, first.where) == (1, "line 3 of x.h", "line 3 of x.h")
    assert text_of(program.text, whole, program.included) == "__device__ int twice(int x) { return 2 * x; }"
    assert text_of(program.text, first, program.included) == "return 2 * x;"
    assert text_of(program.text, kernel.body.body[0].span) == "a[0] = twice(W) + SQ(a[1]);"
    assert program.included == (
        ("x.h", "#define W 8\n#define SQ(x) ((x) * (x))\n__device__ int twice(int x) { return 2 * x; }\n"),
    )


def test_the_files_of_a_program_suffice_to_parse_it_again(tmp_path: Path) -> None:
    text = '#include "x.h"\n__device__ int a[W];'
    program = read(tmp_path, text, x='#pragma once\n#include "y.h"', y="#define W 3\n")
    again = parse(text, "k.cu", (), None, program.included)
    assert str(again.variables[0].type) == "int[3]"
    assert again.included == program.included


def test_paths_are_relative_to_the_including_file(tmp_path: Path) -> None:
    program = read(
        tmp_path,
        '#include "in/x.h"\n__device__ int v[W];',
        in__x='#include "y.h"\n#include "../z.h"\n#include "top.h"',
        in__y="#define W (A + B)\n",
        z="#define A 1\n",
        top="#define B 2\n",
    )
    assert str(program.variables[0].type) == "int[3]"


@pytest.mark.parametrize(
    "guard",
    ["#pragma once\n{}", "#ifndef X\n#define X\n{}\n#endif", "#ifdef X\n#else\n#define X\n{}\n#endif"],
)
def test_guards(tmp_path: Path, guard: str) -> None:
    program = read(
        tmp_path,
        '#include "x.h"\n#include "x.h"\n#include "y.h"\n',
        x=guard.format('#include "y.h"\n__device__ int v;'),
        y=guard.format('#include "x.h"').replace("X", "Y"),
    )
    assert [v.name for v in program.variables] == ["v"]


@pytest.mark.parametrize(("text", "place", "words"), CASES("errors_name_the_included_file"))
def test_errors_name_the_included_file(tmp_path: Path, text: str, place: str, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(tmp_path, '// first\n#include "x.h"\n', x=text)
    assert str(caught.value).startswith(f"{place}: {words}")


def test_too_many_files(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"k.cu:257:10: more than 256 files are included"):
        read(tmp_path, '#include "x.h"\n' * 300, x="")


def test_too_much_text(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"k.cu:5:10: more than 2,097,152 characters are included"):
        read(tmp_path, '#include "x.h"\n' * 5, x=f"int n;{' ' * 93}\n" * 4_900)
    with pytest.raises(SourceError, match=r"k.cu:1:10: more than 2,097,152 characters are included"):
        read(tmp_path, '#include "x.h"\n' * 3, x=" " * 3_000_000)


def test_comments_may_have_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "x.h").write_bytes("// größer\n#define N 4\n".encode("latin-1"))
    program = read(tmp_path, '#include "x.h"\n__device__ int a[N];')
    assert str(program.variables[0].type) == "int[4]"


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "x.h").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SourceError, match=r"x.h:1:4: syntax error"):
        read(tmp_path, '#include "x.h"')


def test_files_that_are_not_there_are_remembered(tmp_path: Path) -> None:
    text = '#include "gone.h"\n#include "gone.h"\n#include "/dev/null"\n#include "cuda_runtime.h"\n#include <x>\n'
    assert read(tmp_path, text).missing == ("gone.h", "/dev/null")
    assert parse(text, "k.cu").missing == ("gone.h", "/dev/null")


def test_a_local_file_may_bear_the_name_of_a_header(tmp_path: Path) -> None:
    program = read(tmp_path, '#include "math_utils.h"\n#include "helper_cuda.h"', math_utils="__device__ int v;")
    assert [v.name for v in program.variables] == ["v"]
    assert program.missing == ()


def test_a_library_is_no_missing_file() -> None:
    text = '#include "mine.h"\n__global__ void k() { thrust::device_vector<int> f; }'
    with pytest.raises(SourceError, match=r"type 'thrust::device_vector'; it is the host's"):
        parse(text, "k.cu")
    assert parse('#include "mine.h"', "k.cu").missing_files_advice == "; mine.h was not found: name its folder with -I"


@pytest.mark.parametrize("text", ["float s[W];", "mine v;", "n = other::f(1);", "n = f<float>(1);"])
def test_an_unknown_name_may_be_due_to_a_missing_file(text: str) -> None:
    with pytest.raises(SourceError, match=r"mine\.h was not found"):
        parse(f'#include "mine.h"\n__global__ void k(int n) {{ {text} }}', "k.cu")


@pytest.mark.parametrize(
    "place", ["include/x.h", "inc/x.h", "common/x.h", "a/utils/x.h", "a/x.h", "a/b/src/x.h", "Common/x.h"]
)
def test_headers_of_a_project_are_found_around_the_file(tmp_path: Path, place: str) -> None:
    (tmp_path / ".git").mkdir()
    header, source = tmp_path / place, tmp_path / "a" / "b" / "c"
    for folder in (header.parent, source):
        folder.mkdir(parents=True, exist_ok=True)
    header.write_text("#define W 3\n", encoding="utf-8")
    program = parse('#include "x.h"\n__device__ int v[W];', "k.cu", (), source)
    assert str(program.variables[0].type) == "int[3]"
    assert program.missing == ()


@pytest.mark.parametrize(("below", "found"), [("a/b/c/d", True), ("a/b/c/d/e", False), (".git/a", False)])
def test_headers_are_looked_for_up_to_the_root_or_four_levels(tmp_path: Path, below: str, found: bool) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "x.h").write_text("#define W 3\n", encoding="utf-8")
    folder = tmp_path / below.replace(".git", "r")
    folder.mkdir(parents=True)
    if ".git" in below:
        (tmp_path / "r" / ".git").mkdir()
    program = parse('#include "x.h"\n', "k.cu", (), folder)
    assert (program.missing == ()) is found


def test_folders_of_I_are_searched_before_parent_folders(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "given").mkdir()
    (tmp_path / "include" / "x.h").write_text("#define W 3\n", encoding="utf-8")
    (tmp_path / "given" / "x.h").write_text("#define W 4\n", encoding="utf-8")
    for text in ('#include "x.h"\n', "#include <x.h>\n"):
        text += "__device__ int v[W];"
        program = parse(text, "k.cu", (), tmp_path, search=[tmp_path / "given"])
        assert str(program.variables[0].type) == "int[4]"
        again = parse(text, "k.cu", (), None, program.included)
        assert str(again.variables[0].type) == "int[4]"


@pytest.mark.parametrize(("spelled", "where"), CASES("headers_in_angle_brackets_belong"))
def test_headers_in_angle_brackets_belong_to_the_project_or_a_library(
    tmp_path: Path, spelled: str, where: str | None
) -> None:
    for file in (where or "math.h", "string.h", "thrust/scan.h"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("#define W 4\n", encoding="utf-8")
    program = parse(f"#include {spelled}\n", "k.cu", (), tmp_path)
    assert [name for name, _ in program.included] == ([spelled[1:-1]] if where else [])
    assert program.missing == ()


@pytest.mark.parametrize(("condition", "found"), CASES("files_may_be_asked"))
def test_files_may_be_asked_for(tmp_path: Path, condition: str, found: bool) -> None:
    program = read(tmp_path, f"#if {condition}\n__device__ int a;\n#endif", x="")
    assert len(program.variables) == found
    assert program.included == ()


@pytest.mark.parametrize("asked", ["__has_include", '__has_include "x.h"', "__has_include(<x.h>", "__has_include()"])
def test_has_include_needs_parentheses(tmp_path: Path, asked: str) -> None:
    with pytest.raises(SourceError, match=r"k.cu:1:5: syntax error: __has_include needs"):
        read(tmp_path, f"#if {asked}\n#endif")


@pytest.mark.parametrize(("spelled", "own"), CASES("only_headers_of_cuda"))
def test_only_headers_of_cuda_and_the_system_are_not_looked_for_around(tmp_path: Path, spelled: str, own: bool) -> None:
    (tmp_path / "src").mkdir()
    file = tmp_path / "include" / spelled
    file.parent.mkdir(parents=True)
    file.write_text("#define W 4\n", encoding="utf-8")
    program = parse(f'#include "{spelled}"\n', "k.cu", (), tmp_path / "src")
    assert len(program.included) == own
    assert program.missing == ()


@pytest.mark.parametrize(
    "spelled", ["../secret.h", "a/../../secret.h", "link.h", "out/secret.h", "secret.h", "{absolute}"]
)
def test_files_outside_of_the_program_are_not_read(tmp_path: Path, spelled: str) -> None:
    secret, own = tmp_path / "secret.h", tmp_path / "own"
    secret.write_text("#define SECRET 42\n", encoding="utf-8")
    (own / "a").mkdir(parents=True)
    (own / "link.h").symlink_to(secret)
    (own / "out").symlink_to(tmp_path)
    name = spelled.format(absolute=secret)
    for quoted in (f'"{name}"', f"<{name}>"):
        program = parse(f"#include {quoted}\n#if __has_include({quoted})\n#error found\n#endif\n", "k.cu", (), own)
        assert program.included == ()
