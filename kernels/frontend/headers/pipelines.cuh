// cuda/pipeline and cuda/barrier, with built-in functions of the simulator. See kernels/frontend/headers/provided.py.
#ifndef OWN_PIPELINES
#define OWN_PIPELINES
namespace cuda {

template <int SCOPE> struct cuda_barrier {
    unsigned long long word;
    using arrival_token = unsigned long long;
    __device__ arrival_token arrive(int count = 1) { return __phase_arrive(&word, count); }
    __device__ void wait(arrival_token token) { __phase_wait(&word, token); }
    __device__ void wait_parity(bool parity) { __phase_wait_parity(&word, parity); }
    __device__ void arrive_and_wait() { __phase_arrive_and_wait(&word); }
    template <typename T> __device__ void copy(T *to, const T *from) { __phase_copy(to, from, sizeof(T), &word); }
};

template <int SCOPE> using barrier = cuda_barrier<SCOPE>;

template <typename BARRIER> __device__ void init(BARRIER *which, unsigned int expected) {
    which->word = (unsigned long long)expected << 20 | expected;
}

template <int SCOPE> struct cuda_pipeline {
    cuda_barrier<SCOPE> *full, *empty;
    int count, filled, used;
    __device__ void producer_acquire() {
        if (filled >= count) empty[filled % count].wait_parity((filled / count - 1) % 2);
    }
    __device__ void producer_commit() { full[filled % count].arrive(); ++filled; }
    __device__ void consumer_wait() { full[used % count].wait_parity(used / count % 2); }
    __device__ void consumer_release() { empty[used % count].arrive(); ++used; }
    template <typename T> __device__ void copy(T *to, const T *from) { full[filled % count].copy(to, from); }
};

template <> struct cuda_pipeline<10> {
    int committed, waited;
    __device__ void producer_acquire() {}
    __device__ void producer_commit() { __pipeline_commit(); ++committed; }
    __device__ void consumer_wait() { __pipeline_wait_prior(committed - waited - 1); ++waited; }
    __device__ void consumer_release() {}
    template <typename T> __device__ void copy(T *to, const T *from) { __pipeline_memcpy_async(to, from, sizeof(T)); }
};

template <int SCOPE> using pipeline = cuda_pipeline<SCOPE>;

enum class pipeline_role { producer = -1, consumer = -2 };

template <int SCOPE, int STAGES> struct pipeline_shared_state {
    cuda_barrier<SCOPE> full[STAGES], empty[STAGES];
    __device__ cuda_pipeline<SCOPE> start(bool first, int producers, int consumers) {
        for (int i = 0; first && i < STAGES; ++i) {
            init(&full[i], producers);
            init(&empty[i], consumers);
        }
        return cuda_pipeline<SCOPE>{full, empty, STAGES, 0, 0};
    }
};

__device__ inline cuda_pipeline<10> make_pipeline() { return cuda_pipeline<10>{0, 0}; }

template <typename GROUP, typename STATE> __device__ auto make_pipeline(const GROUP &group, STATE *state) {
    auto made = state->start(group.thread_rank() == 0, group.size(), group.size());
    group.sync();
    return made;
}

template <typename GROUP, typename STATE> __device__ auto make_pipeline(const GROUP &group, STATE *state, int role) {
    int producers = role;
    if (role < 0) producers = __syncthreads_count(role == -1);
    auto made = state->start(group.thread_rank() == 0, producers, group.size() - producers);
    group.sync();
    return made;
}

template <int PRIOR> __device__ void pipeline_consumer_wait_prior(cuda_pipeline<10> &pipe) {
    __pipeline_wait_prior(PRIOR);
    pipe.waited = pipe.committed - PRIOR;
}

template <typename T, typename BOUND> __device__ void memcpy_async(T *to, const T *from, size_t bytes, BOUND &bound) {
    for (size_t i = 0; i < bytes / sizeof(T); ++i) bound.copy(to + i, from + i);
}

template <typename GROUP, typename T, typename BOUND> __device__ void memcpy_async(
        const GROUP &group, T *to, const T *from, size_t bytes, BOUND &bound) {
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size()) bound.copy(to + i, from + i);
}

}
#endif
