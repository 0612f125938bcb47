"""One plan on several slots, with workers that are killed, hang, print garbage, or name the same GPU."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kernels.bench.hosts.fan_out import fan_out
from kernels.bench.hosts.host import LOCAL, START_S, Host, Slot
from kernels.bench.measure.environment import Environment
from kernels.bench.plan import Plan, points
from kernels.bench.point_ids import point_ids
from kernels.bench.protocol import (
    Begin,
    End,
    EnvironmentMessage,
    Failed,
    Measured,
    SlotLost,
    Start,
    message_text,
)
from kernels.bench.sample import Entry
from kernels.errors import UnavailableError
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.bench.protocol import Message
    from kernels.bench.sample import Sample

SIZES = [Size(n, n, n) for n in (3, 4, 5)]
ON_CPU = Plan(points([Entry("cpu_sequential"), Entry("cpu_blas", threads=1)], SIZES), budget_s=0.02, min_samples=2)
ON_GPU = Plan(points([Entry("matmul_tiled", Dim3(n, n)) for n in (8, 16)], SIZES))
HERE = Slot(Host(LOCAL))

IDS = {name: point.to_json() for plan in (ON_GPU,) for point, name in point_ids(plan).items()}
START = message_text(Start(len(IDS), machine="a machine"))
ON_A_GPU = replace(Environment.from_json({}), gpu="a GPU")

# A worker that needs no import of ours, so that it starts at once.
BY_HAND = f"""
import json, os, sys, time
points = {IDS!r}

def tell(event, **fields):
    print(json.dumps(dict(event=event, **fields)), flush=True)

sys.stdin.readline()
AT_START
print({START!r}, flush=True)
print(ENVIRONMENT, flush=True)
for line in iter(sys.stdin.readline, "\\n"):
    point = points[line.strip()]
    size, block = point["size"][0], point["block"][0]
    tell("begin", **point)
    AT_POINT
    tell("sample", **point, outcome="measured", times_ms=[1.0] * 6, launches=1, flops=1, checked="", error="", taken="",
         environment="")
