// Standard headers, after [meta], [utility], [iterator], [tuple] and [array] of C++17; names have no namespace here.
template <typename T, T v> struct integral_constant {
    static constexpr T value = v;
    using value_type = T;
    using type = integral_constant<T, v>;
    __device__ constexpr operator T() const { return v; }
    __device__ constexpr T operator()() const { return v; }
};
template <bool v> using bool_constant = integral_constant<bool, v>;
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;

template <bool holds, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { using type = T; };
template <bool holds, typename T = void> using enable_if_t = typename enable_if<holds, T>::type;
template <bool first, typename T, typename U> struct conditional { using type = U; };
template <typename T, typename U> struct conditional<true, T, U> { using type = T; };
template <bool first, typename T, typename U> using conditional_t = typename conditional<first, T, U>::type;
template <typename T, typename U> struct common_type { using type = decltype(true ? T() : U()); };
template <typename T, typename U> using common_type_t = typename common_type<T, U>::type;

template <typename T> struct type_identity { using type = T; };
template <typename T> struct remove_reference { using type = T; };
template <typename T> struct remove_reference<T &> { using type = T; };
template <typename T> struct remove_reference<T &&> { using type = T; };
template <typename T> struct remove_pointer { using type = T; };
template <typename T> struct remove_pointer<T *> { using type = T; };
template <typename T> struct remove_pointer<const T *> { using type = T; };
template <typename T> struct remove_const { using type = T; };
template <typename T> struct remove_volatile { using type = T; };
template <typename T> struct remove_cv { using type = T; };
template <typename T> struct decay { using type = typename remove_reference<T>::type; };
template <typename T> struct remove_cvref { using type = typename remove_reference<T>::type; };
template <typename T> struct make_unsigned { using type = T; };
template <> struct make_unsigned<char> { using type = unsigned char; };
template <> struct make_unsigned<short> { using type = unsigned short; };
template <> struct make_unsigned<int> { using type = unsigned; };
template <> struct make_unsigned<long long> { using type = unsigned long long; };
template <typename T> struct make_signed { using type = T; };
template <> struct make_signed<unsigned char> { using type = char; };
template <> struct make_signed<unsigned short> { using type = short; };
template <> struct make_signed<unsigned> { using type = int; };
template <> struct make_signed<unsigned long long> { using type = long long; };
template <typename T> struct underlying_type { using type = T; };
template <typename T> using type_identity_t = T;
template <typename T> using remove_reference_t = typename remove_reference<T>::type;
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T> using remove_const_t = T;
template <typename T> using remove_volatile_t = T;
template <typename T> using remove_cv_t = T;
template <typename T> using decay_t = typename decay<T>::type;
template <typename T> using remove_cvref_t = typename remove_reference<T>::type;
template <typename T> using make_unsigned_t = typename make_unsigned<T>::type;
template <typename T> using make_signed_t = typename make_signed<T>::type;
template <typename T> using underlying_type_t = T;
template <typename... T> using void_t = void;
template <size_t size, size_t align = 8> struct aligned_storage {
    struct alignas(align) type { unsigned char bytes[size]; };
};
template <size_t size, size_t align = 8> using aligned_storage_t = typename aligned_storage<size, align>::type;

template <typename T, typename U> __device__ void swap(T &a, U &b) { T kept = a; a = b; b = kept; }
template <typename T> __device__ T exchange(T &place, T value) { T old = place; place = value; return old; }

template <typename T> using device_ptr = T *;
template <typename T> __device__ T *raw_pointer_cast(T *pointer) { return pointer; }

template <typename T> __device__ constexpr T clamp(T x, T least, T most) {
    return x < least ? least : most < x ? most : x;
}
template <typename To, typename From> __device__ To bit_cast(const From &bits) {
    To made;
    memcpy(&made, &bits, sizeof(To));
    return made;
}

template <typename T> struct span {
    T *pointer;
    size_t count;
    using value_type = T;
    __device__ T &operator[](size_t i) const { return pointer[i]; }
    __device__ size_t size() const { return count; }
    __device__ bool empty() const { return count == 0; }
    __device__ T *data() const { return pointer; }
    __device__ T *begin() const { return pointer; }
    __device__ T *end() const { return pointer + count; }
    __device__ T &front() const { return pointer[0]; }
    __device__ T &back() const { return pointer[count - 1]; }
    __device__ span subspan(size_t first, size_t n) const { return {pointer + first, n}; }
    __device__ span first(size_t n) const { return {pointer, n}; }
    __device__ span last(size_t n) const { return {pointer + count - n, n}; }
};

struct input_iterator_tag {};
struct output_iterator_tag {};
struct forward_iterator_tag {};
struct bidirectional_iterator_tag {};
struct random_access_iterator_tag {};
template <typename Category, typename T> struct iterator { using value_type = T; };
template <typename T> struct iterator_traits {};
template <typename T> struct iterator_traits<T *> { using value_type = T; };
template <typename T> struct iterator_traits<const T *> { using value_type = T; };

template <typename T, typename U> struct pair {
    T first;
    U second;
    using first_type = T;
    using second_type = U;
};
template <typename T, typename U> __device__ pair<T, U> make_pair(T first, U second) { return {first, second}; }

template <typename T, size_t N> struct array {
    T values[N];
    using value_type = T;
    __device__ T &operator[](size_t i) { return values[i]; }
    __device__ const T &operator[](size_t i) const { return values[i]; }
    __device__ constexpr size_t size() const { return N; }
    __device__ T *data() { return values; }
    __device__ T *begin() { return values; }
    __device__ T *end() { return values + N; }
    __device__ T &front() { return values[0]; }
    __device__ T &back() { return values[N - 1]; }
    __device__ void fill(T value) { for (size_t i = 0; i < N; ++i) values[i] = value; }
};

template <typename... T> struct tuple;
template <> struct tuple<> {};
template <typename T, typename... Rest> struct tuple<T, Rest...> {
    T head;
    tuple<Rest...> tail;
    __device__ tuple() {}
    __device__ tuple(T first, Rest... rest) : head(first), tail(rest...) {}
};
template <typename... T> __device__ tuple<T...> make_tuple(T... values) { return tuple<T...>(values...); }
template <int N, typename T, typename... Rest> __device__ auto get(const tuple<T, Rest...> &values) {
    if constexpr (N == 0) return values.head;
    else return get<N - 1>(values.tail);
}

template <typename T, T... N> struct integer_sequence {
    using value_type = T;
    __device__ static constexpr size_t size() { return sizeof...(N); }
};
template <typename T, T Count, T... N> struct counted_sequence {
    using type = typename counted_sequence<T, Count - 1, Count - 1, N...>::type;
};
template <typename T, T... N> struct counted_sequence<T, 0, N...> { using type = integer_sequence<T, N...>; };
template <size_t... N> using index_sequence = integer_sequence<size_t, N...>;
template <typename T, T Count> using make_integer_sequence = typename counted_sequence<T, Count>::type;
template <size_t Count> using make_index_sequence = typename counted_sequence<size_t, Count>::type;
template <typename... T> using index_sequence_for = typename counted_sequence<size_t, sizeof...(T)>::type;
