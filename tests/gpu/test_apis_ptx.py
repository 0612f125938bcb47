"""Inline PTX gives the GPU's bits: arithmetic, conversions, comparisons, accesses, what lanes do together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.gpu.apis import both, identical

N = 1 << 12
C_TYPES = {"r": "unsigned", "l": "unsigned long long", "f": "float", "d": "double"}
DTYPES = {"r": np.uint32, "l": np.uint64, "f": np.float32, "d": np.float64}
TINY = {"f": np.finfo(np.float32).tiny, "d": np.finfo(np.float64).tiny}
CASES = np.array([0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF], np.uint64)

WHOLE = """add.u32 a,b|sub.s32 a,b|mul.lo.s32 a,b|mul.hi.u32 a,b|mul.hi.s32 a,b|mul24.lo.u32 a,b
    |mul24.lo.s32 a,b|min.u32 a,b|max.s32 a,b|and.b32 a,b|xor.b32 a,b|not.b32 a|cnot.b32 a|neg.s32 a
    |abs.s32 a|shl.b32 a,b|shr.u32 a,b|shr.s32 a,b|shr.b32 a,b|mad.lo.u32 a,b,c|mad.hi.s32 a,b,c
    |mad24.lo.s32 a,b,c|sad.s32 a,b,c|sad.u32 a,b,c|shf.l.wrap.b32 a,b,c|shf.r.clamp.b32 a,b,c
    |shf.l.clamp.b32 a,b,c|bfe.u32 a,b,c|bfe.s32 a,b,c|bfi.b32 a,b,c,d|bfi.b32 b,a,d,c|bfind.u32 a
    |bfind.s32 a|bfind.shiftamt.u32 a|bfind.shiftamt.s32 a|popc.b32 a|clz.b32 a|brev.b32 a
    |prmt.b32 a,b,c|prmt.b32 b,c,a|lop3.b32 a,b,c,0x96|lop3.b32 a,b,c,0xCA|lop3.b32 a,b,c,0x1B
    |div.u32 a,e|div.s32 a,e|rem.u32 a,e|rem.s32 a,e|dp4a.u32.u32 a,b,c|dp4a.s32.s32 a,b,c
    |vabsdiff4.u32.u32.u32.add a,b,c|set.lt.u32.s32 a,b|cvt.u16.u32 a|cvt.s8.s32 a
    |cvt.sat.s8.s32 a|cvt.sat.u8.s32 a|cvt.sat.u16.u32 a|cvt.sat.s32.u32 a|cvt.sat.u32.s32 a
    |cvt.pack.sat.s8.s32.b32 a,b,c|cvt.pack.sat.u8.s32.b32 a,b,c|cvt.pack.sat.s16.s32 a,b
    |cvt.pack.sat.u16.s32 a,b"""
LONG = """add.u64 a,b|mul.lo.u64 a,b|mul.hi.u64 a,b|mul.hi.s64 a,b|mad.lo.s64 a,b,a|min.s64 a,b|max.u64 a,b
    |xor.b64 a,b|neg.s64 a|not.b64 a|brev.b64 a|div.u64 a,e|rem.s64 a,e"""
FLOATS = """add.f32 a,b|sub.rz.f32 a,b|mul.rm.f32 a,b|add.rp.f32 a,b|div.rn.f32 a,b|fma.rn.f32 a,b,c
    |fma.rz.f32 a,b,c|mad.rp.f32 a,b,c|rcp.rn.f32 a|sqrt.rn.f32 a|sqrt.rz.f32 a|min.f32 a,b
    |max.f32 a,b|abs.f32 a|neg.f32 a|copysign.f32 a,b|add.sat.f32 a,b|mul.rn.sat.f32 a,b
    |add.ftz.f32 a,b|mul.rn.ftz.f32 a,b|fma.rn.ftz.f32 a,b,c|min.ftz.f32 a,b|abs.ftz.f32 a
    |neg.ftz.f32 a|cvt.rni.f32.f32 a|cvt.rzi.f32.f32 a|cvt.rmi.ftz.f32.f32 a|cvt.sat.f32.f32 a
    |cvt.ftz.f32.f32 a|add.ftz.sat.f32 a,b"""
DOUBLES = """add.rz.f64 a,b|mul.rn.f64 a,b|fma.rm.f64 a,b,c|div.rn.f64 a,b|sqrt.rp.f64 a|rcp.rn.f64 a
    |max.f64 a,b|cvt.rpi.f64.f64 a"""
TO_WORDS = """cvt.rzi.s32.f32 a|cvt.rni.u32.f32 a|cvt.rmi.s32.f32 a|cvt.rpi.u32.f32 a|cvt.rzi.ftz.s32.f32 a
    |cvt.rni.sat.s8.f32 a|cvt.rzi.u8.f32 a|cvt.rmi.s16.f32 a|cvt.rpi.sat.u16.f32 a|cvt.rni.sat.s32.f32 a
    |set.eq.u32.f32 a,b|set.ne.u32.f32 a,b|set.neu.s32.f32 a,b|set.ltu.u32.f32 a,b
    |set.geu.u32.f32 a,b|set.num.u32.f32 a,b|set.nan.u32.f32 a,b|set.gt.ftz.u32.f32 a,b"""


def values(letter: str) -> dict[str, Any]:
    """Numbers of every size and, of floats, around 1; `e` is a divisor: never 0 nor -1."""
    random, dtype = np.random.default_rng(5), np.dtype(DTYPES[letter])
    word = np.dtype(f"u{dtype.itemsize}")
    made: dict[str, Any] = {}
    for name in "abcd":
        numbers = random.integers(0, 2 ** (8 * word.itemsize), N, word)
        if dtype.kind == "u":
            numbers[: N // 2] >>= random.integers(0, 8 * word.itemsize, N // 2).astype(word)
            numbers[:256] = random.choice(CASES, 256).astype(word)
        made[name] = numbers.view(dtype)
        if dtype.kind == "f":
            made[name][: N // 2] = random.uniform(-4, 4, N // 2)
            made[name][:64] *= TINY[letter]
    if dtype.kind == "u":
        made["e"] = made["d"] % word.type(2**15) + word.type(1)
    return made


def compared(table: str, letter: str, result: str) -> None:
    """Compare each instruction of a table, all in one kernel."""
    given = values(letter)
    instructions = ["".join(entry).strip() for entry in table.split("|")]
    lines = []
    for at, entry in enumerate(instructions):
        name, _, operands = entry.partition(" ")
        words = operands.split(",")
        numbered = [f"%{1 + n}" if word in given else word for n, word in enumerate(words)]
        inputs = ", ".join(f'"{letter}"({word})' for word in words if word in given)
        text = f'asm("{name} %0, {", ".join(numbered)};" : "={result}"(r) : {inputs});'
        lines.append(f"{{ {C_TYPES[result]} r; {text} out[{at * N} + t] = r; }}")
    kind = C_TYPES[letter]
    parameters = ", ".join(f"const {kind} *{name}_" for name in given)
    loads = " ".join(f"{kind} {name} = {name}_[t];" for name in given)
    source = f"""__global__ void k({parameters}, {C_TYPES[result]} *out) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x; {loads}
        {"".join(lines)} }}"""
    out = np.zeros(N * len(instructions), DTYPES[result])
    arrays = {f"{name}_": numbers for name, numbers in given.items()}
    ours, theirs = both(source, {**arrays, "out": out}, grid=N // 128, block=128)
    wrong = []
    for text, one, other in zip(instructions, ours["out"].reshape(-1, N), theirs["out"].reshape(-1, N), strict=True):
        try:
            identical(one, other)
        except AssertionError:
            at = int(np.flatnonzero((one != other) & ~((one != one) & (other != other)))[0])
            wrong.append((text, {name: v[at] for name, v in given.items()}, one[at], other[at]))
    assert not wrong


@pytest.mark.parametrize(
    ("table", "letter", "result"),
    [
        (WHOLE, "r", "r"),
        (LONG, "l", "l"),
        ("popc.b64 a|clz.b64 a|bfind.s64 a|cvt.u32.u64 a", "l", "r"),
        ("mul.wide.u32 a,b|mul.wide.s32 a,b|cvt.s64.s32 a|cvt.u64.u32 a", "r", "l"),
        (FLOATS, "f", "f"),
        (DOUBLES, "d", "d"),
        (TO_WORDS, "f", "r"),
        ("cvt.rn.f32.s32 a|cvt.rn.f32.u32 a", "r", "f"),
        ("cvt.rn.f32.f64 a", "d", "f"),
        ("cvt.f64.f32 a", "f", "d"),
        ("cvt.rn.f64.s64 a|cvt.rn.f64.u64 a", "l", "d"),
        ("cvt.rzi.s64.f64 a|cvt.rni.u64.f64 a", "d", "l"),
    ],
)
def test_instructions(table: str, letter: str, result: str) -> None:
    compared(table, letter, result)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "fma.rn", "min", "max", "neg", "abs"])
@pytest.mark.parametrize("kind", ["f16", "f16x2"])
def test_halves(name: str, kind: str) -> None:
    random = np.random.default_rng(3)
    given = {word: random.uniform(-9, 9, 2 * N).astype(np.float16).view(np.uint32) for word in "abc"}
    count = {"fma.rn": 3, "neg": 1, "abs": 1}.get(name, 2)
    letter, shape = ("r", "unsigned") if kind == "f16x2" else ("h", "unsigned short")
    operands, inputs = "%1, %2, %3"[: 4 * count - 2], [f'"{letter}"(({shape}){word}[t])' for word in "abc"]
    source = f"""__global__ void k(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *out) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x; {shape} r;
        asm("{name}.{kind} %0, {operands};" : "={letter}"(r) : {", ".join(inputs[:count])}); out[t] = r; }}"""
    ours, theirs = both(source, {**given, "out": np.zeros(N, np.uint32)}, grid=N // 128, block=128)
    identical(ours["out"], theirs["out"])


BODIES = {
    "cvt.rn.f16x2": 'asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(n) : "f"(x), "f"(y));',
    "cvt.rn.bf16x2": 'asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(n) : "f"(x), "f"(y));',
    "cvt.rna.tf32": 'asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(n) : "f"(x));',
    "narrow loads": """int m; asm("ld.global.s8 %0, [%2]; ld.global.u16 %1, [%2+2];"
        : "=r"(m), "=r"(n) : "l"(words + t)); n += 3 * m;""",
    "narrow stores": """asm volatile("st.shared.b8 [%0], %1; st.shared.u16 [%0+2], %1;"
        :: "r"(at + 4 * t), "r"(words[t])); n = s[t] & 0xffff00ff;""",
    "vectors": """if (t < 16) asm volatile("st.shared.v4.b32 [%0], {%1, %2, %1, 7};"
            :: "r"(at + 16 * t), "r"(5), "r"(6));
        __syncthreads(); asm volatile("ld.shared.v2.u32 {%0, _}, [%1+8];" : "=r"(n) : "r"(at + 8 * (t & 15)));""",
    "guards": """asm("{ .reg .pred p, q; setp.gt.f32 p|q, %1, 0f00000000; @p mov.u32 %0, 5; @q sub.u32 %0, %0, 9; }"
        : "+r"(n) : "f"(x));""",
    "packing": """asm("{ .reg .b32 l, h; mov.b64 {l, h}, %1; xor.b32 l, l, h; mov.b64 %0, {h, l}; }"
        : "=l"(wide) : "l"(wide + words[t])); n = (unsigned)(wide >> 32);""",
    "shfl and its predicate": """n = words[t];
        asm("{ .reg .u32 v; .reg .pred p; shfl.sync.up.b32 v|p, %0, 3, 0x1000, 0xffffffff;"
        "@p add.u32 %0, v, %0; shfl.sync.down.b32 v|p, %0, 5, 0x181f, 0xffffffff; @p xor.b32 %0, v, %0;"
        "shfl.sync.bfly.b32 v|p, %0, 9, 0x1f, 0xffffffff; @p add.u32 %0, v, %0; }" : "+r"(n));""",
    "votes": """
        asm("{ .reg .pred p, q; .reg .b32 m; setp.lt.s32 p, %1, 77; vote.sync.ballot.b32 %0, p, -1;"
        "vote.sync.all.pred q, !p, -1; @q add.u32 %0, %0, 1; redux.sync.max.u32 m, %1, 0xffffffff;"
        "xor.b32 %0, %0, m; match.any.sync.b32 m, %1, -1;"
        "add.u32 %0, %0, m; activemask.b32 m; sub.u32 %0, %0, m; }" : "=r"(n) : "r"(words[t] % 90));""",
    "halves of a block": """s[t] = words[t];
        asm volatile("bar.sync %0, %1;" :: "r"(1 + t / 32), "n"(32)); n = s[t ^ 31];""",
    "bar.red": """asm volatile("{ .reg .pred p, q; setp.lt.s32 p, %1, 20; bar.red.popc.u32 %0, 0, p;"
        "bar.red.and.pred q, 0, p; @!q add.u32 %0, %0, 100; }" : "=r"(n) : "r"(t));""",
    "lanes": """unsigned u; asm("mov.u32 %0, %%laneid; mov.u32 %1, %%lanemask_gt;" : "=r"(n), "=r"(u)); n += u;
        asm("mov.u32 %0, %%lanemask_le;" : "=r"(u)); n ^= u;""",
    "atomics": """
        asm volatile("red.shared.add.u32 [%0], %1; red.relaxed.cta.shared.max.s32 [%0+4], %1;"
        "red.shared.inc.u32 [%0+8], 40; red.shared.xor.b32 [%0+12], %1;" :: "r"(at), "r"(words[t]));
        __syncthreads(); n = s[t % 4];""",
    "exit": 'n = 1; asm volatile("{ .reg .pred p; setp.gt.u32 p, %0, 40; @p exit; }" :: "r"(t));',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_bodies(body: str) -> None:
    source = f"""__global__ void k(const unsigned *words, const float *floats, unsigned *out) {{
        __shared__ __align__(16) unsigned s[64]; int t = threadIdx.x; s[t] = 0; __syncthreads();
        unsigned at = (unsigned)__cvta_generic_to_shared(s), n = 0; unsigned long long wide = 77;
        float x = floats[t], y = floats[63 - t]; {body} out[t] = n; }}"""
    random = np.random.default_rng(9)
    given = {
        "words": random.integers(0, 2**32, 64, np.uint32),
        "floats": random.standard_normal(64).astype(np.float32),
        "out": np.zeros(64, np.uint32),
    }
    ours, theirs = both(source, given, block=64)
    identical(ours["out"], theirs["out"])


@pytest.mark.parametrize("letter", ["f", "r"])
def test_a_product_of_tiles_whose_sums_are_held_as_bits(letter: str) -> None:
    kind = C_TYPES[letter]
    start = "1.5f" if letter == "f" else "0x3fc00000u"
    source = f"""__global__ void k(const unsigned *a, const unsigned *b, {kind} *out) {{
        int t = threadIdx.x; {kind} d[4];
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%0,%1,%2,%3}}, {{%4,%5,%6,%7}},"
            "{{%8,%9}}, {{%10,%10,%10,%10}};"
            : "={letter}"(d[0]), "={letter}"(d[1]), "={letter}"(d[2]), "={letter}"(d[3])
            : "r"(a[t]), "r"(a[t + 32]), "r"(a[t + 64]), "r"(a[t + 96]), "r"(b[t]), "r"(b[t + 32]),
              "{letter}"({start}));
        for (int i = 0; i < 4; ++i) out[4 * t + i] = d[i]; }}"""
    random = np.random.default_rng(1)
    given = {
        "a": random.integers(-8, 8, 256).astype(np.float16).view(np.uint32),
        "b": random.integers(-8, 8, 128).astype(np.float16).view(np.uint32),
        "out": np.zeros(128, DTYPES[letter]),
    }
    ours, theirs = both(source, given)
    identical(ours["out"], theirs["out"])
