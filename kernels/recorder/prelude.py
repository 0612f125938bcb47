"""Prelude of an instrumented program: the functions that write the log.

They have no branches, so that the compiler contracts products and sums to FMAs as in the plain kernel. A variable in a
register is passed by value: taking its address would move it to memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend.types import Struct
from kernels.frontend.unparse.program import spell
from kernels.recorder.cmath import CMATH
from kernels.simt.compiler.structs import parts

if TYPE_CHECKING:
    from kernels.frontend.types import CType

_CHANGES: Final = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")

_ATOMICS: Final = {
    "Add": "old + (T)operand",
    "Sub": "old - (T)operand",
    "Exch": "(T)operand",
    "Min": "(T)operand < old ? (T)operand : old",
    "Max": "old < (T)operand ? (T)operand : old",
    "And": "old & (T)operand",
    "Or": "old | (T)operand",
    "Xor": "old ^ (T)operand",
    "Inc": "old >= (T)operand ? (T)0 : old + (T)1",
    "Dec": "old == (T)0 || old > (T)operand ? (T)operand : old - (T)1",
}
"""The value that each atomic function stores (CUDA C++ Programming Guide, "Atomic Functions")."""

_SCOPES: Final = ("", "_block", "_system")

_INLINE: Final = "__device__ __forceinline__"

CLOCK: Final = f"""\
{_INLINE} unsigned long long ts_time()
{{
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}}
"""
"""Nanoseconds of the GPU's global clock (PTX ISA, "%globaltimer")."""

_LOG: Final = f"""\
struct ts_entry {{ unsigned long long address; unsigned int note; unsigned int bytes; unsigned long long value[2]; }};
extern "C" {{
__device__ ts_entry *ts_log;
__device__ unsigned int *ts_count;
__device__ unsigned int ts_capacity;
}}
{_INLINE} ts_entry *ts_note(unsigned int note, const void *place, unsigned int bytes)
{{
    unsigned long long thread = ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    thread = (thread * blockDim.z + threadIdx.z) * blockDim.y + threadIdx.y;
    thread = thread * blockDim.x + threadIdx.x;
    unsigned int count = ts_count[thread];
    ts_count[thread] = count + 1;
    // Each thread's log has one entry more than counts: what does not fit goes there, without a branch.
    ts_entry *entry = ts_log + thread * (ts_capacity + 1ull) + (count < ts_capacity ? count : ts_capacity);
    entry->address = (unsigned long long)place;
    entry->note = note;
    entry->bytes = bytes;
    return entry;
}}
{_INLINE} void ts_step(unsigned int note)
{{
    ts_note(note, (const void *)ts_time(), 0);
}}
{_INLINE} void ts_bits(unsigned int note, const void *place, const void *value, unsigned int bytes)
{{
    unsigned long long bits[2] = {{0, 0}};
    memcpy(bits, value, bytes);
    ts_entry *entry = ts_note(note, place, bytes);
    entry->value[0] = bits[0];
    entry->value[1] = bits[1];
}}
{_INLINE} void ts_copied(unsigned int note, const void *place, const void *source, unsigned int bytes, bool reads)
{{
    unsigned long long bits[2] = {{0, 0}};
    if (reads)
        memcpy(bits, source, bytes);
    ts_bits(note, place, bits, bytes);
}}
template <typename T> {_INLINE} void ts_mark(unsigned int note, const T *place)
{{
    ts_note(note, place, sizeof(T));
}}
template <typename T> {_INLINE} void ts_wrote(unsigned int note, const void *place, const T &value)
{{
    ts_bits(note, place, (const void *)&value, sizeof(T));
}}
template <typename T> {_INLINE} T ts_read(unsigned int note, const T &place)
{{
    ts_mark(note, &place);
    return place;
}}
template <typename T, unsigned long long N>
{_INLINE} T (&ts_read(unsigned int, T (&place)[N]))[N] {{ return place; }}
template <typename T> {_INLINE} T ts_then(unsigned int note, T &&value)
{{
    ts_step(note);
    return static_cast<T &&>(value);
}}
template <typename T, typename F> {_INLINE} T ts_then(unsigned int note, T &&value, F first)
{{
    first();
    ts_step(note);
    return static_cast<T &&>(value);
}}
struct ts_tag {{}};
template <typename T> struct ts_target
{{
    unsigned int read, write;
    bool reads;
    const void *address;
    T &place;
    {_INLINE} ts_target(ts_tag, unsigned int read, unsigned int write, bool reads, const void *address, T &place)
        : read(read), write(write), reads(reads), address(address), place(place) {{}}
    {_INLINE} void begin() {{ if (reads) ts_mark(read, &place); }}
    {_INLINE} T &end()
    {{
        T stored = place;
        ts_wrote(write, address, stored);
        return place;
    }}
    {_INLINE} T &operator=(T value) {{ place = value; return end(); }}
    {_INLINE} T &operator++() {{ begin(); ++place; return end(); }}
    {_INLINE} T &operator--() {{ begin(); --place; return end(); }}
    {_INLINE} T operator++(int) {{ begin(); T old = place; ++place; end(); return old; }}
    {_INLINE} T operator--(int) {{ begin(); T old = place; --place; end(); return old; }}
"""

