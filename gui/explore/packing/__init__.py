"""Places of everything in a picture, in pixels: arrays, threads, boxes, strips, points. No Qt."""
