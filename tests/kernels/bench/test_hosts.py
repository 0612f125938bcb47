"""The file of hosts, the command line of a worker there, and the choice of a GPU."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels.bench.hosts import LOCAL, Host, Slot, default_path, find_hosts, read_hosts, slots_of
from kernels.cli import main
from kernels.errors import InputError
from kernels.gpu.visible import choose_gpu, gpu_names
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
