// cuRAND on the device: the numbers of its header (CUDA 13, compiled by g++ for a CPU), and their accesses.

// Hazards and refusals.
//: s = ones((8, 12), "u4")
#define HAZARDS_REFUSALS(NAME, ...) \
    __global__ void NAME(curandState *s, unsigned *out) { \
        __VA_ARGS__; \
    }
HAZARDS_REFUSALS(hazards_refusals_1, curandState mine; out[threadIdx.x] = curand(&mine))
//                                                                        ^ uninitialised-read x48
HAZARDS_REFUSALS(hazards_refusals_2, out[threadIdx.x] = curand(&s[threadIdx.x + 1]))
//                                                      ^ out-of-bounds x6
HAZARDS_REFUSALS(hazards_refusals_3, out[threadIdx.x] = curand(&s[0]))
//                                                      ^ data-race x6

// Refusals.
//: s = ones((1, 12), "u4")
//: out = zeros(1)
#define REFUSALS(NAME, ...) \
    __global__ void NAME(curandState *s, float *out) { \
        __VA_ARGS__; \
    }
REFUSALS(refusals_1, curand(out))
//                   ^ error: not supported: curand with float *; use a pointer to curandState
REFUSALS(refusals_2, curand(s, s))
//                   ^ error: curand takes 1 argument, 2 are given
REFUSALS(refusals_3, curand_init(1, 2, s))
//                   ^ error: curand_init takes 4 arguments, 3 are given
REFUSALS(refusals_4, skipahead(1000ull, s))
//                   ^ error: not supported: function 'skipahead'; neither this file, with what it includes, nor the simulator declares it
REFUSALS(refusals_5, curand_normal2(s))
//                   ^ error: not supported: function 'curand_normal2'; there is curand_normal
REFUSALS(refusals_6, curandStatePhilox4_32_10_t q)
//                   ^ error: not supported: type 'curandStatePhilox4_32_10_t'; neither this file, with what it includes, nor the simulator declares it
REFUSALS(refusals_7, curand_poisson(s, 1.0))
//                   ^ error: not supported: function 'curand_poisson'; neither this file, with what it includes, nor the simulator declares it
REFUSALS(refusals_8, curandStateSobol32_t q)
//                   ^ error: not supported: type 'curandStateSobol32_t'; neither this file, with what it includes, nor the simulator declares it
