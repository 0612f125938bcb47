"""Hosts and slots: worker processes on GPUs and machines, and the shards of a plan."""