tell("end")
"""


def _by_hand(name: str, at_start: str = "pass", at_point: str = "pass", uuid: str = "") -> Slot:
    environment = message_text(EnvironmentMessage(replace(ON_A_GPU, gpu_uuid=uuid or f"GPU-{name}")))
    script = BY_HAND.replace("AT_START", at_start).replace("AT_POINT", at_point)
    return Slot(Host(name, (sys.executable, "-S", "-c", script.replace("ENVIRONMENT", repr(environment)))))


def _in_shell(script: str, *, start_s: float = START_S) -> Slot:
    environment = shlex.quote(message_text(EnvironmentMessage(replace(ON_A_GPU, gpu_uuid="GPU-a"))))
    script = script.replace("START", f"echo {shlex.quote(START)}").replace("ENVIRONMENT", f"echo {environment}")
    return Slot(Host("a", ("sh", "-c", script), start_s=start_s))


def _samples(messages: Iterable[Message]) -> list[Sample]:
    return [m.sample for m in messages if isinstance(m, Measured | Failed) and not m.sample.repeat]


def _lost(messages: Iterable[Message]) -> list[str]:
    return [f"{m.slot} {m.error}" for m in messages if isinstance(m, SlotLost)]


def _once(plan: Plan, samples: list[Sample]) -> bool:
    return Counter(sample.point for sample in samples) == Counter(plan.points)


def test_two_workers_of_this_machine_measure_the_whole_plan() -> None:
    told = list(fan_out(ON_CPU, [HERE, replace(HERE, gpu="1")]))
    samples = _samples(told)
    assert isinstance(told[0], Start)
    assert told[-1] == End()
    assert _once(ON_CPU, samples)
    environments = {m.environment.id for m in told if isinstance(m, EnvironmentMessage)}
    assert {sample.environment for sample in samples} <= environments
    assert all(sample.verified for sample in samples)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds the worker in /proc")
def test_a_killed_worker_costs_no_point() -> None:
    samples, killed = [], 0
    for message in fan_out(ON_CPU, [HERE]):
        if isinstance(message, Begin) and message.point == ON_CPU.points[2] and not killed:
            lists = [file.read_text() for file in Path("/proc/self/task").glob("*/children")]
            children = {int(pid) for text in lists for pid in text.split()}
            (killed,) = [pid for pid in children if b"--worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]
            os.kill(killed, signal.SIGKILL)
        samples += _samples([message])
    assert killed
    assert _once(ON_CPU, samples)
    assert all(sample.verified for sample in samples)


def test_a_point_that_ends_two_workers_is_blamed() -> None:
    culprit = "if size == 4 and block == 8: os._exit(7)"
    samples = _samples(fan_out(ON_GPU, [_by_hand("a", at_point=culprit), _by_hand("b", at_point=culprit)]))
    assert _once(ON_GPU, samples)
    (failed,) = [sample for sample in samples if sample.outcome != "measured"]
    assert (failed.outcome, failed.point.size.n) == ("failed", 4)
    assert "exit status 7" in failed.error


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="sees in /proc that a process is gone")
def test_a_lost_host_gives_its_points_back(tmp_path: Path) -> None:
    """It begins its second point and is gone; then it cannot be reached. Meanwhile another host starts."""
    gone, refused = tmp_path / "gone", tmp_path / "refused"
    lost = _by_hand(
        "lost",
        f"if os.path.exists({str(gone)!r}):\n"
        f"    open({str(refused)!r}, 'w').write(str(os.getpid()))\n"
        "    sys.exit('connection refused')",
        f"if block == 16: open({str(gone)!r}, 'w'); os._exit(255)",
    )
    until_it_is_known = (
        f"while not os.path.exists({str(refused)!r}) or not open({str(refused)!r}).read()"
        f" or os.path.exists('/proc/' + open({str(refused)!r}).read()): time.sleep(0.01)"
    )
    told = list(fan_out(ON_GPU, [lost, _by_hand("other", until_it_is_known)]))
    samples = _samples(told)
    assert _once(ON_GPU, samples)
    assert {sample.outcome for sample in samples} == {"measured"}
    assert _lost(told) == ["lost cannot measure: the process there ended with status 1: connection refused"]
    environments = {m.environment.id: m.environment.host for m in told if isinstance(m, EnvironmentMessage)}
    assert Counter(environments[sample.environment] for sample in samples) == {"lost": 1, "other": 5}


@pytest.mark.parametrize(
    ("slot", "words"),
    [
        (_in_shell("read plan; read end", start_s=0.3), "a did not answer within 0.3 s"),
        (_in_shell("ENVIRONMENT; read end"), "a did not say which version of tilescope it has"),
        (_in_shell("""START; echo '{"event": "sample"}'; read end"""), "a sent a message that cannot be read"),
        (
            _in_shell("""START; echo '{"event": "a new one"}'; read end"""),
            "a sent a message that cannot be read",
        ),
        (
            _in_shell(f"START; ENVIRONMENT; echo '{message_text(Begin(ON_GPU.points[-1]))}'; read end"),
            "matmul_tiled 16×16, size 5, which it was not asked for",
        ),
        (
            _in_shell(f"echo '{message_text(Start(1, '9.9', 99))}'; read end"),
            "a has tilescope 9.9 (protocol 99), and this machine tilescope",
        ),
        (
            _in_shell(f"echo '{message_text(Start(1, sources={'matmul_tiled': '0123'}))}'; read end"),
            "a has another text of matmul_tiled (hash 0123) than this machine",
        ),
        (_in_shell("exec sleep 60 > /dev/null"), "a cannot measure: the process there ended with status -9"),
        (_in_shell("no-such-word"), 'tilescope = ["PATH"]'),
        (Slot(Host("a", ("no such program",))), "a cannot be reached: no such program: No such file"),
    ],
    ids=[
        "silent",
        "no start",
        "damaged",
        "new",
        "another point",
        "version",
        "text",
        "no output",
        "not found",
        "no program",
    ],
)
def test_a_host_that_cannot_be_used_is_one_sentence(slot: Slot, words: str) -> None:
    with pytest.raises(UnavailableError) as error:
        list(fan_out(ON_GPU, [slot]))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_what_a_shell_prints_is_skipped() -> None:
    noise = r'sys.stdout.buffer.write(b"\xff\x00 Welcome!\n[]\n{}\n" + b"x" * 100_000 + b"\n"); sys.stdout.flush()'
    assert _once(ON_GPU, _samples(fan_out(ON_GPU, [_by_hand("a", noise, noise)])))


def test_a_host_that_prints_an_endless_line_is_read_no_further(tmp_path: Path) -> None:
    """It notes each 64 KiB that the pipe has taken, of 3 MiB without a line break."""
    taken = tmp_path / "taken"
    flood = f"for _ in range(48): os.write(1, bytes(65536)); open({str(taken)!r}, 'a').write('x')"
    with pytest.raises(UnavailableError) as error:
        list(fan_out(ON_GPU, [_by_hand("a", flood)]))
    assert str(error.value).startswith("a cannot measure: ")
    assert "it printed a line of more than 1,048,576 characters" in str(error.value)
    assert "\n" not in str(error.value)
    assert 16 <= taken.stat().st_size <= 18  # 1 MiB, and what the pipe holds


def test_a_point_that_hangs_is_ended_while_its_worker_prints_without_end() -> None:
    hangs = (
        "if size == 4 and block == 8:\n"
        "        import threading\n"
        "        threading.Thread(target=lambda: sys.stdin.read() or os._exit(0)).start()  # as ours do\n"
        "        while True: print('still at work', flush=True)"
    )
    samples = _samples(fan_out(replace(ON_GPU, time_limit_s=0.7), [_by_hand("a", at_point=hangs)]))
    assert _once(ON_GPU, samples)
    assert [s.point.size.n for s in samples if s.outcome == "overtime"] == [4]


def _meet(folder: Path, name: str) -> str:
    """Code that waits until two workers have come to it."""
    here = str(folder / name)
    return f"open({here!r}, 'w').close()\n    while len(os.listdir({str(folder)!r})) < 2: time.sleep(0.01)"


def test_two_hosts_that_name_the_same_gpu_never_measure_at_once(tmp_path: Path) -> None:
    """Each point makes a file that must not exist when it begins."""
    (tmp_path / "met").mkdir()
    lock = str(tmp_path / "lock")
    alone = f"os.close(os.open({lock!r}, os.O_CREAT | os.O_EXCL)); time.sleep(0.02); os.remove({lock!r})"
    slots = [_by_hand(name, f"if True:\n    {_meet(tmp_path / 'met', name)}", alone, "GPU-1") for name in "ab"]
    samples = _samples(fan_out(ON_GPU, slots))
    assert _once(ON_GPU, samples)
    assert {sample.outcome for sample in samples} == {"measured"}


def test_two_gpus_measure_at_once(tmp_path: Path) -> None:
    """The first point of each waits for that of the other."""
    slots = [_by_hand(name, at_point=_meet(tmp_path, name)) for name in "ab"]
    told = list(fan_out(replace(ON_GPU, time_limit_s=30.0), slots))
    samples = _samples(told)
    assert _once(ON_GPU, samples)
    assert {sample.outcome for sample in samples} == {"measured"}
    assert {m.environment.host for m in told if isinstance(m, EnvironmentMessage)} == {"a", "b"}


def test_points_that_have_not_begun_in_time_are_skipped() -> None:
    samples = _samples(fan_out(replace(ON_GPU, total_s=1e-6), [_by_hand("a")]))
    assert _once(ON_GPU, samples)
    assert {sample.outcome for sample in samples} == {"skipped"}


def test_closing_ends_all_workers() -> None:
    messages = fan_out(ON_GPU, [_by_hand(name, at_point="sys.stdin.read(); os._exit(0)") for name in "ab"])
    for message in messages:
        if isinstance(message, Begin):
            break
    messages.close()  # the fixture that looks for child processes does the rest
