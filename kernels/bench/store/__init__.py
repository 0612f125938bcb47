"""Samples on disk: the store, its rows, files of runs, and the runs that ship with the program."""
