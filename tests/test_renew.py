"""Generated data of one kernel: stale parts are found, and written without those of other kernels."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels.catalog import find_kernel
from tests import renew
from tests.kernels.golden import digests

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.catalog import Kernel


def parts_of(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> dict[str, renew.Part]:
    monkeypatch.setattr(renew, "catalog", lambda: (kernel,))
    return {part.name: part for part in renew.parts() if part.of == kernel.id}


def test_nothing_of_an_unchanged_kernel_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    found = parts_of(find_kernel("matmul_tiled"), monkeypatch)
    assert len(found) == 10
    assert [name for name, part in found.items() if part.stale and not part.obstacle] == []


def test_all_of_an_edited_kernel_is_stale_and_what_cannot_be_written_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = find_kernel("matmul_tiled")
    monkeypatch.setattr(renew, "missing", lambda: "NVRTC is not installed")
    edited = replace(kernel, source=kernel.text.replace("+=", "-="))
    monkeypatch.setattr(renew, "find_kernel", lambda name: edited)
    found = parts_of(edited, monkeypatch)
    assert {name for name, part in found.items() if not part.stale} <= {"recorded run"}  # whose hash is of the file
    assert found["compiled table"].obstacle == "needs NVRTC: NVRTC is not installed"
    assert found["digests of occupancy"].obstacle == "needs the compiled table"
    for name in ("recorded run", "block timeline"):
        assert found[name].obstacle.startswith("needs a GPU: python -m kernels.")


def test_a_new_kernel_lacks_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = replace(find_kernel("mmt_stripe"), id="stranger")
    found = parts_of(stranger, monkeypatch)
    assert {"compiled table", "picture", "digests of traces"} <= {name for name, part in found.items() if part.stale}


def test_a_comment_is_a_new_text_for_digests_and_not_for_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = find_kernel("mmt_tiled")
    found = parts_of(replace(kernel, source=f"// a remark\n{kernel.text}"), monkeypatch)
    assert found["digests of traces"].stale
    assert not found["compiled table"].stale


def test_rows_are_replaced_and_those_of_other_names_are_removed(tmp_path: Path) -> None:
    file = tmp_path / "digests.csv"
    shutil.copy(digests.FILE, file)
    digests.store({}, digests.row_names(), file)
    assert file.read_bytes() == digests.FILE.read_bytes()
    names = {"catalogue": ["mmt_naive lockstep", "hello_grid lockstep", "no digests yet"], "hazards": []}
    digests.store({"catalogue": {"hello_grid lockstep": {"text": "abc"}}}, names, file)
    found = digests.stored(file)
    assert list(found) == ["catalogue"]
    assert list(found["catalogue"]) == ["mmt_naive lockstep", "hello_grid lockstep"]
    assert found["catalogue"]["hello_grid lockstep"] == {"text": "abc"}
    assert found["catalogue"]["mmt_naive lockstep"] == digests.stored()["catalogue"]["mmt_naive lockstep"]


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        renew.main(["no_such_kernel"])
    assert "no kernel or exercise of the catalogue: no_such_kernel" in capsys.readouterr().err
