"""Directives, macros, included files, and declarations outlined before parsing."""
