"""A launch: memories, blocks, and threads that run round robin until all have ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.frontend import Instances, ast
from kernels.frontend.types import INT, Array, Scalar
from tests.kernels.simt.fuzz.interpreter.thread import Thread
from tests.kernels.simt.fuzz.interpreter.values import convert, encode, leaf_bytes, size
from tests.kernels.simt.fuzz.interpreter.warp import exchange

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kernels.frontend.ast import Program
    from kernels.frontend.types import CType
    from kernels.launch import Launch
    from tests.kernels.simt.fuzz.interpreter.expressions import Request

_BITS = 40
"""An address is a memory's number and, below, so many bits for the byte in it."""


@dataclass
class Store:
    """Every memory of a run, and what was printed."""

    memories: list[tuple[str, int, bytearray]] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)

    def allocate(self, name: str, size_bytes: int, leaf_bytes: int) -> int:
        """Make a memory; one without a name is a register, whose accesses do not count."""
        self.memories.append((name, leaf_bytes, bytearray(b"\xcd" * size_bytes)))
        return len(self.memories) - 1 << _BITS

    def read(self, address: int, size_bytes: int) -> bytes:
        _, _, raw = self.memories[address >> _BITS]
        start = address & (1 << _BITS) - 1
        assert start + size_bytes <= len(raw)
        return bytes(raw[start : start + size_bytes])

    def write(self, address: int, value: bytes) -> None:
        _, _, raw = self.memories[address >> _BITS]
        start = address & (1 << _BITS) - 1
        assert start + len(value) <= len(raw)
        raw[start : start + len(value)] = value

    def element(self, address: int, size_bytes: int) -> tuple[str, int, int]:
        """Name of the array, first element and number of elements of an access."""
        name, leaf, _ = self.memories[address >> _BITS]
        return name, (address & (1 << _BITS) - 1) // leaf, max(1, size_bytes // leaf)


@dataclass(frozen=True)
class Outcome:
    """What a launch leaves: arrays, printed lines, and for each lane what it did to each element, in order.

    `touched` has for each lane (barriers passed, array, element, access).
    """

    outputs: dict[str, np.ndarray[Any, Any]]
    printed: list[str]
    logs: list[dict[tuple[str, int], list[tuple[str, int]]]]
    touched: list[set[tuple[int, str, int, str]]]


def run(program: Program, launch: Launch, arguments: Mapping[str, Any]) -> Outcome:
    """Run the only kernel of a program; an argument is a number or an array."""
    store, (kernel,) = Store(), program.kernels
    instances = Instances(program)  # of templates: parsed once for all threads
    kinds = {p.name: p.type for p in kernel.parameters}
    given = {
        name: _array(store, name, value) if isinstance(value, np.ndarray) else _number(value, kinds[name])
        for name, value in arguments.items()
    }
    globals_ = {v.name: (v.type, _file_variable(store, v)) for v in program.variables}
    logs, touched = [], []
    with np.errstate(all="ignore"):
        for block in range(launch.grid.count):
            shared = {v: _shared(store, v, launch) for v in _shared_variables(kernel.body)}
            for function in program.functions:
                shared |= {v: _shared(store, v, launch) for v in _shared_variables(function.body) if v not in shared}
            threads = [
                Thread(instances, store, _built_in(launch, block, number), globals_, shared)
                for number in range(launch.block.count)
            ]
            _block([thread.run(kernel, given) for thread in threads])
            logs += [thread.log for thread in threads]
            touched += [thread.touched for thread in threads]
    given |= {v.name: globals_[v.name][1] for v in program.variables if v.space == "global"}
    outputs = {name: _contents(store, given[name], kind) for name, kind in _leaves(program, arguments).items()}
    return Outcome(outputs, "".join(store.printed).splitlines(), logs, touched)


