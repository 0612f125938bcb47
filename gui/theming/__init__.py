"""Colours and type sizes, light and dark."""
