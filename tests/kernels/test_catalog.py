from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from kernels import CUDA_FOLDER
from kernels.catalog import Kernel, catalog, find_kernel, read_kernel
from kernels.device import find_device
from kernels.errors import InputError, LaunchError, SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Limits, check
from kernels.workload import Size, index, none
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)

WRITTEN = [kernel for kernel in catalog() if kernel.file is not None]
LINES = 65
"""Lines of a source, unless it uses more than CUDA's everyday language."""

BEYOND = re.compile(r"\bfloat4\b|\basm\b")
"""Vector loads and inline PTX: kernels beyond tiles in shared memory."""

MOST_LINES = 520

FOOTER = CASES.text("footer.toml")


def written(folder: Path, footer: str = FOOTER, name: str = "mine.cu") -> Path:
    file = folder / name
    file.write_text(f"__global__ void mine() {{}}\n/* tilescope\n{footer}*/\n", encoding="utf-8")
    return file


def test_every_source_is_listed_in_teaching_order() -> None:
    assert {kernel.file for kernel in WRITTEN} == set(CUDA_FOLDER.glob("*.cu"))
    assert [kernel.order for kernel in catalog()] == sorted(kernel.order for kernel in catalog())
    assert len({kernel.id for kernel in catalog()}) == len(catalog())
    assert {kernel.runs_on for kernel in catalog()} == {"cuda", "cpu", "library"}
    assert all(kernel.title and kernel.teaches for kernel in catalog())
    assert len({kernel.title for kernel in catalog()}) == len(catalog())


@pytest.mark.parametrize("kernel", WRITTEN, ids=lambda kernel: kernel.id)
def test_every_source_is_short_and_says_what_to_watch(kernel: Kernel) -> None:
    code, _, footer = kernel.text.rpartition("/* tilescope")
    assert len(code.splitlines()) <= (MOST_LINES if BEYOND.search(code) else LINES)
    assert max(map(len, (*code.splitlines(), *footer.splitlines()))) <= 120
    for word in ("// idea     ", "// mapping  ", "// watch    "):
        assert code.count(word) == 1


@pytest.mark.parametrize("kernel", WRITTEN, ids=lambda kernel: kernel.id)
def test_every_source_fits_its_workload(kernel: Kernel) -> None:
    size = kernel.workload.fit(kernel.size)
    bound = {spec.name for spec in kernel.workload.arrays(size)} | kernel.workload.scalars(size).keys()
    check(kernel.launch(size, kernel.block), Limits())
    for block in (kernel.block, *kernel.blocks):
        usual = Size(*[block.x if any("%" in condition for condition, _ in kernel.require) else n for n in size])
        check(kernel.launch(usual, block), Limits(shared_per_block_bytes=227 * 1024))
        for variant in kernel.variants():
            program = parse(variant.text, f"{variant.id}.cu", variant.defines(kernel.size, block))
            entry = next(function for function in program.kernels if function.name == kernel.entry)
            assert {parameter.name for parameter in entry.parameters} == bound
            constant = {v.name for v in program.variables if v.space == "constant"}
            assert constant == set(kernel.constant)


@pytest.mark.parametrize(
    ("id_", "size", "block", "grid"),
    [
        ("matmul_naive", Size(4, 4, 4), Dim3(2, 2), Dim3(2, 2)),
        ("matmul_naive", Size(3, 10, 7), Dim3(4, 2), Dim3(3, 2)),
        ("matmul_tiled", Size(17, 1, 5), Dim3(16, 16), Dim3(1, 2)),
        ("mmt_symmetric", Size(1, 9, 1), Dim3(4, 4), Dim3(3, 3)),
        ("index_map", Size(6, 8, 1), Dim3(4, 2), Dim3(2, 3)),
        ("hello_grid", Size(9, 9, 9), Dim3(8, 1), Dim3(2, 2)),
    ],
)
def test_launch_rule(id_: str, size: Size, block: Dim3, grid: Dim3) -> None:
    launch = find_kernel(id_).launch(size, block)
    assert (launch.grid, launch.block, launch.dynamic_shared_bytes) == (grid, block, 0)


def test_a_requirement_says_why() -> None:
    with pytest.raises(LaunchError) as caught:
        find_kernel("matmul_tiled").launch(Size(4, 4, 4), Dim3(4, 2))
    assert str(caught.value) == (
        "matmul_tiled cannot run with block 4×2: the tile is square: choose a block with equal sides"
    )


