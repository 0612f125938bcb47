"""Points that travel to other machines: their ids, their kernels' texts, and the division of a plan."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels import CUDA_FOLDER
from kernels.bench.hosts.shards import divide, groups, longest_first, shard
from kernels.bench.kernel_texts import at_local_name, local_names, opened_files, source_hashes, with_opened, with_texts
from kernels.bench.plan import Plan, entries, libraries, points
from kernels.bench.point_ids import point_ids
from kernels.bench.sample import Entry, Point
from kernels.catalog import catalog, find_kernel, read_kernel
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from pathlib import Path

SIZES = [Size(n, n, n) for n in (16, 32, 64, 100)]
CURVES = [e for k in catalog() if k.measurable for e in entries(k)]
WHOLE = Plan(points(CURVES, SIZES), baselines=libraries(CURVES))
TILED = Point(Entry("matmul_tiled", Dim3(16, 16)), SIZES[0])


def test_every_point_of_the_catalogue_has_an_id_of_its_own_that_survives_the_journey() -> None:
    ids = point_ids(WHOLE)
    assert len(set(ids.values())) == len(WHOLE.points)
    there = Plan.from_json(json.loads(json.dumps(with_texts(WHOLE).divided(3, "run").to_json())))
    assert point_ids(there) == ids
    assert source_hashes(there) == source_hashes(WHOLE)


def test_an_id_changes_with_source_block_size_and_options_but_not_with_the_folder(tmp_path: Path) -> None:
    text = (CUDA_FOLDER / "matmul_tiled.cu").read_text(encoding="utf-8")
    ids: list[str] = []
    for folder, content in (("a", text), ("b", text), ("c", text.replace("+=", "-="))):
        file = tmp_path / folder / "mine.cu"
        file.parent.mkdir()
        file.write_text(content, encoding="utf-8")
        point = replace(TILED, entry=replace(TILED.entry, kernel=str(file)))
        ids += point_ids(Plan((point,))).values()
    assert ids[0] == ids[1] != ids[2]
    plans = [
        Plan((TILED,)),
        Plan((replace(TILED, size=SIZES[1]),)),
        Plan((replace(TILED, entry=replace(TILED.entry, block=Dim3(8, 8))),)),
        Plan((replace(TILED, entry=replace(TILED.entry, cold=True)),)),
        Plan((TILED,), fmad=False),
        Plan((TILED,), graphs=False),
        Plan((TILED,), baselines=(Entry("cublas_sgemm"),)),
    ]
    assert len({name for plan in plans for name in point_ids(plan).values()}) == len(plans)


@pytest.mark.parametrize("name", ["matmul_fast", "mmt_naive:x=column"])
def test_a_kernel_is_read_from_the_texts_of_the_plan(name: str) -> None:
    """One has a table of blocks in another file, one has an option."""
    point = Point(Entry(name), SIZES[0])
    with local_names(with_texts(Plan((point,)))) as names:
        there = find_kernel(at_local_name(point.entry, names).kernel)
    here = find_kernel(name)
    assert there.file != here.file
    assert replace(there, file=here.file) == here


def test_a_plan_cannot_write_outside_its_folder() -> None:
    plan = replace(with_texts(Plan((TILED,))), texts={"matmul_tiled": {"../evil.cu": ""}})
    with pytest.raises(InputError, match="another folder"), local_names(plan):
        pass


@pytest.mark.parametrize("count", [1, 3, 8])
def test_shards_have_every_point_once_and_keep_together_what_is_compared(count: int) -> None:
    plan = WHOLE.divided(count, "run")
    parts = divide(plan)
    assert shard(plan, count) == parts[-1]
    measured = [point for part in parts for point in part.points]
    assert sorted(measured, key=str) == sorted(plan.points, key=str)
    for group in groups(plan.points):
        assert sum(bool(set(group) & set(part.points)) for part in parts) == 1


def test_several_gpus_begin_with_the_group_that_takes_longest() -> None:
    entry = Entry("matmul_tiled", Dim3(16, 16))
    plan = Plan(points([entry, Entry("matmul_naive", Dim3(16, 16))], [Size(n, n, n) for n in (512, 8192, 1024)]))
    ordered = longest_first(plan)
    assert set(ordered) == set(plan.points)
    assert [point.size.n for point in ordered] == [8192, 8192, 1024, 1024, 512, 512]
    assert ordered[0].entry == entry


def test_a_shard_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="there is no shard 4: this plan has shards 1 to 3"):
        shard(WHOLE.divided(3, "run"), 4)


def test_a_plan_goes_on_with_the_text_that_was_read_of_a_file_that_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "mine.cu"
    listed = find_kernel("matmul_naive")
    file.write_text(listed.text, encoding="utf-8")
    kernel = read_kernel(file)
    opened = {str(file): opened_files(kernel)}
    point = Point(Entry(str(file), kernel.block), kernel.size)
    plan = Plan((point,), baselines=libraries([point.entry]))
    assert with_opened(plan, opened) is plan
    file.unlink()
    with local_names(with_opened(plan, opened)) as names:
        assert find_kernel(at_local_name(point.entry, names).kernel).text == kernel.text
