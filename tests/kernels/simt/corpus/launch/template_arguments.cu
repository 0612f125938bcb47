// Arguments of template kernels as a command gives them: types, constants and functions by the names of the file.

namespace lib {
template <int ROWS, typename T> struct Tile { static constexpr int rows = ROWS; using type = T; };
namespace wide { template <int ROWS> struct Tile { static constexpr int rows = 10 * ROWS; using type = short; }; }
template <typename T> struct Chosen { using Third = Tile<3, T>; };
template <typename T> struct Odd { static constexpr int rows = padding(3, 4); };
struct Plain { static constexpr int rows = 3; using type = int; };
constexpr int SIDE = 4;

//: template Traits = Tile<8, double>
//: out[t] == 8 + 800 + 160000 + 1000000
//: or
//: template Traits = lib::Tile<lib::SIDE * 2,float>, MORE = SIDE
//: out[t] == 8 + 800 + 320000 + 4000000
//: or
//: template Traits = wide::Tile<2>, N = 5
//: out[t] == 20 + 500 + 640000 + 1000000
//: or
//: template Traits = lib::wide::Tile<2>, SCALE = 7
//: out[t] == 20 + 2000 + 70000 + 1000000
//: or
//: template Traits = lib::Chosen<int>::Third, N = (SIDE + 1) * 3 % 8
//: out[t] == 3 + 700 + 320000 + 1000000
//: or
//: template Traits = struct Plain, SCALE = (SIDE > 3)
//: out[t] == 3 + 300 + 10000 + 1000000
//: or
//: template Traits = Tile<8
//: error: --template Traits=Tile<8: syntax error: expected ',' after 'Tile<8'
//: or
//: template Traits = Tile<8, float>>
//: error: --template Traits=Tile<8, float>>: syntax error near '>>'
//: or
//: template Traits = Tile<8, float> *)
//: error: --template Traits=Tile<8, float> *): syntax error: this ')' closes nothing
//: or
//: template Traits = Tile<8, number>
//: error: --template Traits=Tile<8, number>: Tile: template parameter T is a type, number is given
//: or
//: template Traits = Tile<SIZE, int>
//: error: --template Traits=Tile<SIZE, int>: Tile: template parameter ROWS is a whole number, SIZE is given
//: or
//: template Traits = Odd<float>
//: error: --template Traits=Odd<float>: not supported: static member 'rows'; padding is no constexpr function with 2 parameters
//: or
//: template Traits = float, int
//: error: --template Traits=float, int: syntax error near ','
//: or
//: template Traits = Plain;
//: error: --template Traits=Plain;: syntax error near ';'
//: or
//: template Traits = SIDE
//: error: --template Traits=SIDE: 'SIDE' is not a type such as float or int
//: or
//: template Traits = 
//: error: --template Traits=: syntax error
//: or
//: template Traits = Plain
//: out[t] == 3 + 300 + 320000 + 1000000
template <typename Traits, int N = Traits::rows, int SCALE = 128 / sizeof(typename Traits::type), int MORE = 1>
__global__ void parameters(int *out) {
    out[threadIdx.x] = Traits::rows + 100 * N + 10000 * SCALE + 1000000 * MORE;
}
}

// A type that is missing or does not suit brings up those that do.
struct Rows { using value_type = float; static __device__ int size(int n) { return n; } };
template <int W> struct Columns { using value_type = float; static __device__ int size(int n) { return n * W; } };
struct Other { using value_type = float; };
struct Radix { __device__ int get_bit(int x) const { return x; } };

//: error: --template L=VALUE (a type); it needs value_type, size: try Rows, Columns<…>
//: or
//: template L = float
//: error: value_type'; with --template L=float; it needs value_type, size: try Rows, Columns<…>
template <typename L> __global__ void layout(typename L::value_type *out) { out[threadIdx.x] = L::size(threadIdx.x); }

//: template K = int
//: error: no member function get_bit; with --template K=int; it needs get_bit: try Radix
template <typename K> __global__ void key(float *out) { K key; out[threadIdx.x] = key.get_bit(3); }

template <typename K> struct Held { K key; };
template <typename K> __device__ int bit(Held<K> held) { return held.key.get_bit(1); }

//: template K = int
//: error: int has no member function get_bit; with --template K=int; it needs get_bit: try Radix
template <typename K> __global__ void held_key(float *out) { Held<K> held; out[threadIdx.x] = bit(held); }

//: error: it needs nothing: no struct of this file has that
template <typename K> __global__ void missing_everywhere(K *out) { out[threadIdx.x] = K::nothing; }
