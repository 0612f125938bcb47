"""Fragments of executed instructions, against the tables of the PTX ISA ("Matrix Fragments for mma.m16n8k16", …)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from kernels.analysis.metrics.warp_access import warp_accesses
from kernels.analysis.values.fragments import multiplication
from kernels.analysis.values.matrix_loads import matrix_load
from kernels.analysis.values.matrix_products import PACKED
from kernels.catalog import read_kernel
from kernels.number_types import round_to_bfloat
from kernels.tracing import trace_kernel
from tests.kernels.simt.libraries.tensor_cores.test_mma import KINDS, SUMS, product
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.analysis.values.fragments import Fragment
    from kernels.analysis.values.matrix_loads import MatrixLoad
    from kernels.trace import Trace

    Place = Callable[[int, int, int], tuple[int, int]]

KERNELS: Final = Path(__file__).parents[1] / "fragments"
LANES: Final = np.arange(32, dtype=np.int32)

# (row, column) of element i of a lane: the lane's group is lane / 4, its number in the group lane % 4.
HALVES_16: Final[tuple[Place, Place]] = (
    lambda group, own, i: (group + 8 * (i in (2, 3, 6, 7)), own * 2 + (i & 1) + 8 * (i >= 4)),
    lambda group, own, i: (own * 2 + (i & 1) + 8 * (i >= 2), group),
)
HALVES_8: Final[tuple[Place, Place]] = (
    lambda group, own, i: (group + 8 * (i >= 2), own * 2 + (i & 1)),
    lambda group, own, i: (own * 2 + i, group),
)
TF32_8: Final[tuple[Place, Place]] = (
    lambda group, own, i: (group + 8 * (i in (1, 3)), own + 4 * (i >= 2)),
    lambda group, own, i: (own + 4 * i, group),
)
BYTES_32: Final[tuple[Place, Place]] = (
    lambda group, own, i: (group + 8 * (4 <= i < 8 or i >= 12), own * 4 + (i & 3) + 16 * (i >= 8)),
    lambda group, own, i: (own * 4 + (i & 3) + 16 * (i >= 4), group),
)


def sums(group: int, own: int, i: int) -> tuple[int, int]:
    """Return the place of a sum."""
    return group + 8 * (i >= 2), own * 2 + (i & 1)


FORMS: Final = [
    ("f16", 16, "f32", HALVES_16),
    ("f16", 16, "f16", HALVES_16),
    ("bf16", 16, "f32", HALVES_16),
    ("f16", 8, "f32", HALVES_8),
    ("f16", 8, "f16", HALVES_8),
    ("tf32", 8, "f32", TF32_8),
    ("s8", 32, "s32", BYTES_32),
]
"""Every form that is executed: factors, depth, sums."""


def step_of(run: Trace, instruction: str, number: int = 0) -> int:
    """Return a step that executes an instruction."""
    return [step for step in range(run.steps) if instruction in run.statement(step).text][number]


def assert_holders(found: Fragment, place: Place, kind: str) -> None:
    """Assert that each element of each register of each lane is where the table has it."""
    packed = PACKED[kind]
    for lane in range(32):
        for register, elements in enumerate(found.of_lane(lane)):
            table = [place(lane // 4, lane % 4, register * packed + part) for part in range(packed)]
            assert list(elements) == table
            assert [found.holders.part[at] for at in elements] == list(range(packed))


@pytest.mark.parametrize(("factors", "depth", "kind", "tables"), FORMS)
def test_every_element_is_in_the_lane_and_register_of_the_table(
    factors: str, depth: int, kind: str, tables: tuple[Place, Place]
) -> None:
    random = np.random.default_rng(2)
    a, b, c = (random.integers(-4, 5, shape) for shape in ((16, depth), (depth, 8), (16, 8)))
    dtype = KINDS[factors][1]
    given: dict[str, Any] = {
        name: round_to_bfloat(tile) if dtype is None else tile.astype(dtype) for name, tile in (("A", a), ("B", b))
    }
    run = trace(product(factors, depth, kind), {**given, "C": c.astype(SUMS[kind][1])}, block=(32,))
    found = multiplication(run, step_of(run, "mma.sync"), LANES)
    assert found is not None
    assert_holders(found.left, tables[0], factors)
    assert_holders(found.right, tables[1], factors)
    assert_holders(found.before, sums, kind)
    assert_holders(found.after, sums, kind)
    for fragment, numbers in ((found.left, a), (found.right, b), (found.before, c), (found.after, a @ b + c)):
        assert fragment.known.all()
        assert fragment.values.tolist() == numbers.tolist()


def test_operands_in_registers_and_through_functions_have_values() -> None:
    source = """
    __global__ void k(const float *A, float *C) {
        unsigned a0 = __float_as_uint(A[threadIdx.x]), a1 = 0;
        float b = A[threadIdx.x], d0, d1, d2, d3;
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %4, %5}, {%6, %6}, {%7, %7, %7, %7};"
                     : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
                     : "r"(a0), "r"(a1), "r"(__float_as_uint(b)), "f"(0.0f));
        C[threadIdx.x] = d0;
    }"""
    run = trace(source, {"A": np.arange(32, dtype=np.float32), "C": np.zeros(32, np.float32)}, block=(32,))
    found = multiplication(run, step_of(run, "mma.sync"), LANES)
    assert found is not None
    assert found.left.registers == ("a0", "a1", "a0", "a1")
    assert found.right.registers == ("__float_as_uint(b)", "__float_as_uint(b)")
    assert found.left.values[3].tolist() == [12, 13, 14, 15] * 2
    assert found.left.values[11].tolist() == [0] * 8
    assert found.right.values[:, 2].tolist() == [8, 9, 10, 11] * 2
    assert all(part.known.all() for part in (found.left, found.right, found.before, found.after))
    left, right = (np.asarray(part.values, np.float64) for part in (found.left, found.right))
    assert found.after.values.tolist() == (left @ right).tolist()


def test_an_uninitialised_register_has_no_value() -> None:
    source = """
    __global__ void k(float *C) {
        unsigned a[4] = {1, 2, 3, 4}, b[2];
        b[0] = 0;
        float d[4] = {};
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        C[threadIdx.x] = d[0];
    }"""
    run = trace(source, {"C": np.zeros(32, np.float32)}, block=(32,))
    found = multiplication(run, step_of(run, "mma.sync"), LANES)
    assert found is not None
    assert found.right.known[:4].all()
    assert not found.right.known[4:].any()


def test_a_warp_that_takes_no_part_multiplies_nothing() -> None:
    source = product("tf32", 8, "f32").replace("    float c[4]", "    if (threadIdx.x >= 32) return;\n    float c[4]")
    given = {name: np.ones(shape, np.float32) for name, shape in (("A", (16, 8)), ("B", (8, 8)), ("C", (16, 8)))}
    run = trace(source, given, block=(64,))
    step = step_of(run, "mma.sync")
    assert multiplication(run, step, LANES) is not None
    assert multiplication(run, step, LANES + 32) is None
    assert multiplication(run, step - 1, LANES) is None
    assert matrix_load(run, step, LANES) is None


# --- ldmatrix


LOAD = """
__global__ void k(const half *in, unsigned *out) {{
    __shared__ {aligned}half tile[{count}][8][8];
    int t = threadIdx.x;
    for (int i = t; i < 64 * {count}; i += 32) (&tile[0][0][0])[i] = in[i];
    __syncwarp();
    unsigned r[4], from = __cvta_generic_to_shared(&tile[t / 8 % {count}][t % 8][0]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{names}}}, [%{count}];"
                 : {outputs} : "r"(from));
    for (int i = 0; i < {count}; i++) out[32 * i + t] = r[i];
}}"""


@pytest.mark.parametrize("trans", ["", ".trans"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_loaded_elements_go_to_the_lanes_of_the_table(count: int, trans: str) -> None:
    source = LOAD.format(
        aligned="__align__(16) ",
        count=count,
        trans=trans,
        names=", ".join(f"%{i}" for i in range(count)),
        outputs=", ".join(f'"=r"(r[{i}])' for i in range(count)),
    )
    numbers = np.arange(64 * count, dtype=np.float16)
    run = trace(source, {"in": numbers, "out": np.zeros((count, 32), np.uint32)}, block=(32,))
    found = matrix_load(run, step_of(run, "ldmatrix"), LANES)
    assert found is not None
    assert found.name == f"ldmatrix.x{count}{trans}"
    assert found.elements.tolist() == np.arange(0, 64 * count, 8).reshape(count, 8).tolist()
    assert found.values.reshape(-1).tolist() == numbers.tolist()
    assert found.known.all()
    assert found.swizzle is None
    loaded = run.outputs["out"].view(np.float16).reshape(count, 32, 2)
    for matrix, row, column in np.ndindex(count, 8, 8):
        # "Each thread holds ... of the row": lane 4 row + column / 2; with .trans those of the column.
        across, down = (row, column) if trans else (column, row)
        at = (found.holders.register, found.holders.lane, found.holders.part)
        holder = tuple(int(part[matrix, row, column]) for part in at)
        assert holder == (matrix, 4 * down + across // 2, across % 2)
        assert loaded[holder] == numbers[64 * matrix + 8 * row + column]


def loads(name: str) -> list[tuple[MatrixLoad, int]]:
    """Return the loads of a kernel, each with its number of wavefronts."""
    kernel = read_kernel(KERNELS / f"{name}.cu")
    run = trace_kernel(kernel, kernel.size, kernel.block)
    assert run.hazards == ()
    assert run.outputs["C"].size == 16 * 8
    found = []
    for step in range(run.steps):
        load = matrix_load(run, step, LANES)
        if load is not None:
            found.append((load, warp_accesses(run, step, 0)[0].wavefronts))
    return found


def test_rows_of_128_bytes_conflict_and_the_swizzle_removes_it() -> None:
    plain, swizzled = loads("mma_bf16"), loads("mma_f16_swizzled")
    assert [(load.name, waves) for load, waves in plain[:2]] == [("ldmatrix.x4", 32), ("ldmatrix.x2.trans", 2)]
    assert [(load.name, waves) for load, waves in swizzled[:2]] == [("ldmatrix.x4", 4), ("ldmatrix.x2.trans", 2)]
    assert all(load.swizzle is None for load, _ in plain)
    assert plain[0][0].values[0, 1].tolist() == [64, 65, 66, 67, 68, 69, 70, 71]


def test_the_xor_of_a_function_is_written_with_the_numbers_of_each_row() -> None:
    second = loads("mma_f16_swizzled")[2][0]
    assert second.swizzle is not None
    assert second.swizzle.text == "chunk ^ (r % 8)"
    assert second.swizzle.of_row(5) == "2 ^ 5 = 7"
    chunks = second.elements.reshape(-1) % 64 // 8
    assert second.swizzle.result.tolist() == chunks.tolist()


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("int c = 3 ^ t % 8; int at = c;", "3 ^ (t % 8)"),
        ("int c = 3; int at = c; at = c ^ t % 8;", "c ^ (t % 8)"),
        ("int c = 3 ^ 1; int at = c;", None),  # the same for all rows
        ("int c = t < 32 ? 3 ^ t % 8 : 0; int at = c;", None),  # it may not be executed
        ("int c[1]; c[0] = 3 ^ t % 8; int at = c[0];", None),  # in memory
    ],
)
def test_an_xor_is_found_only_where_the_source_determines_it(address: str, text: str | None) -> None:
    source = f"""
    __global__ void k(unsigned *out) {{
        __shared__ __align__(16) half tile[8][64];
        int t = threadIdx.x;
        for (int i = t; i < 512; i += 32) (&tile[0][0])[i] = i;
        __syncwarp();
        {address}
        unsigned r, from = __cvta_generic_to_shared(&tile[t % 8][at * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%0}}, [%1];" : "=r"(r) : "r"(from));
        out[t] = r;
    }}"""
    run = trace(source, {"out": np.zeros(32, np.uint32)}, block=(32,))
    found = matrix_load(run, step_of(run, "ldmatrix"), LANES)
    assert found is not None
    assert (found.swizzle.text if found.swizzle is not None else None) == text
