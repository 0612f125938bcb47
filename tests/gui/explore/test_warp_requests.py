"""Requests of a warp as they are drawn large: the model against the trace's addresses, the layout, and its texts.

Random address patterns are compared with a count by plain sets.
"""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gui.explore.memory.row import Card, Strip
from gui.explore.packing.layout import arrange, hit
from gui.explore.packing.warp_layout import Fan, Rows, card_rows
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.scene import Options, Scene
from gui.explore.stage.stage import Stage
from gui.theming.theme import LIGHT
from kernels.analysis import Frame
from kernels.analysis.metrics.pattern_groups import LINE_BYTES
from kernels.analysis.metrics.requests import SECTOR_BYTES
from kernels.analysis.metrics.warp_access import warp_accesses
from tests.gui.explore.conftest import stage, step_on
from tests.gui.explore.painted_texts import picture_findings
from tests.kernels.analysis.traces import source
from tests.sweeps import in_turn

WARP = Options(zoom="warp")


SIZES = ((880, 620), (1270, 620), (1330, 880), (600, 600))


ROW_X = ("matmul_naive_row_x", "32", "32,8", "sum +=")


PICTURES = (
    ROW_X,
    ("matmul_naive", "32", "32,8", "sum +="),
    ("matmul_naive", "64", "8,8", "sum +="),
    ("matmul_tiled", "32", "16,16", "As["),
    ("matmul_tiled_transposed", "32", "32,32", "sum +="),
    ("matmul_tiled_padded", "32", "32,32", "sum +="),
    ("matmul_vectorized", "", "", "As["),
    ("kmeans_update_atomic", "", "", "atomicAdd(&sums"),
    ("reduce_strided", "256", "128", "sums[left] +="),
    ("transpose_swizzled", "32,32,1", "32,8", "tile[ty + r]"),
)


ON_SIZES = in_turn(((case,) for case in PICTURES), SIZES, lambda case: f"{case[0][0]} {case[0][2]}")
"""Every picture on one of the sizes, in turn; the rest is exhaustive."""


def scene_at(name: str, size: str, block: str, text: str, focus: Focus = NOTHING, nth: int = 0) -> Scene:
    found = stage(name, size, block)
    return build_scene(found, Frame(0, step_on(found, text, nth=nth)), WARP, focus)


def scene_of(statement: str, threads: int = 32, size: int = 3200, kind: str = "float") -> Scene:
    """Return the scene of a statement of lane `i` about `a` in global and `s` in shared memory."""
    text = f"__global__ void k({kind} *a) {{ __shared__ float s[2112]; int i = threadIdx.x; s[i] = 0;\n{statement} }}"
    shape = size if kind == "float" else f"{size},{kind[-1]}"
    found = Stage(source(text, "1", str(threads), f"a=f32[{shape}]:zeros"), ())
    shown = statement.partition("{")[2].strip(" };") or statement.rstrip(";")
    return build_scene(found, Frame(0, step_on(found, shown)), WARP)


def card(scene: Scene, name: str) -> Card:
    assert scene.warp is not None
    return next(card for card in scene.warp.cards if card.access.name == name)


def strip(scene: Scene, name: str) -> Strip:
    found = card(scene, name).strip
    assert found is not None
    return found


def places(shown: Strip) -> list[tuple[int, int, int]]:
    """Return line, sector and byte of each active lane."""
    lines = shown.lines[shown.lane_line].tolist()
    return list(zip(lines, shown.lane_sector.tolist(), shown.lane_byte.tolist(), strict=True))


