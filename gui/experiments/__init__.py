"""The Experiments page: published tables, run again here, ours over theirs."""
