"""The object that `tilescope trace --json` prints: its members, their types, and every kind of hazard in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from kernels.analysis.syntax.source import text_at
from kernels.cli import main
from kernels.trace.file import load
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)

Shape = Any
"""A type; a tuple of alternatives (None among them); a list of one shape; a dict of members; or a set of words."""

MEMORY = {
    "array": str,
    "space": {"global", "shared", "local", "constant"},
    "access": {"read", "write", "atomic"},
    "requests": int,
    "accesses": int,
    "bytes": int,
}
OBJECT: Shape = {
    "kernel": str,
    "launch": {"grid": [int], "block": [int], "dynamic_shared_bytes": int},
    "hazards": [
        {
            "kind": str,
            "space": str,
            "array": str,
            "index": (int, None),
            "element?": str,
            "line": int,
            "column": int,
            "file?": str,
            "accesses": [
                {
                    "block": [int],
                    "thread": [int],
                    "line": int,
                    "access": ({"read", "write", "atomic"}, None),
                    "file?": str,
                }
            ],
            "message": str,
            "same_value?": bool,
            "cure?": dict,
            "more_pairs?": int,
            "others?": [dict],
        }
    ],
    "counts": {
        "arrays": [dict],
        "lines": [dict],
        "sites": [dict],
        "reuse": [
            {
                "array": str,
                "space": str,
                "access": str,
                "accesses": int,
                "elements": int,
                "per_element": float,
            }
        ],
        "divergence": [{"line": int, "warps": int, "lanes": int, "active_lanes": float}],
    },
    "output": dict,
    "printf": [str],
    "steps": int,
    "elapsed_s": float,
}
OF_SPACE = {
    "global": {"sectors": int, "ideal_sectors": int, "used_bytes": int, "efficiency": float},
    "shared": {"wavefronts": int, "ideal_wavefronts": int, "excess_wavefronts": int, "efficiency": float},
}


def check(value: Any, shape: Shape, where: str = "") -> None:
    """Fail unless a value has a shape; objects have exactly the members named, those with a ? not always."""
    if isinstance(shape, tuple):
        shape = next((s for s in shape if (s is None) == (value is None)), shape[0])
    if shape is None:
        assert value is None, where
    elif isinstance(shape, set):
        assert value in shape, where
    elif isinstance(shape, list):
        assert isinstance(value, list), where
        for number, part in enumerate(value):
            check(part, shape[0], f"{where}[{number}]")
    elif isinstance(shape, dict):
        assert isinstance(value, dict), where
        shape = {name.rstrip("?"): s for name, s in shape.items() if name[-1] != "?" or name[:-1] in value}
        assert set(value) == set(shape), where
        for name, part in value.items():
            check(part, shape[name], f"{where}.{name}")
    else:
        assert type(value) is shape, f"{where}: {value!r}"


def check_memory(count: dict[str, Any], *place: str) -> None:
    expected: dict[str, Shape] = {**MEMORY, **dict.fromkeys(place, int), **OF_SPACE.get(count["space"], {})}
    check(count, {**expected, "contention": int} if count["access"] == "atomic" else expected, "counts")


def trace(folder: Path, text: str, *words: str) -> dict[str, Any]:
    file = folder / "k.cu"
    file.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(main, ["trace", str(file), *words, "--json"])
    assert result.exit_code in (0, 1), result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    check(found, OBJECT)
    for name, place in (("arrays", ()), ("lines", ("line",)), ("sites", ("line", "column"))):
        for count in found["counts"][name]:
            check_memory(count, *place)
    for output in found["output"].values():
        assert set(output) - {"fields"} == {"shape", "sha256", "first"}
        assert len(output["sha256"]) == 64
    assert result.exit_code == int(bool(found["hazards"]))
    return found


HEAD = "__global__ void k(float *a, int n) { int t = threadIdx.x; "


@pytest.mark.parametrize(("kind", "body", "about", "accesses"), CASES("hazards"))
def test_every_hazard_tells_what_where_and_who(
    tmp_path: Path, kind: str, body: str, about: list[str | int | None], accesses: list[str | None]
) -> None:
    words = ["--grid", "2", "--block", "8", "--arg", "a=f32[16]:zeros", "--arg", "n=4", "--max-steps", "200"]
    found = trace(tmp_path, HEAD + body + " }", *words)["hazards"]
    hazard = next(h for h in found if h["kind"] == kind)
    assert [hazard["space"], hazard["array"], hazard["index"]] == about
    assert [a["access"] for a in hazard["accesses"]] == accesses
    assert all(len(a["block"]) == len(a["thread"]) == 3 and a["line"] == 1 for a in hazard["accesses"])


@pytest.mark.parametrize(("value", "same"), [("1", True), ("n", True), ("t", False), ("blockIdx.x", False)])
def test_a_race_of_equal_values_is_told_from_others(tmp_path: Path, value: str, same: bool) -> None:
    saved = tmp_path / "k.trace"
    words = ["--grid", "2", "--block", "8", "--arg", "a=f32[16]:zeros", "--arg", "n=4", "--out", str(saved)]
    found = trace(tmp_path, HEAD + f"a[1] = {value}; }}", *words)["hazards"]
    races = [h for h in found if h["kind"] == "data-race" and h["index"] == 1]
    assert [h.get("same_value") for h in races] == ([True] if same else [None])
    assert ("both write the same value" in races[0]["message"]) == same
    assert [h.same_value for h in load(saved).hazards if h.kind == "data-race" and h.index == 1] == [same]


def test_counts_of_every_space(tmp_path: Path) -> None:
    words = ["--grid", "1", "--block", "32", "--arg", "a=f32[64]:iota", "--arg", "bins=i32[2]:zeros"]
    found = trace(
        tmp_path, CASES.source("everything"), *words, "--arg", "out=f32[32]:uninit", "--arg", "weights=f32[4]:ones"
    )
    counts = {(c["array"], c["access"]): c for c in found["counts"]["arrays"]}
    assert {c["space"] for c in counts.values()} == {"global", "shared", "local", "constant"}
    assert (counts["a", "read"]["sectors"], counts["a", "read"]["ideal_sectors"]) == (8, 4)
    assert (counts["a", "read"]["used_bytes"], counts["a", "read"]["efficiency"]) == (128, 0.5)
    assert counts["s", "read"]["excess_wavefronts"] == 0
    assert (counts["bins", "atomic"]["requests"], counts["bins", "atomic"]["contention"]) == (1, 4)
    assert [d["active_lanes"] for d in found["counts"]["divergence"]][-1] == 1
    assert found["printf"] == ["inf"]


def test_numbers_that_json_does_not_know_are_words(tmp_path: Path) -> None:
    text = "__global__ void k(float *a) { a[0] = 1.0f / 0.0f; a[1] = -a[0]; a[2] = a[0] + a[1]; }"
    found = trace(tmp_path, text, "--grid", "1", "--block", "1", "--arg", "a=f32[4]:uninit")
    assert found["output"]["a"]["first"] == ["inf", "-inf", "nan", None]


def test_structs_are_told_by_their_members(tmp_path: Path) -> None:
    words = ["--grid", "1", "--block", "4", "--arg", "p=u32[4,3]:uninit"]
    found = trace(tmp_path, CASES.source("structs"), *words)
    assert {h["element"] for h in found["hazards"]} == {"p[4].x", "p[0].x", "p[1].x"}
    assert found["output"]["p"]["fields"] == ["x", "y", "cell"]
    assert found["output"]["p"]["first"][1:] == [0.5, -20000001, None, 0.5, -20000001]
    summary = CliRunner().invoke(main, ["trace", str(tmp_path / "k.cu"), *words]).stdout
    assert "0.5, -20000001} {unwritten, 0.5, -20000001} …" in summary
    assert "  p Particle[4]: {" in summary


def test_hazards_in_an_included_file_have_its_lines(tmp_path: Path) -> None:
    sum_of_block = CASES.source("hazards_in_an_included_file")
    (tmp_path / "sum.cuh").write_text(sum_of_block, encoding="utf-8")
    source = CASES.source("hazards_in_an_included_file_2")
    file, saved = tmp_path / "k.cu", tmp_path / "k.trace"
    file.write_text(source, encoding="utf-8")
    words = [
        "trace",
        str(file),
        "--grid",
        "1",
        "--block",
        "64",
        "--arg",
        "x=f32[64]:iota",
        "--arg",
        "y=f32[1]:uninit",
        "--out",
        str(saved),
    ]
    found = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)["hazards"]
    assert [[(a["file"], a["line"], a["access"]) for a in h["accesses"]] for h in found] == [
        [("sum.cuh", 4, "write"), ("sum.cuh", 7, "read")],
        [("sum.cuh", 7, "write"), ("sum.cuh", 7, "read")],
    ]
    assert found[0]["message"].endswith("put __syncthreads() between line 4 of sum.cuh and line 5 of sum.cuh")
    assert (found[0]["file"], found[0]["line"]) == ("sum.cuh", 7)
    assert "  sum.cuh:7:" in CliRunner().invoke(main, words).stdout
    trace = load(saved)
    assert "s[threadIdx.x + d]" in {text_at(trace, site.span) for site in trace.sites}
    assert "s[threadIdx.x] = x;" in {statement.text for statement in trace.statements}
    assert {a.file for h in trace.hazards for a in h.accesses} == {"sum.cuh"}
