// Constructors of a base, called by the names that the base has.

// A base is given its values by any of its names.

namespace own { template <typename T> struct Base { T x; __device__ Base(T x) : x(x) {} }; }

//: <<<1, 1>>>
//: out == 32
#define NAMED_BASE(NAME, DERIVED, BASE) \
    template <typename T> struct DERIVED : own::Base<T> { \
        using Parent = own::Base<T>; \
        int y; \
        __device__ DERIVED(T x) : BASE(x), y(2) {} \
    }; \
    __global__ void NAME(int *out) { \
        DERIVED<int> d(3); \
        out[0] = d.x * 10 + d.y; \
    }
NAMED_BASE(by_its_name, Plain, Base)
NAMED_BASE(by_its_qualified_name, Qualified, own::Base)
NAMED_BASE(by_an_alias, Aliased, Parent)
NAMED_BASE(by_its_arguments, WithArguments, own::Base<T>)
