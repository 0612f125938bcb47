template <typename T> struct At : std::iterator<std::input_iterator_tag, T> { T x; };
template <typename I> __device__ int bytes(I from) {
    using V = typename std::iterator_traits<I>::value_type;
    return sizeof(V);
}
__global__ void k(double *in, const short *more, int *out) {
    out[0] = bytes(in) + 10 * bytes(more) + 100 * sizeof(typename At<char>::value_type);
}
