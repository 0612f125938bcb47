template <typename T, int N> using Bytes = typename std::aligned_storage<N * sizeof(T), N * sizeof(T)>::type;
template <typename T, int N> union Pack {
    static_assert(sizeof(Bytes<T, N>) == N * sizeof(T) && alignof(std::aligned_storage_t<16, 4>) == 4, "");
    __device__ Pack() {}
    Bytes<T, N> all;
    T each[N];
};
template <typename T> struct Loader {
    const T *from;
    template <int N> __device__ void load(T *to, int at) const {
        Pack<T, N> pack;
        pack.all = *(reinterpret_cast<const Bytes<T, N> *>(from) + at);
        for (int i = 0; i < N; ++i) to[i] = pack.each[i];
    }
};
__global__ void k(Loader<float> loader, float *out) {
    loader.template load<4>(out + 4 * threadIdx.x, threadIdx.x);
}
