"""Our own `cuComplex.h`, and the names that cuFFT has for its types; each operation is rounded as NVIDIA's is."""

from __future__ import annotations

import re
from typing import Final

HEADER: Final = re.compile(r"(cuComplex|cufft|cufftXt|cufftw|cu(blas|sparse|solver)\w*)\.h")
"""Names of the headers; those of the libraries of linear algebra have it, too."""

_FUNCTIONS: Final = """
typedef {number}2 {name};
__device__ inline {name} make_{name}({number} x, {number} y) {{ return make_{number}2(x, y); }}
__device__ inline {number} cuCreal{f}({name} z) {{ return z.x; }}
__device__ inline {number} cuCimag{f}({name} z) {{ return z.y; }}
__device__ inline {name} cuConj{f}({name} z) {{ return make_{number}2(z.x, -z.y); }}
__device__ inline {name} cuCadd{f}({name} a, {name} b) {{ return make_{number}2(a.x + b.x, a.y + b.y); }}
__device__ inline {name} cuCsub{f}({name} a, {name} b) {{ return make_{number}2(a.x - b.x, a.y - b.y); }}
__device__ inline {name} cuCmul{f}({name} a, {name} b) {{
    return make_{number}2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}}
__device__ inline {name} cuCdiv{f}({name} a, {name} b) {{
    {number} scale = {one} / (fabs{f}(b.x) + fabs{f}(b.y));
    {number} ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;
    {number} whole = {one} / (bx * bx + by * by);
    return make_{number}2((ax * bx + ay * by) * whole, (ay * bx - ax * by) * whole);
}}
__device__ inline {number} cuCabs{f}({name} z) {{
    {number} x = fabs{f}(z.x), y = fabs{f}(z.y), large = x > y ? x : y, small = x > y ? y : x;
    if (large == 0 || large > {most} || small > {most}) return large + small;
    {number} part = small / large;
    return large * sqrt{f}({one} + part * part);
}}
__device__ inline {name} cuCfma{f}({name} a, {name} b, {name} c) {{
    {number} x = a.x * b.x + c.x, y = a.x * b.y + c.y;
    return make_{number}2(-(a.y * b.y) + x, a.y * b.x + y);
}}
"""

TEXT: Final = (
    "#ifndef OWN_COMPLEX\n#define OWN_COMPLEX\n"
    + _FUNCTIONS.format(name="cuFloatComplex", number="float", f="f", one="1.0f", most="3.402823466e38f")
    + _FUNCTIONS.format(name="cuDoubleComplex", number="double", f="", one="1.0", most="1.79769313486231570e+308")
    + """
typedef cuFloatComplex cuComplex;
typedef cuFloatComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;
__device__ inline cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }
__device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_double2(z.x, z.y); }
__device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_float2(z.x, z.y); }
#endif
"""
)
"""The text of these headers."""
