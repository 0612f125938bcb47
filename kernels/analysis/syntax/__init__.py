"""Syntax of the traced source: statements, index expressions and their values."""