@pytest.mark.parametrize(
    ("statement", "kind", "first", "headline", "detail"),
    [
        (
            "a[i] = 1;",
            "float",
            [(0, 0, 0), (0, 0, 4)],
            "Store a: 32 lanes write 32 elements, 128 bytes",
            "4 sectors in 1 line moved: 128 of 128 bytes used",
        ),
        (
            "a[32 * i] = 1;",
            "float",
            [(0, 0, 0), (1, 0, 0)],
            "Store a: 32 lanes write 32 elements, 128 bytes",
            "32 sectors in 32 lines moved: 128 of 1,024 bytes used; 4 sectors would do",
        ),
        (
            "s[i] = a[5];",
            "float",
            [(0, 0, 20), (0, 0, 20)],
            "Load a: 32 lanes want one element, 4 bytes",
            "1 sector in 1 line moved: 4 of 32 bytes used",
        ),
        (
            "a[i + 31] = 1;",
            "float",
            [(0, 3, 124), (1, 0, 0)],
            "Store a: 32 lanes write 32 elements, 128 bytes",
            "5 sectors in 2 lines moved: 128 of 160 bytes used; 4 sectors would do",
        ),
        (
            "a[i] = make_float2(1, 2);",
            "float2",
            [(0, 0, 0), (0, 0, 8)],
            "Store a: 32 lanes write 64 elements, 256 bytes",
            "8 sectors in 2 lines moved: 256 of 256 bytes used",
        ),
        (
            "a[i] = make_float4(1, 2, 3, 4);",
            "float4",
            [(0, 0, 0), (0, 0, 16)],
            "Store a: 32 lanes write 128 elements, 512 bytes",
            "16 sectors in 4 lines moved: 512 of 512 bytes used",
        ),
        (
            "if (i % 2) { a[i] = 1; }",
            "float",
            [(0, 0, 4), (0, 0, 12)],
            "Store a: 16 lanes write 16 elements, 64 bytes",
            "4 sectors in 1 line moved: 64 of 128 bytes used; 2 sectors would do",
        ),
        (
            "a[i / 16] = 1;",
            "float",
            [(0, 0, 0), (0, 0, 0)],
            "Store a: 32 lanes write 2 elements, 8 bytes",
            "1 sector in 1 line moved: 8 of 32 bytes used; 16 lanes write one address, and one of them stays",
        ),
    ],
)
def test_lanes_sectors_and_bytes_used(
    statement: str, kind: str, first: list[tuple[int, int, int]], headline: str, detail: str
) -> None:
    scene = scene_of(statement, kind=kind)
    shown = strip(scene, "a")
    begin = shown.lines[0]
    assert [(line - begin, sector, byte) for line, sector, byte in places(shown)][:2] == first
    assert card(scene, "a").headline == headline
    assert card(scene, "a").details[0] == detail


@pytest.mark.parametrize(
    ("statement", "lanes", "waves"),
    [
        ("s[i] = 1;", list(range(32)), [0] * 32),
        ("s[32 * i] = 1;", list(range(32)), list(range(32))),
        ("s[33 * i] = 1;", list(range(32)), [0] * 32),  # a column of padding
        ("s[2 * i] = 1;", list(range(32)), [0] * 16 + [1] * 16),
        ("a[i] = s[3];", list(range(32)), [0] * 32),  # one word that all share
        ("if (i < 4) { s[64 * i] = 1; }", list(range(4)), list(range(4))),
    ],
)
def test_banks_and_wavefronts_of_lanes(statement: str, lanes: list[int], waves: list[int]) -> None:
    found = card(scene_of(statement), "s")
    assert found.bank is not None
    use = found.bank.use
    assert use.lane.tolist() == lanes
    assert use.wavefront.tolist() == waves
    assert found.bank.wavefronts == max(waves) + 1 == found.access.counts.wavefronts


