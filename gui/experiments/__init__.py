"""The Experiments page: published tables, measured again on this machine."""