_CHANGE: Final = """\
    template <typename U> {inline} T &operator{op}=(const U &value) {{ begin(); place {op}= value; return end(); }}
"""

_REST: Final = f"""\
}};
template <typename T> {_INLINE} ts_target<T> ts_write(unsigned int note, T &place)
{{
    return ts_target<T>(ts_tag{{}}, 0, note, false, (const void *)&place, place);
}}
template <typename T> {_INLINE} ts_target<T> ts_modify(unsigned int read, unsigned int write, T &place)
{{
    return ts_target<T>(ts_tag{{}}, read, write, true, (const void *)&place, place);
}}
template <typename T> {_INLINE} ts_target<T> ts_set(unsigned int note, T &variable)
{{
    return ts_target<T>(ts_tag{{}}, 0, note, false, nullptr, variable);
}}
template <typename T> {_INLINE} T *ts_through(unsigned int note, T *place)
{{
    ts_mark(note, place);
    return place;
}}
template <typename T, typename V> {_INLINE} T *ts_stored(unsigned int note, T *place, const V &value)
{{
    T stored = value;
    ts_wrote(note, place, stored);
    return place;
}}
template <typename T, typename F> {_INLINE} T &ts_done(T &variable, F after)
{{
    after();
    return variable;
}}
"""

_ATOMIC: Final = """\
template <typename T, typename V> {inline} T ts_{name}(unsigned int note, T *place, V operand)
{{
    T old = {name}(place, (T)operand), changed = {changed};
    ts_wrote(note, place, changed);
    return old;
}}
"""

_EXCHANGE: Final = """\
template <typename T, typename V, typename W>
{inline} T ts_{name}(unsigned int note, T *place, V compare, W operand)
{{
    T old = {name}(place, (T)compare, (T)operand), changed = old == (T)compare ? (T)operand : old;
    ts_wrote(note, place, changed);
    return old;
}}
"""

_LAST: Final = """\
struct ts_values {
    template <typename... T> __device__ ts_values(const T &...) {}
    __device__ int none() const { return 0; }
};
"""

PRELUDE: Final = "".join(
    (
        CMATH,
        CLOCK,
        _LOG,
        *(_CHANGE.format(inline=_INLINE, op=op) for op in _CHANGES),
        _REST,
        *(
            _ATOMIC.format(inline=_INLINE, name=f"atomic{name}{scope}", changed=text)
            for name, text in _ATOMICS.items()
            for scope in _SCOPES
        ),
        *(_EXCHANGE.format(inline=_INLINE, name=f"atomicCAS{scope}") for scope in _SCOPES),
        _LAST,
    )
)


def struct_helpers(kind: CType) -> str:
    """Return overloads that log a struct member by member; "" for a struct that is one access."""
    pieces = parts(kind) if isinstance(kind, Struct) else ()
    if len(pieces) < 2:
        return ""
    name, head = spell(kind), f"{_INLINE} void"
    read = "".join(f" ts_note(note, (const char *)place + {p.offset}, {p.size});" for p in pieces)
    wrote = "".join(
        f" ts_bits(note, (const char *)place + {p.offset}, (const char *)&value + {p.offset}, {p.size});"
        for p in pieces
    )
    return (
        f"{head} ts_mark(unsigned int note, const {name} *place) {{{read} }}\n"
        f"{head} ts_wrote(unsigned int note, const void *place, const {name} &value) {{{wrote} }}"
    )
