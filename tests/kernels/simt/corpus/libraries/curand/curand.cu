// cuRAND on the device: the numbers of its header (CUDA 13, compiled by g++ for a CPU), and their accesses.

#include <curand_kernel.h>

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

// The numbers of the header.
//: <<<1, 1>>>
//: u = unwritten(4)
//: f = unwritten(2)
//: d = unwritten(2)
//: n = unwritten(3)
//: nd = unwritten(3)
#define NUMBERS(NAME, STATE, SEED, SUBSEQUENCE, OFFSET) \
    __global__ void NAME(unsigned *u, float *f, double *d, float *n, double *nd) { \
        STATE s; \
        curand_init(SEED, SUBSEQUENCE, OFFSET, &s); \
        for (int i = 0; i < 4; i++) u[i] = curand(&s); \
        for (int i = 0; i < 2; i++) f[i] = curand_uniform(&s); \
        for (int i = 0; i < 2; i++) d[i] = curand_uniform_double(&s); \
        for (int i = 0; i < 3; i++) n[i] = curand_normal(&s); \
        for (int i = 0; i < 3; i++) nd[i] = curand_normal_double(&s); \
    }
//: u == [3179217846, 1883133293, 2220552389, 674260989]
//: f == [float.fromhex("0x1.245242p-4"), float.fromhex("0x1.d99bccp-2")]
//: d == [float.fromhex("0x1.51435efcda8a7p-2"), float.fromhex("0x1.809cdb605db16p-3")]
//: n == approx([-0.104894765, -0.4072119, -0.066577211], rel=1e-6)
//: nd == approx([-1.7094655400556313, 0.12253617105682521, -0.080401525704014556], rel=1e-14)
NUMBERS(first_stream, curandState, 0ull, 0ull, 0ull)
//: u == [836519588, 2101027563, 343391548, 3993449199]
//: f == [float.fromhex("0x1.440f7p-2"), float.fromhex("0x1.e83ac4p-4")]
//: d == [float.fromhex("0x1.38cbaedb269fep-1"), float.fromhex("0x1.af416bb88e9f5p-2")]
//: n == approx([1.94031036, -1.26189137, -1.88809514], rel=1e-6)
//: nd == approx([-0.4128736857820916, -2.4812657632227562, -1.1185482589404074], rel=1e-14)
NUMBERS(offset_in_a_stream, curandState, 1234ull, 77777ull, 3ull)
//: u == [441252478, 3254169414, 3853115319, 1799621412]
//: f == [float.fromhex("0x1.deb074p-4"), float.fromhex("0x1.ac96f6p-1")]
//: d == [float.fromhex("0x1.6d57e6881e488p-1"), float.fromhex("0x1.e8a95a6975a3ep-3")]
//: n == approx([-0.227066129, 0.0617234856, -0.0487275012], rel=1e-6)
//: nd == approx([-0.10304691219495411, -0.49670577566084112, -2.1642032136972551], rel=1e-14)
NUMBERS(long_seed_and_offset, curandState_t, 81985529216486895ull, 18364758544493064720ull, 9223372036854775815ull)

// A forgotten curand_init is an uninitialised read: of a local state, of one in an array, and of a copy of that.
//: s = unwritten(8, 48, dtype="u1")
//: uninitialised-read
//: besides result-never-written
#define FORGOTTEN(NAME, ...) \
    __global__ void NAME(curandState *s) { __VA_ARGS__; }
FORGOTTEN(curand_of_a_local, curandState mine; curand(&mine))
FORGOTTEN(curand_of_a_element, curand(&s[threadIdx.x]))
FORGOTTEN(curand_of_a_copy, curandState mine = s[threadIdx.x]; curand(&mine))
FORGOTTEN(curand_uniform_of_a_local, curandState mine; curand_uniform(&mine))
FORGOTTEN(curand_uniform_of_a_element, curand_uniform(&s[threadIdx.x]))
FORGOTTEN(curand_uniform_of_a_copy, curandState mine = s[threadIdx.x]; curand_uniform(&mine))
FORGOTTEN(curand_uniform_double_of_a_local, curandState mine; curand_uniform_double(&mine))
FORGOTTEN(curand_uniform_double_of_a_element, curand_uniform_double(&s[threadIdx.x]))
FORGOTTEN(curand_uniform_double_of_a_copy, curandState mine = s[threadIdx.x]; curand_uniform_double(&mine))
FORGOTTEN(curand_normal_of_a_local, curandState mine; curand_normal(&mine))
FORGOTTEN(curand_normal_of_a_element, curand_normal(&s[threadIdx.x]))
FORGOTTEN(curand_normal_of_a_copy, curandState mine = s[threadIdx.x]; curand_normal(&mine))
FORGOTTEN(curand_normal_double_of_a_local, curandState mine; curand_normal_double(&mine))
FORGOTTEN(curand_normal_double_of_a_element, curand_normal_double(&s[threadIdx.x]))
FORGOTTEN(curand_normal_double_of_a_copy, curandState mine = s[threadIdx.x]; curand_normal_double(&mine))