def test_words_of_one_access_are_in_the_passes_that_serve_them() -> None:
    found = card(scene_at("matmul_vectorized", "64", "16,16", "As["), "As").bank
    assert found is not None
    many = Counter(zip(found.use.wavefront.tolist(), found.use.bank.tolist(), found.use.word.tolist(), strict=True))
    assert len({(wave, bank) for wave, bank, _ in many}) == len(many)  # a bank serves one word in a wavefront


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(0, 2047), min_size=1, max_size=32),
    st.sets(st.integers(0, 31), min_size=1),
    st.sampled_from(["a", "s"]),
)
def test_random_addresses(values: list[int], active: set[int], name: str) -> None:
    index = [values[lane % len(values)] for lane in range(32)]
    mask = sum(1 << lane for lane in active)
    table = ", ".join(map(str, index))
    text = f"""
__global__ void k(float *a, float *out) {{
    __shared__ float s[2048];
    const int at[32] = {{{table}}};
    int i = threadIdx.x;
    for (int n = i; n < 2048; n += 32) s[n] = n;
    __syncthreads();
    if ({mask}u >> i & 1) out[i] = {name}[at[i]];
}}"""
    found = Stage(source(text, "1", "32", "a=f32[2048]:iota", "out=f32[32]:zeros"), ())
    scene = build_scene(found, Frame(0, step_on(found, "out[i]")), WARP)
    shown = card(scene, name)
    wanted = {lane: index[lane] * 4 for lane in sorted(active)}
    assert sorted(shown.lanes) == sorted(active)
    if shown.strip is not None:
        _check_strip(shown, shown.strip, wanted, found.trace.arrays[shown.access.counts.site.array].address)
    if shown.bank is not None:
        use = shown.bank.use
        assert {lane: word * 4 for lane, word in zip(use.lane.tolist(), use.word.tolist(), strict=True)} == wanted
        ways = Counter(word % 32 for word in {byte // 4 for byte in wanted.values()})
        assert shown.bank.wavefronts == max(ways.values()) == shown.access.counts.wavefronts
        cells = set(zip(use.wavefront.tolist(), use.bank.tolist(), use.word.tolist(), strict=True))
        assert len({(wave, bank) for wave, bank, _ in cells}) == len(cells) == len(set(wanted.values()))


def _check_strip(shown: Card, lines: Strip, wanted: dict[int, int], address: int) -> None:
    at = {lane: byte + address for lane, byte in wanted.items()}
    assert lines.lanes.tolist() == list(at)
    expected = [(b // LINE_BYTES, b % LINE_BYTES // SECTOR_BYTES, b % LINE_BYTES) for b in at.values()]
    assert places(lines) == expected
    sectors = {byte // SECTOR_BYTES for byte in at.values()}
    used = 4 * len(set(at.values()))
    assert int(lines.touched.sum()) == len(sectors)
    assert int(lines.wanted.sum()) == used
    assert f"{used:,} of {len(sectors) * SECTOR_BYTES:,} bytes used" == shown.details[-1]
    rows = lines.rows
    known = rows.row * rows.across + rows.column + np.cumsum(rows.gaps)[rows.row] * rows.across
    assert (known - known[0]).tolist() == (lines.lines - lines.lines[0]).tolist()


def test_rows_of_a_matrix_are_whole_lines_and_untouched_ones_are_counted() -> None:
    shown = strip(scene_at("matmul_naive_row_x", "64", "32,8", "sum +="), "A")
    assert (shown.rows.across, shown.rows.noun, len(shown.rows.names)) == (2, "row", 32)
    assert shown.rows.names[:3] == ("A[0][0]", "A[1][0]", "A[2][0]")
    assert not shown.rows.gaps.any()
    far = strip(scene_of("a[96 * i] = 1;"), "a").rows
    assert (far.noun, far.gaps.tolist(), far.even) == ("line", [0] + [2] * 31, True)
    assert far.left_out(2) == "2 lines left out"
    assert not strip(scene_of("a[32 * i * i] = 1;", size=32768), "a").rows.even


def test_totals_of_the_warp_are_those_of_its_steps() -> None:
    found = stage("matmul_tiled", "8", "4,4")
    for warp, block in ((0, 0), (3, 3)):
        sectors = wavefronts = used = 0
        for step in found.trace.block_steps(block).tolist():
            for access in warp_accesses(found.trace, step, warp):
                sectors, wavefronts = sectors + access.sectors, wavefronts + access.wavefronts
                used += access.used_bytes
            totals = found.memory_history.warp_totals(Frame(block, step), warp)
            assert (totals.sectors, totals.wavefronts, totals.used_bytes) == (sectors, wavefronts, used)
        assert sectors
    scene = scene_at(*ROW_X, nth=1)
    assert scene.warp is not None
    assert scene.warp.facts == (
        ("Global memory", ""),
        ("requests", "4"),
        ("sectors", "66, ideal 10"),
        ("bytes used", "264 of 2,112"),
        ("", "12.5 %"),
    )


def test_requests_share_the_picture_by_their_rows() -> None:
    scene = scene_at(*ROW_X)
    layout = arrange(scene, 880, 620, 18).warp
    assert layout is not None
    assert scene.warp is not None
    (large,), ((small, _),) = layout.pictures, layout.cards
    assert [scene.warp.cards[number].access.name for number in (large.card, small)] == ["A", "B"]
    assert isinstance(large.places, Rows)
    shown = strip(scene, "A")
    for lane, line in zip(shown.lanes.tolist(), large.places.line_boxes(shown), strict=True):
        chip = large.places.lane_box(lane)
        assert chip.y <= line.y + line.height / 2 <= chip.y + chip.height  # a lane is at the height of its row
    # Requests of few rows share the picture.
    scene = scene_at("matmul_naive", "32", "32,8", "sum +=")
    layout = arrange(scene, 880, 620, 18).warp
    assert layout is not None
    assert [type(picture.places) for picture in layout.pictures] == [Fan, Fan]
    assert layout.cards == ()
    # Banks are cells where three requests share little height.
    layout = arrange(scene_at("reduce_strided", "256", "128", "sums[left] +=", nth=1), 860, 500, 18).warp
    assert layout is not None
    assert len(layout.pictures) == 3
    for picture in layout.pictures:
        fan = picture.places
        assert isinstance(fan, Fan)
        assert fan.depth >= 12
        assert fan.band - (fan.lanes + fan.tick) >= fan.depth  # no less for the arrows
        assert fan.band + fan.depth <= picture.box.y + picture.box.height - 18


@pytest.mark.parametrize(("case", "size"), ON_SIZES)
def test_pictures_do_not_overlap_and_lanes_can_be_pointed_at(
    case: tuple[str, str, str, str], size: tuple[int, int]
) -> None:
    scene = scene_at(*case)
    layout = arrange(scene, *size, 18)
    assert layout.warp is not None
    assert layout.warp.totals is not None
    assert scene.warp is not None
    boxes = [*(p.box for p in layout.warp.pictures), *(box for _, box in layout.warp.cards), layout.warp.totals]
    for one, other in combinations(boxes, 2):
        assert (
            one.x + one.width <= other.x + 1e-6
            or one.y + one.height <= other.y + 1e-6
            or other.x + other.width <= one.x + 1e-6
            or other.y + other.height <= one.y + 1e-6
        )
    whole = layout.warp.box
    assert all(box.x + box.width <= whole.x + whole.width + 1 for box in boxes)
    assert all(box.y + box.height <= whole.y + whole.height + 1 for box in boxes)
    for picture in layout.warp.pictures:
        for lane in range(scene.warp.count):
            box = picture.places.lane_box(lane)
            point = box.x + box.width / 2, box.y + box.height / 2
            assert hit(scene, layout, *point) == Focus.on_thread(scene.warp.state.first_lane + lane)
            assert box.height >= 10
        shown = scene.warp.cards[picture.card]
        if isinstance(picture.places, Fan):
            assert picture.places.depth / card_rows(shown) >= 10


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("statement", "size"),
    in_turn(["a[96 * i] = 1;", "a[32 * i * i] = 1;", "if (i % 3) { a[40 * i] = 1; }"], SIZES, str, first=2),
)
def test_words_about_rows_that_are_left_out_can_be_read(statement: str, size: tuple[int, int]) -> None:
    assert picture_findings(scene_of(statement, size=32768), LIGHT, *size, 18) == []


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("case", "size"), ON_SIZES)
def test_texts_of_requests_can_be_read(case: tuple[str, str, str, str], size: tuple[int, int]) -> None:
    assert picture_findings(scene_at(*case), LIGHT, *size, 18) == []
