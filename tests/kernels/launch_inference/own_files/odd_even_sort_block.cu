// odd-even transposition sort of one array by one block (lab exercise)
__global__ void oddeven(int *data, int n)
{
    int tid = threadIdx.x;
    for (int phase = 0; phase < n; phase++) {
        int i = 2 * tid + (phase & 1);
        if (i + 1 < n) {
            int a = data[i], b = data[i + 1];
            if (a > b) {
                data[i] = b;
                data[i + 1] = a;
            }
        }
        __syncthreads();
    }
}
