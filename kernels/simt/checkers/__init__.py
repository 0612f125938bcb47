"""Observers of the machine, in Compute Sanitizer's words: memcheck, initcheck, racecheck, synccheck."""
