"""The one selection that every page follows, and its bar."""
