"""Lexer: source text to tokens."""
