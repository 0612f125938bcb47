from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from kernels.cli import main
from kernels.trace.file import load
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)

ADD = CASES.source("add")
UNGUARDED = ADD.replace("if (i < n)", "")
COMPLETE = [
    "--grid",
    "2",
    "--block",
    "4",
    "--arg",
    "a=f32[6]:iota",
    "--arg",
    "b=f32[6]:ones",
    "--arg",
    "c=f32[6]:uninit",
    "--arg",
    "n=6",
]
PARTS = {
    "COMPLETE": COMPLETE,
    "BEFORE_N": COMPLETE[:-1],
    "WITHOUT_N": COMPLETE[:-2],
    "ARRAYS": COMPLETE[4:],
    "LAUNCH": COMPLETE[:4],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "add.cu"
    path.write_text(ADD, encoding="utf-8")
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["trace", *(str(word) for word in words)])


def report(*words: object, status: int = 0) -> dict[str, Any]:
    result = run(*words, "--json")
    assert result.exit_code == status, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_clean_run_of_a_file(file: Path) -> None:
    found = report(file, *COMPLETE)
    assert set(found) == {"kernel", "launch", "hazards", "counts", "output", "printf", "steps", "elapsed_s"}
    expected = np.arange(1, 7, dtype=np.float32)
    assert found["kernel"] == "add"
    assert found["launch"] == {"grid": [2, 1, 1], "block": [4, 1, 1], "dynamic_shared_bytes": 0}
    assert found["hazards"] == []
    assert found["output"]["c"] == {
        "shape": [6],
        "sha256": hashlib.sha256(expected.tobytes()).hexdigest(),
        "first": expected.tolist(),
    }
    assert found["steps"] == 3
    loads = next(c for c in found["counts"]["arrays"] if c["array"] == "a")
    assert (loads["access"], loads["requests"], loads["sectors"]) == ("read", 2, 2)


def test_a_hazard_is_reported_with_its_place_and_status_1(file: Path) -> None:
    file.write_text(UNGUARDED, encoding="utf-8")
    found = report(file, *COMPLETE, status=1)
    reads = next(h for h in found["hazards"] if h["array"] == "a")
    assert (reads["kind"], reads["space"], reads["index"], reads["line"]) == ("out-of-bounds", "global", 6, 5)
    assert reads["accesses"] == [{"block": [1, 0, 0], "thread": [2, 0, 0], "line": 5, "access": "read"}]
    assert set(reads) == {"kind", "space", "array", "index", "element", "line", "column", "accesses", "message"}
    assert reads["element"] == "a[6]"
    summary = run(file, *COMPLETE)
    assert summary.exit_code == 1
    assert "add.cu:5:" in summary.stdout


def test_the_summary_names_what_counts(file: Path) -> None:
    result = run(file, *COMPLETE)
    assert result.exit_code == 0
    assert "c float32[6]: 1 2 3 4 5 6" in result.stdout
    assert "no hazards" in result.stdout


@pytest.mark.parametrize(("words", "message"), CASES("unusable_arguments"))
def test_unusable_arguments_are_one_line(file: Path, words: str, message: str) -> None:
    for name, part in PARTS.items():
        words = words.replace(name, " ".join(part))
    result = run(file, *words.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_source_that_is_not_cuda_is_located(file: Path) -> None:
    file.write_text(ADD.replace("a[i] + b[i]", "a[i] +"), encoding="utf-8")
    result = run(file, *COMPLETE)
    assert result.exit_code == 2
    assert "add.cu:5:" in result.stderr


@pytest.mark.parametrize("name", ["add.cu", "add.cuh", "add.h"])
@pytest.mark.parametrize("change", [b"\xef\xbb\xbf%s", b"// \xe9t\xe9\n%s", b"%s\r\n"])
def test_files_of_other_systems(tmp_path: Path, name: str, change: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(change % ADD.replace("\n", "\r\n" if b"\r" in change else "\n").encode())
    assert report(path, *COMPLETE)["steps"] == 3


@pytest.mark.parametrize("content", [b"\x7fELF\0\1", "__global__ void k() {}".encode("utf-16")])
def test_a_binary_file_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "k.cu"
    file.write_bytes(content)
    result = run(file, "--grid", "1", "--block", "1")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"tilescope: {file}: is no text file, or not in UTF-8: ")


def test_headers_of_the_file_are_read_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "half.h").write_text("#pragma once\n__device__ float half_of(float x) { return x / 2; }\n")
    file = tmp_path / "halve.cu"
    file.write_text(
        '#include "common/half.h"\n#include "elsewhere.h"\n'
        "__global__ void halve(float *a) { a[threadIdx.x] = half_of(a[threadIdx.x]); }\n"
    )
    found = report(file, "--grid", 1, "--block", 4, "--arg", "a=f32[4]:iota")
    assert found["output"]["a"]["first"] == [0, 0.5, 1, 1.5]


