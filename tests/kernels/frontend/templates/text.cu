template <int N> struct Tile {
    static constexpr int SIZE = N * N;
    static constexpr int ODD[2] = {1, 2 * N + 1};
    int data[N];
    __device__ int &at(int i) { return data[i % N]; }
    template <typename T> __device__ T scaled(T factor) { return data[0] * factor; }
};
template <typename T> __device__ T twice(T x) { return x + x; }
template <int N> __global__ void k(int *out) {
    Tile<N> tile;
    tile.at(N) = Tile<N>::SIZE;
    out[threadIdx.x] = twice(tile.at(0)) + tile.scaled(2) + Tile<N>::ODD[threadIdx.x % 2];
}
struct Left { virtual void f(); };
__global__ void unreadable(int *out) { Left x; }
