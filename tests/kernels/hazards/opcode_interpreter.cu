// A small interpreter: every thread runs the same program on its own data.
extern "C" __global__ void opcode_interpreter(const int *code, int length, const int *in, int *out)
{
    int t = threadIdx.x, x = in[t];
    for (int k = 0; k < length; ++k)
        switch (code[k] % 4) {
        case 0:
            x += k;
            break;
        case 1:
            x *= 2;
        case 2:
            if (x > 50)
                continue;
            x -= 3;
            break;
        default:
            x ^= 1;
        }
    out[t] = x;
}

/* hazard
trace = '''
    --grid 1 --block 32 --arg code=i32[8]:iota --arg length=8 --arg in=i32[32]:iota --arg out=i32[32]:uninit'''
hazards = []
seen = []
first = { out = [-7, -3, 1, 5, 9, 13, 17, 21] }
*/
