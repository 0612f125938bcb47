template <typename T, int N = 4> struct Tile {
    static constexpr int SIZE = N * N;
    T data[N][N];
    __device__ Tile() {}
    __device__ T &at(int i) { return data[i / N][i % N]; }
    __device__ Tile<T, N> twice() const { Tile t; return t; }
    __device__ Tile &self() { return *this; }
};
template <> struct Tile<char, 1> { char only; };