def test_defines_follow_the_block() -> None:
    assert find_kernel("matmul_tiled").defines(Size(4, 4, 4), Dim3(8, 8)) == (("TILE_WIDTH", "8"),)
    assert find_kernel("matmul_naive").defines(Size(4, 4, 4), Dim3(8, 8)) == ()


def test_only_arithmetic_has_a_rate() -> None:
    lessons = {kernel.id for kernel in catalog() if kernel.flaw}
    without = {kernel.id for kernel in catalog() if not kernel.measurable}
    assert without == {k.id for k in catalog() if k.workload in (none.WORKLOAD, *index.WORKLOADS)} | lessons
    assert without >= {"hello_grid", "index_map", "divergence"}
    assert lessons == {kernel.id for kernel in catalog() if kernel.id.startswith("lesson_")}


def test_cpu_kernels_have_no_cuda_source() -> None:
    kernel = find_kernel("cpu_blas")
    with pytest.raises(InputError, match=rf"^{kernel.id} has no CUDA source: it runs on cpu$"):
        _ = kernel.text


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    extra = 'entry = "start"\ndynamic_shared = "4 * block_x * K"\ndefine = { Z = "N / 2", A = "block_z" }\n'
    kernel = find_kernel(str(written(tmp_path, FOOTER + extra)))
    assert (kernel.id, kernel.entry, kernel.order, kernel.runs_on) == ("mine", "start", 5, "cuda")
    assert (kernel.size, kernel.block, kernel.blocks) == (Size(3, 4, 5), Dim3(2, 2, 1), (Dim3(8, 8, 1),))
    assert kernel.launch(kernel.size, kernel.block).dynamic_shared_bytes == 40
    assert kernel.defines(kernel.size, kernel.block) == (("A", "1"), ("Z", "2"))
    assert kernel.text.startswith("__global__")


