"""The listing beside the picture, its gutter, and the editor in its place: what is typed runs after each pause."""
