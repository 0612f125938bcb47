// Functions that write the log of an instrumented program.
struct ts_entry { unsigned long long address; unsigned int note; unsigned int bytes; unsigned long long value[2]; };
extern "C" {
__device__ ts_entry *ts_log;
__device__ unsigned int *ts_count;
__device__ unsigned int ts_capacity;
}
__device__ __forceinline__ ts_entry *ts_note(unsigned int note, const void *place, unsigned int bytes)
{
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
}
__device__ __forceinline__ void ts_step(unsigned int note)
{
    ts_note(note, (const void *)ts_time(), 0);
}
__device__ __forceinline__ void ts_bits(unsigned int note, const void *place, const void *value, unsigned int bytes)
{
    unsigned long long bits[2] = {0, 0};
    memcpy(bits, value, bytes);
    ts_entry *entry = ts_note(note, place, bytes);
    entry->value[0] = bits[0];
    entry->value[1] = bits[1];
}
__device__ __forceinline__ void ts_copied(unsigned int note, const void *place, const void *source, unsigned int bytes, bool reads)
{
    unsigned long long bits[2] = {0, 0};
    if (reads)
        memcpy(bits, source, bytes);
    ts_bits(note, place, bits, bytes);
}
template <typename T> __device__ __forceinline__ void ts_mark(unsigned int note, const T *place)
{
    ts_note(note, place, sizeof(T));
}
template <typename T> __device__ __forceinline__ void ts_wrote(unsigned int note, const void *place, const T &value)
{
    ts_bits(note, place, (const void *)&value, sizeof(T));
}
template <typename T> __device__ __forceinline__ T ts_read(unsigned int note, const T &place)
{
    ts_mark(note, &place);
    return place;
}
template <typename T, unsigned long long N>
__device__ __forceinline__ T (&ts_read(unsigned int, T (&place)[N]))[N] { return place; }
template <typename T> __device__ __forceinline__ T ts_then(unsigned int note, T &&value)
{
    ts_step(note);
    return static_cast<T &&>(value);
}
template <typename T, typename F> __device__ __forceinline__ T ts_then(unsigned int note, T &&value, F first)
{
    first();
    ts_step(note);
    return static_cast<T &&>(value);
}
struct ts_tag {};
template <typename T> struct ts_target
{
    unsigned int read, write;
    bool reads;
    const void *address;
    T &place;
    __device__ __forceinline__ ts_target(ts_tag, unsigned int read, unsigned int write, bool reads, const void *address, T &place)
        : read(read), write(write), reads(reads), address(address), place(place) {}
    __device__ __forceinline__ void begin() { if (reads) ts_mark(read, &place); }
    __device__ __forceinline__ T &end()
    {
        T stored = place;
        ts_wrote(write, address, stored);
        return place;
    }
    __device__ __forceinline__ T &operator=(T value) { place = value; return end(); }
    __device__ __forceinline__ T &operator++() { begin(); ++place; return end(); }
    __device__ __forceinline__ T &operator--() { begin(); --place; return end(); }
    __device__ __forceinline__ T operator++(int) { begin(); T old = place; ++place; end(); return old; }
    __device__ __forceinline__ T operator--(int) { begin(); T old = place; --place; end(); return old; }
#define TS_CHANGE(op) \
    template <typename U> __device__ __forceinline__ T &operator op(const U &value) \
    { \
        begin(); \
        place op value; \
        return end(); \
    }
    TS_CHANGE(+=)
    TS_CHANGE(-=)
    TS_CHANGE(*=)
    TS_CHANGE(/=)
    TS_CHANGE(%=)
    TS_CHANGE(&=)
    TS_CHANGE(|=)
    TS_CHANGE(^=)
    TS_CHANGE(<<=)
    TS_CHANGE(>>=)
#undef TS_CHANGE
};
template <typename T> __device__ __forceinline__ ts_target<T> ts_write(unsigned int note, T &place)
{
    return ts_target<T>(ts_tag{}, 0, note, false, (const void *)&place, place);
}
template <typename T> __device__ __forceinline__ ts_target<T> ts_modify(unsigned int read, unsigned int write, T &place)
{
    return ts_target<T>(ts_tag{}, read, write, true, (const void *)&place, place);
}
template <typename T> __device__ __forceinline__ ts_target<T> ts_set(unsigned int note, T &variable)
{
    return ts_target<T>(ts_tag{}, 0, note, false, nullptr, variable);
}
template <typename T> __device__ __forceinline__ T *ts_through(unsigned int note, T *place)
{
    ts_mark(note, place);
    return place;
}
template <typename T, typename V> __device__ __forceinline__ T *ts_stored(unsigned int note, T *place, const V &value)
{
    T stored = value;
    ts_wrote(note, place, stored);
    return place;
}
template <typename T, typename F> __device__ __forceinline__ T &ts_done(T &variable, F after)
{
    after();
    return variable;
}
// Atomics, with the value that each stores (CUDA C++ Programming Guide, "Atomic Functions").
#define TS_ATOMIC(name, stored) \
    template <typename T, typename V> __device__ __forceinline__ T ts_##name(unsigned int note, T *place, V operand) \
    { \
        T old = name(place, (T)operand), changed = stored; \
        ts_wrote(note, place, changed); \
        return old; \
    }
#define TS_ATOMICS(name, stored) \
    TS_ATOMIC(name, stored) \
    TS_ATOMIC(name##_block, stored) \
    TS_ATOMIC(name##_system, stored)
#define TS_COMPARE_AND_SWAP(name) \
    template <typename T, typename V, typename W> \
    __device__ __forceinline__ T ts_##name(unsigned int note, T *place, V compare, W operand) \
    { \
        T old = name(place, (T)compare, (T)operand), changed = old == (T)compare ? (T)operand : old; \
        ts_wrote(note, place, changed); \
        return old; \
    }
TS_ATOMICS(atomicAdd, old + (T)operand)
TS_ATOMICS(atomicSub, old - (T)operand)
TS_ATOMICS(atomicExch, (T)operand)
TS_ATOMICS(atomicMin, (T)operand < old ? (T)operand : old)
TS_ATOMICS(atomicMax, old < (T)operand ? (T)operand : old)
TS_ATOMICS(atomicAnd, old & (T)operand)
TS_ATOMICS(atomicOr, old | (T)operand)
TS_ATOMICS(atomicXor, old ^ (T)operand)
TS_ATOMICS(atomicInc, old >= (T)operand ? (T)0 : old + (T)1)
TS_ATOMICS(atomicDec, old == (T)0 || old > (T)operand ? (T)operand : old - (T)1)
TS_COMPARE_AND_SWAP(atomicCAS)
TS_COMPARE_AND_SWAP(atomicCAS_block)
TS_COMPARE_AND_SWAP(atomicCAS_system)
#undef TS_ATOMIC
#undef TS_ATOMICS
#undef TS_COMPARE_AND_SWAP
struct ts_values {
    template <typename... T> __device__ ts_values(const T &...) {}
    __device__ int none() const { return 0; }
};
