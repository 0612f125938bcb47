"""The Benchmark page: kernels measured in a separate process, GFLOPS plotted against n."""
