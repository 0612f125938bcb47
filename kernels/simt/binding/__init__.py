"""A launch's arguments bound to the kernel's parameters and the file's variables."""
