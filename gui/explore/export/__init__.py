"""Files of a recorded run: pictures, films, and one HTML page that plays it without a server."""
