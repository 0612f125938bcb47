// Textures and surfaces: coordinates, types of pixels, and errors.

// A texture gives the pixel its coordinates lie in or the nearest.
#define TEXTURE_GIVES(NAME, ...) \
    __global__ void NAME(cudaTextureObject_t tex, float *r) { \
        int t = threadIdx.x; r[t] = __VA_ARGS__; \
    }
//: tex = (arange(8) + 10).astype("f4")
//: r[t] == 17 - t
TEXTURE_GIVES(texture_gives_pixel_1, tex1Dfetch<float>(tex, 7 - t))
//: tex = arange(24, dtype="f4").reshape(4, 6)
//: r[t] == t
TEXTURE_GIVES(texture_gives_pixel_2, tex1Dfetch<float>(tex, t))
//: tex = (arange(8) + 10).astype("f4")
//: r[t] == t + 10
TEXTURE_GIVES(texture_gives_pixel_3, tex1D<float>(tex, t + 0.99f))
//: tex = (arange(8) + 10).astype("f4")
//: r == [10, 10, 11, 12, 13, 14, 15, 16]
TEXTURE_GIVES(texture_gives_pixel_4, tex1D<float>(tex, t - 0.01f))
//: tex = arange(24, dtype="f4").reshape(4, 6)
//: r == [12, 13, 14, 15, 16, 17, 17, 17]
TEXTURE_GIVES(texture_gives_pixel_5, tex2D<float>(tex, t, 2))
//: tex = arange(24, dtype="f4").reshape(4, 6)
//: r == [1, 1, 1, 7, 13, 19, 19, 19]
TEXTURE_GIVES(texture_gives_pixel_6, tex2D<float>(tex, 1.5f, t - 2))
//: tex = arange(24, dtype="f4").reshape(4, 6)
//: r[t] == 18
TEXTURE_GIVES(texture_gives_pixel_7, tex2D<float>(tex, -1e30f, 1e30f))
//: tex = arange(24, dtype="f4").reshape(4, 6)
//: r[t] == 6
TEXTURE_GIVES(texture_gives_pixel_8, tex2D<float>(tex, 0.0f / 0.0f, 1))
//: tex = arange(24, dtype="f4").reshape(4, 6)
//: r == [12, 13, 14, 15, 16, 17, 17, 17]
TEXTURE_GIVES(texture_gives_pixel_9, tex2DLod<float>(tex, t, 2, 0))
//: tex = arange(60, dtype="f4").reshape(3, 4, 5)
//: r == [41, 46, 51, 56, 56, 56, 56, 56]
TEXTURE_GIVES(texture_gives_pixel_10, tex2DLayered<float>(tex, 1, t, 2))
//: tex = arange(60, dtype="f4").reshape(3, 4, 5)
//: r == [51, 51, 11, 31, 51, 51, 51, 51]
TEXTURE_GIVES(texture_gives_pixel_11, tex2DLayered<float>(tex, 1, 2, t - 2))
//: tex = arange(60, dtype="f4").reshape(3, 4, 5)
//: r == [45, 46, 47, 48, 49, 49, 49, 49]
TEXTURE_GIVES(texture_gives_pixel_12, tex3D<float>(tex, t, 1, 2))

// Small numbers read as float are fractions of the largest.
#define SMALL_NUMBERS(NAME, ...) \
    __global__ void NAME(cudaTextureObject_t tex, float *r) { \
        int t = threadIdx.x; r[t] = __VA_ARGS__; \
    }
//: tex = ((32 * arange(8)).reshape(1, 8)).astype("u1")
//: r == [0, 0.125490203499794, 0.250980406999588, 0.3764705955982208, 0.501960813999176, 0.6274510025978088, 0.7529411911964417, 0.8784313797950745]
SMALL_NUMBERS(small_numbers_read_1, tex2D<float>(tex, t, 0))
//: tex = array([-128, -127, 0, 127], "i1")
//: r == [-1, -1, 0, 1, 1, 1, 1, 1]
SMALL_NUMBERS(small_numbers_read_2, tex1D<float>(tex, t))
//: tex = array([0, 65535], "u2")
//: r == [0, 1, 1, 1, 1, 1, 1, 1]
SMALL_NUMBERS(small_numbers_read_3, tex1D<float>(tex, t))
//: tex = array([0.5, 1.25], "f2")
//: r == [0.5, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25]
SMALL_NUMBERS(small_numbers_read_4, tex1D<float>(tex, t))

// Each thread may choose its texture.

struct Both { cudaTextureObject_t one, other; };

