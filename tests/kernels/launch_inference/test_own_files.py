"""Proposed launches of files as students and authors of blogs write them, some with a bug.

The last 30 were written before the proposal ran on any of them. Of the first 20, 16 started well: a pitch in bytes took
every element for four bytes long, `blockSize` for a number of blocks, a histogram had more bins than its shared copy,
and a loop over a row more columns than the product that bounds the rows. Of the other 10, which came after the causes
were mended, 8 did: an array that is sorted was taken for bounds of rows, and rows for as many as elements of a matrix.
"""

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
    kernel: str = ""
    """The kernel, in a file with several."""


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
    Case("jacobi_tile_macro", "u_new", "16,8"),
    Case("reduce6_volatile", "g_odata", "256", "data-race:sdata"),
    Case("warp_shuffle_max", "y", cooperates=True),
    Case("strided_batched_gemm", "C", "8,8"),
    Case("histogram_shared_privatized", "bins", "128", kernel="histogram_kernel"),
    Case("histogram_shared_privatized", "", "128", kernel="convert_kernel"),
    Case("transpose_no_conflicts", "odata", "32,8"),
    Case("game_of_life_shared", "resultLifeData"),
    Case("scan_hillis_steele", "g_odata", cooperates=True),
    Case("spmv_csr_vector", "y", "128"),
    Case("conv2d_halo_constant", "P", "16,16"),
    Case("nbody_soa", "p", "256"),
    Case("layernorm_forward", "out mean rstd", cooperates=True),
    Case("bitonic_sort_shared", "d_DstKey d_DstVal", "32"),
    Case("compact_warp_aggregated", "nres"),
    Case("saxpy_grid_stride_main", "y", "256"),
    Case("box_filter_pitched", "dst", "16,16"),
    Case("gemv_column_major", "y", "128"),
    Case("sgemm_register_blocked", "C", "64"),
    Case("monte_carlo_pi_lcg", "estimate", "32"),
    Case("attention_softmax_causal", "att", "32,4"),
    Case("gol_shared_halo", "out", "16,16"),
    Case("block_scan_with_sums", "Y S", "128"),
    Case("mandelbrot_rgb", "img", "32,8"),
    Case("prefix_compact_positions", "out"),
    Case("coo_spmv_atomic", "y", "1024"),
    Case("conv1d_template_radius", "out", "64"),
    Case("rgb_to_hsv_planar", "hue val"),
    Case("odd_even_sort_block", "data", cooperates=True),
    Case("matmul_transposed_b", "C", "16,16"),
    Case("variance_two_pass", "result", "256"),
)


def _filled(trace: Trace, name: str) -> float:
    """Return the part of an array's elements that the run writes."""
    number = trace.array_number(name)
    return len(np.unique(trace.writes(number).index)) / trace.arrays[number].size


def test_every_file_has_a_case() -> None:
    assert sorted({case.file for case in CASES}) == sorted(file.stem for file in FOLDER.glob("*.cu"))


def _marks(case: Case) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.xfail(strict=True, reason=case.fails),) if case.fails else ()


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.kernel or case.file, marks=_marks(case)) for case in CASES]
)
def test_a_file_starts_well(case: Case) -> None:
    offers = proposals(FOLDER / f"{case.file}.cu")
    (offer,) = (offer for offer in offers if case.kernel in ("", offer.entry))
    block = Dim3.parse(offer.block)
    assert case.block in ("", offer.block), offer.words
    assert not case.cooperates or case.block or block.count >= 64, offer.words
    trace = perform(offer, Options())
    found = {f"{pair.kind}:{pair.array}" for hazard in trace.hazards for pair in hazard.pairs}
    assert found == set(case.hazards.split()), (offer.words, [hazard.message for hazard in trace.hazards])
    assert not trace.stopped
    thin = [name for name in case.results.split() if _filled(trace, name) < FILLED]
    assert not thin, offer.words
