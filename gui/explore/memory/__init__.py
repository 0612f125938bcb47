"""Requests of a warp to memory: lanes, sectors and banks, beside the picture and in the panel below it."""
