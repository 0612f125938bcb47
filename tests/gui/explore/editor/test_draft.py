"""Files of edits: which file is written, what stays as it was, and what an edit is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gui.explore.code.draft import copy_kernel, draft_of_file, drafts_folder, with_entry
from kernels.catalog import catalog, find_kernel, read_kernel, read_source
from kernels.catalog.footer import kernel_of
from tests.gui.conftest import LESSON, OWN_KERNEL

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("kernel", [k for k in catalog() if k.file is not None], ids=lambda k: k.id)
def test_a_copy_launches_the_same_function(tmp_path: Path, kernel) -> None:  # type: ignore[no-untyped-def]
    copy = read_kernel(copy_kernel(kernel, tmp_path).file)
    assert (copy.entry, copy.workload, copy.block_rules) == (kernel.entry, kernel.workload, kernel.block_rules)
    assert copy.title == f"{kernel.title} (edited)"
    assert not copy.flaw


def test_copies_have_names_of_their_own_and_know_their_original() -> None:
    kernel, folder = find_kernel("matmul_tiled"), drafts_folder()
    files = [copy_kernel(kernel, folder).file for _ in range(2)]
    assert [file.name for file in files] == ["my_matmul_tiled.cu", "my_matmul_tiled_2.cu"]
    for file in files:
        file.write_text(file.read_text().replace("sum", "total"))
        assert draft_of_file(file, read_source(file)).original == kernel.file
        assert draft_of_file(file, read_source(file)).original_text == kernel.text


def test_an_own_file_is_edited_and_kept_as_it_was(own_kernel: Path) -> None:
    own_kernel.write_bytes(OWN_KERNEL.replace("\n", "\r\n").encode())
    draft = draft_of_file(own_kernel, read_source(own_kernel))
    draft.write(OWN_KERNEL + "// more\n")
    assert own_kernel.read_bytes() == (OWN_KERNEL + "// more\n").replace("\n", "\r\n").encode()
    assert draft.original.read_text() == OWN_KERNEL
    assert draft.original.stem == own_kernel.stem


def test_a_file_that_would_lose_letters_is_copied(tmp_path: Path) -> None:
    file = tmp_path / "old.cu"
    file.write_bytes("// größer\n".encode("latin-1"))
    draft = draft_of_file(file, read_source(file))
    assert draft.file.parent == drafts_folder()
    assert file.read_bytes() == "// größer\n".encode("latin-1")


def test_the_function_to_launch_is_named_for_another_file_name(tmp_path: Path) -> None:
    two = LESSON + OWN_KERNEL
    named = with_entry(two, "mine")
    assert kernel_of(tmp_path / "other.cu", named).entry == "mine"
    assert with_entry(named, "other") == named
    assert with_entry("no comment", "mine") == "no comment"
