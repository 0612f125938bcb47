"""What is played: stories, their states, and the files of sessions. No Qt."""
