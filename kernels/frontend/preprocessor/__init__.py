"""Preprocessor: directives, macros, included files, concepts, namespaces, and outlines of declarations."""
