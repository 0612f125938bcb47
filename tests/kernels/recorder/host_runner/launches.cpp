template <typename K> static void launch(uint3 grid, uint3 block, K kernel)
{
    gridDim = grid;
    blockDim = block;
    unsigned threads = block.x * block.y * block.z;
    for (unsigned b = 0; b < grid.x * grid.y * grid.z; ++b) {
        blockIdx = {b % grid.x, b / grid.x % grid.y, b / (grid.x * grid.y)};
        std::barrier<> waiting(threads);
        block_barrier = &waiting;
        std::vector<std::thread> running;
        for (unsigned t = 0; t < threads; ++t)
            running.emplace_back([=, &waiting] {
                threadIdx = {t % block.x, t / block.x % block.y, t / (block.x * block.y)};
                kernel();
                waiting.arrive_and_drop();
            });
        for (std::thread &one : running)
            one.join();
    }
}
static FILE *given, *found;
static void *load(unsigned long long bytes)
{
    void *place = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (fread(place, 1, bytes, given) != bytes)
        abort();
    return place;
}
static void save(const void *place, unsigned long long bytes) { fwrite(place, 1, bytes, found); }
static void begin(unsigned long long threads, unsigned capacity)
{
    ts_capacity = capacity;
    ts_count = (unsigned *)calloc(threads, sizeof(unsigned));
    ts_log = (ts_entry *)calloc(threads * (capacity + 1ull), sizeof(ts_entry));
}
static void end(unsigned long long threads)
{
    save(ts_count, threads * sizeof(unsigned));
    save(ts_log, threads * (ts_capacity + 1ull) * sizeof(ts_entry));
}
