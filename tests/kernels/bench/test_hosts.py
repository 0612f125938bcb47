"""The file of hosts, the command line of a worker there, the choice of a GPU, and the dispatch of points to slots."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels.bench.hosts.dispatch import Dispatch, Place
from kernels.bench.hosts.host import LOCAL, Host, Slot, default_path, find_hosts, read_hosts, slots_of
from kernels.bench.plan import points
from kernels.bench.sample import Entry
from kernels.cli import main
from kernels.errors import InputError
from kernels.gpu.device import choose_gpu, gpu_names
from kernels.launch import Dim3
from kernels.workload import Size
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)


def _written(text: str) -> Path:
    path = default_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_hosts_are_read_and_each_gpu_is_a_slot() -> None:
    _written(
        """
        [gpubox]
        command = ["ssh", "gpubox"]
        tilescope = ["/opt/my venv/bin/tilescope"]
        environment = { OMP_NUM_THREADS = "8", NOTE = "a b" }
        gpus = [0, "GPU-abc", 0]
        [queue]
        command = ["ssh", "login", "srun", "--gres=gpu:1", "--unbuffered"]
        start_s = 3600
        """
    )
    gpubox, queue, here = find_hosts(["gpubox", "queue", LOCAL])
    assert list(map(str, slots_of([gpubox, queue, here]))) == ["gpubox GPU 0", "gpubox GPU GPU-abc", "queue", "local"]
    assert queue.start_s == 3600
    *prefix, program, first, second, tilescope = gpubox.worker_command("0")[:6]
    assert prefix == ["ssh", "gpubox"]
    # ssh leaves its words to a shell.
    assert [*shlex.split(program), *shlex.split(f"{first} {second} {tilescope}")] == [
        "env",
        "OMP_NUM_THREADS=8",
        "NOTE=a b",
        "/opt/my venv/bin/tilescope",
    ]
    assert gpubox.worker_command("0")[-2:] == ["--gpus", "0"]


def test_this_machine_may_have_several_gpus() -> None:
    _written("[local]\ngpus = [0, 1]")
    slots = slots_of(find_hosts([LOCAL]))
    assert list(map(str, slots)) == ["local GPU 0", "local GPU 1"]
    assert slots[1].host.worker_command("1")[-2:] == ["--gpus", "1"]
    assert "local  this machine  GPUs 0, 1" in CliRunner().invoke(main, ["hosts"]).stdout


def test_words_for_other_programs_are_passed_as_they_are() -> None:
    host = Host("box", ("docker", "exec", "-i", "box"), environment={"NOTE": "a b"})
    assert host.worker_command()[4:6] == ["env", "NOTE=a b"]


@pytest.mark.parametrize(("text", "words"), CASES("a_file_that_cannot_be_used"))
def test_a_file_that_cannot_be_used_is_one_line(text: str, words: str) -> None:
    path = _written(text)
    done = CliRunner().invoke(main, ["hosts"])
    assert done.exit_code == 2
    assert done.stderr.startswith(f"tilescope: {path}: ")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_list_says_where_the_file_is() -> None:
    assert read_hosts() == ()
    assert str(default_path()) in CliRunner().invoke(main, ["hosts"]).stdout
    _written('[gpubox]\ncommand = ["ssh", "gpubox"]\ngpus = [0, 1]')
    assert "gpubox  ssh gpubox  GPUs 0, 1" in CliRunner().invoke(main, ["hosts"]).stdout
    listed = json.loads(CliRunner().invoke(main, ["hosts", "--json"]).stdout)
    assert listed["hosts"] == [{"name": "gpubox", "command": ["ssh", "gpubox"], "gpus": ["0", "1"]}]
    with pytest.raises(InputError, match=r"there is no host 'gpubux': .*hosts\.toml has gpubox"):
        find_hosts(["gpubux"])


def test_a_gpu_is_chosen_among_those_that_the_process_was_given() -> None:
    free: dict[str, str] = {}
    choose_gpu("1", free)
    assert free == {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "1"}
    of_slurm = {"CUDA_VISIBLE_DEVICES": "4,GPU-abc"}
    choose_gpu("1", of_slurm)
    assert of_slurm == {"CUDA_VISIBLE_DEVICES": "GPU-abc"}
    with pytest.raises(InputError, match="there is no GPU 2: CUDA_VISIBLE_DEVICES is '4,5', so give 0 to 1"):
        choose_gpu("2", {"CUDA_VISIBLE_DEVICES": "4,5"})
    with pytest.raises(InputError, match="CUDA_VISIBLE_DEVICES is empty"):
        choose_gpu("0", {"CUDA_VISIBLE_DEVICES": ""})
    assert gpu_names("0, 1,0,GPU-abc") == ("0", "1", "GPU-abc")
    with pytest.raises(InputError, match="'first' is not a GPU"):
        gpu_names("first")


def test_slots_are_named_by_their_host_and_gpu() -> None:
    assert str(Slot(Host("box", ("ssh", "box")))) == "box"


TILED, NAIVE = (Entry(name, Dim3(16, 16)) for name in ("matmul_tiled", "matmul_naive"))
ON_CPU = Entry("cpu_sequential")
SIZES = [Size(n, n, n) for n in (32, 64, 128)]
POINTS = points([TILED, NAIVE], SIZES)


def _two_gpus(first: str = "GPU-0", second: str = "GPU-1", entries: tuple[Entry, ...] = (TILED, NAIVE)) -> Dispatch:
    made = Dispatch(points(entries, SIZES))
    made.add(0, Place("machine", first))
    made.add(1, Place("machine", second))
    return made


def test_points_that_are_compared_are_measured_in_one_slot() -> None:
    made = _two_gpus()
    measured: dict[Size, set[int]] = {size: set() for size in SIZES}
    order = []
    while not made.finished:
        for slot in (0, 1):
            point = made.next_point(slot, others_start=False)
            if point is not None:
                measured[point.size].add(slot)
                order.append(point)
                assert made.done(slot, point)
    assert sorted(order, key=str) == sorted(POINTS, key=str)
    assert [len(slots) for slots in measured.values()] == [1, 1, 1]
    assert set().union(*measured.values()) == {0, 1}


def test_two_hosts_that_name_the_same_gpu_take_turns() -> None:
    made = Dispatch(POINTS)
    made.add(0, Place("machine", "GPU-0"))
    made.add(1, Place("a container that gives another id", "GPU-0"))
    point = made.next_point(0, others_start=False)
    assert point is not None
    assert made.next_point(1, others_start=False) is None
    made.done(0, point)
    assert made.next_point(1, others_start=False) is not None
    assert made.next_point(0, others_start=False) is None


def test_a_point_on_the_cpu_waits_until_its_machine_is_idle() -> None:
    made = Dispatch(points([TILED, ON_CPU], SIZES[:2]))
    made.add(0, Place("machine", "GPU-0"))
    made.add(1, Place("machine", ""))
    made.add(2, Place("another machine", ""))
    on_gpu = made.next_point(0, others_start=False)
    assert on_gpu is not None
    assert on_gpu.entry == TILED
    assert made.next_point(1, others_start=False) is None
    elsewhere = made.next_point(2, others_start=False)
    assert elsewhere is not None
    assert elsewhere.entry == ON_CPU
    made.done(0, on_gpu)
    here = made.next_point(1, others_start=False)
    assert here is not None
    assert here.entry == ON_CPU
    assert made.next_point(0, others_start=False) is None


def test_without_a_gpu_points_for_one_wait_for_the_slots_that_start() -> None:
    made = Dispatch(POINTS)
    made.add(0, Place("machine", ""))
    assert made.next_point(0, others_start=True) is None
    assert made.next_point(0, others_start=False) is not None  # a worker refuses it, with the reason


def test_a_slot_that_ends_gives_its_points_back() -> None:
    made = _two_gpus()
    first = made.next_point(0, others_start=False)
    assert first is not None
    assert made.remove(0) == first
    assert made.next_point(1, others_start=False) == first
    assert not made.blame(first)
    assert made.blame(first)


def test_outliers_are_measured_again_when_every_point_has_an_outcome() -> None:
    made = _two_gpus("GPU-0", "GPU-0", (ON_CPU,))
    assert not made.may_finish(0)
    while (point := made.next_point(0, others_start=False)) is not None:
        made.done(0, point)
    assert made.may_finish(0)
    assert not made.may_finish(1)  # one after another: the first has measured on the CPU
    made.remove(0)
    assert made.may_finish(1)
