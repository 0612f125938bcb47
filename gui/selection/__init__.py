"""The selection that all pages share, and its bar."""
