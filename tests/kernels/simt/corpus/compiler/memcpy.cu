// memcpy and memset in device code: between types, through bytes, at null pointers, over structs.

// Memset and memcpy.

struct Pair { int a, b; };

//: pairs = ones(16, "i4")
//: from = arange(8)
//: f[t] == 0
//: pairs[t] == 0
#define MEMSET_MEMCPY(NAME, ...) \
    __global__ void NAME(float *f, int *i, Pair *pairs, const int *from) { \
        float row[3]; int numbers[2]; memset(row, 0, sizeof(row)); __VA_ARGS__; \
        memset(&pairs[threadIdx.x], 0, sizeof(Pair)); memcpy(numbers + 1, from + threadIdx.x, sizeof(int)); \
        f[threadIdx.x] = row[2]; i[threadIdx.x] = numbers[0] + numbers[1]; \
    }
MEMSET_MEMCPY(memset_memcpy_1, memset(numbers, 0, sizeof numbers))  //: i[t] == t
MEMSET_MEMCPY(memset_memcpy_2, memset(numbers, 0x40, sizeof numbers))  //: i[t] == t + 1077952576
MEMSET_MEMCPY(memset_memcpy_3, memset(numbers, -1, sizeof numbers))  //: i[t] == t - 1

// Memcpy through bytes.

struct Bytes { unsigned char all[16]; };

//: out = unwritten(32)
//: in = arange(32)
//: out == [0, 1065353216, 1073741824, 1077936128, 1082130432, 1084227584, 1086324736, 1088421888, 1090519040, 1091567616, 1092616192, 1093664768, 1094713344, 1095761920, 1096810496, 1097859072, 1098907648, 1099431936, 1099956224, 1100480512, 1101004800, 1101529088, 1102053376, 1102577664, 1103101952, 1103626240, 1104150528, 1104674816, 1105199104, 1105723392, 1106247680, 1106771968]
__global__ void memcpy_through_bytes(int *out, const float *in) {
    int4 four;
    Bytes bytes;
    memcpy(&four, in + 4 * threadIdx.x, sizeof four);
    memcpy(&bytes, &four, sizeof(Bytes));
    memcpy(out + 4 * threadIdx.x, bytes.all, sizeof(int4));
}

// Bytes at a null pointer.
//: <<<1, 1>>>
//: p = zeros(8)
#define BYTES_NULL(NAME, ...) \
    __global__ void NAME(int *p) { \
        __VA_ARGS__; \
    }
BYTES_NULL(bytes_null_pointer_1, memcpy(p, nullptr, 4))
//                               ^ out-of-bounds x4: points to no array
BYTES_NULL(bytes_null_pointer_2, memcpy(0, p, 4))
//                               ^ out-of-bounds x4: points to no array
BYTES_NULL(bytes_null_pointer_3, memset(NULL, 1, 8))
//                               ^ out-of-bounds x8: points to no array
BYTES_NULL(bytes_null_pointer_4, memset(0, 0, 4))
//                               ^ out-of-bounds x4: points to no array

// Bits are seen as another type through memcpy.

template <typename T> struct alignas(16) Packed {
    Packed() = default;
    __device__ explicit Packed(int4 bits) { memcpy(&values, &bits, sizeof(bits)); }
    __device__ static Packed all(T value) {
        Packed made;
        for (int i = 0; i < size; ++i) made[i] = value;
        return made;
    }
    __device__ T &operator[](int i) { return values[i]; }
    __device__ const T &operator[](int i) const { return values[i]; }
    __device__ int4 bits() const { int4 made; memcpy(&made, &values, sizeof(made)); return made; }
    static constexpr const int size = sizeof(int4) / sizeof(T);
    T values[size];
};

//: out[t] == 14 + 2 * t
__global__ void bits_are_seen_as_another_type_through_memcpy(float *out) {
    auto ones = Packed<float>::all(1);
    Packed<float> twice;
    for (int i = 0; i < ones.size; ++i) twice[i] = ones[i] * 2 + threadIdx.x;
    twice[1] += 10;
    Packed<float> again(twice.bits());
    out[threadIdx.x] = again[0] + again[1] + Packed<float>{}[2];
}

// Memset sets the bytes of a struct not what its constructor makes.

struct Sums { float4 a, b; int n; __device__ Sums() { memset(this, 0, sizeof(Sums)); n = 3; } };

//: out[t] == 30 + t
__global__ void memset_sets_the_bytes_of_a_struct_not_what_its_constructor_makes(int *out) {
    int t = threadIdx.x;
    Sums s; s.a.y += t; Sums u; memset(&u, 0, sizeof u); out[t] = s.a.y + s.b.w + 10 * s.n + 100 * u.n;
}
