"""Expressions: lvalues, operators, conversions, loads and stores, assignments."""
