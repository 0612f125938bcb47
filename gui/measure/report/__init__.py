"""Export of what the Benchmark page shows: pictures, samples, and a report on one page."""