def test_the_only_kernel_of_a_file_goes_before_those_that_it_includes(tmp_path: Path) -> None:
    (tmp_path / "other.h").write_text("__global__ void other(int *a) { a[0] = 1; }\n")
    file = tmp_path / "own.cu"
    file.write_text('#include "other.h"\n__global__ void own(int *a) { a[threadIdx.x] = 2; }\n')
    words = [file, "--grid", 1, "--block", 2, "--arg", "a=i32[2]:zeros"]
    assert report(*words)["output"]["a"]["first"] == [2, 2]
    assert report(*words, "--kernel", "other", status=1)["output"]["a"]["first"] == [1, 0]
    file.write_text('#include "other.h"\n')
    assert report(*words, status=1)["kernel"] == "other"


@pytest.mark.parametrize(("kind", "letters"), [("float", "f32"), ("int", "i32"), ("double", "f64")])
def test_the_instance_of_a_template(tmp_path: Path, kind: str, letters: str) -> None:
    file = tmp_path / "fill.cu"
    file.write_text("template <typename T, int N = 2> __global__ void fill(T *a) { a[threadIdx.x] = T(7) / N; }\n")
    words = [file, "--grid", 1, "--block", 2, "--arg", f"a={letters}[2]:uninit", "--template", f"T={kind}"]
    assert report(*words)["output"]["a"]["first"] == [7 // 2 if kind == "int" else 3.5] * 2
    assert report(*words, "--template", "N=7")["output"]["a"]["first"] == [1] * 2


def test_arguments_of_every_sort(tmp_path: Path) -> None:
    file = tmp_path / "sorts.cu"
    file.write_text(
        "__global__ void k(const double *d, const short *s, int *out, float x, bool b, unsigned u)\n"
        "{ out[0] = (int)(d[1] * 2 + s[1] + x) + b + u + SHIFT; }\n",
        encoding="utf-8",
    )
    np.save(tmp_path / "d.npy", np.array([0.0, 4.0]))
    found = report(
        file,
        "--grid",
        1,
        "--block",
        1,
        "--arg",
        f"d=f64[2]:{tmp_path / 'd.npy'}",
        "--arg",
        "s=i16[2]:mod(2)",
        "--arg",
        "out=i32[2]:uninit",
        "--arg",
        "x=0.5",
        "--arg",
        "b=true",
        "--arg",
        "u=0x10",
        "-D",
        "SHIFT=100",
        status=1,  # out[1] is never written
    )
    assert found["output"]["out"]["first"] == [8 + 1 + 1 + 16 + 100, None]


def test_a_catalogue_kernel_needs_no_more_than_its_name() -> None:
    found = report("matmul_tiled")
    product = np.arange(9, dtype=np.float32).reshape(3, 3)
    assert found["output"]["C"]["first"] == (product @ product).reshape(-1)[:8].tolist()


def test_size_and_block_of_a_catalogue_kernel() -> None:
    found = report("matmul_tiled", "--size", "5,6,7", "--block", "4,4")
    assert found["launch"]["grid"] == [2, 2, 1]
    assert found["output"]["C"]["shape"] == [5, 6]
    result = run("matmul_tiled", "--block", "4,2")
    assert result.exit_code == 2
    assert "the tile is square" in result.stderr


def test_arguments_override_the_catalogue() -> None:
    found = report("matmul_naive", "--arg", "A=f32[4,4]:ones", "--arg", "B=f32[4,4]:ones")
    assert found["output"]["C"]["first"] == [4.0] * 8
    assert "needs" not in run("matmul_naive", "--arg", "K=2").stderr
    wrong = run("matmul_naive", "--arg", "A=f64[4,4]:ones")
    assert wrong.exit_code == 2
    assert "float32" in wrong.stderr


def test_a_file_that_says_how_it_is_launched_needs_no_grid(tmp_path: Path) -> None:
    file = tmp_path / "again.cu"
    footer = (
        '/* tilescope\ntitle = "t"\nteaches = "t"\nworkload = "index"\nsize = [2, 4, 1]\nblock = [2, 2]\n'
        'blocks = [[2, 2]]\ngrid = ["width / block_x", "height / block_y"]\n*/\n'
    )
    text = "__global__ void again(int *out, int width) { out[blockIdx.x * 2 + threadIdx.x + threadIdx.y * width] = 1; }"
    file.write_text(f"{text}\n{footer}", encoding="utf-8")
    assert report(file)["output"]["out"]["first"] == [1] * 8
    assert report(file, "--grid", "1", "--block", "1", "--arg", "out=i32[1]:zeros", "--arg", "width=1")["steps"] == 1


def test_an_endless_loop_ends_with_a_report(tmp_path: Path) -> None:
    file = tmp_path / "endless.cu"
    file.write_text("__global__ void k() { while (true) ; }", encoding="utf-8")
    found = report(file, "--grid", 1, "--block", 1, "--max-steps", 100, status=1)
    assert [h["kind"] for h in found["hazards"]] == ["budget-exceeded"]
    assert found["hazards"][0]["index"] is None
    assert found["steps"] == 100


def test_the_schedule_changes_the_order_of_what_is_printed() -> None:
    lines = {
        schedule: report("hello_grid", "--block", "64", "--schedule", schedule)["printf"]
        for schedule in ("lockstep", "reversed")
    }
    assert lines["lockstep"] != lines["reversed"]
    assert sorted(lines["lockstep"]) == sorted(lines["reversed"])


def test_the_trace_is_saved(tmp_path: Path) -> None:
    out = tmp_path / "tiled.trace"
    found = report("matmul_tiled", "--out", out)
    trace = load(out)
    assert (trace.kernel, trace.steps) == ("matmul_tiled", found["steps"])


def test_values_that_json_does_not_know_are_words(file: Path) -> None:
    file.write_text(ADD.replace("a[i] + b[i]", "a[i] / (b[i] - 1)"), encoding="utf-8")
    result = run(file, *COMPLETE, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout, parse_constant=pytest.fail)["output"]["c"]["first"][:2] == ["nan", "inf"]


def test_a_sum_of_products_can_be_rounded_twice(tmp_path: Path) -> None:
    path = tmp_path / "fma.cu"
    path.write_text("__global__ void k(const float *a, float *c) { c[0] = a[0] * a[0] - 1.0f; }", encoding="utf-8")
    np.save(tmp_path / "a.npy", np.array([1 + 2**-12], np.float32))
    given = f"a=f32[1]:{tmp_path / 'a.npy'}"
    words = [path, "--grid", 1, "--block", 1, "--arg", given, "--arg", "c=f32[1]:uninit"]
    assert report(*words)["output"]["c"]["first"] == [2**-11 + 2**-24]
    assert report(*words, "--no-fmad")["output"]["c"]["first"] == [2**-11]


def test_inputs_of_a_catalogue_kernel_are_filled_by_name() -> None:
    words = ("matmul_naive", "--size", "2", "--json", "--fill")
    found = json.loads(run(*words, "A=iota;B=ones").stdout)
    assert found["output"]["C"]["first"] == [1, 1, 5, 5]
    refused = run(*words, "A=iota")
    assert (refused.exit_code, refused.stderr) == (
        2,
        "tilescope: fill A=iota: B has no fill: add ;B=FILL\n",
    )


def test_a_file_takes_its_fills_with_its_arguments(file: Path) -> None:
    refused = run(file, *COMPLETE, "--fill", "ones")
    assert refused.exit_code == 2
    assert "fill each array with --arg" in refused.stderr