def _block(running: list[Any]) -> None:
    """Let each thread run until it waits; wake a warp when all of it that is left waits, then the block."""
    waiting: dict[int, Request] = {}
    answers: dict[int, Any] = dict.fromkeys(range(len(running)))
    while answers:
        for number, answer in answers.items():
            try:
                waiting[number] = running[number].send(answer)
            except StopIteration:
                running[number] = None
        answers = {}
        alive = [n for n, thread in enumerate(running) if thread is not None]
        for warp in sorted({n // 32 for n in alive}):
            lanes = [n for n in alive if n // 32 == warp]
            if lanes and all(waiting[n].scope == "warp" for n in lanes):
                answers |= exchange({n: waiting[n] for n in lanes})
        if not answers and alive:
            answers = _barrier({n: waiting[n] for n in alive})


def _barrier(waiting: dict[int, Request]) -> dict[int, Any]:
    """Wake a block; `__syncthreads_and` and its like tell everyone about all."""
    assert all(request.scope == "block" for request in waiting.values())
    first = next(iter(waiting.values()))
    if not first.arguments:
        return dict.fromkeys(waiting, (INT, 0))
    truths = [bool(request.arguments[0][1] != 0) for request in waiting.values()]
    found = {"and": int(all(truths)), "or": int(any(truths)), "count": sum(truths)}
    return dict.fromkeys(waiting, (INT, found[first.name.rpartition("_")[2]]))


def _leaves(program: Program, arguments: Mapping[str, Any]) -> dict[str, np.dtype[Any]]:
    """Type of the elements of every array that a launch leaves behind."""
    found = {name: value.dtype for name, value in arguments.items() if isinstance(value, np.ndarray)}
    for variable in program.variables:
        kind = variable.type.element if isinstance(variable.type, Array) else variable.type
        if variable.space == "global" and isinstance(kind, Scalar):
            found[variable.name] = kind.dtype
    return found


def _contents(store: Store, address: int, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    return np.frombuffer(store.memories[address >> _BITS][2], dtype)


def _array(store: Store, name: str, values: np.ndarray[Any, Any]) -> int:
    address = store.allocate(name, values.nbytes, values.itemsize)
    store.write(address, values.tobytes())
    return address


def _number(value: Any, kind: CType) -> Any:
    assert isinstance(kind, Scalar)
    return kind.dtype.type(value) if kind.dtype.kind == "f" else convert(value, INT, kind)


def _file_variable(store: Store, variable: ast.Variable) -> int:
    """A `__constant__` or `__device__` variable, or a constant of the file; initialised by plain numbers."""
    kind = variable.type
    name = "" if variable.space == "auto" else variable.name
    address = store.allocate(name, size(kind), leaf_bytes(kind))
    values = variable.value if isinstance(variable.value, tuple) else (variable.value,)
    element = kind.element if isinstance(kind, Array) else kind
    for position in range(size(kind) // size(element)):
        node = values[position] if position < len(values) else None
        number = (INT, 0) if node is None else _literal(node)
        store.write(address + position * size(element), encode(element, convert(number[1], number[0], element)))
    return address


def _literal(node: Any) -> tuple[CType, Any]:
    if isinstance(node, ast.Unary):
        kind, value = _literal(node.operand)
        return kind, -value
    assert isinstance(node, ast.Number)
    return node.type, node.type.dtype.type(node.value) if node.type.dtype.kind == "f" else node.value


def _shared(store: Store, variable: ast.Variable, launch: Launch) -> int:
    count = launch.dynamic_shared_bytes if variable.dynamic else size(variable.type)
    return store.allocate(variable.name, count, leaf_bytes(variable.type))


def _shared_variables(node: Any) -> Iterator[ast.Variable]:
    """Shared variables declared anywhere below a statement."""
    if isinstance(node, ast.Variable) and node.space == "shared":
        yield node
    for name in getattr(node, "__dataclass_fields__", ()):
        value = getattr(node, name)
        for child in value if isinstance(value, tuple) else (value,):
            if hasattr(child, "span"):
                yield from _shared_variables(child)


def _built_in(launch: Launch, block: int, thread: int) -> dict[str, int]:
    places = {
        "threadIdx": launch.block.member(thread),
        "blockIdx": launch.grid.member(block),
        "blockDim": launch.block,
        "gridDim": launch.grid,
    }
    return {f"{name}.{axis}": getattr(place, axis) for name, place in places.items() for axis in "xyz"}
