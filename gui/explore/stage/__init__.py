"""The picture of matrices, threads and tiles: its frozen scene, its painting, and the canvas that shows it."""
