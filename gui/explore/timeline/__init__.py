"""The timeline: position, marks of phases and barriers, play and loop."""
