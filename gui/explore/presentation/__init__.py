"""The picture on the whole screen, with the presenter's controls."""
