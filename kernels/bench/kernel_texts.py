"""Texts of a plan's CUDA kernels, so that another machine measures the same source, and their hashes."""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from kernels.catalog import find_kernel, kernel_files, read_source, says_launch, split_options
from kernels.custom_launch.model import CustomLaunch
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kernels.bench.plan import Plan
    from kernels.bench.sample import Entry
    from kernels.catalog import Kernel

Texts = dict[str, dict[str, str]]
"""By the name of a kernel without options, its files: the text by the file's name, the `.cu` file first."""


def with_texts(plan: Plan) -> Plan:
    """Return the plan with the texts of its CUDA kernels, for another machine; a plan that has them stays as it is.

    Raises
    ------
    InputError
        When a kernel is not known or cannot be read, or its launch names folders of this machine.
    """
    if plan.texts:
        return plan
    for point in plan.points:
        if point.entry.launch and CustomLaunch.of_settings(Path(), "", point.entry.launch).search:
            raise InputError(f"{point.entry.kernel}: other machines do not have the folders of -I: measure it here")
    return replace(plan, texts={name: files for name in _names(plan) if (files := _read(name))})


def with_opened(plan: Plan, opened: Texts) -> Plan:
    """Return the plan with all of its texts if a file that was read is gone, or holds another text now."""
    names = _names(plan)
    if all(_read_if_known(name) == opened[name] for name in names if name in opened):
        return plan
    return replace(plan, texts={name: files for name in names if (files := opened.get(name) or _read(name))})


def opened_files(kernel: Kernel) -> dict[str, str]:
    """Return the files of a CUDA kernel, the source as it was read; raises InputError when its table is gone."""
    source, *tables = kernel_files(kernel)
    return {source.name: kernel.text, **{file.name: read_source(file) for file in tables}}


def source_hashes(plan: Plan) -> dict[str, str]:
    """Return the hash of each kernel's files, by its name without options; "" for one that has none or is not known."""
    return {name: _hash(plan.texts.get(name) or _read_if_known(name)) for name in _names(plan)}


def source_hash(name: str) -> str:
    """Return the hash of the present files of a kernel; options in its name do not count."""
    return _hash(_read_if_known(split_options(name)[0]))


@contextmanager
def local_names(plan: Plan) -> Iterator[Mapping[str, str]]:
    """Write the texts of a plan to a temporary folder; yield the path of each kernel there, by its name in the plan."""
    with ExitStack() as opened:
        if not plan.texts:
            yield {}
            return
        folder = Path(opened.enter_context(TemporaryDirectory(prefix="tilescope-")))
        paths = {}
        for number, (name, files) in enumerate(plan.texts.items()):
            place = folder / str(number)
            place.mkdir()
            for file, text in files.items():
                if Path(file).name != file:
                    raise InputError(f"the plan names a file in another folder: {file}")
                (place / file).write_text(text, encoding="utf-8", newline="")
            paths[name] = str(place / next(iter(files)))
        yield paths


def at_local_name(entry: Entry, names: Mapping[str, str]) -> Entry:
    """Return the entry with the name that its kernel has on this machine."""
    base, _ = split_options(entry.kernel)
    if base not in names:
        return entry
    return replace(entry, kernel=names[base] + entry.kernel.removeprefix(base))


def _names(plan: Plan) -> tuple[str, ...]:
    kernels = (point.entry.kernel for point in plan.points)
    return tuple(dict.fromkeys(split_options(name)[0] for name in kernels))


def _read(name: str) -> dict[str, str]:
    """Return the files of a CUDA kernel; empty for a baseline, which is no text."""
    if (file := Path(name)).suffix == ".cu" and not says_launch(file):
        return {file.name: read_source(file)}
    kernel = find_kernel(name)
    if kernel.runs_on != "cuda":
        return {}
    return opened_files(kernel)


def _read_if_known(name: str) -> dict[str, str]:
    try:
        return _read(name)
    except InputError:
        return {}


def _hash(files: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:16] if files else ""
