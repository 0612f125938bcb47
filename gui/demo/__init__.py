"""The tour of `tilescope demo`: in the window, or rendered into files."""
