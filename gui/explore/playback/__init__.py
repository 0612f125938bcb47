"""Stories that are played, their states, and the files of sessions. No Qt."""