//: b.one = (arange(8) + 10).astype("f4")
//: b.other = (-1 * arange(8) - 10).astype("f4")
//: r == [-10, 11, -12, 13, -14, 15, -16, 17]
__global__ void each_thread_may_choose_its_texture(Both b, float *r) {
    cudaTextureObject_t mine = threadIdx.x % 2 ? b.one : b.other;
    r[threadIdx.x] = tex1D<float>(mine, threadIdx.x);
}

// Hazards of surfaces.
//: s = arange(24, dtype="f4").reshape(4, 6)
#define HAZARDS_SURFACES(NAME, ...) \
    __global__ void NAME(cudaSurfaceObject_t s) { \
        int t = threadIdx.x; __VA_ARGS__; \
    }
HAZARDS_SURFACES(hazards_surfaces_1, surf2Dwrite(1.0f, s, 4 * t, 0))
//                                   ^ out-of-bounds x2: writes s at x = 24, y = 0, but it has x below 24 bytes and y below 4
HAZARDS_SURFACES(hazards_surfaces_2, surf2Dwrite(1.0f, s, 0, t - 1))
//                                   ^ out-of-bounds x4: at x = 0, y = -1
HAZARDS_SURFACES(hazards_surfaces_3, float v = surf2Dread<float>(s, 0, t))
//                                             ^ out-of-bounds x4: reads s at x = 0, y = 4
HAZARDS_SURFACES(hazards_surfaces_4, if (t < 2) surf2Dwrite(1.0f, s, 4 * t + 2, 0))
//                                              ^ misaligned-access x2: x = 2, y = 0, but float has 4 bytes; x counts bytes: it must be a multiple of 4
HAZARDS_SURFACES(hazards_surfaces_5, surf2Dwrite((float)t, s, 0, 0))
//                                   ^ data-race x1

// Memory beyond the end cannot be fetched.
//: tex = (arange(8) + 10).astype("f4")
__global__ void memory_beyond_the_end_cannot_be_fetched(cudaTextureObject_t tex, float *r) {
    r[0] = tex1Dfetch<float>(tex, threadIdx.x + 1);
//         ^ out-of-bounds x1: reads tex[8], but tex has 8 elements
//  ^ result-never-written x7
//  ^ data-race x1
}

// Refusals.

texture<float, 2> gone;

#define REFUSALS(NAME, ...) \
    __global__ void NAME(cudaTextureObject_t tex, float *r) { \
        __VA_ARGS__; \
    }
REFUSALS(refusals_1, r[0] = tex2D(gone, 0, 0))  //: tex = arange(24, dtype="f4").reshape(4, 6)
//                                ^ error: no array for texture 'gone': give one as if it were a parameter, as in --arg "gone=f32[64,64]:iota"
REFUSALS(refusals_2, r[0] = tex2D<float4>(tex, 0, 0).x)  //: tex = arange(24, dtype="f4").reshape(4, 6)
//                          ^ error: needs an array of [height, width, 4]; 'tex' is [4, 6]
REFUSALS(refusals_3, r[0] = tex3D<float>(tex, 0, 0, 0))  //: tex = arange(24, dtype="f4").reshape(4, 6)
//                          ^ error: needs an array of [depth, height, width]
REFUSALS(refusals_4, r[0] = tex2D<float>(tex, 0, 0))  //: tex = arange(24, dtype="i4").reshape(4, 6)
//                          ^ error: give it as an array of float32
REFUSALS(refusals_5, r[0] = tex2D<float>(tex, 0))  //: tex = arange(24, dtype="f4").reshape(4, 6)
//                          ^ error: tex2D takes 3 arguments, 2 are given
REFUSALS(refusals_6, r[0] = tex2D(tex, 0, 0))  //: tex = arange(24, dtype="f4").reshape(4, 6)
//                          ^ error: say what tex2D reads: tex2D<float>(…)
REFUSALS(refusals_7, r[0] = tex2D<float>(r, 0, 0))  //: tex = arange(24, dtype="f4").reshape(4, 6)
//                                       ^ error: tex2D needs a texture, not float *
REFUSALS(refusals_8, surf2Dwrite(1.0f, tex, 0, 0))  //: tex = arange(24, dtype="f4").reshape(4, 6)
//                                     ^ error: surf2Dwrite needs a surface, not cudaTextureObject_t
REFUSALS(refusals_9, r[0] = texCubemap<float>(tex, 0, 0, 0))  //: tex = arange(24, dtype="f4").reshape(4, 6)
//                          ^ error: texCubemap of float needs an array of [6, height, width]; 'tex' is [4, 6]
