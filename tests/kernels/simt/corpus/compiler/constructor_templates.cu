// Constructors that are templates.

// A constructor template takes a tile of another size.

template <int R, int C, int L = R> union Tile {
    __device__ Tile(float *x) : x(x) {}
    template <int R1, int C1, int L1>
    __device__ Tile(const Tile<R1, C1, L1> &whole, int i, int j) : x(&whole.x[i + j * L1]) {}
    float *x;
    float4 *x4;
};

//: whole = arange(64)
//: out == [57, 58, 59, 60, 65, 66, 67, 68]
__global__ void a_constructor_template_takes_a_tile_of_another_size(float *whole, float *out) {
    Tile<8, 8> all(whole);
    Tile<4, 2, 8> few(all, 4, 3);  // rows 4 to 7 of columns 3 and 4
    Tile<4, 2, 8> same(few);       // is no template's business
    int t = threadIdx.x;
    out[t] = few.x[t % 4 + t / 4 * 8] + same.x4[0].y;
}

// Constructor templates take part in overload resolution.

template <typename T> struct Pair {
    T a, b;
    __device__ Pair(T a, T b) : a(a), b(b) {}
    template <typename U> __device__ Pair(const Pair<U> &other) : a(other.a + 1), b(other.b + 1) {}
    template <typename U> __device__ explicit Pair(U *both) : Pair(both[0], both[1]) {}
};

//: out[t] == 100 * (2 * t + 1) + 88
__global__ void constructor_templates_take_part_in_overload_resolution(int *out) {
    int t = threadIdx.x;
    float both[2] = {2.0f * t, 7.9f};
    Pair<float> f(both); Pair<int> i(f), copied(i);
    out[t] = 100 * i.a + 10 * i.b + copied.b;
}
