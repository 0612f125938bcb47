// European options, after the SDK sample
__device__ inline float cndGPU(float d)
{
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;
    float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
    float cnd = RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0) cnd = 1.0f - cnd;
    return cnd;
}

__launch_bounds__(128)
__global__ void BlackScholesGPU(float2 *__restrict d_CallResult, float2 *__restrict d_PutResult,
                                float2 *__restrict d_StockPrice, float2 *__restrict d_OptionStrike,
                                float2 *__restrict d_OptionYears, float Riskfree, float Volatility, int optN)
{
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;

    // Calculating 2 options per thread to increase ILP (instruction level parallelism)
    if (opt < (optN / 2)) {
        float2 S = d_StockPrice[opt], X = d_OptionStrike[opt], T = d_OptionYears[opt], call, put;
        for (int j = 0; j < 2; j++) {
            float s = j ? S.y : S.x, x = j ? X.y : X.x, t = j ? T.y : T.x;
            float sqrtT = sqrtf(t);
            float d1 = (__logf(s / x) + (Riskfree + 0.5f * Volatility * Volatility) * t) / (Volatility * sqrtT);
            float d2 = d1 - Volatility * sqrtT;
            float expRT = __expf(-Riskfree * t);
            float c = s * cndGPU(d1) - x * expRT * cndGPU(d2);
            float p = x * expRT * (1.0f - cndGPU(d2)) - s * (1.0f - cndGPU(d1));
            if (j) { call.y = c; put.y = p; } else { call.x = c; put.x = p; }
        }
        d_CallResult[opt] = call;
        d_PutResult[opt] = put;
    }
}
