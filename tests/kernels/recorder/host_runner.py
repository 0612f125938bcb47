"""Runs instrumented kernels on the host: a thread of the machine for each thread of a block, block after block.

What the GPU does with the text, a C++17 compiler does too; only the speed is another.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import Pointer, Scalar
from kernels.frontend.unparse.program import spell
from kernels.recorder.argument_passing import FlatParameter, flat_parameters
from kernels.recorder.instrument import instrument
from kernels.recorder.linked_program import KERNEL_NAME
from kernels.recorder.log import ENTRY
from kernels.recorder.log_entries import DeviceArray, decode
from kernels.recorder.prelude import CLOCK, PRELUDE
from kernels.recorder.record import array_contents, variable_values
from kernels.recorder.recording import Recording, accesses_in
from tests.cases import Cases

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from kernels.tracing import Job

COMPILER: Final = shutil.which("g++") or shutil.which("clang++")
CAPACITY: Final = 4096
CASES: Final = Cases(__file__)


def _frame() -> str:
    """Return what stands before the kernels: the machine, our prelude with its clock, and launches."""
    return CASES.text("machine.cpp") + PRELUDE.replace(CLOCK, "") + CASES.text("launches.cpp")


def record_all(jobs: Mapping[str, Job], folder: Path) -> dict[str, Recording]:
    """Compile and run all jobs, which are known by names that are C identifiers."""
    made = {
        name: instrument(job.program, job.function, job.launch, job.arguments, job.instances)
        for name, job in jobs.items()
    }
    parts = [_frame()]
    for name, job in jobs.items():
        text = made[name].text.replace(PRELUDE, "").replace('extern "C" __global__', "")
        text = re.sub("#include <.*>", "", text)
        text = re.sub(
            r"extern __shared__ (?:__align__\(\d+\) )?([\w ]+?) (\w+)\[\];",
            r"\1 (&\2)[49152 / sizeof(\1)] = *(\1 (*)[49152 / sizeof(\1)])dynamic_shared;",
            text,
        )
        # Overloads for CUDA's own structs belong beside them: that is where they are looked for.
        vectors = re.findall(
            r"^.*ts_(?:mark|wrote)\(unsigned int note, .*const [a-z]+\d [*&]\w+\) .*\n", text, re.MULTILINE
        )
        for line in vectors:
            text = text.replace(line, "")
            parts += [] if line in parts else [line]
        parts += [
            f"namespace {name} {{ using ::ts_mark; using ::ts_wrote;",
            text,
            _runner(job, made[name].variables),
            "}",
        ]
    calls = " ".join(f"{name}::run();" for name in jobs)
    files = 'given = fopen(word[1], "rb"); found = fopen(word[2], "wb");'
    parts.append(f"int main(int, char **word) {{ {files} {calls} fclose(found); }}")
    source, program = folder / "all.cpp", folder / "all"
    source.write_text("\n".join(parts))
    flags = ["-std=c++20", "-O0", "-w", "-fwrapv", "-ffp-contract=off", "-pthread"]
    subprocess.run([str(COMPILER), *flags, str(source), "-o", str(program)], check=True)
    (folder / "given").write_bytes(b"".join(_contents(p, job).tobytes() for job in jobs.values() for p in _given(job)))
    subprocess.run([str(program), str(folder / "given"), str(folder / "found")], check=True, timeout=120)
    found = _Reader((folder / "found").read_bytes())
    recordings = {}
    for name, job in jobs.items():
        threads = job.launch.thread_count
        counts = found.take(np.dtype("u4"), threads).astype(np.int64)
        log = found.take(ENTRY, threads * (CAPACITY + 1)).reshape(threads, CAPACITY + 1)
        assert counts.max() <= CAPACITY
        places, outputs = [], {}
        for parameter in flat_parameters(job.function):
            if isinstance(parameter.type, Pointer):
                values = _contents(parameter.name, job)
                address = int(found.take(np.dtype("u8"), 1)[0])
                places.append(DeviceArray(parameter.name, address, values.nbytes))
                outputs[parameter.name] = found.take(values.dtype, values.size).reshape(values.shape)
        for variable, size in made[name].variables.items():
            outputs[variable] = found.take(np.dtype("u1"), size)
        rows = log[np.arange(log.shape[1]) < counts[:, None]]
        notes, loops, shared = made[name].notes, made[name].loops, job.launch.dynamic_shared_bytes
        entries = decode(rows, counts, notes, loops, places, shared)
        recordings[name] = Recording(job.launch, entries, accesses_in(entries, threads), outputs, outputs)
    return recordings


def _given(job: Job) -> list[str]:
    """Return arguments in the order in which they are flat_parameters over: parameters, then variables of the file."""
    names = [parameter.name for parameter in flat_parameters(job.function)]
    return [*names, *sorted(set(job.arguments) - set(names))]


def _runner(job: Job, variables: Mapping[str, int]) -> str:
    """Return a function that reads the arguments, launches the kernel, and writes log and arrays."""
    threads, lines, ends = job.launch.thread_count, [], []
    names = []
    for name in _given(job):
        values = _contents(name, job)
        parameter = next((p for p in flat_parameters(job.function) if p.name == name), None)
        if parameter is None:
            lines.append(f"memcpy((void *)&{name}, load({values.nbytes}), {values.nbytes});")
            continue
        names.append(_given_name(name))
        lines.append(_load(parameter, values))
        if isinstance(parameter.type, Pointer):
            ends += [f"save(&{_given_name(name)}, 8);", f"save({_given_name(name)}, {values.nbytes});"]
    ends += [f"save((const void *)&{name}, {size});" for name, size in variables.items()]
    grid, block = (f"{{{d.x}u, {d.y}u, {d.z}u}}" for d in (job.launch.grid, job.launch.block))
    call = f"launch({grid}, {block}, [=] {{ {KERNEL_NAME}({', '.join(names)}); }});"
    body = "\n".join((*lines, f"begin({threads}, {CAPACITY});", call, f"end({threads});", *ends))
    return f"static void run()\n{{\n{body}\n}}"


def _given_name(name: str) -> str:
    return "given_" + name.replace(".", "_")


def _load(parameter: FlatParameter, values: NDArray[Any]) -> str:
    kind = spell(parameter.type)
    read = f"load({values.nbytes})"
    value = f"({kind}){read}" if isinstance(parameter.type, Pointer) else f"*({kind} *){read}"
    return f"auto {_given_name(parameter.name)} = {value};"


def _contents(name: str, job: Job) -> NDArray[Any]:
    kind = next((p.type for p in flat_parameters(job.function) if p.name == name), None)
    if isinstance(kind, Scalar):
        return np.asarray(job.arguments[name], kind.dtype)
    if kind is None:
        return variable_values(job.program, job.arguments)[name]
    return array_contents(job.arguments[name])


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
        """Return the next values."""
        values = np.frombuffer(self._data, dtype, count, self._at)
        self._at += values.nbytes
        return values
