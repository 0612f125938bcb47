"""malloc, free, new and delete on the device."""
