// Textures with settings of their host: what an H200 gives.

// Coordinates that an H200 was asked for.
#define PIXEL(NAME, ...) \
    __global__ void NAME(cudaTextureObject_t tex, float *out) { \
        out[threadIdx.x] = tex1D<float>(tex, __VA_ARGS__); \
    }
//: tex = texture(arange(37, dtype="f4"), "normalized")
//: out[t] == 0
PIXEL(pixel_1, 1.0f / 37)
//: tex = texture(arange(37, dtype="f4"), "normalized wrap")
//: out[t] == 17
PIXEL(pixel_2, 18.0f / 37)
//: tex = texture(arange(37, dtype="f4"), "normalized wrap")
//: out[t] == 33
PIXEL(pixel_3, -3.0f / 37)
//: tex = texture(arange(37, dtype="f4"), "normalized wrap")
//: out[t] == 36
PIXEL(pixel_4, -1e-30f)
//: tex = texture(arange(37, dtype="f4"), "normalized")
//: out[t] == 27
PIXEL(pixel_5, 0.75f)
//: tex = texture(arange(37, dtype="f4"), "normalized wrap")
//: out[t] == 0
PIXEL(pixel_6, 1e30f)
//: tex = texture(arange(37, dtype="f4"), "normalized mirror")
//: out[t] == 0
PIXEL(pixel_7, INFINITY)
//: tex = texture(arange(37, dtype="f4"), "linear")
//: out[t] == 36
PIXEL(pixel_8, INFINITY)
//: tex = texture(arange(37, dtype="f4"), "linear normalized")
//: out[t] == 0
PIXEL(pixel_9, -INFINITY)

// Cubes.
//: tex = arange(96, dtype="f4").reshape(6, 4, 4)
#define DIRECTION(NAME, ...) \
    __global__ void NAME(cudaTextureObject_t tex, float *out) { \
        out[threadIdx.x] = texCubemap<float>(tex, __VA_ARGS__); \
    }
DIRECTION(right, 1, 0.6f, -0.6f)  //: out == before["tex"][0, 0, 3]
DIRECTION(left, -1, 0.6f, -0.6f)  //: out == before["tex"][1, 0, 0]
DIRECTION(up, 0.6f, 1, -0.6f)  //: out == before["tex"][2, 0, 3]
DIRECTION(down, 0.6f, -1, -0.6f)  //: out == before["tex"][3, 3, 3]
DIRECTION(ahead, 0.6f, -0.1f, 1)  //: out == before["tex"][4, 2, 3]
DIRECTION(behind, 0.6f, -0.1f, -1)  //: out == before["tex"][5, 2, 0]
DIRECTION(far_away, 30, 6, -18)  //: out == before["tex"][0, 1, 3]
