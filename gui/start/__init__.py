"""The start page: questions, each answered by one click."""
