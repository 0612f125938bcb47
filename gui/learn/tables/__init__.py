"""Published tables, measured again on this machine, above the published values."""