def test_the_last_comment_counts(tmp_path: Path) -> None:
    file = written(tmp_path)
    file.write_text("/* tilescope\nnot TOML */\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    assert read_kernel(file).title == "T"


@pytest.mark.parametrize(("old", "new", "message"), CASES("a_comment_that_cannot_be_used"))
def test_a_comment_that_cannot_be_used(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = written(tmp_path, FOOTER.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_kernel(file)
    assert str(caught.value).startswith(f"{file}: {message}")


@pytest.mark.parametrize(
    ("grid", "kind", "message"),
    [
        ("Q + 1", InputError, "'Q' has no value here: use K, M, N, block_x, block_y, block_z"),
        ("N +", SourceError, "expected a value"),
        ("N / 0", InputError, "division by zero in 'N / 0'"),
    ],
)
def test_a_launch_rule_that_cannot_be_used(tmp_path: Path, grid: str, kind: type[Exception], message: str) -> None:
    kernel = read_kernel(written(tmp_path, FOOTER.replace("(N + block_x - 1) / block_x", grid)))
    with pytest.raises(kind, match=message.replace("+", r"\+")):
        kernel.launch(kernel.size, kernel.block)


def test_one_number_is_the_size_in_every_dimension(tmp_path: Path) -> None:
    assert read_kernel(written(tmp_path, FOOTER.replace("[3, 4, 5]", "[4]"))).size == Size(4, 4, 4)


def test_a_file_without_the_comment(tmp_path: Path) -> None:
    file = tmp_path / "plain.cu"
    file.write_text("__global__ void plain() {}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"'tilescope trace FILE\.cu --grid .* opens run\.trace"):
        find_kernel(str(file))


@pytest.mark.parametrize("content", [None, b"\xff\xfe/* tilescope */"])
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "bad.cu"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        find_kernel(str(file))
    assert str(caught.value).startswith(f"{file}: cannot be read: ")


@pytest.mark.parametrize(
    ("name", "proposed"),
    [("matmul_tild", "did you mean matmul_tiled or matmul_warp_tiled? "), ("nope", "")],
)
def test_an_unknown_name_proposes_similar_ones(name: str, proposed: str) -> None:
    with pytest.raises(InputError) as caught:
        find_kernel(name)
    assert str(caught.value) == (
        f"no kernel '{name}': {proposed}'tilescope kernels' lists all; a .cu file can be given, too"
    )


def with_kernels(names: list[str]) -> str:
    return "".join(TWO_LINES.format(name=name) for name in names) + CASES.text("plain_footer.txt")


TWO_LINES = "// no __global__ void other(int) here\n__global__ void __launch_bounds__(64) {name}(float *C) {{ }}\n"


@pytest.mark.parametrize(("names", "entry"), [(["one"], "one"), (["one", "file"], "file"), (["file"], "file")])
def test_the_entry_is_the_files_name_or_the_only_kernel(tmp_path: Path, names: list[str], entry: str) -> None:
    file = tmp_path / "file.cu"
    file.write_text(
        "".join(TWO_LINES.format(name=name) for name in names) + CASES.text("plain_footer.txt"), encoding="utf-8"
    )
    assert read_kernel(file).entry == entry


@pytest.mark.parametrize(("names", "words"), [(["one", "two"], "is one of one, two"), ([], "is missing")])
def test_an_entry_that_is_not_clear_is_asked_for(tmp_path: Path, names: list[str], words: str) -> None:
    file = tmp_path / "file.cu"
    file.write_text(
        "".join(TWO_LINES.format(name=name) for name in names) + CASES.text("plain_footer.txt"), encoding="utf-8"
    )
    with pytest.raises(InputError, match=words):
        read_kernel(file)


OPTIONS = CASES.text("options.toml")


def test_a_lesson_and_what_is_set_before_its_launch(tmp_path: Path) -> None:
    kernel = read_kernel(written(tmp_path, FOOTER + OPTIONS))
    assert (kernel.flaw, kernel.measurable) == ("Nothing is computed.", False)
    assert (kernel.clear, kernel.memory, kernel.suggest) == (("C",), "managed", "square")
    assert kernel.constants(Size(3, 4, 5), Dim3(8, 2)) == {"ALL": 12, "TWICE": 16}
    assert find_kernel("matmul_naive").constants(Size(3, 4, 5), Dim3(8, 2)) == {}


@pytest.mark.parametrize(("suffix", "id_", "defines"), CASES("a_variant_has_an_id_and_macros", tuples=True))
def test_a_variant_has_an_id_and_macros_of_its_own(
    tmp_path: Path, suffix: str, id_: str, defines: tuple[tuple[str, str], ...]
) -> None:
    kernel = find_kernel(str(written(tmp_path, FOOTER + OPTIONS)) + suffix)
    assert (kernel.id, kernel.base, "mine" + kernel.suffix) == (id_, "mine", id_)
    assert kernel.defines(kernel.size, kernel.block) == defines
    assert kernel.choose(x="row", unroll="no") == read_kernel(tmp_path / "mine.cu")


def test_every_combination_is_a_variant(tmp_path: Path) -> None:
    kernel = read_kernel(written(tmp_path, FOOTER + OPTIONS))
    assert [variant.suffix for variant in kernel.variants()] == [
        "",
        ":unroll=by_4",
        ":unroll=by_8",
        ":x=column",
        ":x=column,unroll=by_4",
        ":x=column,unroll=by_8",
    ]
    plain = find_kernel("matmul_naive")
    assert plain.variants() == (plain,)


@pytest.mark.parametrize(("suffix", "message"), CASES("an_option_that_is_not_there"))
def test_an_option_that_is_not_there_lists_those_that_are(tmp_path: Path, suffix: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_kernel(str(written(tmp_path, FOOTER + OPTIONS)) + suffix)
    with pytest.raises(InputError, match="matmul_naive has no option 'x': its options are none"):
        find_kernel("matmul_naive:x=row")


@pytest.mark.parametrize(("line", "message"), CASES("a_wrong_word_lists_the_right"))
def test_a_wrong_word_lists_the_right_ones(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_kernel(written(tmp_path, FOOTER + line + "\n"))


@pytest.mark.parametrize(
    ("name", "device", "shown"),
    [("matmul_mma", "T4", "sm_80"), ("matmul_mma", "H200", "sm_90a"), ("matmul_tiled", "T4", "sm_75")],
)
def test_the_oldest_code_that_computes_the_result_is_shown(name: str, device: str, shown: str) -> None:
    assert find_kernel(name).architecture_for(find_device(device).architecture).name == shown
