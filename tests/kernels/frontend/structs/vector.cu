struct V {
    float x = 1, y;
    static constexpr int N = 2;
    enum { RED, BLUE };
    typedef float Real;
    __host__ __device__ V() : y(2) {}
    __device__ explicit V(float a, float y) : x{a}, y(y) { x *= N; }
    __device__ float dot(const V &o) const { float y = o.y; return x * o.x + this->y * y + BLUE; }
    __device__ V operator+(const V &o) const { return V(x + o.x, y + o.y); }
    __device__ V &operator+=(V o) { *this = *this + o; return *this; }
    __device__ float &operator[](int i) { return i ? y : x; }
    __device__ float operator()(float t) const { return scale(t) * dot(*this); }
    __device__ static float scale(Real t) { return 2 * t; }
    __device__ float late();
    void print() const { std::cout << x; }
    ~V() = default;
    V(const V &) = default;
    template <int I> __device__ float get() { return x; }
};
__device__ float V::late() { return y + N; }
