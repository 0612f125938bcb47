"""Experiment files: what comes with tilescope, and what is wrong with others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels import RESOURCES
from kernels.catalog import find_kernel
from kernels.errors import InputError
from kernels.experiments import experiments, find_experiment
from kernels.experiments.load import read_experiment
from kernels.fill import Fills
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.experiments.model import Part, Where

CASES = Cases(__file__)

GOOD = """
title = "T"
question = "Q?"
look_for = ["L"]
source = "S"
gpu = "G"
[x]
name = "n"
title = "n"
[y]
name = "gflops"
title = "GFLOPS"
[[run]]
kernels = ["matmul_tiled"]
widths = [8, 16]
sizes.quick = [512, "3,4,5"]
[[curve]]
label = "tiled"
where = { kernel = "matmul_tiled" }
x = [512]
y = [1.5]
[[claim]]
text = "C"
kind = "ratio"
series = [{ kernel = "matmul_tiled" }, { kernel = "matmul_naive" }]
published = 2
"""


def test_a_file_reads_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text(GOOD, encoding="utf-8")
    found = read_experiment(file)
    assert (found.id, found.title, found.fill, found.timed) == ("my", "T", "random(1)", True)
    assert [str(size) for size in found.parts[0].sizes["quick"]] == ["512", "3×4×5"]
    assert found.parts[0].sizes["cpu"] == ()
    assert (found.curves[0].x, found.curves[0].y) == ((512,), (1.5,))
    assert (found.claims[0].figure, found.claims[0].published) == ("gflops", 2)


@pytest.mark.parametrize(("old", "new", "words"), CASES("errors_are_one_line_with_file"))
def test_errors_are_one_line_with_file_and_field(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in GOOD
    file = tmp_path / "my.toml"
    file.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_experiment(file)
    assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_an_unknown_experiment_is_answered_with_the_list() -> None:
    with pytest.raises(InputError, match=r"no experiment 'ladders': choose one of .*serial_to_gpu"):
        find_experiment("ladders")


@pytest.mark.parametrize("name", sorted(file.stem for file in (RESOURCES / "experiments").glob("*.toml")))
class TestShipped:
    def test_its_kernels_are_in_the_catalogue(self, name: str) -> None:
        experiment = find_experiment(name)
        selected = [where for claim in experiment.claims for where in claim.series]
        selected += [curve.where for curve in experiment.curves]
        used = {name for part in experiment.parts for name in part.kernels}
        for kernel in used | set(experiment.names) | {name for where in selected for name in _kernels(where)}:
            find_kernel(kernel)

    def test_what_it_selects_is_measured_at_some_scale(self, name: str) -> None:
        """A typing error in a selection would otherwise read 'not measured' for ever."""
        experiment = find_experiment(name)
        for where in (w for claim in experiment.claims for w in claim.series):
            for kernel in _kernels(where) or experiment.parts[0].kernels:
                assert any(_measures(part, {**where, "kernel": kernel}) for part in experiment.parts), where

    def test_its_inputs_can_be_filled(self, name: str) -> None:
        assert str(Fills.parse(find_experiment(name).fill)) == find_experiment(name).fill


def _kernels(where: Where) -> tuple[str, ...]:
    named = where.get("kernel", ())
    return tuple(map(str, named)) if isinstance(named, tuple) else (str(named),)


def _measures(part: Part, where: Where) -> bool:
    sizes = [size for sizes in part.sizes.values() for size in sizes]
    return (
        where["kernel"] in part.kernels
        and where.get("width") in (None, *part.widths)
        and where.get("threads") in (None, *part.threads)
        and where.get("memory", "device") in part.memory
        and where.get("n") in (None, "largest", *(size.n for size in sizes))
        and where.get("size") in (None, *(str(size) for size in sizes))
    )


def test_experiments_come_in_teaching_order() -> None:
    orders = [experiment.order for experiment in experiments()]
    assert orders == sorted(orders)
