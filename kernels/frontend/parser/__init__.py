"""Recursive descent over the tokens: files, types, declarations, statements, expressions."""
