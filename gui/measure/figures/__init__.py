"""Figures of the tabs, each a pure function of series. No Qt."""
