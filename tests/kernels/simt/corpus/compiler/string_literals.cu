// String literals: as first values of arrays, through pointers, as arguments of printf.

// String literals.
//: out[t] == [4097, 4098, 4010, 4000][t % 4]
__global__ void string_literals_1(int *out) {
    int t = threadIdx.x;
    const char s[] = "ab\n"; out[t] = s[t % 4] + 1000 * sizeof(s);
}

__constant__ char word[6] = "hey"; __device__ const char other[] = "x" "y";

//: out[t] == [225, 222, 242, 121][t % 4]
__global__ void string_literals_2(int *out) {
    int t = threadIdx.x;
    out[t] = word[t % 4] + other[1];
}

//: out[t] == 1
__global__ void string_literals_3(int *out) {
    int t = threadIdx.x;
    printf(R"(a "b" %d\n)", t); out[t] = 1;
}

// Pointers to string literals.

__constant__ char days[2][4] = {"mon", "tue"};
__device__ void say(const char *who, int n) { printf("%s:%d %5s;", who, n, n < 2 ? "few" : "many"); }
__device__ int length(const char *s) { int n = 0; while (s[n]) ++n; return n; }

//: <<<1, 4>>>
//: out == [116, 114, 116, 116]
//: printf == 'one:1   few;other:3  many;even:0   few;even:2  many;mon|tue|sun|sun|'
__global__ void pointers_to_string_literals(int *out) {
    int t = threadIdx.x;
    const char *name = t == 1 ? "one" : "other";
    if (t & 1) say(name, t); else say("even", t);
    const char *rest[] = {"wed", "sun"};
    printf("%s|", t < 2 ? days[t] : rest[1]);
    out[t] = length(name) + name[0];
}

// Unsupported uses of strings are refused.
__global__ void unsupported_uses_strings_1(int *out) {
    int t = threadIdx.x, r = 0;
    const char s[] = "ab"; printf("%s", s);
//                                      ^ error: %s of local memory; print its characters with %c
    out[t] = r;
}

__global__ void unsupported_uses_strings_2(int *out) {
    int t = threadIdx.x, r = 0;
    char *s = (char *)"ab"; s[0] = 'c';
//                          ^ error: this is const or a whole array: it cannot be assigned
    out[t] = r;
}
