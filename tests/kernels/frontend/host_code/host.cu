#include <vector>
#include "cuda_runtime.h"
using namespace std;
using std::vector;
#define CHECK(call) do { if ((call) != cudaSuccess) { fprintf(stderr, "%d", __LINE__); exit(1); } } while (0)

int N = 1 << 20;
std::vector<float> table(100), other;
static const char *title = "host";
const std::string name = "host";
extern int elsewhere;
thread_local int mine;
std::map<int, std::vector<int>> index{{1, {2, 3}}};
int prototype(int, ...);

template <typename T> class Buffer {
public:
    explicit Buffer(size_t n) : size_{n}, data_(nullptr) { CHECK(cudaMalloc(&data_, n * sizeof(T))); }
    ~Buffer() { cudaFree(data_); }
    T *get() const noexcept { return data_; }
private:
    size_t size_; T *data_;
};

class Shape { public: virtual double area() const = 0; };
struct Square : Shape { double area() const override { return 1.0; } };
union Both { int i; float f; };

template <typename F, typename... Rest> void each(F &&f, Rest &&...rest) { f(std::forward<Rest>(rest)...); }

__global__ void kernel(float *a, int n) { a[threadIdx.x] = n; }

int helper(int n) try { return n; } catch (...) { return 0; }
float operator*(Square a, float b) { return b; }
auto Shape_area(const Shape &s) -> double { return s.area(); }

int main(int argc, char **argv)
{
    auto launch = [&](int n) mutable { kernel<<<dim3(1, n), 32, 0, 0>>>(nullptr, n); };
    for (auto &[key, value] : index) launch(key);
    std::cout << R"(not "closed)" << 'x' << N << std::endl;
    switch (argc) { case 1 ... 3: goto end; }
end:
    return helper(argc) ? EXIT_SUCCESS : delete argv, new int[3];
}
