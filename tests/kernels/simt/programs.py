"""Short ways to run a few lines of CUDA C in the simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Options, Unwritten, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.simt import Argument
    from kernels.trace import Trace

THREADS = 8
"""Threads of the one block that `lanes` runs."""


def trace(
    source: str,
    arguments: Mapping[str, Argument] | None = None,
    *,
    grid: tuple[int, ...] = (1,),
    block: tuple[int, ...] = (THREADS,),
    schedule: str = "lockstep",
    shared: int = 0,
    advise: bool = False,
    **options: Any,
) -> Trace:
    """Run a source that has one kernel, without the runs that try cures of its races unless asked to advise."""
    launch = Launch(Dim3(*grid), Dim3(*block), shared)
    program = parse(source, "test.cu")
    return run(program, launch, arguments or {}, options=Options(schedule, advise=advise, **options))


def lanes(body: str, kind: str = "int", before: str = "", **values: Any) -> list[Any]:
    """Run a body for 8 threads, t = threadIdx.x; returns what each leaves in `r`, of C type `kind`.

    `values` become arrays that each thread reads at its own index, under the same name.
    """
    dtype = {
        "int": "int32",
        "unsigned": "uint32",
        "float": "float32",
        "double": "float64",
        "long long": "int64",
        "bool": "bool",
        "unsigned char": "uint8",
        "short": "int16",
    }
    parameters, loads, arguments = [f"{kind} *result"], [], {}
    for name, (c_type, numbers) in values.items():
        parameters.append(f"const {c_type} *{name}_")
        loads.append(f"{c_type} {name} = {name}_[threadIdx.x];")
        arguments[f"{name}_"] = np.resize(np.array(numbers, dtype[c_type]), THREADS)
    source = (
        f"{before}\n__global__ void k({', '.join(parameters)}) {{ int t = threadIdx.x; {kind} r = 0;\n"
        f"{' '.join(loads)}\n{body}\nresult[t] = r; }}"
    )
    output = trace(source, {"result": Unwritten(dtype[kind], (THREADS,)), **arguments})
    assert output.hazards == ()
    return list(output.outputs["result"].tolist())


def assert_same(one: Trace, two: Trace) -> None:
    """Assert that two runs, recorded or not, found the same."""
    assert one.hazards == two.hazards
    assert one.printf == two.printf
    assert one.stopped == two.stopped
    assert one.steps == two.steps
    assert list(one.outputs) == list(two.outputs)
    for name, values in one.outputs.items():
        assert values.tobytes() == two.outputs[name].tobytes()
