"""NVIDIA's own calculator, cuda_occupancy.h, is the oracle: both must agree everywhere."""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import subprocess
from functools import partial
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kernels.device import devices
from kernels.errors import LaunchError
from kernels.occupancy import Resources, occupancy
from kernels.occupancy.suggest import best_block

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.device import Device

INT_MAX = 2**31 - 1
CASES_PER_DEVICE = 400
Case = tuple["Device", int, int, int, int, int]


def header_folder() -> Path | None:
    """Return the folder of cuda_occupancy.h, in NVIDIA's runtime wheel or in a CUDA toolkit."""
    spec = importlib.util.find_spec("nvidia")
    wheels = [p for root in (spec.submodule_search_locations or [] if spec else []) for p in Path(root).iterdir()]
    toolkits = [Path(os.environ[name]) for name in ("CUDA_PATH", "CUDA_HOME") if name in os.environ]
    for root in (*wheels, *toolkits, Path("/usr/local/cuda")):
        if (root / "include" / "cuda_occupancy.h").is_file():
            return root / "include"
    return None


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Builds a program on NVIDIA's calculator from a file beside this one."""
    include, compiler = header_folder(), shutil.which("g++") or shutil.which("clang++")
    if include is None:
        pytest.skip("cuda_occupancy.h is not installed: pip install nvidia-cuda-runtime, or set CUDA_PATH")
    if compiler is None:
        pytest.skip("no C++ compiler (g++ or clang++) to build NVIDIA's calculator with")

    def compiled(name: str) -> Path:
        program = tmp_path_factory.mktemp("oracle") / name
        source = Path(__file__).with_name(f"{name}.cpp")
        subprocess.run([str(compiler), "-O1", f"-I{include}", str(source), "-o", str(program)], check=True)
        return program

    return compiled


def answers(program: Path, questions: list[str]) -> list[list[int]]:
    """Run a program and return its answers, one line of numbers for each question."""
    run = subprocess.run([program], input="\n".join(questions), capture_output=True, text=True, check=True)
    found = [[int(n) for n in line.split()] for line in run.stdout.splitlines()]
    assert len(found) == len(questions)
    return found


def cases(seed: int) -> list[Case]:
    """Draw device, threads, registers, static and dynamic bytes, barriers; two thirds have dynamic shared memory."""
    draw, found = random.Random(seed), []
    for device in devices():
        for _ in range(CASES_PER_DEVICE):
            threads = draw.choice([draw.randint(1, 1024), 32 * draw.randint(1, 32)])
            registers = draw.choice([draw.randint(0, 255), draw.randint(16, 72)])
            static = draw.choice([0, draw.randint(0, 4096), draw.randint(0, device.shared_per_block_bytes)])
            room = device.shared_per_block_optin_bytes - static
            dynamic = draw.choice([0, draw.randint(0, min(room, 8192)), draw.randint(0, room)])
            barriers = draw.choice([0, 0, draw.randint(2, 16)])
            found.append((device, threads, registers, static, dynamic, barriers))
    return found


def numbers(case: Case) -> str:
    device, threads, registers, static, dynamic, barriers = case
    fields = (
        *device.compute_capability,
        device.threads_per_sm,
        device.registers_per_block,
        device.registers_per_sm,
        device.sm_count,
        device.shared_per_block_bytes,
        device.shared_per_sm_bytes,
        device.shared_per_block_optin_bytes,
        device.shared_reserved_bytes,
        int(dynamic > 0),
        threads,
        registers,
        static,
        dynamic,
        barriers,
    )
    return " ".join(str(field) for field in fields)


def ours(case: Case) -> list[int]:
    device, threads, registers, static, dynamic, barriers = case
    found = occupancy(device, Resources(registers, static, 0, "drawn", barriers), threads, dynamic)
    by = [found.limit(kind) for kind in ("registers", "shared memory", "warps", "blocks")]
    by += [limit for limit in found.limits if limit.kind == "barriers"]
    blocks = [INT_MAX if limit.resident_blocks is None else limit.resident_blocks for limit in by]
    barriers = blocks[4] if len(blocks) > 4 else INT_MAX
    return [found.resident_blocks, *blocks[:4], by[0].per_block, by[1].per_block, barriers]


def test_equals_nvidias_calculator_everywhere(build: Callable[[str], Path]) -> None:
    drawn = cases(seed=1)
    for case, theirs in zip(drawn, answers(build("reference"), [numbers(c) for c in drawn]), strict=True):
        if theirs[0] == 0:
            with pytest.raises(LaunchError):
                ours(case)
        else:
            assert ours(case) == theirs, numbers(case)


def test_suggests_the_block_that_nvidias_calculator_suggests(build: Callable[[str], Path]) -> None:
    draw, drawn = random.Random(2), []
    for device in devices():
        for _ in range(CASES_PER_DEVICE // 4):  # each tries up to 32 blocks
            registers = draw.choice([draw.randint(0, 255), draw.randint(16, 72)])
            drawn.append(
                (device, 0, registers, draw.choice([0, draw.randint(0, 8192)]), draw.choice([0, 8, 32, 200]), 0)
            )
    questions = []
    for case in drawn:
        words = numbers(case).split()
        questions.append(" ".join([*words[:10], *words[12:-1]]))  # neither opting in nor threads are given
    for case, theirs in zip(drawn, answers(build("potential"), questions), strict=True):
        device, _, registers, static, bytes_per_thread, _ = case
        resources = Resources(registers, static, 0, "drawn")
        found = best_block(device, resources, partial(mul, bytes_per_thread))
        assert found is not None
        assert [found.block_threads, found.resident_blocks] == theirs, case
