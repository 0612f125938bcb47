"""Measurement of points on this machine: by the worker process, under what conditions, until when."""
