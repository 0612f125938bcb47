"""Proposed launches of files as students and authors of blogs write them, some with a bug."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pytest

from kernels.custom_launch.run import perform
from kernels.launch import Dim3
from kernels.launch_inference.proposals import proposals
from kernels.simt import Options

if TYPE_CHECKING:
    from kernels.trace import Trace

FOLDER: Final = Path(__file__).parent / "own_files"
FILLED: Final = 0.4
"""Part of a result's elements that a launch writes, at least: a stencil leaves the border of a small image, a step of
a sort the pairs in order. Results without contents before the launch have to be complete: else there is a hazard."""


class Case(NamedTuple):
    """A kernel of a file."""

    file: str
    results: str
    """Arrays that it writes."""
    block: str = ""
    """Block that the file names; "" if it names none."""
    hazards: str = ""
    """Kind and array of the hazards that are the file's, as `data-race:s`."""
    cooperates: bool = False
    """Whether threads exchange values through shared memory: then a block has at least two warps."""
    fails: str = ""
    """Reason why the file starts badly."""


CASES: Final = (
    Case("heat_tile", "out", "16,16"),
    Case("reduce_sum", "g_odata", "256"),
    Case("batched_product", "C", "32,8"),
    Case("histogram_bytes", "bins", cooperates=True),
    Case("transpose_blog", "odata", "32,8"),
    Case("life_torus", "next", "32,4"),
    Case("scan_blelloch", "g_odata", cooperates=True),
    Case("convolution_constant", "output", "16,16"),
    Case("saxpy_stride", "y"),
    Case("matvec_rows", "y"),
    Case("dot_by_example", "c", "256"),
    Case("stencil_3d", "v"),
    Case("pitch_copy", "dst"),
    Case("launch_bounds_norm", "y", "128"),
    Case("warp_rows", "sums"),
    Case("template_matmul", "C", "16,16"),
    Case("spmv_csr", "y"),
    Case("reverse_bug", "d_out", "64", "data-race:s_data"),
    Case("vector_add_bug", "c", "1024", "out-of-bounds:a out-of-bounds:b out-of-bounds:c"),
    Case("columns_by_y", "m"),
    Case("matmul_notes", "C", "32,32"),
    Case("block_reduce_shuffle", "out", "512"),
    Case("bitonic_step", "dev_values", "512"),
    Case("scan_double_buffer", "g_odata", cooperates=True),
    Case("gaussian_blur", "outputChannel"),
    Case("grey_rgba", "greyImage", "128"),
    Case("nbody_tile", "globalA", cooperates=True),
    Case("julia_set", "ptr", "1"),
    Case("black_scholes", "d_CallResult d_PutResult", "128"),
    Case("stencil_1d_radius", "out", "16", fails="The host passes a pointer into an array; an argument cannot do so."),
    Case("matrix_struct", "C.elements", "16,16"),
    Case("argmax_pairs", "best_value best_index", "128"),
    Case("compact_stream", "nres"),
    Case("kmeans_label", "labels"),
    Case("softmax_rows", "y", "256"),
    Case("sobel_edges", "edges"),
    Case("tiled_one_barrier", "C", "16,16", "data-race:Asub data-race:Bsub"),
    Case("histogram_racy", "", "256", "data-race:histo"),
    Case("add_swapped_guard", "C", "16,8", "data-race:C"),
    Case("copy_vector4", "d_out"),
)


def _filled(trace: Trace, name: str) -> float:
    """Return the part of an array's elements that the run writes."""
    number = trace.array_number(name)
    return len(np.unique(trace.writes(number).index)) / trace.arrays[number].size


def test_every_file_has_a_case() -> None:
    assert sorted({case.file for case in CASES}) == sorted(file.stem for file in FOLDER.glob("*.cu"))


def _marks(case: Case) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.xfail(strict=True, reason=case.fails),) if case.fails else ()


@pytest.mark.parametrize("case", [pytest.param(case, id=case.file, marks=_marks(case)) for case in CASES])
def test_a_file_starts_well(case: Case) -> None:
    (offer,) = proposals(FOLDER / f"{case.file}.cu")
    block = Dim3.parse(offer.block)
    assert case.block in ("", offer.block), offer.words
    assert not case.cooperates or case.block or block.count >= 64, offer.words
    trace = perform(offer, Options())
    found = {f"{pair.kind}:{pair.array}" for hazard in trace.hazards for pair in hazard.pairs}
    assert found == set(case.hazards.split()), (offer.words, [hazard.message for hazard in trace.hazards])
    assert not trace.stopped
    thin = [name for name in case.results.split() if _filled(trace, name) < FILLED]
    assert not thin, offer.words
