"""Digests of scenes: a rearrangement of Explore must not change one field of a `Scene`.

`digests.json` holds, for one catalogue kernel of each kind and each field of `Scene`, a digest in each of 20 frames
that are spread evenly over the run; the frame's number decides zoom, colours, focus and the other options. The fields
of cells, threads, lanes and points are digested one by one, over all arrays of the picture. A field that is the same
in all frames has one digest. `python -m tests.renew` writes those of an edited kernel. After a change of the scenes
that is meant:

    python -m tests.gui.explore.golden.digests
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np

from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.scene import Colouring, Options, Scene, Zoom
from gui.explore.stage.stage import Stage
from kernels import CUDA_FOLDER
from kernels.analysis import playlist
from kernels.catalog import read_kernel
from kernels.tracing import trace_kernel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

KERNELS: Final = (
    "hello_grid",  # no arrays
    "index_map",  # an output, and no sum
    "cpu_parallel",  # a CPU baseline
    "matmul_naive_row_x",  # accesses that are not coalesced
    "matmul_tiled",  # tiles in shared memory
    "matmul_registers_2d",  # several results a thread, local arrays
    "matmul_async",  # blocks of one dimension, copies in inline PTX
    "mmt_stripe",  # atomic functions, dynamic shared memory
    "kmeans_update_atomic",  # points of the plane
    "kmeans_update_warp",  # shuffles
    "lesson_missing_barrier",  # a data race, a wrong result
    "lesson_missing_guard",  # accesses outside of arrays
)
FRAMES: Final = 20
FILE: Final = Path(__file__).with_name("digests.json")

Digests = dict[str, list[str]]
"""For each field one digest a frame, or a single one if it is the same in all frames."""

_OPENED: Final = ("cells", "threads", "warp", "points")
"""Fields of `Scene` whose own fields have a digest each."""


def of_kernel(name: str) -> Digests:
    """Return the digests of a kernel's scenes at the size and block that it opens with."""
    found: Digests = {}
    for number, scene in enumerate(scenes(name)):
        for field, digest in of_scene(scene).items():
            found.setdefault(field, [""] * number).append(digest)
        for digests in found.values():
            # An opened field is absent from frames that have no lanes or no points.
            digests.extend([""] * (number + 1 - len(digests)))
    return {field: digests if len(set(digests)) > 1 else digests[:1] for field, digests in found.items()}


def scenes(name: str) -> Iterator[Scene]:
    """Build the scenes of the frames, each with options of its own."""
    kernel = read_kernel(CUDA_FOLDER / f"{name}.cu")
    trace = trace_kernel(kernel, kernel.size, kernel.block)
    stage = Stage(trace, kernel.workload.panels, on_cpu=kernel.runs_on == "cpu")
    frames = playlist(trace, "statement").frames
    zooms, colourings = get_args(Zoom), get_args(Colouring)
    for number, at in enumerate(np.linspace(0, len(frames) - 1, FRAMES).astype(int).tolist()):
        frame = frames[at]
        options = Options(
            in_shared=number % 8 != 5,
            zoom=zooms[number % len(zooms)],
            reads=number % 5 == 4,
            colouring=colourings[number // len(zooms) % len(colourings)],
            warp=0 if number % 7 == 6 else None,
        )
        first_lane = frame.block * trace.launch.block.count
        focus = {1: Focus.on_thread(first_lane), 3: Focus.on_line(trace.statement(frame.step).span.line)}
        yield build_scene(stage, frame, options, focus.get(number % 4, NOTHING))


def of_scene(scene: Scene) -> dict[str, str]:
    """Return the digest of each field."""
    found = {}
    for field in fields(scene):
        value = getattr(scene, field.name)
        parts = value if isinstance(value, tuple) else (value,)
        if field.name in _OPENED and parts and is_dataclass(parts[0]):
            for part in fields(parts[0]):
                found[f"{field.name}.{part.name}"] = _digest([getattr(one, part.name) for one in parts])
        else:
            found[field.name] = _digest(value)
    return found


def moved(now: Digests, before: Digests) -> list[str]:
    """Name each field that differs, and the frames in which it does."""
    found = []
    for field in sorted(now.keys() | before.keys()):
        if field not in now or field not in before:
            found.append(f"{field}: {'no longer digested' if field in before else 'new'}")
            continue
        pairs = zip(_of_each_frame(now[field]), _of_each_frame(before[field]), strict=True)
        frames = [str(number) for number, (new, old) in enumerate(pairs) if new != old]
        if frames:
            found.append(f"{field}: frames {', '.join(frames)}")
    return found


def _of_each_frame(digests: list[str]) -> list[str]:
    return digests * FRAMES if len(digests) == 1 else digests


def _digest(value: object) -> str:
    digest = hashlib.sha256()
    _add(digest, value)
    return digest.hexdigest()[:8]


def _add(digest: hashlib._Hash, value: Any) -> None:
    """Add a value by its contents: neither identities nor the order of a set count."""
    if isinstance(value, np.ndarray | np.generic):
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        digest.update(value.tobytes())
    elif isinstance(value, float):
        _add(digest, np.float64(value))
    elif is_dataclass(value):
        for field in fields(value):
            digest.update(field.name.encode())
            _add(digest, getattr(value, field.name))
    elif isinstance(value, tuple | list | dict | set | frozenset):
        members = sorted(value, key=repr) if isinstance(value, set | frozenset) else list(value)
        digest.update(f"{len(members)}[".encode())
        for member in members:
            _add(digest, member)
            if isinstance(value, dict):
                _add(digest, value[member])
    elif value is None or isinstance(value, str | int | np.dtype):
        digest.update(f"{value!r},".encode())
    else:
        raise TypeError(f"A scene holds {type(value).__name__}, which has no digest.")


def stored() -> dict[str, Digests]:
    """Return the digests that are kept in the repository."""
    found: dict[str, dict[str, str]] = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: {field: digests.split(" ") for field, digests in of_fields.items()} for name, of_fields in found.items()
    }


def store(kernels: Iterable[str]) -> None:
    """Write the digests of these kernels; the others keep theirs."""
    found = {**stored(), **{name: of_kernel(name) for name in kernels}}
    lines = {name: {field: " ".join(digests) for field, digests in found[name].items()} for name in KERNELS}
    FILE.write_text(json.dumps(lines, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    store(KERNELS)
