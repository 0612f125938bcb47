from __future__ import annotations

from dataclasses import replace

from kernels.bench.checking import SIZES, CheckRequest, choose
from kernels.bench.plan import DEFAULT_FILL
from kernels.catalog import find_kernel
from kernels.fill import Fills
from kernels.launch import Dim3
from kernels.workload import Size

NAIVE, SYMMETRIC, BLAS, LOOPS = (
    find_kernel(name) for name in ("matmul_naive", "mmt_symmetric", "cpu_blas", "cpu_sequential")
)
HUGE = Size(4097, 4097, 4097)


def test_every_size_of_the_list_on_a_gpu_and_what_the_documents_print() -> None:
    work = choose(CheckRequest([NAIVE, SYMMETRIC], blocks=[Dim3(8, 8)]))
    *printed, random = work.plans
    iota, rows = sorted(printed, key=lambda plan: str(plan.fill))
    assert random.fill == DEFAULT_FILL
    naive = [point.size for point in random.points if point.entry.kernel == NAIVE.id]
    assert naive == list(SIZES)
    assert [point.size for point in random.points[len(naive) :]] == [s for s in SIZES if s.m == s.n == s.k]
    assert {(p.entry.kernel, str(p.size), str(iota.fill)) for p in iota.points} == {(SYMMETRIC.id, "7", "iota")}
    assert {(p.entry.kernel, str(p.size), str(rows.fill)) for p in rows.points} == {(NAIVE.id, "4", "rows")}
    assert work.left_out == ()
    assert work.count == sum(len(plan.points) for plan in work.plans)


def test_a_block_of_one_thread_leaves_the_largest_size_out_unless_it_is_named() -> None:
    work = choose(CheckRequest([NAIVE], blocks=[Dim3(1, 1), Dim3(8, 8)]))
    assert [(point.entry.block, point.size) for point in work.left_out] == [(Dim3(1, 1), HUGE)]
    work = choose(CheckRequest([NAIVE], sizes=[HUGE], blocks=[Dim3(1, 1)]))
    assert [point.size for plan in work.plans for point in plan.points] == [HUGE]


def test_loops_on_the_cpu_and_the_simulator_get_small_sizes() -> None:
    work = choose(CheckRequest([NAIVE, LOOPS, BLAS], task="simulate", blocks=[Dim3(8, 8)]))
    largest: dict[str, int] = {}
    for point in work.plans[-1].points:
        largest[point.entry.kernel] = max(
            largest.get(point.entry.kernel, 0), point.size.m * point.size.n * point.size.k
        )
    assert largest[NAIVE.id] <= 2**24
    assert largest[BLAS.id] == 4097**3
    assert largest[LOOPS.id] == 1024**3


def test_named_inputs_and_sizes_are_all_there_is() -> None:
    (plan,) = choose(CheckRequest([NAIVE], fills=Fills.parse("ones"))).plans
    assert str(plan.fill) == "ones"
    (plan,) = choose(CheckRequest([NAIVE], sizes=[Size(3, 3, 3)] * 2, one_block=True)).plans
    assert [(point.entry.block, str(point.size)) for point in plan.points] == [(NAIVE.block, "3")]


def test_a_lesson_is_not_checked() -> None:
    lesson = replace(NAIVE, flaw="It is wrong.")
    work = choose(CheckRequest([lesson]))
    assert (work.plans, work.lessons) == ((), (lesson,))


def test_a_kernel_without_output_runs_at_its_own_size() -> None:
    hello, index = find_kernel("hello_grid"), find_kernel("index_map")
    work = choose(CheckRequest([hello, index], blocks=[Dim3(1, 1)]))
    assert [point.size for point in work.plans[0].points] == [hello.size, *SIZES]


def test_only_sizes_that_the_user_does_not_name_are_bounded_in_time() -> None:
    default = choose(CheckRequest([NAIVE, SYMMETRIC], task="simulate"))
    assert default.budget_s == 60.0
    assert max(plan.time_limit_s for plan in default.plans) == 20.0
    products = [point.size.m * point.size.n * point.size.k for point in default.plans[-1].points]
    assert products == sorted(products)
    named = choose(CheckRequest([NAIVE], sizes=[HUGE], task="simulate"))
    assert (named.budget_s, named.plans[0].time_limit_s) == (None, 120.0)
    assert choose(CheckRequest([NAIVE])).budget_s is None
