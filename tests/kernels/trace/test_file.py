"""A saved trace answers every question as the one that was recorded."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels import CUDA_FOLDER
from kernels.analysis import variables
from kernels.catalog import read_kernel
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.trace.file import load, save
from kernels.trace.validation import COLUMNS
from kernels.tracing import trace_kernel
from kernels.workload import Size
from tests.cases import Cases
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kernels.simt import Argument
    from kernels.trace import Trace

CASES = Cases(__file__)


def tiled(schedule: str = "shuffle:4") -> Trace:
    return trace_kernel(
        read_kernel(CUDA_FOLDER / "matmul_tiled.cu"), Size(9, 7, 5), Dim3(8, 8), None, Options(schedule)
    )


def hazardous() -> Trace:
    source = CASES.source("hazardous")
    return trace(source, {"A": np.ones(8, np.float32), "C": np.zeros(8, np.float32), "n": 3, "x": 0.1, "b": True})


def divided() -> Trace:
    source = CASES.source("divided")
    return trace(source, {"C": np.zeros(4, np.float32)}, block=(4,), shared=32)


@pytest.mark.parametrize("make", [tiled, hazardous, divided])
def test_a_loaded_trace_equals_the_saved_one(make: object, tmp_path: Path) -> None:
    saved = make()  # type: ignore[operator]
    save(saved, tmp_path / "a.trace")
    loaded = load(tmp_path / "a.trace")
    plain = (
        "file",
        "text",
        "defines",
        "kernel",
        "launch",
        "schedule",
        "scalars",
        "statements",
        "arrays",
        "sites",
        "registers",
        "hazards",
        "printf",
        "stopped",
    )
    for name in plain:
        assert getattr(loaded, name) == getattr(saved, name), name
    for name in (*COLUMNS, "index"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(saved, name))
    assert list(loaded.outputs) == list(saved.outputs)
    for step in range(saved.steps):
        np.testing.assert_array_equal(loaded.lanes(step), saved.lanes(step))
        assert variables(loaded, step, 3) == variables(saved, step, 3)
        for array in range(len(saved.arrays)):
            np.testing.assert_array_equal(loaded.contents(array, step), saved.contents(array, step))
        for mine, theirs in zip(loaded.accesses(step), saved.accesses(step), strict=True):
            np.testing.assert_array_equal(mine.index, theirs.index)
            assert mine.site == theirs.site


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed", "shuffle:4"])
def test_the_same_run_gives_the_same_bytes(schedule: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        save(tiled(schedule), tmp_path / name)
    save(load(tmp_path / "a"), tmp_path / "c")
    first = (tmp_path / "a").read_bytes()
    assert first == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()


def test_numpy_reads_the_columns(tmp_path: Path) -> None:
    save(tiled(), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as columns:
        assert set(COLUMNS) <= set(columns.files)


def test_files_that_are_no_trace_are_refused_in_one_line(tmp_path: Path) -> None:
    good = tmp_path / "good.trace"
    save(tiled(), good)
    data = good.read_bytes()
    bad = {
        "empty": b"",
        "text": b"hello",
        "cut": data[: len(data) // 2],
    }
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=name) as error:
            load(tmp_path / name)
        assert "\n" not in str(error.value)


def test_every_damage_is_detected(tmp_path: Path) -> None:
    """One byte flipped anywhere: refused, unless it is one that no reader looks at."""
    saved = tiled()
    save(saved, tmp_path / "good")
    data = (tmp_path / "good").read_bytes()
    for at in range(0, len(data), 211):
        (tmp_path / "bad").write_bytes(data[:at] + bytes([data[at] ^ 255]) + data[at + 1 :])
        try:
            loaded = load(tmp_path / "bad")
        except InputError:
            continue
        assert loaded.hazards == saved.hazards
        for name in (*COLUMNS, "index"):
            np.testing.assert_array_equal(getattr(loaded, name), getattr(saved, name))


def test_foreign_archives_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(InputError, match=r"other\.npz"):
        load(tmp_path / "other.npz")
    with zipfile.ZipFile(tmp_path / "json.zip", "w") as archive:
        archive.writestr("trace.json", '{"format": "something else"}')
    with pytest.raises(InputError, match="not a trace"):
        load(tmp_path / "json.zip")
    with pytest.raises(InputError, match=r"missing\.trace: cannot be read"):
        load(tmp_path / "missing.trace")
    with pytest.raises(InputError, match="cannot be written"):
        save(tiled(), tmp_path / "no folder" / "a.trace")


def test_columns_that_do_not_fit_together_are_refused(tmp_path: Path) -> None:
    save(tiled(), tmp_path / "good")
    with zipfile.ZipFile(tmp_path / "good") as source, zipfile.ZipFile(tmp_path / "bad", "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(
                name, source.read("step_phase.npy")[:-8] + b"\xff" * 8 if name == "step_mask.npy" else content
            )
    with pytest.raises(InputError, match="points outside"):
        load(tmp_path / "bad")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: {"masks": tuple(mask + 100_000 for mask in t.masks)}, "lanes is not one of the launch"),
        (lambda t: {"masks": tuple(mask[::-1] for mask in t.masks)}, "lanes is not one of the launch"),
        (lambda t: {"group_mask": t.group_mask[::-1].copy()}, "do not fit their lanes"),
        (lambda t: {"value_bytes": t.value_bytes[:-4]}, "values are missing"),
        (lambda t: {"initial": (np.zeros(3, np.float32), *t.initial[1:])}, "initial values of A"),
        (lambda t: {"sites": tuple(replace(site, array=99) for site in t.sites)}, "a site points outside"),
        (
            lambda t: {"sites": tuple(replace(site, dtype=np.dtype(np.float64)) for site in t.sites)},
            "a type of another size",
        ),
        (
            lambda t: {"sites": tuple(replace(site, statement=99) for site in t.sites)},
            "a site points outside",
        ),
    ],
)
def test_a_trace_that_contradicts_itself_is_refused(
    change: Callable[[Trace], dict[str, Any]], words: str, tmp_path: Path
) -> None:
    saved = tiled()
    save(replace(saved, **change(saved)), tmp_path / "bad")
    with pytest.raises(InputError, match=words):
        load(tmp_path / "bad")


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
def test_parameters_in_memory_begin_with_their_values(schedule: str, tmp_path: Path) -> None:
    source = CASES.source("parameters_in_memory_begin")
    given: dict[str, Argument] = {
        "v.data": np.zeros(64, np.float32),
        "v.n": 64,
        "v.w[0]": 0.0,
        "v.w[1]": 2.5,
        "m": 3,
    }
    saved = trace(source, given, block=(64,), schedule=schedule)
    assert saved.outputs["v.data"].tolist() == [10.0] * 64
    save(saved, tmp_path / "a.trace")
    loaded = load(tmp_path / "a.trace")
    number = loaded.array_number("m")
    assert loaded.contents(number, -1, owner=40)[0].tolist() == [3]
    assert loaded.contents(number, loaded.steps - 1, owner=40)[0].tolist() == [4]
    values = {v.name: v.value for v in variables(loaded, 0, 40)}
    assert (values["v.n"], values["v.w[1]"], values["m"]) == (64, 2.5, 3)
